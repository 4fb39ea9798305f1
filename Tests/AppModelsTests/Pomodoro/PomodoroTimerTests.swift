import AppModels
import Merge
import Testing
import Wire

@Suite struct PomodoroTimerTests {
  let device = PomodoroDevice()

  @Test func statesAndTheirDurations() {
    #expect(PomodoroState.allCases == [.work, .shortBreak, .longBreak])
    #expect(PomodoroState.allCases.map(\.defaultSeconds) == [1500, 300, 900])
    #expect(PomodoroState.allCases.map(\.title) == ["Work", "Short Break", "Long Break"])
    #expect(device.app.state == .work)
    #expect(!device.app.isActive)
    #expect(device.remaining == 1500)
    #expect(device.progress == 0)
  }

  @Test(arguments: [
    (1500.0, 1500.0, 0.0), (750, 1500, 0.5), (0, 1500, 1), (-5, 1500, 1), (2000, 1500, 0),
    (10, 0, 0), (10, -1, 0), (.nan, 10, 0), (10, .nan, 0),
  ])
  func progress(_ remaining: Double, _ total: Double, _ progress: Double) {
    #expect(PomodoroTimer.progress(remaining: remaining, total: total) == progress)
  }

  @Test func aTapStartsAndPausesAndGoesOn() throws {
    try device.type("tap")
    #expect(device.app.isActive)
    device.pass(300)
    #expect(device.remaining == 1200)
    #expect(device.progress == 1 - 1200.0 / 1500)
    try device.type("tap")
    #expect(!device.app.isActive)
    device.pass(1000)
    #expect(device.remaining == 1200)
    try device.type("tap")
    device.pass(200)
    #expect(device.remaining == 1000)
    #expect(device.sessions.isEmpty)
  }

  @Test func startAndPauseSayWhatTheyDo() throws {
    try device.type("start")
    #expect(device.app.isActive)
    #expect(device.app.commands.contains { $0.word == "pause" })
    try device.type("start", "pause")
    #expect(!device.app.isActive)
    try device.type("pause")
    #expect(!device.app.isActive)
  }

  @Test(arguments: ["doubletap", "reset"])
  func aDoubleTapResets(_ word: String) throws {
    try device.type("tap")
    device.pass(300)
    try device.type(word)
    #expect(device.app.state == .work)
    #expect(!device.app.isActive)
    #expect(device.remaining == 1500)
    let session = try #require(device.sessions.first)
    #expect(session.string("phase") == "work")
    #expect(session.int("plannedSeconds") == 1500)
    #expect(session.int("duration") == 300)
    #expect(session["isCompleted"] == .bool(false))
    try device.type(word)
    #expect(device.sessions.count == 1)
  }

  @Test(arguments: ["longpress", "next"])
  func aLongPressGoesOn(_ word: String) throws {
    try device.type(word)
    #expect(device.app.state == .shortBreak)
    #expect(device.remaining == 300)
    #expect(device.sessions.isEmpty)
    try device.type("tap")
    device.pass(60)
    try device.type("tap")
    device.pass(5000)
    try device.type(word)
    #expect(device.app.state == .longBreak)
    #expect(!device.app.isActive)
    // What was paused had ended when it last ran.
    #expect(device.sessions.map { $0.int("duration") } == [60])
  }

  @Test func whatRunsOutGoesOnAndWaits() throws {
    try device.type("tap")
    _ = device.app.takeEvents()
    device.pass(1499.999)
    #expect(device.app.isActive)
    device.pass(0.001)
    #expect(device.app.state == .shortBreak)
    #expect(!device.app.isActive)
    #expect(device.remaining == 300)
    let session = try #require(device.sessions.first)
    #expect(session["isCompleted"] == .bool(true))
    #expect(session.date("startTime") == PomodoroDevice.start)
    #expect(session.int("duration") == 1500)
    let events = device.app.takeEvents()
    #expect(events.count == 2)
    #expect(events.first == .haptic("rigid"))
    guard case .notified(let notification) = events.last else {
      Issue.record("no notification")
      return
    }
    #expect(notification.title == "Work complete")
    #expect(notification.body == "Next: Short Break, 05:00")
    #expect(notification.userInfo == ["state": "work", "next": "shortBreak"])
  }

  @Test func aLateTickMakesNoDifference() throws {
    try device.type("tap")
    device.pass(100_000)
    #expect(device.app.state == .shortBreak)
    #expect(!device.app.isActive)
    #expect(device.sessions.map { $0.int("duration") } == [1500])
  }

  @Test func aCommandAfterTheEndFindsItEnded() throws {
    try device.type("tap")
    device.now += 1_600_000
    try device.type("tap")
    #expect(device.app.state == .shortBreak)
    #expect(device.app.isActive)
    #expect(device.remaining == 300)
  }

  @Test func aClockSetBackShowsNoMoreThanTheTotal() throws {
    try device.type("tap")
    device.pass(-5000)
    #expect(device.remaining == 1500)
    try device.type("reset")
    #expect(device.sessions.map { $0.int("duration") } == [0])
  }

  @Test func ticksAreAskedForWhenTheShownSecondChanges() throws {
    #expect(device.app.nextTick(now: device.now) == nil)
    try device.type("tap")
    #expect(device.app.nextTick(now: device.now) == device.now + 1000)
    #expect(device.app.nextTick(now: device.now + 400) == device.now + 1000)
    #expect(device.app.nextTick(now: device.now + 1_499_500) == device.now + 1_500_000)
    #expect(device.app.nextTick(now: device.now + 1_700_000) == device.now + 1_700_000)
    try device.type("tap")
    #expect(device.app.nextTick(now: device.now) == nil)
  }

  @Test func haptics() throws {
    try device.type("tap")
    #expect(device.app.takeEvents().first == .haptic("medium"))
    try device.type("longpress")
    #expect(
      device.app.takeEvents() == [
        .cancelled(id: PomodoroApp.notificationID), .haptic("light"),
      ])
    try device.type("tap")
    guard case .scheduled(let notification, let at) = device.app.takeEvents().last else {
      Issue.record("nothing is scheduled")
      return
    }
    #expect(notification.title == "Short Break complete")
    #expect(at == device.now + 300_000)
    try device.type("tap")
    #expect(device.app.takeEvents() == [.cancelled(id: PomodoroApp.notificationID)])
    try device.type("reset")
    #expect(device.app.takeEvents().isEmpty)
  }

  // MARK: Cycles

  @Test func declaredIsTheOrderOfTheStates() throws {
    var states: [PomodoroState] = []
    for _ in 0..<7 {
      states.append(device.app.state)
      try device.type("next")
    }
    #expect(
      states == [.work, .shortBreak, .longBreak, .work, .shortBreak, .longBreak, .work])
  }

  @Test func everyFourthBreakIsLong() throws {
    try device.set(["cycle": .string("every4")])
    var states: [PomodoroState] = []
    for turn in 0..<17 {
      states.append(device.app.state)
      // Some run out and some are skipped.
      if turn.isMultiple(of: 3) {
        try device.type("tap")
        device.pass(1500)
      } else {
        try device.type("next")
      }
    }
    let round: [PomodoroState] = [
      .work, .shortBreak, .work, .shortBreak, .work, .shortBreak, .work, .longBreak,
    ]
    #expect(states == round + round + [.work])
  }

  @Test func aResetDoesNotCountAsWork() throws {
    try device.set(["cycle": .string("every4")])
    for _ in 0..<5 { try device.type("tap", "doubletap") }
    for _ in 0..<3 { try device.type("next", "next") }
    try device.type("next")
    #expect(device.app.state == .longBreak)
  }

  @Test func eachStateHasANextOne() {
    for state in PomodoroState.allCases {
      for works in 0...5 {
        #expect(PomodoroCycle.declared.next(after: state, works: works) != state)
        #expect(PomodoroCycle.every4.next(after: state, works: works) != state)
      }
    }
  }
}
