import Glibc

/// A lock on a store's mark under which its database stays as it is: held by who copies the files of a server that
/// runs, taken by the server for as long as it writes to the database.
///
/// `flock` (<https://man7.org/linux/man-pages/man2/flock.2.html>): it goes with the process that holds it. SQLite
/// knows nothing of the mark, so no lock of its own is dropped when the file is closed.
final class Hold {
  private let descriptor: Int32

  /// nil where there is no mark.
  init?(_ mark: String) {
    descriptor = Glibc.open(mark, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { Glibc.close(descriptor) }

  /// Waits until nobody else has it.
  func wait() { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }

  /// - Returns: false where somebody else has it.
  func acquire() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

  func giveBack() { flock(descriptor, LOCK_UN) }
}
