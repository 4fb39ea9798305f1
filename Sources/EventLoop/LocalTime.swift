internal import CUV
internal import Glibc

/// The time of day here.
package enum LocalTime {
  /// Now, as `HH:MM:SS.mmm`.
  ///
  /// The corresponding C functions are `uv_gettimeofday` and `localtime_r`.
  package static func now() -> String {
    var time = uv_timeval64_t()
    require(uv_gettimeofday(&time), "uv_gettimeofday")
    var seconds = time_t(time.tv_sec)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }
    return clock.joined(separator: ":") + "." + padded(Int(time.tv_usec) / 1_000, 3)
  }

  /// How far local time is ahead of UTC now, in seconds.
  package static var secondsFromUTC: Int {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return Int(parts.tm_gmtoff)
  }

  /// Milliseconds since 1970.
  ///
  /// The corresponding C function is `uv_gettimeofday`.
  package static var milliseconds: Int64 {
    var time = uv_timeval64_t()
    require(uv_gettimeofday(&time), "uv_gettimeofday")
    return time.tv_sec * 1000 + Int64(time.tv_usec) / 1000
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
