import Testing

/// The admin port of a server that was started with `AdminPort.arguments`, asked with curl.
struct AdminPort {
  static let arguments = ["--admin", "127.0.0.1:0"]

  let address: String
  private let scratch: Scratch

  init(_ server: ServerProcess, _ scratch: Scratch) throws {
    self.scratch = scratch
    var address: String?
    try eventually("the admin port is in the log") {
      address = server.log.split(separator: "event=admin address=").dropFirst().first.map {
        String($0.prefix { !$0.isWhitespace })
      }
      return address != nil
    }
    self.address = try #require(address)
  }

  /// - Returns: what is said, and the status behind it.
  func get(_ path: String, _ more: [String] = []) throws -> String {
    try get(url: address + path, more)
  }

  /// The same of another server of HTTP.
  func get(url: String, _ more: [String] = []) throws -> String {
    let program = try Program(
      ["curl", "-s", "-m", "5", "-w", "\n%{http_code}", "http://" + url] + more, in: scratch)
    #expect(try program.exitCode() == 0, "\(url): \(program.errors)")
    return program.output
  }

  /// The metrics of this moment, or one of them.
  func metrics() throws -> String { try get("/metrics") }

  func metric(_ name: String) throws -> Double? { Self.value(name, in: try metrics()) }

  static func value(_ name: String, in metrics: String) -> Double? {
    metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Double($0.dropFirst(name.count + 1)) }
  }
}
