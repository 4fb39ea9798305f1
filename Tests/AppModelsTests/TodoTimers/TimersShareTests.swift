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

  private func tell(_ state: TimerState, _ device: TimersDevice) {
    device.app.didReceive(message: state.message(device.now), now: device.now)
  }

  @Test func whatIsSent() throws {
    let (phone, _) = try pair()
    let tea = phone.app.library.timers[0].id
    func state(_ action: TimerState.Action, _ current: Int) -> TimerState {
      TimerState(timer: tea, action: action, currentTime: current)
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
    #expect(phone.messages == [state(.started, 300), state(.completed, 0)])
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
    tell(TimerState(timer: tea, action: .started, currentTime: 9), watch)
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
    func state(_ action: TimerState.Action, _ current: Int = 0) -> TimerState {
      TimerState(timer: tea, action: action, currentTime: current)
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
    tell(TimerState(timer: "NOBODY", action: .started, currentTime: 1), watch)
    watch.app.didReceive(message: Array("nonsense".utf8), now: watch.now)
    #expect(watch.app.countdowns.running == nil)
  }

  @Test func othersThatArePausedAreTold() throws {
    let (_, watch) = try pair()
    try watch.type("start")
    _ = watch.events
    let (tea, bread) = (watch.app.library.timers[0].id, watch.app.library.timers[1].id)
    tell(TimerState(timer: bread, action: .started, currentTime: 600), watch)
    #expect(watch.messages == [TimerState(timer: tea, action: .paused, currentTime: 300)])
    #expect(watch.app.countdowns.running == bread)
  }

  @Test func notifiedHereAsWell() throws {
    let (_, watch) = try pair()
    let tea = watch.app.library.timers[0].id
    tell(TimerState(timer: tea, action: .started, currentTime: 5), watch)
    guard case .scheduled(let notification, let at)? = watch.events.first else {
      Issue.record("nothing is scheduled")
      return
    }
    #expect(at == watch.now + 5000)
    tell(TimerState(timer: tea, action: .paused, currentTime: 5), watch)
    #expect(watch.events == [.cancelled(id: notification.id)])
  }
}
