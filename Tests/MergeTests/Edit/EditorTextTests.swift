import Merge
import Testing
import Wire

/// Whole texts that are saved, also from forms that were opened a while ago.
@Suite struct EditorTextTests {
  private func save(_ text: String, _ desk: inout EditingDesk, shown: VersionVector? = nil) throws
    -> Merge.Operation
  {
    try desk.set(EditingDesk.timer(0), #"{"notes":\#(quoted(text))}"#, shown: shown)
  }

  private func desk(_ text: String) throws -> EditingDesk {
    var desk = EditingDesk()
    try desk.createTimer(0)
    if !text.isEmpty { try desk.set(EditingDesk.timer(0), #"{"notes":\#(quoted(text))}"#) }
    return desk
  }

  @Test func whatIsSharedStays() throws {
    var desk = try desk("The quick fox")
    let operation = try save("The quick brown fox", &desk)
    #expect(desk.notes == "The quick brown fox")
    #expect(operation.actions.count == 1)
    #expect(operation.actions[0].elements == 6)
    #expect(operation.actions[0].revives)
    let less = try save("quick fox", &desk)
    #expect(desk.notes == "quick fox")
    #expect(less.actions.allSatisfy { $0.elements == 0 })
  }

  @Test func whatWasTypedMeanwhileStays() throws {
    var desk = try desk("buy milk")
    let form = desk.vector
    try desk.exchange()
    try desk.set(EditingDesk.timer(0), #"{"notes":"buy oat milk today"}"#, on: desk.watch)
    try desk.exchange()
    #expect(desk.notes == "buy oat milk today")
    // The form still shows what it was opened on.
    let operation = try save("buy milk and bread", &desk, shown: form)
    #expect(operation.context == Context(form, of: Hub.phone))
    #expect(
      Set(desk.notes.split(separator: " ")) == ["buy", "oat", "milk", "and", "bread", "today"])
    let saved = desk.notes
    // Saved again from the same form, it is a second edit that has not seen the first.
    _ = try save("milk", &desk, shown: form)
    #expect(desk.notes.contains("oat") && desk.notes.contains("today"))
    #expect(!desk.notes.contains("buy") && saved.contains("buy"))
    try desk.exchange()
    #expect(desk.watch.fold.text(of: EditingDesk.timer(0), "notes") == desk.notes)
  }

  @Test func anchorsWereSeen() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = RandomOperation(seed: seed)
      var desk = try desk("abcdef")
      try desk.exchange()
      let form = desk.vector
      for _ in 0..<3 {
        var text = Array(desk.watch.fold.text(of: EditingDesk.timer(0), "notes"))
        text.insert("x", at: random.below(text.count + 1))
        if random.below(2) == 0 { text.remove(at: random.below(text.count)) }
        text.append("z")
        try desk.set(EditingDesk.timer(0), #"{"notes":"\#(String(text))"}"#, on: desk.watch)
      }
      try desk.exchange()
      var text = Array("abcdef")
      for _ in 0..<3 { text.insert("Y", at: random.below(text.count + 1)) }
      text.remove(at: random.below(text.count))
      let operation = try save(String(text), &desk, shown: form)
      for action in operation.actions {
        switch action.body {
        case .insert(_, let anchor, _):
          guard let parent = anchor.parent, parent.dot != operation.dot else { continue }
          #expect(operation.follows(parent.dot), "seed \(seed)")
        case .erase(_, let runs):
          #expect(runs.allSatisfy { operation.follows($0.first.dot) }, "seed \(seed)")
        default: Issue.record("\(action)")
        }
      }
      try desk.exchange()
      #expect(desk.watch.fold.text(of: EditingDesk.timer(0), "notes") == desk.notes)
      #expect(desk.notes.count { $0 == "Y" } == String(text).count { $0 == "Y" })
    }
  }

  @Test(arguments: [
    ("👩‍👧", "👩‍👧‍👦"), ("🇩🇪🇫🇷", "🇫🇷"), ("e\u{301}", "é"), ("é", "e\u{301}"), ("שלום", "שלום עולם"),
    ("a\u{0}b", "a\u{0}\u{0}b"), ("", "\u{0}"), ("x", ""), ("\r\n", "\n"), ("👍🏽", "👍🏿"),
    ("a\u{301}", "\u{301}a"), ("字字字", "字字"),
  ])
  func everyText(_ old: String, _ new: String) throws {
    var desk = try desk(old)
    #expect(Array(desk.notes.unicodeScalars) == Array(old.unicodeScalars))
    let operation = try save(new, &desk)
    #expect(Array(desk.notes.unicodeScalars) == Array(new.unicodeScalars))
    #expect(!operation.actions.isEmpty)
    try desk.exchange()
    #expect(Name(desk.watch.fold.text(of: EditingDesk.timer(0), "notes")) == Name(new))
  }

  @Test func graphemesAreReplacedWhole() throws {
    var desk = try desk("a👩‍👧b")
    let operation = try save("a👩‍👦b", &desk)
    // What joins the two is no character of its own.
    #expect(operation.actions.map(\.elements) == [3, 0])
    guard case .erase(_, let runs) = operation.actions[1].body else {
      Issue.record("\(operation.actions)")
      return
    }
    #expect(runs.reduce(0) { $0 + $1.count } == 3)
  }

  @Test func nothingIsWrittenWhereNothingChanges() throws {
    var desk = try desk("same")
    for fields in [#"{"notes":"same"}"#, #"{"name":"t0"}"#, "{}"] {
      #expect(throws: (any Error).self) {
        // An operation is never empty.
        let vector = desk.vector
        var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: vector)
        let actions = try EditingDesk.actions(
          EditingDesk.timer(0), fields, &editor, desk.phone.fold)
        #expect(actions.isEmpty)
        if actions.isEmpty { throw CancellationError() }
      }
    }
    let empty = try desk.set(EditingDesk.timer(0), #"{"notes":null}"#)
    #expect(desk.notes.isEmpty)
    #expect(empty.actions.count == 1)
    var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: desk.vector)
    #expect(
      try EditingDesk.actions(EditingDesk.timer(0), #"{"notes":""}"#, &editor, desk.phone.fold)
        .isEmpty)
  }
}
