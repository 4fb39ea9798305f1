import Merge
import Oracle
import Testing
import Wire

/// Operations in their canonical form.
@Suite struct OperationCodingTests {
  @Test func operationsComeBackAsTheyWere() throws {
    for seed in 1...300 as ClosedRange<UInt64> {
      var random = RandomOperation(seed: seed)
      var previous: Merge.Operation?
      for _ in 0..<6 {
        let operation = random.operation(after: previous)
        let bytes = operation.datum(after: previous?.context).canonical
        #expect(operation.canonical(after: previous?.context) == bytes, "seed \(seed)")
        let read = try Datum(json: bytes)
        let again = try Merge.Operation(read) { _ in previous?.context }
        #expect(again == operation, "seed \(seed)")
        #expect(read.canonical == bytes, "seed \(seed)")
        #expect(again.datum(after: previous?.context).canonical == bytes, "seed \(seed)")
        previous = operation
      }
    }
  }

  @Test func contextsAreDifferences() throws {
    let (one, two, mine) = (replica(1), replica(2), replica(3))
    func text(_ context: Context, _ seq: UInt64, after previous: Context?) -> String? {
      let operation = Merge.Operation(
        dot: Dot(mine, seq), stamp: Stamp(ms: 1, rank: 1, counter: 0, replica: mine),
        context: context, wall: 0, actions: [Action(Target("k", "r"), .create)])
      return operation.datum(after: previous)["context"].map {
        String(decoding: $0.canonical, as: UTF8.self)
      }
    }
    let first = Context(own: 0, others: VersionVector([.init(one, 5), .init(two, 6)]))
    #expect(text(first, 1, after: nil) == #"{"\#(one)":"5","\#(two)":"6"}"#)
    #expect(text(Context(own: 1, others: first.others), 2, after: first) == nil)
    let down = Context(own: 0, others: VersionVector([.init(one, 4)]))
    #expect(text(down, 2, after: first) == #"{"\#(one)":"4","\#(two)":"0","\#(mine)":"0"}"#)
  }

  private func replica(_ number: UInt64) -> ReplicaID {
    ReplicaID(device: Identifier(high: 0, low: number), incarnation: number)
  }

  @Test(arguments: [
    (#"{"b":"1","a":"2"}"#, #"{"a":"2","b":"1"}"#),
    // RFC 8785 section 3.2.3.
    (
      #"{"\u20ac":"Euro","\r":"CR","\ufb33":"Dalet","1":"One","\ud83d\ude00":"Smiley","\u0080":"Control","\u00f6":"o"}"#,
      "{\"\\r\":\"CR\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"o\",\"€\":\"Euro\",\"😀\":\"Smiley\",\"\u{fb33}\":\"Dalet\"}"
    ),
    (
      #""\u0000\u001f\u007f\/\b\f\n\r\t\"\\\u2028""#,
      "\"\\u0000\\u001f\u{7f}/\\b\\f\\n\\r\\t\\\"\\\\\u{2028}\""
    ),
    (#" [ null , true,false ] "#, "[null,true,false]"),
    ("\"e\u{301}é\"", "\"e\u{301}é\""),
  ])
  func canonicalBytes(_ text: String, _ canonical: String) throws {
    let bytes = try Datum(json: Array(text.utf8)).canonical
    #expect(String(decoding: bytes, as: UTF8.self) == canonical)
    #expect(bytes == Array(canonical.utf8))
    #expect(try Datum(json: bytes).canonical == bytes)
  }

  @Test func namesAreOrderedByUTF16() {
    let texts = ["", "a", "ab", "b", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}"]
    for one in texts {
      for other in texts {
        #expect(
          Datum.precedes(Name(one), Name(other))
            == Array(one.utf16).lexicographicallyPrecedes(Array(other.utf16)), "\(one) \(other)")
      }
    }
  }

  @Test func whatIsUnknownIsKeptByteForByte() throws {
    let text = #"{"action":"blend","deep":{"a":["\u0001",null]},"kind":"k","record":"r"}"#
    let item = try Datum(
      json: Array(
        #"{"actions":[\#(text)],"replica":"\#(replica(1))","seq":"1","stamp":"1.1.0","wall":"0"}"#
          .utf8))
    let operation = try Merge.Operation(item) { _ in nil }
    #expect(operation.datum(after: nil).canonical == item.canonical)
    #expect(operation.actions[0].target == Target("k", "r"))
    // A member of a newer version, in an action or beside the actions.
    for more in [
      #""actions":[{"action":"create","kind":"k","mood":"x","record":"r"}]"#,
      #""actions":[{"action":"create","kind":"k","record":"r"}],"mood":{"a":"b"}"#,
    ] {
      let rest = #""replica":"\#(replica(1))","seq":"1","stamp":"1790000000000.1.0","wall":"0""#
      let item = try Datum(json: Array("{\(more),\(rest)}".utf8))
      let hub = Hub()
      try hub.push([item], from: replica(1), rank: 1)
      #expect(hub.replica.written(Dot(replica(1), 1))?.bytes == item.canonical[...])
    }
  }
}
