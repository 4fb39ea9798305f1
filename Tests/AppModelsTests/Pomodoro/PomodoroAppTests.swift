import AppModels
import Merge
import Testing
import Wire

@Suite struct PomodoroAppTests {
  let device = PomodoroDevice()

  // MARK: Settings

  @Test func settingsAreShared() throws {
    try device.type("settings", "work 50", "short 90s", "long 0:20:00", "cycle every4", "save")
    let settings = device.app.settings
    #expect(settings.workSeconds == 3000)
    #expect(settings.shortBreakSeconds == 90)
    #expect(settings.longBreakSeconds == 1200)
    #expect(settings.cycle == .every4)
    #expect(device.remaining == 3000)
    #expect(device.keeper.operations.count == 1)
  }

  @Test func aTimerThatRunsKeepsItsLength() throws {
    try device.type("tap")
    try device.set(["workSeconds": .int(60)])
    #expect(device.remaining == 1500)
    try device.type("tap")
    try device.set(["workSeconds": .int(120)])
    #expect(device.remaining == 1500)
    try device.type("reset")
    #expect(device.remaining == 120)
    try device.set(["workSeconds": .int(180)])
    #expect(device.remaining == 180)
  }

  @Test(arguments: [
    ("work 0", "Duration must be greater than 0"), ("short -1", "Duration must be greater than 0"),
    ("long 24:00:01", "Duration cannot exceed 24 hours"),
    ("cycle sometimes", "Cycle must be declared or every4"),
  ])
  func errorsOfTheRulesAreOnTheScreen(_ line: String, _ message: String) throws {
    try device.type("settings", line, "save")
    let screen = device.app.screen(now: device.now)
    #expect(screen.title == "Settings")
    #expect(screen.banner == message)
    #expect(device.keeper.operations.isEmpty)
    try device.type("work 10")
    #expect(device.app.screen(now: device.now).banner == nil)
  }

  @Test func aFormKeepsWhatWasTyped() throws {
    let watch = LocalKeeper("pomodoro", device: "watch", isPhone: false)
    try device.type("settings", "work 50")
    try Records(watch).edit(now: device.now) { edit throws(WireError) in
      try edit.set("settings", ["workSeconds": .int(60), "shortBreakSeconds": .int(120)])
    }
    try device.keeper.exchange(with: watch)
    device.app.recordsDidChange(now: device.now)
    let lines = device.app.screen(now: device.now).lines(columns: 37)
    #expect(lines.contains { $0.contains("Work") && $0.contains("50:00 *") })
    #expect(lines.contains { $0.contains("Short Break") && $0.contains("02:00 ") })
    device.now += 1000
    try device.type("save")
    #expect(device.app.settings.workSeconds == 3000)
    #expect(device.app.settings.shortBreakSeconds == 120)
  }

  @Test func cancelLeavesEverything() throws {
    try device.type("settings", "work 50", "cancel")
    #expect(device.app.settings == PomodoroSettings())
    try device.type("settings", "save")
    #expect(device.keeper.operations.isEmpty)
    #expect(device.app.screen(now: device.now).title == "Pomodoro")
  }

  @Test func durationsThatAreNoneAreRefused() throws {
    try device.type("settings")
    #expect(error { try device.type("work soon") }?.code == .invalidField)
    #expect(error { try device.type("motion slow") }?.code == .invalidField)
  }

  @Test func recordsThatMakeNoSenseAreAsIfThereWereNone() throws {
    // No edit writes these; an operation may.
    let target = Target("settings", "settings")
    try device.keeper.write(
      [
        Action(target, .create),
        Action(target, .write(field: "workSeconds", value: .string("-3"))),
        Action(target, .write(field: "shortBreakSeconds", value: .bool(true))),
        Action(target, .write(field: "longBreakSeconds", value: .string("9223372036854775807"))),
        Action(target, .write(field: "cycle", value: .string("moon"))),
      ], shown: device.keeper.vector, now: device.now)
    device.app.recordsDidChange(now: device.now)
    #expect(device.app.settings == PomodoroSettings())
    #expect(device.remaining == 1500)
  }

  // MARK: The end of the app

  @Test func restoresWhatRuns() throws {
    try device.type("next", "tap")
    device.pass(100)
    device.now += 50_000
    let other = try device.restarted()
    #expect(other.app.state == .shortBreak)
    #expect(other.app.isActive)
    #expect(other.remaining == 150)
    #expect(other.app.takeEvents().isEmpty)
  }

  @Test func restoresWhatIsPausedAndTheCycle() throws {
    try device.set(["cycle": .string("every4")])
    try device.type("next", "next", "tap")
    device.pass(100)
    try device.type("tap", "settings", "motion reduced", "cancel")
    let other = try device.restarted()
    #expect(other.app.state == .work)
    #expect(!other.app.isActive)
    #expect(other.remaining == 1400)
    #expect(other.app.localState == device.app.localState)
    try other.type("next", "next", "next", "next", "next")
    #expect(other.app.state == .longBreak)
  }

  @Test func whatShouldHaveFinishedMeanwhileHas() throws {
    try device.type("tap")
    device.now += 90_000_000
    let other = try device.restarted()
    #expect(other.app.state == .shortBreak)
    #expect(!other.app.isActive)
    #expect(other.sessions.map { $0.int("duration") } == [1500])
    #expect(other.sessions.first?.flag("isCompleted") == true)
  }

  @Test(arguments: [
    Datum.null, .string("x"), .object([Datum.Member("timer", .null)]),
    .object([
      Datum.Member(
        "timer",
        .object([
          Datum.Member("state", .string("nap")), Datum.Member("total", .string("1")),
          Datum.Member("works", .string("0")),
        ]))
    ]),
    .object([
      Datum.Member(
        "timer",
        .object([
          Datum.Member("state", .string("work")), Datum.Member("total", .string("0")),
          Datum.Member("works", .string("0")),
        ]))
    ]),
  ])
  func statesOfOthersAreRefused(_ state: Datum) throws {
    try device.type("tap")
    let before = device.app.localState
    #expect(error { try device.app.restore(state, now: device.now) }?.code == .invalidField)
    #expect(device.app.localState == before)
  }

  @Test func whatCannotBeWrittenIsOnTheScreen() throws {
    try device.type("tap")
    device.keeper.refusal = WireError(.insufficientSpace, "the disk is full")
    device.pass(1500)
    #expect(device.app.state == .shortBreak)
    #expect(device.app.screen(now: device.now).banner == "the disk is full")
    try device.type("tap")
    #expect(device.app.screen(now: device.now).banner == nil)
    #expect(error { try device.type("tpa") }?.code == .malformedJSON)
  }

  // MARK: Words

  @Test(arguments: ["", "settings", "history", "details"])
  func wordsThatAreNotThereSayWhatIs(_ route: String) throws {
    if !route.isEmpty { try device.type(route) }
    let error = error { try device.type("tpa") }
    #expect(error?.code == .malformedJSON)
    #expect(error?.message.contains("type help") == true)
  }

  @Test func everyListedWordIsKnown() throws {
    for route in ["", "settings", "history", "details"] {
      if !route.isEmpty { try device.type(route) }
      for command in device.app.commands {
        let other = PomodoroDevice()
        if !route.isEmpty { try other.type(route) }
        let argument = command.arguments.split(separator: "|").first.map(String.init) ?? ""
        try other.type("\(command.word) \(argument)")
      }
      if !route.isEmpty { try device.type(route == "settings" ? "cancel" : "back") }
    }
  }

  @Test func messagesArePassedOver() {
    device.app.didReceive(message: Array("{}".utf8), now: device.now)
    #expect(device.app.takeEvents().isEmpty)
  }

  // MARK: Screens

  @Test(arguments: [Idiom.phone, .watch])
  func screens(_ idiom: Idiom) throws {
    let device = PomodoroDevice(idiom)
    device.golden("\(idiom)-timer")
    try device.type("tap")
    device.pass(630.5)
    device.golden("\(idiom)-running")
    try device.type("details")
    device.golden("\(idiom)-details")
    try device.type("back", "tap")
    device.golden("\(idiom)-paused")
    try device.type("settings")
    device.golden("\(idiom)-settings")
    try device.type("work 50", "cycle every4", "motion reduced", "short 0", "save")
    device.golden("\(idiom)-settings-error")
    try device.type("short 10", "save", "reset", "next", "tap")
    device.golden("\(idiom)-every4")
    try device.type("history")
    device.golden("\(idiom)-history")
    try device.type("back", "details")
    device.golden("\(idiom)-details-reduced")
  }

  @Test func padScreens() throws {
    let device = PomodoroDevice(.pad)
    try device.type("tap")
    device.pass(750)
    device.golden("pad-running")
    try device.type("details")
    device.golden("pad-details")
  }

  @Test(arguments: [Idiom.phone, .watch])
  func historyScreens(_ idiom: Idiom) throws {
    let device = PomodoroDevice(idiom)
    try device.type("history")
    device.golden("\(idiom)-history-empty")
    try device.type("back")
    for turn in 0..<12 {
      try device.type("tap")
      device.pass(turn == 7 ? 20_000 : turn.isMultiple(of: 5) ? 100 : 1500)
      if turn.isMultiple(of: 5) { try device.type("next") }
      device.pass(5000)
    }
    try device.type("history")
    device.golden("\(idiom)-history-first")
    try device.type("more")
    device.golden("\(idiom)-history-second")
    #expect(error { try device.type("more") }?.code == .malformedJSON)
    try device.type("back", "back")
    #expect(device.app.screen(now: device.now).title == "Pomodoro")
  }

  @Test func errorsOfTheConnectionAreShown() {
    device.app.status.error = "The phone cannot be reached."
    device.golden("phone-offline")
  }
}
