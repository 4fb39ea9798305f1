internal import Glibc
internal import Synchronization

/// Ctrl-C and SIGTERM, noted for a loop that asks now and then.
enum Interrupt {
  private static let received = Atomic<Int32>(0)

  /// From now on they are noted, and end nothing by themselves.
  static func listen() {
    for number in [SIGINT, SIGTERM] {
      _ = Glibc.signal(number) { Interrupt.received.store($0, ordering: .relaxed) }
    }
  }

  /// The signal that came; nil where none did.
  static var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Ends the process as the one who sent it expects.
  static func pass(_ number: Int32) {
    _ = Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
