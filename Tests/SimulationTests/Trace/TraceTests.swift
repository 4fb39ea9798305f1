import Foundation
import Merge
import Simulation
import Testing

@Suite struct TraceTests {
  private static let trace = Trace(
    world: .exchange, seed: 7, schema: "todoTimers", options: [.init("faults", "cut,clock")],
    devices: [.init("phone", isPhone: true), .init("watch", isPhone: false, isWholeRecord: true)],
    events: [
      TraceEvent(
        at: 0, "phone", .edit, name: "e1",
        edit: Edit("timer", "t1", .create(fields: Array(#"{"name":"a \"b\""}"#.utf8)))),
      TraceEvent(
        at: 5, "watch", .edit, name: "e2",
        edit: Edit("timer", "t1", .move(after: nil, into: "t2"), since: "e0"), now: 12),
      TraceEvent(
        at: 5, "watch", .edit,
        edit: Edit(
          "timer", "t1",
          .splice(field: "notes", at: 1, remove: 0, insert: "e\u{301}", result: "xe\u{301}"))),
      TraceEvent(at: 6, "phone", .edit, edit: Edit("timer", "t1", .delete)),
      TraceEvent(at: 6, "phone", .send, name: "s1", lane: "userInfo", to: "watch"),
      TraceEvent(at: 60, "watch", .deliver, of: "s1"),
      TraceEvent(at: 61, "watch", .reachability, to: "phone", flag: false),
      TraceEvent(at: 61, "watch", .clock, count: -1000),
    ])

  @Test func readsWhatItWrites() throws {
    #expect(try Trace(ndjson: Self.trace.ndjson) == Self.trace)
    let word = try #require(TraceWord.spell(Self.trace))
    #expect(try TraceWord.read(word) == Self.trace)
  }

  @Test func sayWhatIsWrong() {
    func fault(_ text: String) -> String? {
      do {
        _ = try Trace(ndjson: Array(text.utf8))
        return nil
      } catch {
        return error.description
      }
    }
    let text = String(decoding: Self.trace.ndjson, as: UTF8.self)
    #expect(fault("")?.contains("empty") == true)
    #expect(fault("{\"hello\":1}")?.contains("not a trace") == true)
    #expect(fault("# a note")?.contains("not a trace") == true)
    #expect(
      fault(text.replacing("\"trace\":1", with: "\"trace\":2"))
        == "it is a trace of version 2, and this build reads version 1")
    #expect(fault(String(text.dropLast(20)))?.contains("cut off") == true)
    let lines = text.split(separator: "\n")
    #expect(
      fault(lines.dropLast().joined(separator: "\n")) == "it has 7 of its 8 events; it is cut off")
    #expect(
      fault(text.replacing("\"do\":\"send\"", with: "\"do\":\"sing\""))?.contains("line 6") == true)
    #expect(
      fault(text.replacing("\"event\":\"e2\"", with: "\"event\":\"e1\""))?.contains("e1") == true)
    #expect(fault(text.replacing("\"at\":60,", with: "\"at\":1,"))?.contains("before") == true)
  }

  /// The schema of the format has every verb.
  @Test func theSchemaKnowsAllThatCanHappen() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Protocol/schema/trace.schema.json")
    let file = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
    let parts = (file as? [String: Any])?["$defs"] as? [String: Any]
    let members = (parts?["event"] as? [String: Any])?["properties"] as? [String: Any]
    let verbs = try #require((members?["do"] as? [String: Any])?["enum"] as? [String])
    #expect(Set(verbs) == Set(TraceEvent.Verb.allCases.map(\.rawValue)))
    #expect(verbs.count == Set(verbs).count)
  }
}
