import CSQLite
import Glibc

/// One store a directory: a lock on the directory itself, so that no file has to be made for it.
///
/// `flock` (<https://man7.org/linux/man-pages/man2/flock.2.html>) binds the lock to the open file, so a
/// second store in this process is refused too, and the lock goes with the process however it ends.
/// SQLite's own lock would be gone while a failed store is being reopened.
final class DirectoryLock {
  let descriptor: Int32

  init(_ directory: String) throws(StoreError) {
    let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(errno: errno, function: "open", path: directory)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      guard number == EWOULDBLOCK else {
        throw StoreError(errno: number, function: "flock", path: directory)
      }
      throw StoreError(
        .locked, code: SQLITE_BUSY, function: "flock", path: directory,
        "another process has the store in this directory open, stop it or choose another directory")
    }
    self.descriptor = descriptor
  }

  deinit {
    // Also where a program that this process is just starting has a copy of the descriptor until it begins.
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  /// Makes the names in a directory durable.
  static func sync(_ directory: String) throws(StoreError) {
    let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(errno: errno, function: "open", path: directory)
    }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw StoreError(errno: errno, function: "fsync", path: directory)
    }
  }

  /// Makes the directory and those above it, and makes their names durable.
  static func makeDirectory(_ directory: String) throws(StoreError) {
    if mkdir(directory, 0o700) != 0 {
      switch errno {
      case EEXIST:
        return
      case ENOENT where !parent(of: directory).isEmpty:
        try makeDirectory(parent(of: directory))
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
          throw StoreError(errno: errno, function: "mkdir", path: directory)
        }
      case let number:
        throw StoreError(errno: number, function: "mkdir", path: directory)
      }
    }
    let parent = parent(of: directory)
    let descriptor = Glibc.open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }  // Not ours to read: its owner sees to it.
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(errno: errno, function: "fsync", path: parent)
    }
  }

  private static func parent(of path: String) -> String {
    let trimmed = path.reversed().drop { $0 == "/" }
    let parent = trimmed.drop { $0 != "/" }
    guard parent.count > 1 else { return parent.isEmpty ? "" : "/" }
    return String(parent.dropFirst().reversed())
  }
}
