import Glibc

/// A bound in time.
struct Moment {
  private let nanoseconds: UInt64

  /// Long enough for whatever should happen at all, on a machine that is busy with other things.
  static let patience = 30.0

  static func after(_ seconds: Double) -> Moment {
    Moment(nanoseconds: now + UInt64(seconds * 1e9))
  }

  var isPast: Bool { Self.now >= nanoseconds }

  /// Milliseconds until then, rounded up, for `poll`.
  var milliseconds: Int32 {
    let now = Self.now
    return nanoseconds <= now ? 0 : Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000)
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Asks again and again until something holds.
func eventually(
  within seconds: Double = Moment.patience, _ what: @autoclosure () -> String,
  _ holds: () throws -> Bool
) throws {
  let end = Moment.after(seconds)
  while try !holds() {
    guard !end.isPast else { throw Failure("never: \(what())") }
    usleep(2_000)
  }
}
