import AppModels
import Merge
import Testing
import Wire

@Suite struct TimersCountdownTests {
  private func phone(_ idiom: Idiom = .phone) throws -> TimersDevice {
    let device = TimersDevice(idiom)
    try device.type("new Bread 10:00")
    device.now += 1000
    try device.type("new Tea 0:05", "open 1")
    _ = device.events
    return device
  }

  private func id(_ device: TimersDevice, _ name: String = "Tea") -> String {
    device.app.library.timers.first { $0.name == name }!.id.text
  }

  private func notification(_ device: TimersDevice) -> Notification {
    Notification(
      id: device.idiom == .watch ? "timer-\(id(device))" : "timer-complete-\(id(device))",
      category: "TIMER_COMPLETION", title: "⏱️ Timer Complete",
      body: "Tea\nYour 00:05 timer has finished!", badge: 1,
      actions: [
        .init(id: "RESTART_TIMER", title: "Restart Timer"),
        .init(id: "MARK_COMPLETE", title: "Mark Complete"), .init(id: "DISMISS", title: "Dismiss"),
      ],
      userInfo: ["timerID": id(device), "timerName": "Tea"])
  }

  /// What seed 000 calls `cleanup`: nothing ticks, so leaving the screen ends nothing.
  @Test func leavingTheScreenStopsNothing() throws {
    let device = try phone(.phone)
    try device.type("start")
    let due = device.now + 5000
    _ = device.events
    try device.type("back", "settings")
    #expect(device.events == [.haptic("light"), .haptic("light")], "the notification stays")
    #expect(device.app.nextTick(now: device.now) == device.now + 1000)
    device.wait(5)
    #expect(device.now == due)
    #expect(device.events == [.notified(notification(device))])
  }

  @Test func throughToTheEnd() throws {
    for idiom in Idiom.allCases {
      let device = try phone(idiom)
      let start = device.now
      try device.type("start")
      #expect(
        device.events == [.haptic("medium"), .scheduled(notification(device), at: start + 5000)])
      #expect(device.app.nextTick(now: device.now) == start + 1000)
      device.wait(4.9)
      #expect(device.current == 1)
      #expect(device.events.isEmpty)
      device.wait(0.1)
      #expect(device.shows("00:00") && device.shows("PAUSE"))
      #expect(device.events == [.notified(notification(device))])
      device.wait(1)
      #expect(device.events == [.haptic("success"), .haptic("heavy"), .sound("complete")])
      #expect(device.shows("⏱️ Timer Complete!"))
      #expect(device.words.starts(with: ["restart", "dismiss"]))
      #expect(device.app.nextTick(now: device.now) == nil)
      try device.type("dismiss")
      #expect(!device.shows("Timer Complete!"))
      #expect(device.shows("[ START ]"))
      #expect(device.countdown.phase == .finished)
    }
  }

  @Test func startAtTheEndBeginsAnew() throws {
    for idiom in Idiom.allCases {
      let device = try phone(idiom)
      try device.type("start")
      device.wait(6)
      _ = device.events
      try device.type("start")
      #expect(
        device.events == [
          .haptic("medium"), .scheduled(notification(device), at: device.now + 5000),
        ])
      #expect(device.shows("00:05") && !device.shows("Timer Complete!"))
      device.wait(4)
      #expect(device.events.isEmpty)
      device.wait(1)
      #expect(device.events == [.notified(notification(device))])
      try device.type("pause")
      _ = device.events
      try device.type("resume")
      #expect(device.current == 5, "what was notified is not notified again at once")
    }
  }

  @Test func startAtTheEndTakesTheNewDuration() throws {
    let device = try phone()
    try device.type("start")
    device.wait(6)
    try device.type("dismiss")
    let tea = device.app.library.timers[0].id
    try device.write { edit throws(WireError) in
      try edit.set("timer", tea, ["durationInSeconds": .int(9)])
    }
    #expect(device.countdown.phase == .finished)
    try device.type("start")
    #expect(device.current == 9)
  }

  @Test func oneLateTick() throws {
    let device = try phone()
    try device.type("start")
    _ = device.events
    device.wait(3600)
    #expect(
      device.events == [
        .notified(notification(device)), .haptic("success"), .haptic("heavy"),
        .sound("complete"),
      ])
  }

  @Test func pauseResumeReset() throws {
    let device = try phone()
    try device.type("start")
    device.wait(2)
    _ = device.events
    try device.type("pause")
    let cancelled = AppEvent.cancelled(id: notification(device).id)
    #expect(device.events == [.haptic("light"), cancelled])
    device.wait(100)
    #expect(device.shows("00:03") && device.shows("⏸ PAUSED"))
    try device.type("resume")
    #expect(
      device.events == [
        .haptic("medium"), .scheduled(notification(device), at: device.now + 3000),
      ])
    try device.type("reset")
    #expect(device.events == [.haptic("light"), cancelled])
    #expect(device.current == 5)
    #expect(device.countdown.phase == .idle)
    try device.type("reset")
    #expect(device.events == [.haptic("light")], "nothing is scheduled")
  }

  @Test func whatMakesNoSense() throws {
    let device = try phone()
    #expect(device.refusal("pause")?.message == "the timer is not running")
    #expect(device.refusal("resume")?.message == "the timer is not paused")
    try device.type("start")
    #expect(device.refusal("start")?.message == "the timer is running already")
    #expect(device.words.contains("pause") && !device.words.contains("start"))
    try device.type("pause")
    #expect(device.words.contains("resume") && !device.words.contains("start"))
    try device.type("start")
    #expect(device.countdown.isRunning, "start goes on as well")
  }

  @Test func oneAtATime() throws {
    let device = try phone()
    try device.type("start")
    device.wait(2)
    try device.type("back", "open 2")
    _ = device.events
    try device.type("start")
    let events = device.events
    #expect(events.contains(.cancelled(id: notification(device).id)))
    #expect(events.first == .haptic("medium"))
    #expect(device.countdown.isPaused)
    #expect(device.current == 3)
    try device.type("back")
    #expect(device.shows("⏸ 00:03") && device.shows("▶ 10:00"))
    try device.type("open 1", "reset", "back")
    #expect(device.shows("▶ 10:00"), "a reset of another one leaves it running")
  }

  @Test func restartAfterTheEnd() throws {
    let device = try phone()
    try device.type("start")
    device.wait(10)
    try device.type("restart")
    #expect(device.current == 5)
    #expect(device.countdown.isRunning)
    #expect(!device.shows("Timer Complete!"))
    device.wait(10)
    try device.type("dismiss", "restart")
    #expect(device.countdown.isRunning)
  }

  @Test func alertOnOtherScreens() throws {
    let device = try phone()
    try device.type("start", "edit", "name Green tea")
    device.wait(10)
    #expect(device.shows("Timer Complete!") && device.shows("Green tea"))
    try device.type("icon 3")
    #expect(device.shows("Timer Complete!"), "the form goes on")
    try device.type("dismiss")
    #expect(!device.shows("Timer Complete!") && device.shows("Green tea"))
  }

  @Test func clockSetBack() throws {
    let device = try phone()
    try device.type("start")
    device.wait(2)
    _ = device.events
    device.now -= 3_600_000
    device.app.tick(now: device.now)
    #expect(device.current == 3)
    #expect(device.events == [.scheduled(notification(device), at: device.now + 3000)])
    device.wait(4)
    #expect(device.countdown.phase == .finished)
  }

  @Test func editResets() throws {
    let device = try phone()
    try device.type("start")
    device.wait(2)
    try device.type("edit", "save")
    #expect(device.countdown.isRunning, "nothing was edited")
    try device.type("edit", "duration 0:20")
    _ = device.events
    try device.type("save")
    #expect(device.countdown.phase == .idle)
    #expect(device.current == 20)
    #expect(device.events == [.cancelled(id: notification(device).id), .haptic("light")])
  }

  @Test func deleting() throws {
    let device = try phone()
    try device.type("start", "back", "delete 1", "delete")
    #expect(
      device.events.suffix(2) == [
        .cancelled(id: "timer-complete-" + lastDeleted(device)), .haptic("light"),
      ])
    #expect(device.app.countdowns.running == nil)
    #expect(device.app.nextTick(now: device.now) == nil)
  }

  /// The phone makes Bread first and Tea second.
  private func lastDeleted(_ device: TimersDevice) -> String {
    let other = LocalKeeper("todoTimers")
    _ = other.newRecord()
    return other.newRecord().text
  }
}
