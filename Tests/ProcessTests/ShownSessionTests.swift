import Foundation
import Testing

extension ProcessTests {
  /// The sessions that the README and Documentation/Keyboard.md show, one after the other, are the sessions
  /// that take place.
  @Test func theSessionsThatAreShown() throws {
    var session = try ShownSession()
    try session.play("README.md")
    #expect(
      session.typed == 8 && session.received == 17,
      "the README shows \(session.typed) typed and \(session.received) received")
    #expect(session.shortened.count == 4)
    try session.play("Documentation/Keyboard.md")
    #expect(
      session.typed == 17 && session.received == 31,
      "with the keyboard's page \(session.typed) typed and \(session.received) received")
    #expect(session.shortened.isEmpty, "what the README shortens is shown whole")
  }
}

/// A server, and who types at it as documents show.
private struct ShownSession {
  private let scratch: Scratch
  private var server: ServerProcess
  private var clients: [String: LineClient] = [:]
  private var names = DrawnNames()
  private(set) var typed = 0
  private(set) var received = 0
  /// What came where a line was shown with `…`, until a block `whole` shows it.
  private(set) var shortened: [Line] = []

  init() throws {
    scratch = try Scratch()
    server = try ServerProcess(scratch)
  }

  mutating func play(_ path: String) throws {
    var block: String?
    for line in try shownLines(path) {
      if line.hasPrefix("```text ") {
        block = String(line.dropFirst("```text ".count))
      } else if line.hasPrefix("```") {
        block = nil
      } else if let name = block {
        try play(line, of: name)
      } else if line.contains("(Ctrl-C)") {
        clients["watch"]?.close()
      } else if line.contains("(`kill -9`)") {
        server.kill()
        server = try ServerProcess(scratch)
      }
    }
  }

  private mutating func play(_ line: String, of name: String) throws {
    if name == "whole" {
      try #require(!shortened.isEmpty)
      try compare(line, with: shortened.removeFirst())
    } else if line == "$ nc 127.0.0.1 9282" {
      clients[name] = try server.client()
    } else if line.hasPrefix("{") {
      let client = try #require(clients[name])
      let isHello = line.hasPrefix(#"{"type":"hello""#)
      let came = try #require(isHello ? client.hello : try client.line())
      if line.contains("…") {
        #expect(Self.isShortened(line, of: came.text), "\(came)")
        shortened.append(came)
      } else {
        try compare(line, with: came)
      }
      received += 1
    } else {
      try #require(clients[name]).send(names.replaced(in: line))
      typed += 1
    }
  }

  private mutating func compare(_ text: String, with came: Line) throws {
    let shown = try Line(Array(text.utf8))
    names.bind(shown.text, came.text)
    #expect(try DrawnNames.without(came) == DrawnNames.without(shown), "\(came)")
  }

  /// Whether a line is another one, with `…` in the place of parts.
  private static func isShortened(_ shown: String, of whole: String) -> Bool {
    let parts = shown.components(separatedBy: "…")
    guard whole.hasPrefix(parts[0]), whole.hasSuffix(parts[parts.count - 1]) else { return false }
    var rest = whole[...]
    for part in parts where !part.isEmpty {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}

/// The lines of a document of this repository.
private func shownLines(_ path: String) throws -> [String] {
  let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../\(path)")
  let text = try String(contentsOf: document, encoding: .utf8)
  return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

extension ProcessTests {
  /// The devices of Documentation/Devices.md show what it shows.
  @Test func theDevicesThatAreShown() throws {
    let scratch = try Scratch()
    let server = try ServerProcess(scratch)
    var devices: [String: DeviceProgram] = [:]
    var role: String?
    var screens = 0
    var shown: [String] = []
    for line in try shownLines("Documentation/Devices.md") {
      if line.hasPrefix("```text device ") {
        role = String(line.dropFirst("```text device ".count))
        if devices[role!] == nil {
          devices[role!] = try DeviceProgram(server, in: scratch, app: "todoTimers", role: role!)
          try devices[role!]?.sync()
        }
      } else if line.hasPrefix("```"), let device = role.flatMap({ devices[$0] }) {
        if !shown.isEmpty {
          screens += 1
          try eventually("the screen as shown; there is\n\(device.screen.joined(separator: "\n"))")
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

/// What differs from store to store and from day to day in the lines that documents show.
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
