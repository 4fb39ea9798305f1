import AppModels
import Merge
import Testing
import Wire

@Suite struct CountdownTests {
  @Test func ticks() {
    var countdown = Countdown(total: 3)
    #expect(countdown.phase == .idle)
    let isStarted = countdown.start(0)
    #expect(isStarted)
    #expect(countdown.current(999) == 3)
    #expect(countdown.current(1000) == 2)
    #expect(countdown.current(3000) == 0)
    let early = countdown.advance(3999)
    #expect(!early, "N seconds take N + 1 ticks")
    #expect(countdown.isRunning)
    let onTime = countdown.advance(4000)
    #expect(onTime)
    #expect(countdown.phase == .finished)
    #expect(countdown.current(9000) == 0)
  }

  @Test func lateTick() {
    var countdown = Countdown(total: 1500)
    countdown.start(500)
    #expect(countdown.current(1_000_500) == 500)
    let isDone = countdown.advance(99_000_000)
    #expect(isDone)
  }

  @Test func guards() {
    var countdown = Countdown(total: 10)
    let pausedIdle = countdown.pause(0)
    let resumedIdle = countdown.resume(0)
    #expect(!pausedIdle && !resumedIdle)
    countdown.start(0)
    let twice = countdown.start(5000)
    #expect(!twice)
    #expect(countdown.current(5000) == 5, "a second start changes nothing")
    let resumedRunning = countdown.resume(5000)
    #expect(!resumedRunning)
  }

  @Test func pauseAndResume() {
    var countdown = Countdown(total: 10)
    countdown.start(0)
    countdown.pause(3500)
    #expect(countdown.phase == .paused(at: 3500))
    #expect(countdown.current(100_000) == 7)
    let isDone = countdown.advance(1_000_000)
    #expect(!isDone)
    countdown.resume(50_000)
    #expect(countdown.current(51_000) == 6)
    #expect(countdown.completesAt == 58_000)
    countdown.pause(51_000)
    countdown.start(60_000)
    #expect(countdown.current(60_000) == 6, "start goes on where it is paused")
  }

  @Test func startAfterTheEnd() {
    var countdown = Countdown(total: 2)
    countdown.start(0)
    _ = countdown.advance(3000)
    countdown.start(10_000)
    #expect(countdown.isRunning)
    #expect(countdown.current(10_000) == 2, "it begins anew")
    let isDone = countdown.advance(11_000)
    #expect(!isDone)
    countdown.pause(12_500)
    #expect(countdown.isPaused && countdown.current(12_500) == 0)
    countdown.follow(3)
    countdown.resume(13_000)
    #expect(
      countdown.current(13_000) == 3, "also where it is paused at 0, and from its new duration")
    countdown.complete()
    countdown.start(20_000, at: 0)
    #expect(countdown.current(20_000) == 3, "nobody can have started it at 0")
  }

  @Test func nothingToCount() {
    var countdown = Countdown(total: 0)
    #expect(countdown.progress(0) == 0)
    countdown.start(0)
    #expect(countdown.isRunning)
    let isDone = countdown.advance(1000)
    #expect(isDone)
    #expect(Countdown(total: -5).total == 0)
  }

  @Test func progress() {
    var countdown = Countdown(total: 4)
    #expect(countdown.progress(0) == 1)
    countdown.start(0)
    #expect(countdown.progress(1000) == 0.75)
    #expect(countdown.progress(4000) == 0)
    countdown.reset(to: 4)
    countdown.start(0, at: 100)
    #expect(countdown.progress(0) == 1, "another device may have had more left")
  }

  @Test func labels() {
    var countdown = Countdown(total: 4)
    func look(_ now: Int64) -> [String] {
      [
        countdown.primaryLabel, Spoken.primary(countdown),
        countdown.showsPaused(.phone, now) ? "PAUSED" : "",
        countdown.showsPaused(.watch, now) ? "PAUSED" : "",
      ]
    }
    #expect(look(0) == ["START", "Start timer", "", ""])
    countdown.start(0)
    #expect(look(1000) == ["PAUSE", "Pause timer", "", ""])
    countdown.pause(1000)
    #expect(look(1000) == ["RESUME", "Resume timer", "PAUSED", "PAUSED"])
    countdown.resume(1000)
    _ = countdown.advance(9000)
    #expect(look(9000) == ["START", "Start timer", "PAUSED", ""])
  }

  @Test func pausedAtOnce() {
    var countdown = Countdown(total: 4)
    countdown.start(0)
    countdown.pause(0)
    #expect(!countdown.showsPaused(.phone, 0), "nothing of the whole is gone")
    #expect(countdown.showsPaused(.watch, 0))
  }

  @Test func nextTick() {
    var countdown = Countdown(total: 2)
    #expect(countdown.nextTick(0) == nil)
    countdown.start(100)
    #expect(countdown.nextTick(100) == 1100)
    #expect(countdown.nextTick(1099) == 1100)
    #expect(countdown.nextTick(1100) == 2100)
    #expect(countdown.nextTick(9000) == 3100, "its end is overdue")
    countdown.pause(200)
    #expect(countdown.nextTick(200) == nil)
  }

  @Test func durationFromElsewhere() {
    var countdown = Countdown(total: 10)
    countdown.follow(20)
    #expect(countdown.total == 20)
    countdown.start(0)
    countdown.follow(30)
    #expect(countdown.current(0) == 20)
    countdown.pause(1000)
    countdown.follow(30)
    #expect(countdown.total == 20)
  }
}

@Suite struct RuntimeStateTests {
  private let running = RuntimeState(
    isRunning: true, remainingSeconds: 10, totalSeconds: 20, startTimestamp: 0,
    lastUpdateTimestamp: 1000)

  @Test func remaining() {
    #expect(running.calculatedRemaining(1999) == 10)
    #expect(running.calculatedRemaining(2000) == 9)
    #expect(running.calculatedRemaining(999_999) == 0)
    #expect(running.calculatedRemaining(0) == 10, "the clock was set back")
    #expect(!running.shouldHaveCompleted(10_999))
    #expect(running.shouldHaveCompleted(11_000))
    let paused = RuntimeState(
      isPaused: true, remainingSeconds: 0, pauseTimestamp: 0, lastUpdateTimestamp: 0)
    #expect(!paused.shouldHaveCompleted(5000))
  }

  @Test(
    arguments: [
      (-1, true, false, nil, nil, "Invalid duration: Remaining seconds cannot be negative"),
      (5, true, true, nil, nil, "Invalid state: Timer cannot be both running and paused"),
      (5, true, false, nil, nil, "Invalid state: Running timer must have start timestamp"),
      (5, false, true, 1, nil, "Invalid state: Paused timer must have pause timestamp"),
    ] as [(Int, Bool, Bool, Int64?, Int64?, String)])
  func refused(
    _ remaining: Int, _ isRunning: Bool, _ isPaused: Bool, _ start: Int64?, _ pause: Int64?,
    _ message: String
  ) throws {
    let state = RuntimeState(
      isRunning: isRunning, isPaused: isPaused, remainingSeconds: remaining, startTimestamp: start,
      pauseTimestamp: pause, lastUpdateTimestamp: 0)
    #expect(throws: WireError(.invalidField, message)) { try state.validate() }
    #expect(throws: WireError(.invalidField, message)) { try RuntimeState(state.datum) }
  }

  @Test func spelling() throws {
    #expect(try RuntimeState(running.datum) == running)
    let paused = RuntimeState(
      isPaused: true, remainingSeconds: 3, totalSeconds: 4, startTimestamp: 5, pauseTimestamp: 6,
      lastUpdateTimestamp: 7)
    #expect(try RuntimeState(paused.datum) == paused)
  }

  @Test(arguments: [
    #"{}"#, #"[]"#, #"{"remainingSeconds":"x","lastUpdateTimestamp":"0"}"#,
    #"{"remainingSeconds":"5","lastUpdateTimestamp":"-1"}"#,
    #"{"remainingSeconds":"99999999999","lastUpdateTimestamp":"0"}"#,
    #"{"remainingSeconds":true,"lastUpdateTimestamp":"0"}"#,
  ])
  func noState(_ json: String) {
    #expect(throws: WireError.self) { try RuntimeState(Datum(json: Array(json.utf8))) }
  }

  @Test func countdowns() {
    var countdown = Countdown(total: 20)
    #expect(countdown.runtimeState == nil)
    countdown.start(0)
    let running = countdown.runtimeState!
    #expect(Countdown(running, now: 5500).current(5500) == 15)
    #expect(Countdown(running, now: 5500).current(6000) == 14, "parts of seconds are kept")
    #expect(Countdown(running, now: 20_000).phase == .finished)
    #expect(Countdown(running, now: -9000).current(-9000) == 20)
    countdown.pause(4000)
    let paused = countdown.runtimeState!
    #expect(paused.pauseTimestamp == 4000)
    #expect(Countdown(paused, now: 999_999).current(999_999) == 16)
    #expect(Countdown(paused, now: 999_999).isPaused)
    countdown.resume(5000)
    _ = countdown.advance(99_000)
    #expect(countdown.runtimeState == nil, "what is through leaves nothing")
    let idle = RuntimeState(remainingSeconds: 3, totalSeconds: 9, lastUpdateTimestamp: 0)
    #expect(Countdown(idle, now: 0).phase == .idle)
  }
}
