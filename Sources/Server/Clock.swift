import Glibc

/// Wall time that never steps back: read once, then moved by the monotonic clock.
struct Clock {
  private let offset: Int64

  init() { offset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_MONOTONIC) }

  /// Microseconds since 1970.
  var now: Int64 { offset + Self.read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
