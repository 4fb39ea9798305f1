import Testing
import watchline

@Suite struct LineEditorTests {
  private func edit(_ keys: [EditorKey], history: [String] = []) -> LineEditor {
    var editor = LineEditor(history: History(history))
    for key in keys { _ = editor.apply(key) }
    return editor
  }

  @Test func textGoesWhereTheCursorIs() {
    let editor = edit([.text("ad"), .left, .text("bc"), .end, .text("e"), .home, .delete])
    #expect(editor.line.text == "bcde")
    #expect(editor.line.cursor == 0)
  }

  @Test func charactersAreWhatAPersonSees() {
    var editor = edit([.text("e"), .text("\u{301}"), .text("👩‍👧")])
    #expect(editor.line.cells.count == 2)
    #expect(editor.line.cells.map(\.width) == [1, 2])
    _ = editor.apply(.backspace)
    #expect(editor.line.text == "e\u{301}")
  }

  @Test func wordsAreMovedOverAndKilled() {
    var editor = edit([.text("one two.three"), .wordLeft, .killWordBefore])
    #expect(editor.line.text == "one three")
    for key in [EditorKey.end, .yank] { _ = editor.apply(key) }
    #expect(editor.line.text == "one threetwo.")
    for key in [EditorKey.home, .killWordAfter, .killToEnd] { _ = editor.apply(key) }
    #expect(editor.line.isEmpty)
  }

  @Test func enterSubmitsAndStartsAnew() {
    var editor = edit([.text("ping"), .home])
    #expect(editor.apply(.enter) == .submit("ping"))
    #expect(editor.line.isEmpty)
    #expect(editor.line.cursor == 0)
  }

  @Test func controlDEndsOnlyAnEmptyLine() {
    var editor = edit([.text("a"), .home])
    #expect(editor.apply(.endOfInput) == .none)
    #expect(editor.line.isEmpty)
    #expect(editor.apply(.endOfInput) == .endOfInput)
  }

  @Test func historyGoesBackAndReturnsToTheDraft() {
    var editor = edit([.text("draft"), .up, .up], history: ["one", "two"])
    #expect(editor.line.text == "one")
    #expect(editor.apply(.up) == .bell)
    _ = editor.apply(.down)
    #expect(editor.line.text == "two")
    _ = editor.apply(.down)
    #expect(editor.line.text == "draft")
    #expect(editor.apply(.down) == .bell)
  }

  @Test func historyKeepsNoBlankAndNoRepeatedLine() {
    var history = History()
    #expect(["a", "a", "  ", "b"].map { history.add($0) } == [true, false, false, true])
    #expect(history.lines == ["a", "b"])
    for number in 0...History.maximumLines { _ = history.add("\(number)") }
    #expect(history.lines.count == History.maximumLines)
    #expect(history.lines.first == "1")
  }

  @Test func pastedJSONOverSeveralLinesIsOneLine() {
    var editor = LineEditor()
    for key in [EditorKey.text(#"{"a":"}\"{","#), .pastedNewline, .text(#"  "b":[1"#)] {
      #expect(editor.apply(key) == .none)
    }
    for key in [EditorKey.pastedNewline, .text("]}")] { #expect(editor.apply(key) == .none) }
    #expect(editor.apply(.pastedNewline) == .submit(#"{"a":"}\"{",   "b":[1 ]}"#))
    _ = editor.apply(.text("ping"))
    #expect(editor.apply(.pastedNewline) == .submit("ping"))
  }

  @Test func tabCompletesThenRingsThenLists() {
    var editor = edit([.text("trans"), .tab])
    #expect(editor.line.text == "transfer")
    #expect(editor.apply(.tab) == .bell)
    let names = ["transferCurrentComplicationUserInfo", "transferFile", "transferUserInfo"]
    #expect(editor.apply(.tab) == .list(names))
    for key in [EditorKey.text("U"), .tab, .text("payl"), .tab] {
      #expect(editor.apply(key) == .none)
    }
    #expect(editor.line.text == "transferUserInfo payload=")
    #expect(editor.apply(.text("x")) == .none)
    #expect(editor.apply(.tab) == .bell)
  }

  @Test(
    arguments: [
      ("pin", "ping "), ("help pi", "help ping"), ("activate ro", "activate role="),
      ("activate role=w", "activate role=watch "), ("hold lane=c", "hold lane=co"),
      (#"{"type":"pin"#, #"{"type":"ping""#),
      (#"{"type":"activate", "rol"#, #"{"type":"activate", "role":"#),
      (#"{"role":"ph"#, #"{"role":"phone""#), ("nothing", nil), (#"{"pair":"p"#, nil),
      ("activate pair=a pai", nil), ("sendMessage payl", "sendMessage payload="),
      ("sendMessage sha", nil), ("sendMessage expectsReply=t", "sendMessage expectsReply=true "),
      ("help notReach", "help notReachable"), ("help replyTime", "help replyTimeout"),
      ("setDeviceState isLock", "setDeviceState isLocked="),
      (#"{"type":"sendMessage","payl"#, #"{"type":"sendMessage","payload":"#),
      (#"{"type":"sendMessage","sha"#, nil), ("sync.edit k", "sync.edit kind="),
    ] as [(String, String?)])
  func namesAreCompleted(line: String, expected: String?) {
    let completion = Completion(line)
    #expect(completion.map { line.dropLast($0.replaced) + $0.text } == expected.map { $0[...] })
  }
}
