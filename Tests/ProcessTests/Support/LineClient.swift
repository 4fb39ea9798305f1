import Foundation
import LoopbackSupport
import Wire

/// A blocking client: lines out, lines in as JSON, everything bounded in time.
final class LineClient {
  let descriptor: Int32
  /// The server's first line; nil where it ended the connection at once, or was not waited for.
  private(set) var hello: Line?
  /// The answer to `activate`.
  private(set) var activation: Line!
  /// Whether the server has ended the connection.
  private(set) var hasEnded = false
  private var splitter = LineSplitter()
  /// Whole lines that have not been read, the next one first from `next` on.
  private var lines: [[UInt8]] = []
  private var next = 0
  /// The lines before this one are no answers that anybody still waits for.
  private var searched = 0
  private var isClosed = false

  /// Connects and reads `hello`.
  ///
  /// - Parameters:
  ///   - receiveBuffer: the size of the kernel's buffer, so that it is full soon.
  ///   - awaitsHello: false: of a server that is stopped, the kernel alone takes the connection.
  init(
    host: String = "127.0.0.1", port: Int, receiveBuffer: Int? = nil, awaitsHello: Bool = true
  ) throws {
    do throws(POSIXError) {
      descriptor = try loopbackConnection(host: host, port: port, receiveBuffer: receiveBuffer)
    } catch {
      throw Failure("connect to \(host):\(port): \(error.code)")
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    if awaitsHello { hello = try line() }
  }

  deinit { close() }

  // MARK: Ends

  func close() {
    guard !isClosed else { return }
    isClosed = true
    Glibc.close(descriptor)
  }

  /// Ends the output; the server's answers can still be read.
  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes with a reset: what is under way is lost.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close()
  }

  // MARK: Output

  func send(_ line: String) throws { try send(bytes: Array((line + "\n").utf8)) }

  func send(_ members: [String: Any]) throws {
    var bytes = [UInt8](try JSONSerialization.data(withJSONObject: members))
    bytes.append(0x0A)
    try send(bytes: bytes)
  }

  /// Sends all; what comes in meanwhile is kept for later reads.
  ///
  /// - Parameter readsMeanwhile: false leaves what comes in with the kernel.
  func send(bytes: [UInt8], readsMeanwhile: Bool = true) throws {
    var sent = 0
    let end = Moment.after(Moment.patience)
    while sent < bytes.count {
      sent += try sendSome(bytes[sent...])
      guard sent < bytes.count else { return }
      guard !end.isPast else { throw Failure("the server reads no more") }
      let events = readsMeanwhile && !hasEnded ? POLLOUT | POLLIN : POLLOUT
      if wait(for: Int32(events), end.milliseconds) & Int32(POLLIN) != 0 { take() }
    }
  }

  /// Sends what the kernel takes at once. Returns how many bytes.
  func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return count }
    guard errno == EAGAIN else { throw Failure("send: \(String(cString: strerror(errno)))") }
    return 0
  }

  /// Waits until the socket can be written to. Returns false when it cannot.
  func waitForRoom(_ seconds: Double) -> Bool {
    wait(for: Int32(POLLOUT), Moment.after(seconds).milliseconds) & Int32(POLLOUT) != 0
  }

  // MARK: Input

  /// The next line; nil at the end of the connection.
  func line() throws -> Line? { try bytes().map { try Line($0) } }

  /// The next line unread, for where there are many.
  func text() throws -> String? { try bytes().map { String(decoding: $0, as: UTF8.self) } }

  /// The next line's bytes without its LF.
  func bytes() throws -> [UInt8]? { try hasLine(next) ? heldLine() : nil }

  /// Waits for the line of this index; false at the end of the connection.
  private func hasLine(_ index: Int) throws -> Bool {
    let end = Moment.after(Moment.patience)
    while index >= lines.count {
      guard !hasEnded else { return false }
      guard !end.isPast else { throw Failure("no line came within \(Moment.patience) s") }
      _ = wait(for: Int32(POLLIN), end.milliseconds)
      take()
    }
    return true
  }

  /// The answer to the request with an id, taken out from among the other lines; nil where the connection ends first.
  private func answer(to id: String) throws -> Line? {
    searched = max(next, searched)
    while try hasLine(searched) {
      let line = try Line(lines[searched])
      if line.string("re") == id {
        lines.remove(at: searched)
        return line
      }
      searched += 1
    }
    return nil
  }

  /// The next line, if one has come.
  func lineNow() throws -> Line? { try bytesNow().map { try Line($0) } }

  /// The same, its bytes without its LF.
  func bytesNow() throws -> [UInt8]? {
    if let line = heldLine() { return line }
    take()
    return heldLine()
  }

  /// Waits for something to come in, or the end, or the time.
  func wait(_ seconds: Double) {
    _ = wait(for: Int32(POLLIN), Moment.after(seconds).milliseconds)
  }

  private func wait(for events: Int32, _ milliseconds: Int32) -> Int32 {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    poll(&entry, 1, milliseconds)
    return Int32(entry.revents)
  }

  private func take() {
    guard !hasEnded else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        lines += splitter.lines(in: buffer[..<count])
        continue
      }
      // A reset ends it too.
      if count == 0 || errno != EAGAIN { hasEnded = true }
      return
    }
  }

  private func heldLine() -> [UInt8]? {
    guard next < lines.count else { return nil }
    defer { next += 1 }
    if next > 1 << 10 {
      lines.removeFirst(next)
      searched = max(0, searched - next)
      next = 0
    }
    return lines[next]
  }
}

extension LineClient {
  func activate(_ role: String, pair: String = "demo", _ more: [String: Any] = [:]) throws {
    try send(
      ["type": "activate", "pair": pair, "role": role].merging(more, uniquingKeysWith: { $1 }))
    activation = try expect("activationDidComplete")
  }

  /// Reads up to a line of this type and returns it. An error line on the way is a failure.
  @discardableResult
  func expect(_ type: String) throws -> Line {
    try first("a line \(type)") { line in
      if line.type == "error", type != "error" { throw Failure("\(line), not \(type)") }
      return line.type == type
    }
  }

  /// Reads up to a line that fits and returns it.
  @discardableResult
  func first(_ what: String, _ fits: (Line) throws -> Bool) throws -> Line {
    while let line = try line() {
      if try fits(line) { return line }
    }
    throw Failure("the connection ended before \(what)")
  }

  /// Sends a request with an id of its own and returns the answer to it. What came before the answer can still be read.
  @discardableResult
  func request(_ members: [String: Any]) throws -> Line {
    let id = UUID().uuidString
    try send(members.merging(["id": id], uniquingKeysWith: { $1 }))
    if let answer = try answer(to: id) { return answer }
    throw Failure("the connection ended before the answer to \(members["type"] ?? "")")
  }

  /// All lines up to the end of the connection.
  func linesToEnd() throws -> [Line] {
    var lines: [Line] = []
    while let line = try line() { lines.append(line) }
    return lines
  }
}
