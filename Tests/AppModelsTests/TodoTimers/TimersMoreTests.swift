import AppModels
import Merge
import Testing
import Wire

/// Categories, templates, what repeats, the history and exports.
@Suite("TodoTimers: what seed 002 lists as future")
struct TimersMoreTests {
  private func golden(_ device: TimersDevice, _ name: String) {
    expectGolden(
      device.app.screen(now: device.now), device.idiom, "todoTimers/\(device.idiom)-\(name)")
  }

  private func runs(_ device: TimersDevice) -> [TimerRun] {
    RunHistory(Records(device.keeper)).runs
  }

  // MARK: Categories

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func categories(_ idiom: Idiom) throws {
    let phone = TimersDevice(idiom == .pad ? .pad : .phone)
    try phone.type("new Plank 1:00", "open 1", "edit", "category  Sport ", "repeat on", "save")
    try phone.type(
      "back", "new Tea 5:00", "new Run 30:00", "open 1", "edit", "category Sport", "save")
    let device: TimersDevice
    if idiom == .watch {
      device = TimersDevice(.watch)
      try device.receive(from: phone)
    } else {
      device = phone
      golden(device, "detail-category")
      try device.type("edit")
      golden(device, "edit-category")
      try device.type("cancel", "back")
    }
    golden(device, "list-categories")
    try device.type("category sport")
    golden(device, "list-category")
    #expect(device.app.library.timers.count == 3)
    try device.type("open 2")
    #expect(device.shows("Plank"), "numbers are those of the shown timers")
    try device.type("back", "category")
    #expect(device.shows("Tea"))
    #expect(device.refusal("category sprot")?.message.contains("did you mean Sport?") == true)
    #expect(device.refusal("category x")?.message.contains("there are Sport") == true)
  }

  @Test func whatIsMovedIsAmongAll() throws {
    let device = TimersDevice()
    try device.type("new A 1:00", "open 1", "edit", "category x", "save", "back", "new B 1:00")
    try device.type("category x")
    #expect(!device.words.contains("move"))
    #expect(
      device.refusal("move 1 1")?.message == "timers are moved among all; type category first")
    try device.type("open 1", "edit", "category", "save", "back")
    #expect(device.shows("No timers in it"))
    try device.type("category", "move 1 2")
    #expect(device.names == ["A", "B"])
  }

  // MARK: What repeats

  private func plank(_ idiom: Idiom = .phone) throws -> TimersDevice {
    let device = TimersDevice(idiom)
    try device.type("new Plank 1:00", "open 1", "edit", "repeat", "save")
    return device
  }

  @Test func itBeginsAnew() throws {
    let device = try plank()
    try device.type("start")
    device.wait(60)
    #expect(device.current == 0)
    _ = device.events
    device.wait(1)
    #expect(device.countdown.isRunning && device.current == 60)
    #expect(!device.shows("Timer Complete!"), "nothing stands in front of what runs")
    let events = device.events
    #expect(events.contains(.sound("complete")) && events.contains(.haptic("success")))
    #expect(events.contains { if case .scheduled = $0 { true } else { false } })
    device.wait(30.5)
    #expect(device.current == 30)
    try device.type("edit", "repeat off", "save", "start")
    device.wait(100)
    #expect(device.countdown.phase == .finished)
  }

  @Test func aLateLookFindsItWhereItWouldBe() throws {
    let device = try plank()
    try device.type("start")
    // Two rounds of 61 s, and 8 s of the third.
    device.wait(61 * 2 + 8)
    #expect(device.current == 52)
    #expect(runs(device).count == 1, "nobody was there to see the second end")
    try device.kill(for: 61 * 3)
    #expect(device.current == 52 && device.countdown.isRunning)
    #expect(runs(device).count == 2)
  }

  @Test func anotherThatRunsIsLeftAlone() throws {
    let device = try plank()
    try device.type("back", "new Tea 5:00", "open Plank", "start")
    device.wait(30)
    try device.type("back", "open Tea", "start")
    device.wait(200)
    #expect(device.app.countdowns.all.values.count(where: \.isRunning) == 1)
    #expect(runs(device).isEmpty)
  }

  // MARK: The history

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func history(_ idiom: Idiom) throws {
    let device = TimersDevice(idiom)
    try device.type("history")
    golden(device, "history-empty")
    try device.type("back", "new Tea 5:00", "new Bread 45:00")
    for (timer, seconds) in [("Tea", 301.0), ("Bread", 2701), ("Tea", 301)] {
      try device.type("open \(timer)", "start")
      device.wait(seconds)
      try device.type("dismiss", "back")
    }
    device.wait(86_400)
    try device.type("open Tea", "start")
    device.wait(301)
    try device.type("dismiss", "back", "delete Bread", "delete")
    try device.type("history")
    golden(device, "history")
    try device.type("a11y")
    golden(device, "history-spoken")
    try device.type("back")
    let all = runs(device)
    #expect(all.map(\.name) == ["Tea", "Tea", "Bread", "Tea"], "it outlives its timer")
    #expect(all[0].finishedAt == device.now - 1000 && all[2].duration == 2700)
    if idiom != .watch {
      try device.type("export")
      golden(device, "history-export")
      try device.type("back")
      #expect(device.shows("Settings"))
      try device.type("history")
    }
    try device.type("clear")
    #expect(runs(device).isEmpty && device.shows("Nothing Yet"))
  }

  @Test func itIsOneForAllDevices() throws {
    let (phone, watch) = (TimersDevice(), TimersDevice(.watch))
    try phone.type("new Tea 5:00")
    try watch.receive(from: phone)
    for device in [phone, watch] {
      try device.type("open 1", "start")
      device.wait(301)
    }
    try phone.receive(from: watch)
    #expect(runs(phone).count == 2)
  }

  /// Who shows what another device has begun does not count it again.
  @Test func whatIsMirroredCountsOnce() throws {
    let (phone, watch) = (TimersDevice(), TimersDevice(.watch))
    try phone.type("new Tea 5:00", "settings", "share on", "back", "open 1")
    try watch.receive(from: phone)
    try watch.type("settings", "share on", "back", "open 1")
    try phone.type("start")
    for case .message(let bytes) in phone.events {
      watch.app.didReceive(message: bytes, now: watch.now)
    }
    #expect(watch.countdown.isRunning)
    try watch.kill()
    for device in [phone, watch] { device.wait(301) }
    #expect(runs(phone).count == 1 && runs(watch).isEmpty)
    try watch.type("open 1", "start")
    watch.wait(301)
    #expect(runs(watch).count == 1, "its own counts")
  }

  /// The counterpart's clock is a little ahead, and it tells the end first.
  @Test func anEndThatIsToldCounts() throws {
    let phone = TimersDevice()
    try phone.type("new Tea 5:00", "settings", "share on", "back", "open 1", "start")
    _ = phone.events
    phone.wait(300)
    let end = TimerStateMessage(
      timerID: try #require(Identifier(phone.app.library.timers[0].id.utf8)), action: .completed,
      currentTime: 0, timestamp: RecordDate.date(milliseconds: UInt64(phone.now)))
    phone.app.didReceive(message: end.live, now: phone.now)
    #expect(phone.countdown.phase == .finished && runs(phone).count == 1)
    phone.wait(5)
    #expect(runs(phone).count == 1)
  }

  @Test func theOldestMakeRoom() throws {
    let device = TimersDevice()
    try device.write { edit throws(WireError) in
      for index in 0..<RunHistory.limit {
        try edit.create(
          "run",
          [
            "timer": .string("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"), "name": .string("Old"),
            "durationInSeconds": .int(1),
            "finishedAt": .date(Int64(index) * 1000 + 978_307_200_000),
          ])
      }
    }
    try device.type("new Tea 5:00", "open 1", "start")
    device.wait(301)
    let all = runs(device)
    #expect(all.count == RunHistory.limit && all[0].name == "Tea")
    #expect(all.last?.finishedAt == 978_307_201_000)
  }

  // MARK: Templates

  @Test(arguments: [Idiom.phone, .pad])
  func templates(_ idiom: Idiom) throws {
    let device = TimersDevice(idiom)
    try device.type("templates")
    golden(device, "templates-empty")
    try device.type("back", "new Workout 25:00", "open 1", "add Warm up", "add Stretch", "toggle 1")
    try device.type("edit", "icon 2", "color 1", "category Sport", "repeat on", "save")
    try device.type("notes", "write drink", "save", "template")
    golden(device, "templates")
    try device.type("a11y")
    golden(device, "templates-spoken")
    try device.type("back", "back", "delete 1", "delete")
    try device.type("templates", "use workout")
    golden(device, "templates-used")
    let timer = device.app.library.timers[0]
    #expect(timer.todos.map(\.text) == ["Warm up", "Stretch"])
    #expect(timer.todos.allSatisfy { !$0.isCompleted })
    #expect(timer.category == "Sport" && timer.repeats && timer.notes == "drink")
    #expect(timer.icon == "figure.run" && timer.colorHex == "#FF3B30" && timer.duration == 1500)
  }

  @Test func oneOfANameIsReplaced() throws {
    let device = TimersDevice()
    try device.type(
      "new Tea 5:00", "open 1", "template", "back", "open 1", "edit", "minutes 7", "save")
    try device.type("template")
    let templates = TimerTemplate.all(Records(device.keeper))
    #expect(templates.map(\.timer.duration) == [420])
    #expect(device.refusal("use 2")?.message == "use takes the number of a template, from 1 to 1")
    try device.type("delete tea")
    #expect(device.shows("No Templates Yet"))
    #expect(device.refusal("use 1")?.message == "there is no template here")
  }

  @Test func aWatchUsesThem() throws {
    let (phone, watch) = (TimersDevice(), TimersDevice(.watch))
    try phone.type("new Tea 5:00", "open 1", "template")
    try watch.receive(from: phone)
    try watch.type("templates")
    golden(watch, "templates")
    #expect(watch.words == ["use", "back", "a11y"])
    try watch.type("use 1")
    #expect(watch.names == ["Tea", "Tea"])
  }

  // MARK: Exports

  @Test func export() throws {
    let device = TimersDevice()
    try device.type("new \"Tea\", green 5:00", "open 1", "add a", "add b", "toggle 2", "notes")
    try device.type("write one\\ntwo", "save", "back", "export")
    let text = TimerExport.timers.text(device.app.library, RunHistory(Records(device.keeper)))
    #expect(
      text
        == "name,seconds,icon,color,category,repeats,todos,completed,notes\r\n"
        + "\"\"\"Tea\"\", green\",300,timer,#007AFF,,false,\"a\nb\",1,\"one\ntwo\"\r\n")
    golden(device, "export")
  }
}
