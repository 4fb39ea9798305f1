import Merge
import Oracle
import Testing
import Wire

/// Whatever is not an operation is refused by name, and never traps.
@Suite struct OperationDamageTests {
  private static let replica = "00000000-0000-0000-0000-000000000001.7"

  private static func operation(
    _ change: (inout [Datum.Member]) -> Void
  ) -> Datum {
    var members: [Datum.Member] = [
      .init("replica", .string(Name(replica))), .init("seq", .string("3")),
      .init("stamp", .string("1790000000000.2.0")), .init("wall", .string("0")),
      .init("actions", .array([action()])),
    ]
    change(&members)
    return .sorted(members)
  }

  private static func action(_ more: [Datum.Member] = [], _ name: Name = "create") -> Datum {
    let known: [Datum.Member] = [
      .init("action", .string(name)), .init("kind", .string("k")), .init("record", .string("r")),
    ]
    return .sorted(known.filter { member in !more.contains { $0.name == member.name } } + more)
  }

  private func error(_ datum: Datum) -> WireError? {
    wireError { _ = try Merge.Operation(datum) { _ in nil } }
  }

  @Test(arguments: ["replica", "seq", "stamp", "wall"] as [Name])
  func membersAreNeeded(_ name: Name) {
    let without = Self.operation { $0.removeAll { $0.name == name } }
    #expect(error(without)?.code == .missingField)
    #expect(error(without)?.message.hasPrefix("\(name) is missing in an operation") == true)
    for value in [Datum.null, .bool(true), .array([]), .string("x"), .string(""), .string("-0")] {
      let wrong = Self.operation {
        $0.removeAll { $0.name == name }
        $0.append(.init(name, value))
      }
      if name == "wall", value == .string("-0") { continue }
      #expect(error(wrong)?.code == .invalidField, "\(value)")
      #expect(error(wrong)?.message.hasPrefix("\(name) in an operation must be") == true)
    }
  }

  @Test func numbersHaveOneSpelling() {
    let bad: [(Name, [Name])] = [
      ("seq", ["0", "01", "+1", "17592186044416", "18446744073709551616"]),
      (
        "stamp",
        ["1.2", "1.2.3.4", "281474976710656.1.0", "1.256.0", "1.1.65536", "01.1.0", "1..0"]
      ),
      ("wall", ["1.5", "9223372036854775808"]),
      (
        "replica",
        ["00000000-0000-0000-0000-000000000001", "\(Self.replica).1", "0.1"].map { Name($0) }
      ),
    ]
    for (name, values) in bad {
      for value in values {
        let wrong = Self.operation {
          $0.removeAll { $0.name == name }
          $0.append(.init(name, .string(value)))
        }
        #expect(error(wrong)?.code == .invalidField, "\(name) \(value)")
      }
    }
  }

  @Test func actionsNameTheirPlace() {
    let bad: [(Datum, String)] = [
      (.null, "action is missing in action 2 of operation 3"),
      (Self.action([], "write"), "value is missing in action 2 of operation 3"),
      (Self.action([.init("value", .null)], "write"), "field is missing in action 2"),
      (Self.action([.init("field", "f")], "insert"), "text is missing in action 2"),
      (Self.action([.init("field", "f")], "erase"), "elements in action 2"),
      (Self.action([.init("revives", "yes")]), "revives in action 2"),
      (Self.action([.init("home", "x")]), "home in action 2"),
      (Self.action([.init("into", .sorted([.init("kind", "k")]))]), "into in action 2"),
      (Self.action([.init("kind", .null)]), "kind in action 2"),
      (
        Self.action([.init("field", "f"), .init("side", "up")], "move"), "side in action 2"
      ),
      (
        Self.action([.init("field", "f"), .init("parent", "x/1/0")], "move"), "parent in action 2"
      ),
      (
        Self.action(
          [
            .init("field", "f"),
            .init("elements", .array([.array([.string(Name("\(Self.replica)/1/1048575")), "2"])])),
          ], "erase"), "elements in action 2"
      ),
    ]
    for (action, message) in bad {
      let wrong = Self.operation {
        $0.removeAll { $0.name == "actions" }
        $0.append(.init("actions", .array([Self.action(), action])))
      }
      #expect(
        error(wrong)?.message.hasPrefix(message) == true,
        "\(action): \(error(wrong)?.message ?? "")")
    }
    for value in [Datum.null, .array([]), .string("x")] {
      let wrong = Self.operation {
        $0.removeAll { $0.name == "actions" }
        $0.append(.init("actions", value))
      }
      #expect(error(wrong)?.message.hasPrefix("actions in an operation") == true)
    }
  }

  @Test func contextsAreBelow() {
    for (name, seq) in [(Self.replica, "3"), (Self.replica, "4"), ("x", "1"), (Self.replica, "x")] {
      let wrong = Self.operation {
        $0.append(.init("context", .sorted([.init(Name(name), .string(Name(seq)))])))
      }
      #expect(error(wrong)?.message.hasPrefix("context in an operation must be") == true)
    }
  }

  @Test func damageIsRefusedOrHarmless() {
    var random = RandomOperation(seed: 99)
    var read = 0
    for _ in 0..<3_000 {
      var bytes = random.operation().datum(after: nil).canonical
      for _ in 0...random.below(3) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[random.below(bytes.count)], at: place)
        default: bytes.removeLast(min(bytes.count - 1, random.below(9)))
        }
      }
      do throws(WireError) {
        let datum = try Datum(json: bytes)
        let operation = try Merge.Operation(datum) { _ in nil }
        #expect(try Merge.Operation(operation.datum(after: nil)) { _ in nil } == operation)
        let fold = Fold()
        try fold.apply(operation)
        read += 1
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
    #expect(read > 0)
  }

  /// What is read where it stands is what is read from a tree of values, and refused for the same reason.
  @Test func textAndTreeAreReadAlike() {
    var random = RandomOperation(seed: 7)
    var counts = (read: 0, refused: 0, changed: 0)
    let more = Array("{}[]\",:\\ tfn0éa\u{10FFFF}".utf8) + [0x1F, 0x7F, 0xED, 0xFF]
    for round in 0..<6_000 {
      var whole = random.operation().datum(after: nil)
      if round % 4 == 0 { whole = Self.extended(whole, &random) }
      var bytes = whole.canonical
      for _ in 0..<(round % 3) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = more[random.below(more.count)]
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(more[random.below(more.count)], at: place)
        default: bytes.insert(bytes[random.below(bytes.count)], at: place)
        }
      }
      let tree = Result { () throws(WireError) in try Datum(json: bytes) }
      let text = Result { () throws(WireError) in try OperationText(json: bytes) }
      switch (tree, text) {
      case (.success(let datum), .success(let text)):
        #expect(Array(text.bytes) == datum.canonical)
        if Array(text.bytes) != bytes { counts.changed += 1 }
        let one = Result { () throws(WireError) in try Merge.Operation(datum) { _ in nil } }
        let other = Result { () throws(WireError) in try text.read { _ in nil }.operation }
        #expect(one == other)
        if case .success = other { counts.read += 1 }
      case (.failure(let one), .failure(let other)):
        #expect(one == other)
        counts.refused += 1
      default: Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(tree), \(text)")
      }
    }
    #expect(counts.read > 2_000 && counts.refused > 1_000 && counts.changed > 20, "\(counts)")
  }

  /// Members of no meaning, or a second meaning for those that are there, anywhere in it.
  private static func extended(_ datum: Datum, _ random: inout RandomOperation) -> Datum {
    switch datum {
    case .array(let elements): return .array(elements.map { extended($0, &random) })
    case .object(let members):
      let names: [Name] = [
        "a", "actions", "b", "field", "home", "i", "kind", "l", "value", "z", "",
      ]
      let values: [Datum] = [
        .string("x"), .string("\"\\"), .bool(true), .null, .array([]), .object([]),
        .array([.object([.init("kind", .string("]}"))])]),
        .object([
          .init("kind", .string("k")), .init("record", .string("r")), .init("s", .array([])),
        ]),
      ]
      var more = Dictionary(
        members.map { ($0.name, extended($0.value, &random)) }, uniquingKeysWith: { $1 })
      if random.below(3) == 0 {
        more[names[random.below(names.count)]] = values[random.below(values.count)]
      }
      return .sorted(more.map { Datum.Member($0.key, $0.value) })
    default: return datum
    }
  }

  /// Each of these stands for an operation's bytes, and is not what they are.
  @Test func whatIsNotCanonicalIsMadeSo() throws {
    let deep = String(repeating: "[", count: 12) + String(repeating: "]", count: 12)
    for (text, wanted) in [
      (#" {"a":"1"}"#, #"{"a":"1"}"#), (#"{"b":"1","a":"2"}"#, #"{"a":"2","b":"1"}"#),
      (#"{"a" :[true , null]}"#, #"{"a":[true,null]}"#), (#"{"\u0061":"\u0062"}"#, #"{"a":"b"}"#),
      (#"{"a":"\/"}"#, #"{"a":"/"}"#), (#"{"a":"\n"}"#, #"{"a":"\n"}"#),
      (#"{"a":"1","ab":"2"}"#, #"{"a":"1","ab":"2"}"#),
      (#"{"ab":"1","a":"2"}"#, #"{"a":"2","ab":"1"}"#),
      ("{\"\u{FFFD}\":null,\"\u{10000}\":null}", "{\"\u{10000}\":null,\"\u{FFFD}\":null}"),
      (deep, deep),
    ] {
      let bytes = try OperationText(json: Array(text.utf8)).bytes
      #expect(String(decoding: bytes, as: UTF8.self) == wanted)
    }
  }

  @Test func numbersAndTwiceTheSameNameAreRefused() {
    for (text, place) in [(#"{"a":1}"#, "byte"), (#"{"a":"1","a":"1"}"#, "twice")] {
      let error = wireError { _ = try Datum(json: Array(text.utf8)) }
      #expect(error?.code == .invalidField)
      #expect(error?.message.contains(place) == true)
    }
    for text in ["", "{", "1 2", "\"\\ud800\"", "tru", "{\"a\"}", "[1"] {
      #expect(wireError { _ = try Datum(json: Array(text.utf8)) } != nil, "\(text)")
    }
  }
}
