internal import Simulation
internal import Wire

/// A device's connection to a real server, as the device sees it.
///
/// The harness's own questions ("are you done with what I sent?") go the same way; their answers are
/// taken out of what the device reads.
final class SocketLink: ServerLink {
  let number: Int
  private unowned let site: SocketSite
  private(set) var isClosed = false
  /// Holds the start of a line whose end has not come.
  private var splitter = LineSplitter()
  /// Whole lines that the device has not read.
  private var unread: [UInt8] = []
  /// What the device has read of a line.
  private var begun: [UInt8] = []
  /// Whether the device has sent whole lines only.
  private(set) var isBetweenLines = true
  private var questions = 0
  private(set) var answers = 0

  private static let mark = Array("\"re\":\"settled ".utf8)

  init(_ number: Int, _ site: SocketSite) {
    self.number = number
    self.site = site
  }

  var hasInput: Bool { !unread.isEmpty }
  var isAnswered: Bool { answers == questions }

  // MARK: The device

  func send(_ bytes: [UInt8]) {
    guard !isClosed, let last = bytes.last else { return }
    isBetweenLines = last == 0x0A
    site.sent(number, bytes)
  }

  func read(_ count: Int?) -> [[UInt8]] {
    let end = min(count ?? unread.count, unread.count)
    var lines: [[UInt8]] = []
    for byte in unread[..<end] {
      if byte == 0x0A {
        lines.append(begun)
        begun = []
      } else {
        begun.append(byte)
      }
    }
    unread.removeFirst(end)
    return lines
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    site.left(number)
  }

  // MARK: The network

  /// Asks for an answer that comes when everything before it is on disk (clause 8: `configured`
  /// without a knob changes nothing).
  func ask() {
    questions += 1
    send(Array("{\"type\":\"configure\",\"id\":\"settled \(questions)\"}\n".utf8))
  }

  func received(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { chunk in
      splitter.split(chunk) { line in
        if isAnswer(line) { answers += 1 } else { unread += line }
        return true
      }
    }
  }

  private func isAnswer(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count < 4096 || line.starts(with: Array("{\"type\":\"configured\"".utf8)) else {
      return false
    }
    return line.indices.contains { line[$0...].starts(with: Self.mark) }
  }

  /// Nothing more comes.
  func ended() { isClosed = true }
}
