import Seeded
import AppModels
import Foundation
import Merge
import Testing
import Wire

/// A file is a schema or says where it is not.
@Suite struct SchemaFileTests {
  static func read(_ text: String) throws -> Schema { try Schema(json: Array(text.utf8)) }

  private static func error(_ text: String) -> SchemaError? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error as? SchemaError
    }
  }

  /// A schema of a folder with notes; what is in brackets can be replaced.
  private static let notes = """
    {"schema": "notes", "kinds": [
      {"kind": "note", "order": "place", "container": {"kind": "folder", "field": "folder"},
       "fields": [
         {"field": "title", "type": "string", "rules": [
           {"notBlank": true, "code": 4021, "message": "Title cannot be empty"}]},
         {"field": "stars", "type": "int", "default": 3, "rules": [
           {"atMost": 5, "message": "At most five stars"}]},
         {"field": "body", "type": "text"},
         {"group": "span", "fields": [
           {"field": "from", "type": "date", "optional": true},
           {"field": "to", "type": "date", "optional": true, "rules": [
             {"notBefore": "from", "message": "It ends before it starts"}]}]},
         {"field": "createdAt", "type": "date", "default": "now", "fixed": true}],
       "derived": [{"field": "updatedAt", "is": "touched"},
         {"field": "days", "is": "seconds", "from": "from", "to": "to"}]},
      {"kind": "folder", "fields": [{"field": "name", "type": "string"}]},
      {"kind": "link", "container": {"kind": "folder", "field": "folder"}, "fields": [
         {"field": "folder", "type": "uuid", "references": "folder"},
         {"field": "note", "type": "uuid", "references": "note", "optional": true}]}]}
    """

  @Test func everyMemberIsRead() throws {
    let schema = try Self.read(Self.notes)
    #expect(schema.name == "notes")
    #expect(schema.kinds.map(\.name) == ["folder", "link", "note"])
    let note = try #require(schema["note"])
    #expect(note.order == "place")
    #expect(note.container == .init(kind: "folder", register: "place", field: "folder"))
    #expect(note.registers.map(\.name) == ["title", "stars", "body", "span", "createdAt"])
    #expect(note.registers.map(\.form) == [.single, .single, .text, .group, .single])
    #expect(note.registers.map(\.revives) == [true, true, true, true, false])
    #expect(note["title"]?.fields[0].rules.first?.code == 4021)
    #expect(note["title"]?.fields[0].initial == nil)
    #expect(note["stars"]?.fields[0].initial == .string("3"))
    #expect(note["stars"]?.fields[0].rules.first?.test == .atMost(.string("5")))
    #expect(note["stars"]?.fields[0].rules.first?.code == 4020)
    #expect(note["span"]?.fields.map(\.initial) == [.null, .null])
    #expect(note["createdAt"]?.fields[0].startsNow == true)
    #expect(note["createdAt"]?.fields[0].isFixed == true)
    #expect(note.derived.map(\.name) == ["days", "updatedAt"])
    let link = try #require(schema["link"])
    #expect(link.container == .init(kind: "folder", register: "folder", field: "folder"))
    #expect(link["folder"]?.revives == false)
    #expect(link["note"]?.revives == true)
  }

  @Test func theDigestIsOfWhatIsSaid() throws {
    let digest = try Self.read(Self.notes).digest
    func same(_ old: String, _ new: String) throws -> Bool {
      #expect(Self.notes.contains(old))
      return try Self.read(Self.notes.replacingOccurrences(of: old, with: new)).digest == digest
    }
    #expect(try same("\n ", ""))
    #expect(
      try same(#""order": "place", "container""#, #""about": "!", "order": "place", "container""#))
    #expect(try same(#""default": 3, "rules""#, #""optional": false, "default": 3.0, "rules""#))
    #expect(try same(#""type": "int", "default": 3"#, #""default": 3, "type": "int""#))
    #expect(try !same("five", "5"))
    #expect(try !same(#""default": 3"#, #""default": 4"#))
    #expect(try !same(#""order": "place""#, #""order": "rank""#))
    #expect(try !same(#""code": 4021"#, #""code": 4024"#))
  }

  /// (what is replaced, by what, the path, a part of the message)
  @Test(
    arguments: [
      (#""schema": "notes""#, #""schema": 5"#, "schema", "expected a letter"),
      (#""schema": "notes""#, #""schema": "1a""#, "schema", "expected a letter"),
      (#""schema": "notes","#, "", "", "schema is missing"),
      (#""schema": "notes""#, #""schema": "notes", "kind": []"#, "", "did you mean kinds?"),
      (#""order": "place""#, #""odrer": "place""#, "kinds[note]", "did you mean order?"),
      (#""order": "place""#, #""zzzzzzzzzz": 1"#, "kinds[note]", "it may have kind, fields"),
      (
        #""stars", "type": "int""#, #""stars", "type": "itn""#, "kinds[note].fields[stars].type",
        "did you mean int?"
      ),
      (#""stars", "type": "int","#, #""stars","#, "kinds[note].fields[stars]", "type is missing"),
      (
        #""default": 3,"#, #""default": 3, "default": 4,"#, "kinds[note].fields[stars]",
        "occurs twice"
      ),
      (#""default": 3"#, #""default": 3.5"#, "kinds[note].fields[stars].default", "a whole number"),
      (#""default": 3"#, #""default": null"#, "kinds[note].fields[stars].default", "found null"),
      (#""default": 3"#, #""default": 6"#, "kinds[note].fields[stars].default", "breaks rules[0]"),
      (#""atMost": 5, "#, "", "kinds[note].fields[stars].rules[0]", "exactly one of"),
      (
        #""atMost": 5, "#, #""atMost": 5, "above": 0, "#, "kinds[note].fields[stars].rules[0]",
        "exactly one of"
      ),
      (
        #""atMost": 5"#, #""atMost": "five""#, "kinds[note].fields[stars].rules[0].atMost",
        "a whole number"
      ),
      (
        #""atMost": 5"#, #""notBlank": true"#, "kinds[note].fields[stars].rules[0].notBlank",
        "only a string"
      ),
      (
        #""atMost": 5"#, #""notBlank": false"#, "kinds[note].fields[stars].rules[0].notBlank",
        "expected true"
      ),
      (
        #""atMost": 5"#, #""exists": true"#, "kinds[note].fields[stars].rules[0].exists",
        "references"
      ),
      (
        #""atMost": 5"#, #""needs": "title""#, "kinds[note].fields[stars].rules[0].needs",
        "not optional"
      ),
      (
        #""atMost": 5"#, #""oneOf": []"#, "kinds[note].fields[stars].rules[0].oneOf", "at least one"
      ),
      (
        #""notBlank": true"#, #""above": "a""#, "kinds[note].fields[title].rules[0].above",
        "no order"
      ),
      (
        #""code": 4021"#, #""code": 4001"#, "kinds[note].fields[title].rules[0].code",
        "one of 4020, 4021"
      ),
      (
        #", "message": "At most five stars""#, "", "kinds[note].fields[stars].rules[0]",
        "message is missing"
      ),
      (
        #""notBefore": "from""#, #""notBefore": "to""#,
        "kinds[note].fields[span].fields[to].rules[0]", "another date"
      ),
      (
        #""notBefore": "from""#, #""notBefore": "title""#,
        "kinds[note].fields[span].fields[to].rules[0]", "another date"
      ),
      (
        #""field": "from", "type": "date", "optional": true"#, #""field": "from", "type": "text""#,
        "kinds[note].fields[span].fields[from]", "cannot be in a group"
      ),
      (
        #""field": "from", "type""#, #""field": "from", "fixed": true, "type""#,
        "kinds[note].fields[span].fields[from]", "no member \"fixed\""
      ),
      (
        #""type": "text"}"#, #""type": "text", "default": "a"}"#,
        "kinds[note].fields[body].default", "merges by character"
      ),
      (#""field": "body""#, #""field": "title""#, "kinds[note]", "title is the name of two things"),
      (
        #""field": "body""#, #""field": "folder""#, "kinds[note].container.field",
        "leave folder out"
      ),
      (#""field": "body""#, #""field": "place""#, "kinds[note]", "place is the name of two things"),
      (#""field": "body""#, #""field": "id""#, "kinds[note]", "id is every record's own"),
      (#""field": "body""#, #""field": "updatedAt""#, "kinds[note]", "two things"),
      (
        #""field": "days", "is": "seconds", "from": "from""#,
        #""field": "days", "is": "seconds", "from": "title""#, "kinds[note].derived[days].from",
        "not a field of type date"
      ),
      (
        #""is": "touched""#, #""is": "touched", "to": "from""#, "kinds[note].derived[updatedAt].to",
        "only a field that is seconds"
      ),
      (
        #""is": "touched""#, #""is": "now""#, "kinds[note].derived[updatedAt].is",
        "touched or seconds"
      ),
      (
        #""kind": "link", "container""#, #""kind": "note", "container""#, "kinds[note]",
        "occurs twice"
      ),
      (
        #""kind": "link", "container": {"kind": "folder""#,
        #""kind": "link", "container": {"kind": "foldr""#, "kinds[link].container.kind",
        "there is no kind foldr"
      ),
      (
        #""type": "uuid", "references": "folder""#, #""type": "uuid""#,
        "kinds[link].container.field", "references folder"
      ),
      (
        #""references": "folder""#, #""references": "folder", "optional": true"#,
        "kinds[link].container.field", "not optional"
      ),
      (
        #""references": "folder""#, #""references": "folder", "revives": true"#,
        "kinds[link].fields[folder].revives", "never revives"
      ),
      (
        #""references": "note""#, #""references": "nope""#, "kinds[link].fields[note].references",
        "there is no kind nope"
      ),
      (
        #""type": "uuid", "references": "note""#, #""type": "int", "references": "note""#,
        "kinds[link].fields[note].references", "only a uuid"
      ),
      (
        #""kind": "folder", "fields": ["#,
        #""kind": "folder", "order": "rank", "container": {"kind": "note", "field": "note"}, "fields": ["#,
        "kinds[folder].container", "folder in note in folder"
      ),
      (
        #""kind": "folder", "fields""#, #""kind": "folder", "fixedID": "one", "fields""#,
        "kinds[link].container.kind", "contains nothing"
      ),
      (#""kind": "link","#, #""kind": "link", "fixedID": "one","#, "kinds[link]", "one record"),
      (
        #""folder", "field": "folder"},"#, #""folder", "field": "folder", "through": "span"},"#,
        "kinds[note].container.field", "through out"
      ),
    ] as [(String, String, String, String)])
  func anErrorHasItsPath(_ old: String, _ new: String, _ path: String, _ part: String) throws {
    let range = try #require(Self.notes.range(of: old))
    let error = try #require(Self.error(Self.notes.replacingCharacters(in: range, with: new)))
    #expect(error.path == path, "\(error)")
    #expect(error.message.contains(part), "\(error)")
    #expect(error.message.first?.isUppercase == false && error.message.last != ".", "\(error)")
    #expect(error.wireError.code == .invalidField)
  }

  @Test(arguments: [-1, 0, 1]) func aFileHasAtMostAMebibyte(more: Int) {
    let size = Schema.largestFile + more
    let text = Self.notes + String(repeating: " ", count: size - Self.notes.utf8.count)
    #expect(Self.error(text)?.message == (more > 0 ? "a schema has at most 1048576 bytes" : nil))
  }

  @Test(arguments: ["", "[]", "{", "{}{}", "{\"schema\":\"a\",}", "\u{FEFF}{}"])
  func whatIsNotOneObjectIsNotJSON(_ text: String) {
    #expect(Self.error(text)?.message.hasPrefix("this is not JSON: ") == true)
  }

  /// Any piece left out gives a schema or an error, never a trap.
  @Test(arguments: ["pomodoro", "timeTracker", "todoTimers"])
  func damagedFilesAreRefused(_ name: String) throws {
    let file = try #require(ShippedSchemas.named(Name(name))).canonical
    var random = SplitMix64(seed: 7)
    for _ in 0..<1_500 {
      var bytes = file
      let start = random.below(bytes.count)
      switch random.below(3) {
      case 0: bytes.removeSubrange(start..<min(bytes.count, start + 1 + random.below(40)))
      case 1: bytes[start] = UInt8(truncatingIfNeeded: random.next())
      default:
        let end = min(bytes.count, start + 1 + random.below(60))
        bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
      }
      _ = try? Schema(json: bytes)
    }
  }
}
