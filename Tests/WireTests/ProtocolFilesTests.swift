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

  /// The rows of the tables whose heads begin with a word, each as its cells.
  private static func rows(_ head: String) throws -> [[String]] {
    let text = try String(
      contentsOf: folder.appendingPathComponent("PROTOCOL.md"), encoding: .utf8)
    let table = try #require(text.range(of: "| \(head) | ")).lowerBound
    return text[table...].components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  @Test func theTableOfErrorsIsThatOfTheCodes() throws {
    let rows = try Self.rows("code").map { "\($0[0]) \($0[1])" }
    #expect(rows == ErrorCode.allCases.map { "\($0.rawValue) \($0.name)" })
  }

  /// Of each knob the name, what words there are, and the default.
  @Test func theTableOfKnobsIsThatOfTheDescriptions() throws {
    let order = try Self.rows("precondition").map { $0[0].trimmingCharacters(in: ["`"]) }
      .joined(separator: ",")
    let rows = try Self.rows("knob").map { cells in
      let standard = cells[2] == "as below" ? order : cells[2]
      return "\(cells[0]) \(cells[1]): \(standard)"
    }
    let described = KnobDescription.all.map { knob in
      let type =
        switch knob.type {
        case .words(let words): words.joined(separator: ", ")
        case .boolean: "boolean"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .object(let members): "{\(members.map(\.name).joined(separator: ", "))}"
        case .seconds: knob.key == .complicationReset ? "seconds below 86400" : "seconds"
        default: "the nine names below, commas between"
        }
      var standard = knob.standard.trimmingCharacters(in: ["\""])
      if case .object(let members) = knob.type {
        standard = members.map { $0.standard ?? "" }.joined(separator: ", ")
      }
      return "`\(knob.key.rawValue)` \(type): \(standard)"
    }
    #expect(rows == described)
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
