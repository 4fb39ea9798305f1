import Foundation
import Testing

extension ProcessTests {
  /// The session that the README shows is the session that takes place.
  @Test func theReadmesSession() throws {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let scratch = try Scratch()
    var server = try ServerProcess(scratch)
    var clients: [String: LineClient] = [:]
    var block: String?
    var typed = 0
    var received = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```text ") {
        block = String(line.dropFirst("```text ".count))
      } else if line.hasPrefix("```") {
        block = nil
      } else if let name = block {
        if line == "$ nc 127.0.0.1 9282" {
          let client = try server.client()
          clients[name] = client
        } else if line.hasPrefix("{") {
          let shown = try Line(Array(line.utf8))
          let client = try #require(clients[name])
          let came = try #require(shown.type == "hello" ? client.hello : try client.line())
          #expect(Self.withoutNames(came) == Self.withoutNames(shown), "\(came)")
          received += 1
        } else {
          try #require(clients[name]).send(line)
          typed += 1
        }
      } else if line.contains("(Ctrl-C)") {
        clients["watch"]?.close()
      } else if line.contains("(`kill -9`)") {
        server.kill()
        server = try ServerProcess(scratch)
      }
    }
    #expect(
      typed == 8 && received == 17, "the README shows \(typed) typed and \(received) received")
  }

  /// A line without what differs from store to store.
  private static func withoutNames(_ line: Line) -> NSDictionary {
    var members = line.members
    members["store"] = nil
    return members as NSDictionary
  }
}
