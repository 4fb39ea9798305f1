import Glibc
import Storage
import Wire

package enum LogLevel: String, CaseIterable, Comparable {
  case error, info, debug

  private var rank: Int { self == .error ? 0 : self == .info ? 1 : 2 }

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// How a line of the log is written.
package enum LogFormat: String, CaseIterable {
  /// `key=value`, values in quotation marks where they have blanks.
  case logfmt
  /// An object a line: whole numbers and booleans as such, all else as strings.
  case json

  /// - Parameter line: as logfmt, quoted values as JSON strings.
  func text(_ line: String) -> String {
    guard self == .json else { return line + "\n" }
    var result: [UInt8] = [0x7B]
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
      if result.count > 1 { result.append(0x2C) }
      let key = String(decoding: rest.prefix { $0 != 0x3D }, as: UTF8.self)
      result.append(jsonString: key)
      result.append(0x3A)
      rest = rest.drop { $0 != 0x3D }.dropFirst()
      let value = rest.first == 0x22 ? Self.string(rest) : rest.prefix { $0 != 0x20 }
      let text = String(decoding: value, as: UTF8.self)
      if value.first == 0x22 || !Self.names.contains(key) && Self.isLiteral(text) {
        result += value
      } else {
        result.append(jsonString: text)
      }
      rest = rest.dropFirst(value.count).drop { $0 == 0x20 }
    }
    return String(decoding: result, as: UTF8.self) + "}\n"
  }

  /// What may look like a number, and is none.
  private static let names: Set = ["token", "store"]

  private static func isLiteral(_ text: String) -> Bool {
    text == "true" || text == "false" || Int64(text).map { "\($0)" == text } ?? false
  }

  /// The JSON string at the start, with its quotation marks.
  private static func string(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = bytes.startIndex + 1
    while end < bytes.endIndex, bytes[end] != 0x22 { end += bytes[end] == 0x5C ? 2 : 1 }
    return bytes[..<min(end + 1, bytes.endIndex)]
  }
}

/// Lines on stderr. A thread of its own writes them, so that a reader that does not read
/// holds up nobody; what does not fit into memory meanwhile is dropped and counted.
///
/// The descriptor's flags are shared with other processes and stay as they are: a write may block that
/// thread for as long as it likes.
struct Log {
  let level: LogLevel
  private let format: LogFormat
  private let lines: Monitor<LogLines>

  init(level: LogLevel, format: LogFormat) {
    self.level = level
    self.format = format
    lines = Monitor(LogLines(format: format))
    LogWriter.start(lines)
  }

  /// - Parameter line: `event=…` and what else belongs to it, values quoted where they have blanks.
  func write(_ level: LogLevel, _ line: String) {
    guard level <= self.level else { return }
    let bytes = Array(Self.text(level, line, format).utf8)
    lines.with { $0.add(bytes) }
    lines.signal()
  }

  /// Waits until all is written, for at most a second; what is left then goes with the process.
  func close() {
    let end = monotonicNanoseconds() + 1_000_000_000
    while monotonicNanoseconds() < end, !lines.with({ $0.isEmpty }) { usleep(1_000) }
  }

  fileprivate static func text(_ level: LogLevel, _ line: String, _ format: LogFormat) -> String {
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
    return format.text("time=\(stamp).\(milliseconds)Z level=\(level.rawValue) \(line)")
  }
}

/// What waits to be written.
struct LogLines {
  /// Bytes that may wait: some 2,000 lines.
  static let limit = 256 << 10

  private let format: LogFormat
  private var waiting: [UInt8] = []
  /// Lines that found no room since the last that did.
  private var dropped = 0
  /// The writer has some in hand.
  private var isWriting = false
  /// It cannot be written to.
  var hasFailed = false

  init(format: LogFormat) { self.format = format }

  var isEmpty: Bool { hasFailed || waiting.isEmpty && !isWriting }

  /// Once one is dropped, so are those after it, until there is room again and their number is told.
  mutating func add(_ line: [UInt8]) {
    guard !hasFailed else { return }
    if dropped == 0, waiting.count + line.count <= Self.limit {
      waiting += line
    } else {
      dropped += 1
    }
  }

  /// What is to be written next; nil where there is nothing. With it the one before has been written.
  mutating func dequeue() -> [UInt8]? {
    isWriting = !waiting.isEmpty && !hasFailed
    guard isWriting else { return nil }
    let taken = waiting
    waiting = []
    if dropped > 0 {
      waiting = Array(Log.text(.error, "event=logDropped lines=\(dropped)", format).utf8)
    }
    dropped = 0
    return taken
  }
}

/// The thread that writes.
private enum LogWriter {
  static func start(_ lines: Monitor<LogLines>) {
    let identifier = startThread(
      { argument in
        let lines = Unmanaged<Monitor<LogLines>>.fromOpaque(argument!).takeRetainedValue()
        while true {
          let bytes = lines.wait(until: nil) { $0.dequeue() }!
          if !LogWriter.write(bytes) { lines.with { $0.hasFailed = true } }
        }
      }, Unmanaged.passRetained(lines).toOpaque())
    pthread_detach(identifier)
  }

  /// Returns false where nobody can read it any more.
  private static func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress! + sent, $0.count - sent) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        // Somebody else has set O_NONBLOCK.
        var entry = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
