import Glibc

package enum LogLevel: String, Comparable {
  case error, info, debug

  private var rank: Int { self == .error ? 0 : self == .info ? 1 : 2 }

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// Lines of `key=value` on stderr.
struct Log {
  let level: LogLevel

  /// - Parameter line: `event=…` and what else belongs to it, values quoted where they have blanks.
  func write(_ level: LogLevel, _ line: String) {
    guard level <= self.level else { return }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    let stamp = String(unsafeUninitializedCapacity: 32) { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%S", &parts)
      }
    }
    let milliseconds = String(time.tv_nsec / 1_000_000 + 1_000).dropFirst()
    let text =
      "time=\(stamp).\(milliseconds)Z level=\(level.rawValue) \(line)\n"
    text.utf8.withContiguousStorageIfAvailable { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.write(2, bytes.baseAddress! + sent, bytes.count - sent)
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}
