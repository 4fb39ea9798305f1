import AppModels
import Merge
import Testing
import Wire

@Suite struct TrackerTimerTests {
  let device = TrackerDevice()

  // MARK: T2 and T3, the model

  @Test func theModelThrows() throws {
    var timer = ActiveTimer()
    #expect(timer.state == .unstarted)
    let notRunning = error { _ = try timer.stop(5) }
    #expect(notRunning == WireError(.taskNotRunning, "Task is not currently running"))
    #expect(error { try timer.start(nil, 0) } == WireError(.invalidClient, "Invalid client"))
    try timer.start(ActiveTimer.Subject(client: "A"), 1000)
    #expect(timer.state == .running)
    let running = error { try timer.start(ActiveTimer.Subject(client: "B"), 2000) }
    #expect(running == WireError(.invalidRecord, "Task is already running"))
    #expect(timer.subject?.client == "A")
    #expect(try timer.stop(4500) == 1000...4500)
    #expect(timer.state == .completed)
  }

  @Test func elapsedAccumulates() throws {
    var timer = ActiveTimer()
    try timer.start(ActiveTimer.Subject(client: "A"), 0)
    #expect(timer.elapsed(10_000) == 10_000)
    _ = try timer.stop(10_000)
    #expect(timer.elapsed(99_000) == 10_000)
    try timer.start(nil, 100_000)
    #expect(timer.elapsed(105_000) == 15_000)
    _ = try timer.stop(105_000)
    try timer.start(ActiveTimer.Subject(client: "B"), 200_000)
    #expect(timer.elapsed(201_000) == 1_000)
  }

  @Test func aClockSetBackTakesNothingAway() throws {
    var timer = ActiveTimer()
    try timer.start(ActiveTimer.Subject(client: "A"), 10_000)
    #expect(timer.elapsed(5_000) == 0)
    #expect(try timer.stop(5_000) == 10_000...10_000)
  }

  // MARK: T8, T11 and T14, the app

  @Test func withoutATask() {
    #expect(device.shows("No active task"))
    #expect(device.app.formattedTime(now: device.now) == "0:00:00")
    #expect(device.app.currentTaskName == nil)
    #expect(device.app.nextTick(now: device.now) == nil)
  }

  @Test func withoutAClientThereIsNothingToTime() throws {
    try device.type("start")
    #expect(!device.app.isRunning)
    #expect(device.screen.banner == "Add a client first.")
    try device.type("new")
    #expect(device.screen.banner == "Add a client first.")
  }

  @Test func whatRunsIsNotShared() throws {
    let acme = try device.client("Acme")
    let before = device.keeper.operations.count
    try device.type("start Draft")
    device.pass(3725)
    #expect(device.app.formattedTime(now: device.now) == "1:02:05")
    #expect(device.keeper.operations.count == before)
    try device.type("stop")
    #expect(device.keeper.operations.count == before + 1)
    let task = try #require(device.tracked.tasks.first)
    #expect(task.name == "Draft")
    #expect(task.client == acme)
    #expect(task.seconds == 3725)
    #expect(task.createdAt == TrackerDevice.start)
    #expect(task.interval == TrackerDevice.start...device.now)
    #expect(device.app.takeEvents() == [.haptic("medium"), .haptic("light")])
  }

  @Test func startAndStopTwiceIsOnce() throws {
    try device.client("Acme")
    try device.type("stop")
    #expect(device.tracked.tasks.isEmpty)
    try device.type("start Draft")
    device.pass(10)
    try device.type("start", "start Other")
    #expect(device.app.currentTaskName == "Draft")
    #expect(device.app.formattedTime(now: device.now) == "0:00:10")
    try device.type("stop", "stop")
    #expect(device.tracked.tasks.count == 1)
  }

  @Test func stoppedAndStartedAgainItGoesOn() throws {
    try device.client("Acme")
    try device.type("start Draft")
    device.pass(10)
    try device.type("stop")
    device.pass(100)
    try device.type("start")
    device.pass(5)
    #expect(device.app.formattedTime(now: device.now) == "0:00:15")
    try device.type("stop")
    #expect(device.tracked.tasks.map(\.seconds) == [5, 10])
    #expect(device.tracked.tasks.map(\.title) == ["Draft", "Draft"])
    try device.type("done")
    #expect(device.shows("No active task"))
  }

  @Test func aQuickStartTakesTheScreensClientAndProject() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: globex)
    func start(_ lines: String...) throws -> TaskModel {
      for line in lines { try device.type(line) }
      try device.type("start")
      device.pass(60)
      try device.type("stop", "done", "home")
      return try #require(device.tracked.tasks.first)
    }
    let first = try start()
    #expect((first.client, first.project, first.name) == (acme, nil, nil))
    let second = try start("menu", "open 3")
    #expect((second.client, second.project) == (globex, site))
    // The dashboard goes on where the newest task was.
    let third = try start()
    #expect((third.client, third.project) == (globex, site))
    let fourth = try start("menu", "open 1")
    #expect((fourth.client, fourth.project) == (acme, nil))
  }

  @Test func recentTasksAreRestarted() throws {
    try device.fill()
    try device.type("restart 2")
    #expect(device.app.currentTaskName == "Build")
    #expect(device.app.clientName == "Acme")
    try device.type("stop", "restart 1")
    #expect(device.app.isRunning)
    let before = device.app.currentTaskName
    #expect(device.app.commands.contains { $0.word == "restart" })
    try device.type("restart 2")
    #expect(device.screen.banner == "Task is already running")
    #expect(device.app.currentTaskName == before)
    #expect(error { try device.type("restart 9") }?.code == .invalidField)
  }

  @Test func aRecordedTaskIsTimedOnce() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    let task = try device.service.create(
      "task", ["name": .string("Draft"), "client": .string(acme), "project": .string(site)],
      now: device.now)
    try device.type("open 1", "open 1", "start")
    device.pass(60)
    try device.type("stop")
    #expect(device.tracked.tasks.map(\.id) == [task])
    #expect(device.tracked.tasks.first?.seconds == 60)
    try device.type("start")
    device.pass(30)
    try device.type("stop")
    #expect(device.tracked.tasks.map(\.seconds) == [30, 60])
  }

  @Test func whatTheCounterpartHasTimedMeanwhileStays() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    let task = try device.service.create(
      "task", ["client": .string(acme), "project": .string(site)], now: device.now)
    try device.type("open 1", "open 1", "start")
    device.pass(60)
    try device.service.update(
      "task", task, ["startTime": .date(device.now - 5000), "endTime": .date(device.now)],
      now: device.now)
    try device.type("stop")
    #expect(device.tracked.tasks.map(\.seconds).sorted() == [5, 60])
  }

  // MARK: What goes while it runs

  @Test func aProjectThatIsGoneIsLeftOut() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    try device.type("open 1", "start Draft")
    try device.service.delete("project", site, now: device.now)
    device.app.recordsDidChange(now: device.now)
    #expect(device.screen.title == "TimeTracker")
    device.pass(60)
    try device.type("stop")
    #expect(device.tracked.tasks.first?.client == acme)
    #expect(device.tracked.tasks.first?.project == nil)
  }

  @Test func aProjectThatMovedTakesTheTimeAlong() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    try device.type("open 1", "start Draft")
    try device.service.update("project", site, ["client": .string(globex)], now: device.now)
    device.pass(60)
    try device.type("stop")
    #expect(device.tracked.tasks.first?.client == globex)
  }

  @Test func aClientThatIsGoneLosesNoTime() throws {
    let acme = try device.client("Acme")
    let globex = try device.client("Globex")
    try device.type("start Draft")
    try device.service.delete("client", acme, now: device.now)
    device.app.recordsDidChange(now: device.now)
    device.pass(60)
    try device.type("stop")
    #expect(device.app.isRunning)
    #expect(device.screen.banner?.hasPrefix("Invalid client") == true)
    try device.type("assign globex", "stop")
    #expect(device.tracked.tasks.first?.client == globex)
    #expect(device.tracked.tasks.first?.seconds == 60)
  }

  // MARK: Auto-pause

  private func autoPause(_ minutes: Int) throws {
    try device.records.edit(now: device.now) { edit throws(WireError) in
      try edit.set(
        "settings", ["autoPauseEnabled": .bool(true), "autoPauseMinutes": .int(minutes)])
    }
    device.app.recordsDidChange(now: device.now)
  }

  @Test func autoPauseStopsAtItsTime() throws {
    try device.client("Acme")
    try autoPause(15)
    try device.type("start Draft")
    device.pass(600)
    try device.type("tap")
    device.pass(899)
    #expect(device.app.isRunning)
    #expect(device.app.nextTick(now: device.now) == device.now + 1000)
    _ = device.app.takeEvents()
    device.pass(5000)
    #expect(!device.app.isRunning)
    #expect(device.tracked.tasks.first?.seconds == 1500)
    guard case .notified(let notification)? = device.app.takeEvents().last else {
      Issue.record("no notification")
      return
    }
    #expect(notification.title == "Timer paused")
    try device.type("start")
    device.pass(5)
    #expect(device.app.formattedTime(now: device.now) == "0:25:05")
  }

  @Test func autoPauseIsOffAtFirst() throws {
    try device.client("Acme")
    try device.type("start Draft")
    device.pass(100_000)
    #expect(device.app.isRunning)
  }

  @Test func autoPauseDoesNotReachBack() throws {
    try device.client("Acme")
    try device.type("start Draft")
    device.pass(7200)
    try autoPause(15)
    device.pass(1)
    #expect(device.app.isRunning)
    device.pass(900)
    #expect(!device.app.isRunning)
    #expect(device.tracked.tasks.first?.seconds == 8100)
  }

  @Test func autoPauseOfWhatCannotBeWrittenIsTriedAgain() throws {
    let acme = try device.client("Acme")
    try autoPause(1)
    try device.type("start Draft")
    try device.service.delete("client", acme, now: device.now)
    device.app.recordsDidChange(now: device.now)
    device.pass(61)
    #expect(device.app.isRunning)
    #expect((device.app.nextTick(now: device.now) ?? 0) > device.now)
  }

  // MARK: The end of the app

  @Test func restoresWhatRuns() throws {
    try device.client("Acme")
    try device.type("start Draft")
    device.pass(10)
    try device.type("stop", "start", "tap")
    device.now += 20_000
    let other = try device.restarted()
    #expect(other.app.isRunning)
    #expect(other.app.currentTaskName == "Draft")
    #expect(other.app.formattedTime(now: other.now) == "0:00:30")
    #expect(other.app.localState == device.app.localState)
    try other.type("stop")
    #expect(other.tracked.tasks.map(\.seconds) == [20, 10])
  }

  @Test func whatShouldHavePausedMeanwhileHas() throws {
    try device.client("Acme")
    try autoPause(15)
    try device.type("start Draft")
    device.now += 36_000_000
    let other = try device.restarted()
    #expect(!other.app.isRunning)
    #expect(other.tracked.tasks.map(\.seconds) == [900])
  }

  @Test(arguments: [
    Datum.null, .string("x"), .object([Datum.Member("timer", .string("x"))]),
    .object([Datum.Member("timer", .object([Datum.Member("carried", .string("-1"))]))]),
  ])
  func statesOfOthersAreRefused(_ state: Datum) throws {
    try device.client("Acme")
    try device.type("start Draft")
    let before = device.app.localState
    #expect(error { try device.app.restore(state, now: device.now) }?.code == .invalidField)
    #expect(device.app.localState == before)
  }

  // MARK: The floating widget

  @Test func theWidgetStaysOnTheScreen() {
    let screen = FloatingWidget.screen
    let widget = FloatingWidget()
    #expect((widget.x, widget.y) == (300, 100))
    let corner = widget.dragged(-1000, -1000, on: screen)
    #expect((corner.x, corner.y) == (20, 20))
    let other = widget.dragged(10_000, .max, on: screen)
    #expect((other.x, other.y) == (1004, 748))
    let low = widget.dragged(.min, 5, on: screen)
    #expect((low.x, low.y) == (20, 105))
    let small = widget.clamped(to: FloatingWidget.Size(30, 10))
    #expect((small.x, small.y) == (20, 20))
    #expect(FloatingWidget.expandedSize == FloatingWidget.Size(280, 140))
    #expect(FloatingWidget(.string("x")) == FloatingWidget())
  }

  @Test func thePadRemembersWhereTheWidgetIs() throws {
    let pad = TrackerDevice(.pad)
    try pad.type("drag 40 -25", "tap")
    #expect(pad.shows("280 × 140 at 340, 75"))
    let other = try pad.restarted()
    #expect(other.shows("280 × 140 at 340, 75"))
    #expect(error { try pad.type("drag x") }?.code == .invalidField)
    #expect(error { try device.type("drag 1 1") }?.code == .malformedJSON)
  }

  /// The sidebar of a pad leads to everything that it shows, from wherever one is.
  @Test func thePadGoesWhereItsSidebarSays() throws {
    let pad = TrackerDevice(.pad)
    let acme = try pad.client("Acme")
    try pad.client("Beta")
    _ = try pad.service.create(
      "project", ["name": .string("Website"), "client": .string(acme.text)], now: pad.now)
    try pad.type("go 4")
    #expect(pad.shows("▸ Beta"))
    try pad.type("go 3")
    #expect(pad.shows("▸   Website"))
    try pad.type("back")
    #expect(pad.shows("▸ Acme"))
    try pad.type("go 1")
    #expect(pad.shows("▸ Overview"))
    #expect(error { try pad.type("go 5") }?.code == .invalidField)
    #expect(error { try device.type("go 1") }?.code == .malformedJSON)
  }
}
