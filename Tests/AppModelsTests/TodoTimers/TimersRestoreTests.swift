import AppModels
import Merge
import Testing
import Wire

@Suite struct TimersRestoreTests {
  private func phone() throws -> TimersDevice {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "open 1", "start")
    device.wait(60.5)
    _ = device.events
    return device
  }

  @Test func running() throws {
    let device = try phone()
    try device.kill(for: 30)
    #expect(device.current == 210 - 1 + 1)
    #expect(device.countdown.isRunning)
    guard case .scheduled(let notification, let at)? = device.events.first else {
      Issue.record("nothing is scheduled")
      return
    }
    #expect(notification.userInfo["timerName"] == "Tea")
    #expect(at == device.now - 90_500 + 300_000)
    device.wait(209.5)
    #expect(device.current == 0)
    device.wait(1)
    #expect(device.countdown.phase == .finished)
  }

  @Test func paused() throws {
    let device = try phone()
    try device.type("pause")
    _ = device.events
    try device.kill(for: 9999)
    #expect(device.current == 240)
    #expect(device.countdown.isPaused)
    #expect(device.events.isEmpty)
    try device.type("open 1", "resume")
    device.wait(1)
    #expect(device.current == 239)
  }

  @Test func completedMeanwhile() throws {
    let device = try phone()
    try device.type("back", "settings", "share on")
    try device.kill(for: 9999)
    #expect(device.countdown.phase == .finished)
    let events = device.events
    #expect(events.count == 2)
    guard case .notified(let notification)? = events.first,
      case .message(let message)? = events.last
    else {
      Issue.record("neither notified nor told")
      return
    }
    #expect(notification.userInfo["timerName"] == "Tea")
    #expect(try TimerStateMessage(live: message)?.action == .completed)
    #expect(!device.shows("Timer Complete!"), "the notification has said so")
    try device.type("act restart")
    #expect(device.countdown.isRunning)
  }

  @Test func finishedStartsAnew() throws {
    let device = try phone()
    device.wait(9999)
    try device.kill()
    #expect(device.countdown.phase == .idle)
    #expect(device.current == 300)
  }

  @Test func settingsAndNotificationsSurvive() throws {
    let device = try phone()
    device.wait(9999)
    try device.type("dismiss", "back", "settings", "alerts off", "sound off", "share on")
    try device.kill()
    #expect(!device.app.settings.alerts && !device.app.settings.sound && device.app.settings.share)
    let other = try phone()
    other.wait(9999)
    try other.kill()
    #expect(other.words.contains("act"))
    try other.kill()
    try other.type("act DISMISS")
    #expect(!other.words.contains("act"))
  }

  @Test func deletedMeanwhile() throws {
    let device = try phone()
    let state = device.app.localState
    try device.type("back", "delete 1", "delete")
    _ = device.events
    try device.app.restore(state, now: device.now)
    #expect(device.app.countdowns.running == nil)
    guard case .cancelled? = device.events.first else {
      Issue.record("the notification is still to come")
      return
    }
  }

  @Test func durationChangedMeanwhile() throws {
    let device = try phone()
    let state = device.app.localState
    try device.write { edit throws(WireError) in
      try edit.set(
        "timer", device.app.library.timers[0].id, ["durationInSeconds": .int(10)])
    }
    try device.app.restore(state, now: device.now)
    #expect(device.current == 240, "what runs goes on")
  }

  @Test func stateIsStable() throws {
    let device = try phone()
    let state = device.app.localState
    try device.kill()
    #expect(device.app.localState == state)
  }

  @Test(arguments: [
    #""x""#, #"null"#, #"{"countdowns":{"T":{}}}"#, #"{"countdowns":{"T":"x"}}"#,
    #"{"scheduled":{"T":"soon"}}"#, #"{"scheduled":{"T":"-5"}}"#,
    #"{"countdowns":{"T":{"isRunning":true,"remainingSeconds":"5","lastUpdateTimestamp":"0"}}}"#,
    #"{"countdowns":{"A":{"isRunning":true,"remainingSeconds":"5","lastUpdateTimestamp":"0","#
      + #""startTimestamp":"0"},"B":{"isRunning":true,"remainingSeconds":"5","#
      + #""lastUpdateTimestamp":"0","startTimestamp":"0"}}}"#,
  ])
  func refused(_ json: String) throws {
    let device = try phone()
    let before = device.app.localState
    #expect(throws: WireError.self) {
      try device.app.restore(Datum(json: Array(json.utf8)), now: device.now)
    }
    #expect(device.app.localState == before)
  }

  @Test func anOlderStateWillDo() throws {
    let device = TimersDevice()
    try device.app.restore(Datum(json: Array("{}".utf8)), now: device.now)
    #expect(device.app.settings == TodoTimersSettings())
    try device.app.restore(
      Datum(json: Array(#"{"settings":{"alerts":"x","share":true},"delivered":["x",[]]}"#.utf8)),
      now: device.now)
    #expect(device.app.settings.alerts && device.app.settings.share)
  }
}
