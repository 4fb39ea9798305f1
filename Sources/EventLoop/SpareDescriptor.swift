internal import CUV
internal import Glibc

/// A file descriptor held for the moment when no other is left.
struct SpareDescriptor: ~Copyable {
  private var descriptor: Int32 = -1

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  var isHeld: Bool { descriptor >= 0 }

  /// Takes one, unless it holds one already; or fails quietly and does not hold one.
  mutating func hold() {
    if descriptor < 0 { descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC) }
  }

  /// The one that it holds, which is someone else's from now on.
  mutating func give() -> Int32? {
    guard isHeld else { return nil }
    defer { descriptor = -1 }
    return descriptor
  }

  /// Gives it back to the process.
  mutating func release() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Whether the process could open one more descriptor now, beside this one. Two system calls.
  mutating func isAnotherLeft() -> Bool {
    hold()
    guard isHeld else { return false }
    let another = dup(descriptor)
    if another >= 0 { close(another) }
    return another >= 0
  }
}
