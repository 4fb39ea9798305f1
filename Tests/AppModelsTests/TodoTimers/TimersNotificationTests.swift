import AppModels
import Testing
import Wire

@Suite struct TimersNotificationTests {
  /// A tea that is through, with its alert closed.
  private func phone() throws -> TimersDevice {
    let device = TimersDevice()
    try device.type("new Tea 0:05", "open 1", "add Boil", "add Pour", "toggle 1", "start")
    device.wait(6)
    try device.type("dismiss", "start", "reset")
    _ = device.events
    return device
  }

  private func delivered(_ idiom: Idiom = .phone) throws -> TimersDevice {
    let device = TimersDevice(idiom)
    try device.write { edit throws(WireError) in
      try makeTimer(&edit, "Tea", 5, todos: 2)
    }
    try device.type("open 1", "start")
    device.wait(6)
    _ = device.events
    return device
  }

  @Test func restart() throws {
    let device = try delivered()
    try device.type("act RESTART_TIMER")
    #expect(device.countdown.isRunning && device.current == 5)
    #expect(!device.shows("Timer Complete!"))
    #expect(device.refusal("act DISMISS")?.message == "there is no notification to act on")
  }

  @Test func restartOpensTheTimer() throws {
    for idiom in Idiom.allCases {
      let device = try delivered(idiom)
      try device.type("dismiss", "start")
      device.wait(6)
      try device.type("dismiss", "start", "back")
      device.wait(6)
      #expect(device.shows("My Timers"))
      try device.type("act RESTART_TIMER")
      #expect(device.words.contains("pause"), "its screen is shown")
    }
  }

  @Test func openingSelectsTheTimer() throws {
    let device = try delivered()
    try device.type("dismiss", "start", "back")
    device.wait(6)
    #expect(device.shows("My Timers") && device.words.contains("act"))
    try device.type("act")
    #expect(device.shows("00:00") && device.shows("Step 1"))
    #expect(device.refusal("act")?.message == "there is no notification to act on")
    try device.type("dismiss", "start")
    device.wait(6)
    try device.type("edit", "name Green tea", "act")
    #expect(device.shows("Edit Timer") && device.shows("Green tea"), "what was typed stays")
    try device.type("save")
    #expect(device.shows("Step 1"))
  }

  @Test func markComplete() throws {
    let device = try delivered(.watch)
    let phone = TimersDevice()
    try phone.receive(from: device)
    try phone.type("open 1", "add Third", "toggle 1")
    try device.type("act mark_complete")
    try phone.receive(from: device)
    #expect(
      phone.app.library.timers[0].todos.map(\.isCompleted) == [true, true, false],
      "the other device learns of it, and keeps what is new there")
    #expect(phone.shows("☑ Step 2"))
  }

  @Test func dismiss() throws {
    let device = try delivered()
    try device.type("act dismiss")
    #expect(device.shows("Timer Complete!"), "the alert in the app is another one")
    #expect(!device.words.contains("act"))
    #expect(
      device.refusal("act snooze")?.message
        == "act takes one of RESTART_TIMER, MARK_COMPLETE, DISMISS")
  }

  @Test func closingTheAlertClearsTheNotification() throws {
    let device = try phone()
    #expect(!device.words.contains("act"))
  }

  @Test func theNewestOne() throws {
    let device = try delivered()
    try device.type("back", "new Bread 0:05", "open 1", "start")
    device.wait(6)
    try device.type("act RESTART_TIMER")
    #expect(device.app.countdowns.countdown(device.app.library.timers[0]).isRunning)
    try device.type("act RESTART_TIMER")
    #expect(device.app.countdowns.countdown(device.app.library.timers[1]).isRunning)
    #expect(device.app.countdowns.countdown(device.app.library.timers[0]).isPaused)
  }

  @Test func alertsOff() throws {
    let device = TimersDevice()
    try device.type("settings", "alerts off", "back", "new Tea 0:05", "open 1")
    _ = device.events
    try device.type("start")
    #expect(device.events == [.haptic("medium")])
    device.wait(6)
    #expect(device.events == [.haptic("success"), .haptic("heavy"), .sound("complete")])
    try device.type("back", "settings", "sound off", "back", "open 1", "start")
    _ = device.events
    device.wait(6)
    #expect(device.events == [.haptic("success"), .haptic("heavy")])
    #expect(!device.shows("Timer Complete!"))
    #expect(device.countdown.phase == .finished)
  }

  @Test func alertsSwitchedMeanwhile() throws {
    let device = TimersDevice()
    try device.type("new Tea 0:05", "open 1", "start", "back", "settings")
    _ = device.events
    let start = device.now
    try device.type("alerts")
    guard case .cancelled? = device.events.first else {
      Issue.record("the notification is still to come")
      return
    }
    device.wait(2)
    try device.type("alerts on")
    guard case .scheduled(_, let at)? = device.events.first else {
      Issue.record("no notification is to come")
      return
    }
    #expect(at == start + 5000)
    device.wait(9)
    try device.type("alerts off")
    #expect(!device.shows("Timer Complete!"))
    #expect(device.refusal("alerts maybe")?.message == "alerts takes on or off")
  }

  @Test func renamedMeanwhile() throws {
    let device = TimersDevice()
    let watch = TimersDevice(.watch)
    try device.type("new Tea 0:05")
    try watch.receive(from: device)
    try watch.type("open 1", "start")
    _ = watch.events
    try device.type("open 1", "edit", "name Green tea", "duration 9:00", "save")
    try watch.receive(from: device)
    guard case .scheduled(let notification, _)? = watch.events.first else {
      Issue.record("it is scheduled with its old name")
      return
    }
    #expect(notification.body == "Green tea\nYour 00:05 timer has finished!")
    #expect(notification.hasSound)
    try watch.type("back", "settings", "sound off")
    watch.wait(5)
    guard case .notified(let silent)? = watch.events.last else {
      Issue.record("it was not notified")
      return
    }
    #expect(!silent.hasSound)
  }
}
