import AppModels
import Testing
import Wire

@Suite struct TimersTodoTests {
  private func texts(_ device: TimersDevice) -> [String] {
    device.app.library.timers[0].todos.map { "\($0.box) \($0.text)" }
  }

  private func phone() throws -> TimersDevice {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "open 1", "add Boil", "add Pour", "add Wait")
    _ = device.events
    return device
  }

  @Test func add() throws {
    let device = try phone()
    #expect(texts(device) == ["☐ Boil", "☐ Pour", "☐ Wait"])
    try device.type("add")
    #expect(device.shows("( Add )"), "Add is off while there is no text")
    try device.type("add")
    #expect(device.shows("⚠ To-do text cannot be empty"))
    try device.type("text   Drink  ", "add")
    #expect(texts(device) == ["☐ Boil", "☐ Pour", "☐ Wait", "☐ Drink"], "texts are trimmed")
    try device.type("add", "add Wash up")
    #expect(texts(device).last == "☐ Wash up")
    try device.type("add", "text Never", "cancel")
    #expect(texts(device).count == 5)
  }

  @Test func addTrims() throws {
    let device = try phone()
    try device.type("add \u{3000}x\u{00A0}")
    #expect(texts(device).last == "☐ x")
  }

  @Test func manyTodos() throws {
    let device = try phone()
    for number in 4...50 { try device.type("add Step \(number)") }
    #expect(texts(device).count == 50)
    #expect(device.shows(" 9 ☐ Step 9") && device.shows("50 ☐ Step 50"))
  }

  @Test func toggle() throws {
    for idiom in Idiom.allCases {
      let device = try workoutPhone(idiom)
      try device.type("open 1")
      _ = device.events
      try device.type("toggle 2")
      #expect(texts(device)[1] == "☑ 20 push-ups")
      #expect(device.events == [.haptic("selection")])
      try device.type("toggle 2")
      #expect(texts(device)[1] == "☐ 20 push-ups")
      #expect(
        device.refusal("toggle 6")?.message == "toggle takes the number of a to-do, from 1 to 5")
    }
  }

  @Test func edit() throws {
    let device = try phone()
    try device.type("todo 2", "text Pour water", "toggle", "save")
    #expect(texts(device) == ["☐ Boil", "☑ Pour water", "☐ Wait"])
    try device.type("todo 2", "text ", "save")
    #expect(device.shows("⚠ To-do text cannot be empty") && device.shows("( Save )"))
    try device.type("cancel", "todo 1", "delete")
    #expect(texts(device) == ["☑ Pour water", "☐ Wait"])
  }

  @Test func move() throws {
    let device = try phone()
    try device.type("move 3 1")
    #expect(texts(device) == ["☐ Wait", "☐ Boil", "☐ Pour"])
    try device.type("move 1 2")
    #expect(texts(device) == ["☐ Boil", "☐ Wait", "☐ Pour"])
    try device.type("move 1 3")
    #expect(texts(device) == ["☐ Wait", "☐ Pour", "☐ Boil"])
    let vector = device.keeper.vector
    try device.type("move 2 2")
    #expect(device.keeper.vector == vector)
    #expect(
      device.refusal("move 1")?.message
        == "move takes the number of a to-do and its new one, both from 1 to 3")
    #expect(device.refusal("move 0 1")?.code == .invalidField)
    #expect(device.refusal("move 1 4")?.code == .invalidField)
  }

  @Test func concurrentEdits() throws {
    let phone = try phone()
    let watch = TimersDevice(.watch)
    try watch.receive(from: phone)
    try phone.type("todo 1", "text Boil water")
    try watch.type("open 1", "toggle 1")
    try phone.receive(from: watch)
    #expect(phone.shows("Boil water") && phone.shows("☐  Mark as completed"))
    try phone.type("save")
    #expect(texts(phone)[0] == "☑ Boil water", "what was not touched in the form is not written")
    try watch.receive(from: phone)
    #expect(texts(watch) == texts(phone))
  }

  @Test func deletedWhileEdited() throws {
    let phone = try phone()
    let pad = TimersDevice(.pad)
    try pad.receive(from: phone)
    try phone.type("todo 1", "text Boil water")
    try pad.type("open 1", "todo 1", "delete")
    try phone.receive(from: pad)
    try phone.type("save")
    #expect(texts(phone).contains("☐ Boil water"), "the edit had not seen the delete")
    try pad.receive(from: phone)
    #expect(texts(pad) == texts(phone))
  }

  @Test func concurrentMoves() throws {
    let phone = try phone()
    let pad = TimersDevice(.pad)
    try pad.receive(from: phone)
    try phone.type("move 3 1")
    try pad.type("open 1", "add Drink", "toggle 2")
    try phone.receive(from: pad)
    try pad.receive(from: phone)
    #expect(texts(phone) == ["☐ Wait", "☐ Boil", "☑ Pour", "☐ Drink"])
    #expect(texts(pad) == texts(phone))
  }

  @Test func noTodosOfOthers() throws {
    let device = try phone()
    try device.type("back", "new Other 1:00", "open 1")
    #expect(device.app.library.timers[0].todos.isEmpty)
    #expect(device.refusal("toggle 1")?.message == "there is no to-do here")
  }
}

@Suite struct TimersNotesTests {
  private func notes(_ device: TimersDevice) -> String { device.app.library.timers[0].notes }

  /// Line by line, without typing the others anew.
  @Test func notesAreEditedByLine() throws {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "open 1", "notes", #"write One\nTwo\nThree"#)
    #expect(device.shows("│ 1 One ") && device.shows("│ 3 Three "))
    try device.type("line 2 Zwei", #"insert 1 Nought\n"#, "remove 5")
    #expect(device.shows("│ 2  ") && device.shows("│ 4 Zwei "))
    try device.type("insert 1", "save")
    #expect(device.app.library.timers[0].notes == "\nNought\n\nOne\nZwei")
    try device.type("notes")
    for line in ["line 6 x", "line 0 x", "line x", "insert 7 x", "remove 6", "remove", "line"] {
      #expect(device.refusal(line)?.code == .invalidField, "\(line)")
    }
    try device.type("clear", "save")
    #expect(device.app.library.timers[0].notes == "")
  }

  /// Seed 001: every button is felt; what is typed, turned or dragged is none.
  @Test func everyButtonIsFeltOnce() throws {
    func haptics(_ device: TimersDevice) -> Int {
      device.events.count { if case .haptic = $0 { true } else { false } }
    }
    for idiom in Idiom.allCases {
      let device = try workoutPhone(idiom)
      for (screen, lines) in [
        ("", ["settings", "back", "sync", "new", "cancel"]),
        (
          "settings",
          ["alerts", "alerts", "sound", "on", "off", "back", "share", "privacy", "back"]
        ),
        ("back", ["open 1", "start", "pause", "resume", "reset", "toggle 1", "back", "delete 1"]),
        ("cancel", ["new", "icon 2", "color 2", "cancel"]),
      ] {
        if !screen.isEmpty { try device.type(screen) }
        _ = device.events
        for line in lines {
          try device.type(line)
          #expect(haptics(device) == 1, "\(idiom): \(line)")
        }
      }
      try device.type("new")
      _ = device.events
      for line in ["name Tea", "minutes 3", "seconds 4", "duration 3:00", "a11y", "back"] {
        try device.type(line)
        #expect(haptics(device) == 0, "\(idiom): \(line)")
      }
      #expect(device.refusal("minutes 99") != nil)
      #expect(haptics(device) == 0)
    }
  }

  @Test func write() throws {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "open 1", "notes", #"write Two\nlines \\ and \t"#, "save")
    #expect(notes(device) == "Two\nlines \\ and \\t")
    #expect(device.app.library.timers[0].summary == "No to-dos • Notes added")
    try device.type("notes", "append third", "save")
    #expect(notes(device) == "Two\nlines \\ and \\t\nthird")
    try device.type("notes", "clear", "cancel")
    #expect(notes(device) != "")
    try device.type("notes", "clear", "append one", #"append two\"#, "save")
    #expect(notes(device) == "one\ntwo\\")
    try device.type("notes", "clear", "save")
    #expect(device.app.library.timers[0].summary == "No to-dos • No notes")
    #expect(device.shows("No notes yet"))
  }

  @Test func concurrentNotes() throws {
    let phone = try workoutPhone()
    let pad = TimersDevice(.pad)
    try pad.receive(from: phone)
    try phone.type("open 1", "notes", "append Breathe")
    try pad.type("open 1", "notes", #"write Remember to hydrate!\nFocus on form"#, "save")
    try phone.receive(from: pad)
    #expect(phone.shows("Increase intensity next time"), "the form keeps what was typed into it")
    try phone.type("save")
    #expect(notes(phone) == "Remember to hydrate!\nFocus on form\nBreathe")
    try pad.receive(from: phone)
    #expect(notes(pad) == notes(phone))
    #expect(pad.shows("Breathe"))
  }

  @Test func watchReadsOnly() throws {
    let device = try workoutPhone(.watch)
    try device.type("open 1")
    #expect(device.shows("Remember to hydrate!"))
    for word in ["notes", "todo 1", "edit", "add x", "move 1 2"] {
      #expect(device.refusal(word)?.code == .malformedJSON)
    }
    try device.type("back")
    #expect(device.refusal("move 1 2")?.code == .malformedJSON)
  }
}
