package import Foundation

/// A transcript: what clients send and what they must receive, named after the clause of
/// PROTOCOL.md that it proves.
///
/// ```
/// {"transcript":"5.7","title":"…","limits":{"line":200},"tokens":{"name":{"id":"…",…},…},"schema":{…}}
/// {"on":"phone","send":"activate pair=demo role=phone"}
/// {"on":"phone","receive":{"type":"activationDidComplete","session":"…","store":"$store"}}
/// ```
package struct Transcript: Sendable, CustomStringConvertible {
  package struct Step: Sendable {
    /// Its line in the file, from 1.
    package var line: Int
    package var action: Action
  }

  package enum Action: Sendable {
    /// A connection is opened and its `hello` left to be received.
    case open(on: String)
    /// Text with `$names`, without LF.
    case send(on: String, text: String)
    case bytes(on: String, [UInt8])
    case receive(on: String, JSON)
    case quiet(on: String)
    case end(on: String)
    case closed(on: String)
    case close(on: String)
    case restart
    case kill
  }

  /// File name without its ending.
  package let name: String
  package let clause: String
  package let title: String
  package let limits: [(name: String, value: Int)]
  /// The lines of the server's file of tokens (clause 14.2); nil where it asks for none.
  package let tokens: [UInt8]?
  /// A schema beside those that are shipped (clause 12.1), as its file is; nil for none.
  package let schema: [UInt8]?
  package let steps: [Step]

  package var description: String { name }

  package struct Fault: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }

  package init(_ file: URL) throws {
    name = file.deletingPathExtension().lastPathComponent
    let text = Array(try Data(contentsOf: file))
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    let head = try JSONReader.read(lines[0])
    guard let clause = head["transcript"]?.string, let title = head["title"]?.string else {
      throw Fault(description: "\(name): the first line names no transcript and title")
    }
    self.clause = clause
    self.title = title
    var limits: [(name: String, value: Int)] = []
    if case .object(let members)? = head["limits"] {
      limits = members.map { ($0.name, Int($0.text) ?? 0) }
    }
    self.limits = limits
    tokens = try Self.tokens(head)
    schema = Self.schema(head)
    var steps: [Step] = []
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      do {
        steps.append(Step(line: index + 1, action: try Self.action(try JSONReader.read(line))))
      } catch {
        throw Fault(description: "\(name):\(index + 1): \(error)")
      }
    }
    self.steps = steps
  }

  private static func tokens(_ head: JSON) throws -> [UInt8]? {
    guard let value = head["tokens"] else { return nil }
    guard case .object(let tokens) = value else { throw Fault(description: "tokens is no object") }
    return tokens.flatMap { Array($0.text.utf8) + [0x0A] }
  }

  private static func schema(_ head: JSON) -> [UInt8]? {
    guard case .object(let members) = head else { return nil }
    return members.first { $0.name == "schema" }.map { Array($0.text.utf8) }
  }

  static func action(_ step: JSON) throws -> Action {
    guard case .object(let members) = step else { throw Fault(description: "no object") }
    if let name = step["server"]?.string {
      switch name {
      case "restart": return .restart
      case "kill": return .kill
      default: throw Fault(description: "a server cannot \(name)")
      }
    }
    guard members.count == 2, let on = step["on"]?.string,
      let what = members.first(where: { $0.name != "on" })
    else { throw Fault(description: "a step has `on` and what is done there") }
    switch (what.name, what.value) {
    case ("open", .bool(true)): return .open(on: on)
    case ("send", .string(let text)): return .send(on: on, text: text)
    case ("send", .object): return .send(on: on, text: what.text)
    case ("bytes", .string(let text)):
      guard let data = Data(base64Encoded: text) else {
        throw Fault(description: "bytes are no base64")
      }
      return .bytes(on: on, Array(data))
    case ("receive", .object): return .receive(on: on, what.value)
    case ("quiet", .bool(true)): return .quiet(on: on)
    case ("end", .bool(true)): return .end(on: on)
    case ("closed", .bool(true)): return .closed(on: on)
    case ("close", .bool(true)): return .close(on: on)
    default: throw Fault(description: "there is no step \(what.name)")
    }
  }

  /// The length of the longest line sent, its LF counted: as far as `Cut.after` has to go.
  package var longestLine: Int {
    steps.map { step in
      switch step.action {
      case .send(_, let text): text.utf8.count + 1
      case .bytes(_, let bytes): bytes.count
      default: 0
      }
    }.max() ?? 0
  }

  /// All transcripts of a folder, by name.
  package static func all(in folder: URL) throws -> [Transcript] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "ndjson" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { try Transcript($0) }
  }

  /// The folder of this package's transcripts.
  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Protocol/transcripts")
}
