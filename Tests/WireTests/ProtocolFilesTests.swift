import Foundation
import Testing
import Wire
import protocol_schemas

/// What is checked in under `Protocol/` says what the descriptions say.
@Suite struct ProtocolFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Protocol")

  private static let regenerate: Comment =
    "regenerate with: swift run protocol-schemas Protocol/schema"

  @Test func schemasAreThoseOfTheDescriptions() throws {
    let folder = Self.folder.appendingPathComponent("schema")
    let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".schema.json") }
    #expect(Set(found) == Set(Schemas.files.map(\.name)).union(Schemas.written), Self.regenerate)
    for (name, text) in Schemas.files where found.contains(name) {
      let file = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      #expect(file == text, "\(name): \(Self.regenerate)")
    }
  }

  /// The specification leaves no message, knob or error out.
  @Test func specificationNamesEverything() throws {
    let file = Self.folder.appendingPathComponent("PROTOCOL.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
    let names =
      MessageDescription.all.map(\.name) + KnobDescription.all.map(\.key.rawValue)
      + ErrorCode.allCases.flatMap { [$0.name, "\($0.rawValue)"] }
    for name in names {
      let isThere = name.contains(".") ? text.contains(name) : words.contains(name)
      #expect(isThere, "PROTOCOL.md has no \(name)")
    }
  }

  /// Every clause that a description refers to is there.
  @Test func specificationHasTheClauses() throws {
    let file = Self.folder.appendingPathComponent("PROTOCOL.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    for clause in Set(MessageDescription.all.map(\.clause)) {
      #expect(
        headings.contains { $0.drop { $0 == "#" }.hasPrefix(" \(clause) ") },
        "PROTOCOL.md has no clause \(clause)")
    }
  }
}
