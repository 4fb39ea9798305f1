internal import Glibc

/// Time on clocks of the system.
package enum Clock {
  /// Nanoseconds on a clock that only goes forward.
  @inline(__always)
  package static var now: Int64 { read(CLOCK_MONOTONIC) }

  /// Milliseconds since 1970.
  static var wall: Int64 { read(CLOCK_REALTIME) / 1_000_000 }

  /// Nanoseconds of processor time that this process has used, user and system.
  static var ownCPU: Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

  @inline(__always)
  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
