import Glibc

/// systemd, which has started this process and waits to hear from it (sd_notify(3), sd_watchdog_enabled(3)).
struct Supervisor {
  private let path: String
  /// How often it is to hear that all is well, in microseconds: twice as often as it asks for; nil for never.
  let interval: Int64?

  /// nil where nobody waits.
  init?() {
    guard let path = Self.variable("NOTIFY_SOCKET"), !path.isEmpty,
      path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    self.path = path
    let isMeant = Self.variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let wanted = Self.variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    interval = isMeant && wanted > 0 ? max(1_000, wanted / 2) : nil
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// - Parameter state: assignments, a line each. Where it cannot be told nothing is done about it.
  func tell(_ state: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      for (index, byte) in path.utf8.enumerated() { room[index] = byte }
      // An abstract one: its name begins with 0.
      if path.utf8.first == UInt8(ascii: "@") { room[0] = 0 }
    }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.utf8.count
    let bytes = Array(state.utf8)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(
          descriptor, bytes, bytes.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          address, socklen_t(size))
      }
    }
  }
}

/// What the kernel says of this process.
enum ProcessFigures {
  /// Bytes in memory.
  static var resident: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(
      separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
  }

  /// Seconds of all its threads, in user and in kernel mode.
  static var cpuSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
      .reduce(0, +)
  }
}
