import AppModels
import Merge
import Testing
import Wire

/// Live messages about what runs.
@Suite struct TimersShareTests {
  private func pair() throws -> (phone: TimersDevice, watch: TimersDevice) {
    let phone = TimersDevice()
    let watch = TimersDevice(.watch)
    try phone.type("new Bread 10:00")
    phone.now += 1000
    try phone.type("new Tea 5:00", "settings", "share on", "back", "open 1")
    try watch.receive(from: phone)
    try watch.type("settings", "share on", "back", "open 1")
    _ = (phone.events, watch.events)
    return (phone, watch)
  }

  private func tell(_ state: TimerStateMessage, _ device: TimersDevice) {
    device.app.didReceive(message: state.live, now: device.now)
  }

  @Test func whatIsSent() throws {
    let (phone, _) = try pair()
    let tea = phone.app.library.timers[0].id
    func state(_ action: TimerStateMessage.Action, _ current: Int64) -> TimerStateMessage {
      phone.state(tea, action, current)
    }
    try phone.type("start")
    #expect(phone.messages == [state(.started, 300)])
    phone.wait(10)
    try phone.type("pause")
    #expect(phone.messages == [state(.paused, 290)])
    try phone.type("resume")
    #expect(phone.messages == [state(.resumed, 290)])
    try phone.type("reset")
    #expect(phone.messages == [state(.reset, 300)])
    try phone.type("start")
    phone.wait(301)
    var started = state(.started, 300)
    started.timestamp -= 301
    #expect(phone.messages == [started, state(.completed, 0)])
    try phone.type("restart")
    #expect(phone.messages == [state(.reset, 300), state(.started, 300)])
  }

  @Test func oneAtATimeIsTold() throws {
    let (phone, _) = try pair()
    try phone.type("start", "back", "open 2", "start")
    #expect(phone.messages.map(\.action) == [.started, .paused, .started])
  }

  @Test func nothingByDefault() throws {
    let (phone, watch) = try pair()
    try phone.type("back", "settings", "share off", "back", "open 1", "start")
    #expect(phone.messages.isEmpty)
    try watch.type("back", "settings", "share off")
    let tea = watch.app.library.timers[0].id
    tell(watch.state(tea, .started, 9), watch)
    #expect(watch.app.countdowns.running == nil)
    #expect(TimersDevice().app.settings.share == false)
  }

  @Test func mirrored() throws {
    let (phone, watch) = try pair()
    func carry() {
      for state in phone.messages { tell(state, watch) }
    }
    try phone.type("start")
    carry()
    #expect(watch.countdown.isRunning && watch.current == 300)
    #expect(watch.messages.isEmpty, "what was told is not told back")
    phone.wait(10)
    watch.wait(7)
    try phone.type("pause")
    carry()
    #expect(watch.countdown.isPaused)
    #expect(watch.current == 293, "it stops where it is here")
    try phone.type("resume")
    carry()
    #expect(watch.countdown.isRunning && watch.current == 293)
    try phone.type("reset")
    carry()
    #expect(watch.countdown.phase == .idle && watch.current == 300)
    try phone.type("start")
    phone.wait(301)
    carry()
    #expect(watch.countdown.phase == .finished)
    #expect(!watch.shows("Timer Complete!"))
    #expect(watch.messages.isEmpty)
  }

  @Test func guards() throws {
    let (_, watch) = try pair()
    let tea = watch.app.library.timers[0].id
    func state(_ action: TimerStateMessage.Action, _ current: Int64 = 0) -> TimerStateMessage {
      watch.state(tea, action, current)
    }
    tell(state(.paused), watch)
    tell(state(.resumed), watch)
    #expect(watch.countdown.phase == .idle)
    #expect(watch.events.isEmpty)
    tell(state(.started, 120), watch)
    #expect(watch.current == 120)
    tell(state(.started, 60), watch)
    #expect(watch.current == 120, "what runs is not adjusted")
    tell(state(.resumed), watch)
    #expect(watch.current == 120)
    tell(state(.completed), watch)
    #expect(watch.countdown.phase == .finished)
    tell(state(.reset, 7), watch)
    #expect(watch.current == 300, "a reset goes to the duration here")
    tell(watch.state("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F", .started, 1), watch)
    watch.app.didReceive(message: Array("nonsense".utf8), now: watch.now)
    #expect(watch.app.countdowns.running == nil)
  }

  /// What cannot be of a timer here is passed over: more than it counts down from, or less than nothing.
  @Test func whatCannotBeIsPassedOver() throws {
    let (_, watch) = try pair()
    let tea = watch.app.library.timers[0].id
    for current: Int64 in [-1, 301, 86_401] {
      tell(watch.state(tea, .started, current), watch)
      #expect(watch.countdown.phase == .idle, "\(current)")
    }
    for bad in ["\"currentTime\":300", "\"timestamp\""] {
      let text = String(decoding: watch.state(tea, .started, 300).live, as: UTF8.self)
      for other in ["\"other\":1,\(bad)", bad.replacing("\"", with: "\"x")] {
        watch.app.didReceive(
          message: Array(text.replacing(bad, with: other).utf8), now: watch.now)
        #expect(watch.countdown.phase == .idle, "\(other)")
      }
    }
    #expect(watch.events.isEmpty)
    tell(watch.state(tea, .started, 300), watch)
    #expect(watch.countdown.isRunning && watch.current == 300)
    // What counts down from more than its record says now may say so.
    try watch.write { edit throws(WireError) in
      try edit.set("timer", tea, ["durationInSeconds": .int(60)])
    }
    tell(watch.state(tea, .paused, 299), watch)
    #expect(watch.countdown.isPaused)
  }

  /// What comes late does not undo what was told after it.
  @Test func lateMessagesArePassedOver() throws {
    let (_, watch) = try pair()
    let (tea, bread) = (watch.app.library.timers[0].id, watch.app.library.timers[1].id)
    let late = watch.state(bread, .started, 600)
    var paused = watch.state(tea, .paused, 300)
    watch.now += 10
    let started = watch.state(tea, .started, 300)
    tell(started, watch)
    tell(late, watch)
    tell(paused, watch)
    #expect(watch.app.countdowns.running == tea)
    paused.timestamp = started.timestamp
    tell(paused, watch)
    #expect(watch.countdown.isPaused, "of one moment it may be")
    // A clock that was set back: whoever turns sharing on begins anew.
    tell(late, watch)
    #expect(watch.app.countdowns.running == nil)
    try watch.type("back", "settings", "share off", "share on")
    tell(late, watch)
    #expect(watch.app.countdowns.running == bread)
  }

  @Test func othersThatArePausedAreTold() throws {
    let (_, watch) = try pair()
    try watch.type("start")
    _ = watch.events
    let (tea, bread) = (watch.app.library.timers[0].id, watch.app.library.timers[1].id)
    tell(watch.state(bread, .started, 600), watch)
    #expect(watch.messages == [watch.state(tea, .paused, 300)])
    #expect(watch.app.countdowns.running == bread)
  }

  @Test func notifiedHereAsWell() throws {
    let (_, watch) = try pair()
    let tea = watch.app.library.timers[0].id
    tell(watch.state(tea, .started, 5), watch)
    guard case .scheduled(let notification, let at)? = watch.events.first else {
      Issue.record("nothing is scheduled")
      return
    }
    #expect(at == watch.now + 5000)
    tell(watch.state(tea, .paused, 5), watch)
    #expect(watch.events == [.cancelled(id: notification.id)])
  }
}
