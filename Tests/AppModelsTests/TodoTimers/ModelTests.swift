import AppModels
import Merge
import Testing

@Suite struct DurationTextTests {
  @Test(arguments: [
    (0, "00:00"), (5, "00:05"), (59, "00:59"), (60, "01:00"), (1505, "25:05"), (3599, "59:59"),
    (3600, "01:00:00"), (3665, "01:01:05"), (86_399, "23:59:59"), (86_400, "24:00:00"),
    (359_999, "99:59:59"), (-1, "00:00"),
  ])
  func clock(_ seconds: Int, _ text: String) {
    #expect(DurationText.clock(seconds) == text)
  }

  @Test(arguments: [
    (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (1500, "25 minutes"),
    (1114, "18 minutes 34 seconds"), (3600, "1 hour"), (7265, "2 hours 1 minute 5 seconds"),
    (-5, "0 seconds"),
  ])
  func spoken(_ seconds: Int, _ text: String) {
    #expect(DurationText.spoken(seconds) == text)
  }

  @Test(arguments: [
    ("25:00", 1500), ("5:05", 305), ("0:00", 0), ("1:30:00", 5400), ("24:00:00", 86_400),
    ("90:00", 5400), ("25", 1500), ("90s", 90), ("25m", 1500), ("1h", 3600), ("1h 30m", 5400),
    ("1H30M5S", 5405), ("0", 0),
  ])
  func read(_ text: String, _ seconds: Int) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", ":", "5:", ":5", "1:2:3:4", "-5", "5:-1", "five", "5x", "h", "5m3", "100000", "٥", "1.5",
    "99999999999999999999", "1:99999999999999999999", "５",
  ])
  func refuse(_ text: String) {
    #expect(DurationText.seconds(text) == nil)
  }

  @Test func plain() {
    #expect(DurationText.isPlain("5:00"))
    #expect(DurationText.isPlain("90s"))
    #expect(!DurationText.isPlain("66"), "a number may belong to a name")
    #expect(!DurationText.isPlain("Tea"))
  }
}

@Suite struct TimerColorTests {
  @Test(arguments: [
    ("#FF3B30", 255, 59, 48), ("007aff", 0, 122, 255), ("F00", 0, 15, 0), ("", 0, 0, 0),
    ("garbage", 0, 0, 0), ("#12345678", 0x34, 0x56, 0x78), ("0x010203", 1, 2, 3),
    ("(#0A0B0C)", 10, 11, 12), ("12#34", 0, 0, 0x12), ("FFFFFFFFFFFFFFFFFFFF", 255, 255, 255),
    ("ABz", 0, 0, 0xAB),
  ])
  func read(_ hex: String, _ red: Int, _ green: Int, _ blue: Int) {
    let color = RGB(hex: hex)
    #expect((color.red, color.green, color.blue) == (UInt8(red), UInt8(green), UInt8(blue)))
  }

  @Test func discs() {
    let discs = TimerChoices(.phone).colors.map(TimerChoices.disc)
    #expect(discs == ["🔴", "🟠", "🟡", "🟢", "🔵", "🟣", "🟤", "⚫"])
    #expect(TimerChoices.disc("#FE3C31") == "🔴")
    #expect(TimerChoices.disc("nonsense") == "⚫")
    #expect(TimerChoices.disc("#FFF8FF") == "⚪")
  }
}

@Suite struct TimerChoicesTests {
  @Test func choices() {
    let phone = TimerChoices(.phone)
    #expect(phone.icons.count == 12)
    #expect(phone.colors.count == 8)
    #expect(phone.hours == 0...23)
    let watch = TimerChoices(.watch)
    #expect(watch.icons.count == 6)
    #expect(watch.colors == ["#FF3B30", "#34C759", "#007AFF", "#FF9500"])
    #expect(watch.hours == nil)
    #expect(Set(phone.icons.map(TimerChoices.picture)).count == 12)
    #expect(TimerChoices.picture("figure.run") == "🏃")
    #expect(TimerChoices.picture("sparkles") == "⏱️")
    #expect(TimerChoices(.pad).icons == phone.icons)
  }
}

@Suite struct TimerRecordTests {
  @Test func derived() throws {
    let device = try workoutPhone()
    let timers = device.app.library.timers
    #expect(
      timers.map(\.summary) == [
        "5 to-dos • Notes added", "1 to-do • No notes", "No to-dos • Notes added",
        "5 to-dos • No notes",
      ])
    #expect(timers.map(\.formattedDuration) == ["25:00", "45:00", "10:00", "15:00"])
    #expect((timers[1].hours, timers[1].minutes, timers[1].seconds) == (0, 45, 0))
    #expect(
      timers[0].todos.map(\.text) == [
        "Warm up 5 minutes", "20 push-ups", "Stretch legs", "Core exercises", "Cool down",
      ])
    #expect(timers[0].todos.map(\.isCompleted) == [false, false, true, false, false])
  }

  /// Records that no app of ours would write.
  @Test(arguments: [
    Datum.null, .bool(true), .string(""), .string("1e99"), .string("nan"), .string("-7"),
    .string("99999999999999999999999"), .array([]), .object([]),
  ])
  func nonsense(_ value: Datum) throws {
    for idiom in Idiom.allCases {
      let device = TimersDevice(idiom)
      let timer = Target("timer", "no uuid")
      let todo = Target("todo", "neither")
      var actions = [Action(timer, .create), Action(todo, .create, home: timer)]
      for field in ["name", "durationInSeconds", "icon", "colorHex", "createdAt"] {
        actions.append(Action(timer, .write(field: Name(field), value: value)))
      }
      for field in ["text", "isCompleted", "createdAt"] {
        actions.append(Action(todo, .write(field: Name(field), value: value), home: timer))
      }
      actions.append(
        Action(
          todo, .move(field: "place", to: Anchor(nil, .right)), home: timer, into: timer))
      try device.keeper.replica.write(actions, clock: device.now)
      device.app.recordsDidChange(now: device.now)
      _ = device.lines
      try device.type("open 1", "start")
      device.wait(0.5)
      try device.type("pause", "resume", "reset", "a11y")
      _ = device.lines
      try device.kill()
      _ = device.lines
    }
  }

  @Test func fallbacks() throws {
    let device = TimersDevice()
    try device.keeper.replica.write([Action(Target("timer", "T"), .create)], clock: device.now)
    device.app.recordsDidChange(now: device.now)
    let timer = try #require(device.app.library.timers.first)
    #expect(timer.name == "")
    #expect(timer.duration == 0)
    #expect(timer.icon == "timer")
    #expect(timer.colorHex == "#007AFF")
    #expect(timer.notes == "")
    #expect(timer.summary == "No to-dos • No notes")
  }

  @Test(arguments: [
    ("785412000.5", 1_763_719_200_500), ("-1", 978_307_199_000), ("1e300", 0), ("nan", 0),
    ("inf", 0), ("", 0),
  ])
  func dates(_ text: String, _ milliseconds: Int64) throws {
    let device = TimersDevice()
    let timer = Target("timer", "T")
    try device.keeper.replica.write(
      [
        Action(timer, .create),
        Action(timer, .write(field: "createdAt", value: .string(Name(text)))),
      ], clock: device.now)
    #expect(device.app.library.timers.first?.createdAt == milliseconds)
  }
}
