import AppModels
import Merge
import Testing
import Wire

/// An app on a device with a clock that tests set.
final class TimersDevice {
  let keeper: LocalKeeper
  let idiom: Idiom
  private(set) var app: TodoTimersApp
  /// Milliseconds since 1970.
  var now: Int64 = 1_763_719_200_000

  init(_ idiom: Idiom = .phone) {
    self.idiom = idiom
    keeper = LocalKeeper("todoTimers", device: idiom.rawValue, isPhone: idiom != .watch)
    app = TodoTimersApp(Surroundings(idiom: idiom, records: Records(keeper)))
  }

  func type(_ lines: String...) throws {
    for line in lines { try app.perform(CommandLine(line), now: now) }
  }

  /// What a line is refused with.
  func refusal(_ line: String) -> WireError? {
    do throws(WireError) {
      try app.perform(CommandLine(line), now: now)
      return nil
    } catch {
      return error
    }
  }

  func wait(_ seconds: Double) {
    now += Int64(seconds * 1000)
    app.tick(now: now)
  }

  /// The records of the other device come in.
  func receive(from other: TimersDevice) throws {
    try keeper.receive(from: other.keeper)
    now = max(now, other.now)
    app.recordsDidChange(now: now)
  }

  /// The app is killed and started again.
  func kill(for seconds: Double = 0) throws {
    let state = app.localState
    now += Int64(seconds * 1000)
    app = TodoTimersApp(Surroundings(idiom: idiom, records: Records(keeper)))
    try app.restore(try Datum(json: state.canonical), now: now)
  }

  /// Writes past the app.
  func write(_ change: (inout RecordEdit) throws(WireError) -> Void) throws {
    try Records(keeper).edit(now: now, change)
    app.recordsDidChange(now: now)
  }

  var lines: [String] { app.screen(now: now).lines(columns: idiom.columns) }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  var banner: String? { app.screen(now: now).banner }

  var names: [String] { app.library.timers.map(\.name) }
  var words: [String] { app.commands.map(\.word) }

  var countdown: Countdown { app.countdowns.countdown(app.library.timers[0]) }
  var current: Int { countdown.current(now) }

  /// What has happened since the last look.
  var events: [AppEvent] { app.takeEvents() }

  var messages: [TimerStateMessage] {
    events.compactMap {
      guard case .message(let bytes) = $0 else { return nil }
      return try? TimerStateMessage(live: bytes)
    }
  }

  /// Seconds since 2001.
  var date: Double { Double(now) / 1000 - 978_307_200 }

  /// A step of a timer's that is told now.
  func state(
    _ timer: Name, _ action: TimerStateMessage.Action, _ current: Int64 = 0
  ) -> TimerStateMessage {
    TimerStateMessage(
      timerID: Identifier(timer.utf8)!, action: action, currentTime: current, timestamp: date)
  }
}

/// The phone of seed 001's mockups.
func workoutPhone(_ idiom: Idiom = .phone) throws -> TimersDevice {
  let device = TimersDevice(idiom)
  try device.write { edit throws(WireError) in
    try makeTimer(&edit, "Cooking Timer", 900, "fork.knife", "#FF9500", todos: 5)
  }
  device.now += 1000
  try device.write { edit throws(WireError) in
    try makeTimer(
      &edit, "Coffee Break", 600, "cup.and.saucer.fill", "#8E8E93", notes: "Two sugars")
  }
  device.now += 1000
  try device.write { edit throws(WireError) in
    try makeTimer(&edit, "Study Session", 2700, "book.fill", "#007AFF", todos: 1)
  }
  device.now += 1000
  try device.write { edit throws(WireError) in
    let timer = try makeTimer(
      &edit, "Workout Timer", 1500, "figure.run", "#FF3B30",
      notes: "Remember to hydrate!\nIncrease intensity next time\nFocus on form")
    for text in ["Warm up 5 minutes", "20 push-ups", "Stretch legs", "Core exercises", "Cool down"]
    {
      try edit.create(
        "todo",
        [
          "timer": .string(timer), "text": .string(text),
          "isCompleted": .bool(text == "Stretch legs"),
        ])
    }
  }
  device.now += 1000
  _ = device.events
  return device
}

@discardableResult
func makeTimer(
  _ edit: inout RecordEdit, _ name: String, _ seconds: Int, _ icon: String = "timer",
  _ color: String = "#007AFF", notes: String = "", todos: Int = 0
) throws(WireError) -> Name {
  let timer = try edit.create(
    "timer",
    [
      "name": .string(name), "durationInSeconds": .int(seconds), "icon": .string(icon),
      "colorHex": .string(color), "notes": .string(notes),
    ], at: .first)
  for number in 0..<todos {
    try edit.create("todo", ["timer": .string(timer), "text": .string("Step \(number + 1)")])
  }
  return timer
}
