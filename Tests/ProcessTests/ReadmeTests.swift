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
    var names = DrawnNames()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```text device") {
        block = nil
      } else if line.hasPrefix("```text ") {
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
          names.bind(shown.text, came.text)
          #expect(try DrawnNames.without(came) == DrawnNames.without(shown), "\(came)")
          received += 1
        } else {
          try #require(clients[name]).send(names.replaced(in: line))
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
      typed == 17 && received == 31, "the README shows \(typed) typed and \(received) received")
  }
}

extension ProcessTests {
  /// The devices that the README shows do what it shows.
  @Test func theReadmesDevices() throws {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let scratch = try Scratch()
    let server = try ServerProcess(scratch)
    var devices: [String: DeviceProgram] = [:]
    var role: String?
    var screens = 0
    var shown: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```text device ") {
        role = String(line.dropFirst("```text device ".count))
        if devices[role!] == nil {
          devices[role!] = try DeviceProgram(server, in: scratch, app: "todoTimers", role: role!)
          try devices[role!]?.sync()
        }
      } else if line.hasPrefix("```"), let device = role.flatMap({ devices[$0] }) {
        if !shown.isEmpty {
          screens += 1
          try eventually("the README's screen; there is\n\(device.screen.joined(separator: "\n"))")
          {
            try device.update()
            return device.screen == shown
          }
        }
        // The next terminal is looked at when this one is done.
        if !device.isOffline { try device.sync() }
        (role, shown) = (nil, [])
      } else if let device = role.flatMap({ devices[$0] }) {
        guard line.hasPrefix("> ") else {
          shown.append(line)
          continue
        }
        device.type(String(line.dropFirst(2)))
      }
    }
    #expect(screens == 2)
  }
}

/// What differs from store to store and from day to day in the lines that the README shows.
private struct DrawnNames {
  /// Ids of records, as shown and as they came.
  private var pairs: [(shown: String, came: String)] = []

  /// An id that the server has drawn.
  private static var id: Regex<Substring> {
    /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
  }

  mutating func bind(_ shown: String, _ came: String) {
    for (shown, came) in zip(shown.matches(of: Self.id), came.matches(of: Self.id)) {
      let pair = (String(shown.output), String(came.output))
      if let known = pairs.first(where: { $0.shown == pair.0 }) {
        #expect(known.came == pair.1, "\(pair.0) stands for two records")
      } else {
        pairs.append(pair)
      }
    }
  }

  /// A typed line, with the ids of this run in the place of those shown, or of their starts.
  func replaced(in line: String) -> String {
    var line = line
    for pair in pairs {
      line = line.replacing(pair.shown, with: pair.came)
      line = line.replacing("=\(pair.shown.prefix(4)) ", with: "=\(pair.came) ")
    }
    return line
  }

  /// The members of a line without names, digests and times.
  static func without(_ line: Line) throws -> NSDictionary {
    let text = line.text
      .replacing(id, with: "ID")
      .replacing(/timer [0-9A-F]{8}\b/, with: "timer ID")
      .replacing(/"(now|createdAt|updatedAt)":[0-9.]+/) { "\"\($0.output.1)\":0" }
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/, with: "TIME")
    var members = try Line(Array(text.utf8)).members
    members["store"] = nil
    members["schemaDigest"] = nil
    return members as NSDictionary
  }
}
