import Foundation

/// A `watchline-server` of a test's own, on a free port of the loopback interface.
final class ServerProcess {
  let program: Program
  let host: String
  /// Known once the ready line has come.
  private(set) var port = 0

  /// The server that is built with the tests, or the one that `WATCHLINE_SERVER_PROGRAM` names.
  static var path: String {
    ProcessInfo.processInfo.environment["WATCHLINE_SERVER_PROGRAM"]
      ?? Program.products + "/watchline-server"
  }

  /// Starts it without waiting.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - shell: commands of `sh` that run before it in the same process, such as `ulimit`.
  init(
    starting scratch: Scratch, _ arguments: [String] = [], data: String? = nil,
    host: String = "127.0.0.1", port: Int = 0, shell: String? = nil
  ) throws {
    self.host = host
    let listen = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var words = [Self.path, "--listen", listen, "--data", data ?? scratch.data]
    words += arguments
    if let shell { words = ["sh", "-c", "\(shell); exec \"$0\" \"$@\""] + words }
    program = try Program(words, in: scratch)
  }

  /// Starts it and waits for the ready line.
  convenience init(
    _ scratch: Scratch, _ arguments: [String] = [], data: String? = nil,
    host: String = "127.0.0.1", port: Int = 0, shell: String? = nil
  ) throws {
    try self.init(
      starting: scratch, arguments, data: data, host: host, port: port, shell: shell)
    try waitUntilReady()
  }

  func waitUntilReady() throws {
    try eventually("the ready line; errors: \(program.errors)") {
      if try isReady() { return true }
      guard !program.hasEnded else { throw Failure("did not start: \(program.errors)") }
      return false
    }
  }

  /// Whether the ready line has come.
  func isReady() throws -> Bool {
    let output = program.output
    guard output.hasSuffix("\n") else { return false }
    let shown = host.contains(":") ? "[\(host)]" : host
    let prefix = "watchline-server listening on \(shown):"
    guard output.hasPrefix(prefix),
      let port = Int(output.dropFirst(prefix.count).prefix(while: \.isNumber))
    else {
      throw Failure("not the ready line: \(output)")
    }
    self.port = port
    return true
  }

  func client(receiveBuffer: Int? = nil) throws -> LineClient {
    try LineClient(host: host, port: port, receiveBuffer: receiveBuffer)
  }

  /// A connection that has activated; its `activationDidComplete` is `activation`.
  func device(
    _ role: String, pair: String = "demo", _ more: [String: Any] = [:], receiveBuffer: Int? = nil
  ) throws -> LineClient {
    let client = try client(receiveBuffer: receiveBuffer)
    try client.activate(role, pair: pair, more)
    return client
  }

  func kill() { program.kill() }

  /// SIGTERM. Returns the exit code.
  func terminate() throws -> Int {
    program.signal(SIGTERM)
    return try program.exitCode()
  }

  var log: String { program.errors }

  /// The log of a server that runs has a text, or will in a moment: a thread of its own writes it.
  func expectLog(_ text: String) throws {
    try eventually("the log has \(text): \(log)") { log.contains(text) }
  }

  /// Bytes of memory that it occupies.
  var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0)
      << 10
  }
}
