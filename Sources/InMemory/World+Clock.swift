import Relay

/// Time, which passes when it is told to.
extension World {
  /// What the system's clock of the server's machine shows.
  package var systemTime: Int64 { now + systemAhead }

  /// The server's time for deadlines.
  var time: Int64 {
    clock.read(steady: now - asleep, system: systemTime)
    relay.wallOffset = clock.offset
    lobby?.wallOffset = clock.offset
    return clock.elapsed
  }

  private func tick() {
    let time = time
    relay.tick(now: time)
    lobby?.tick(now: time)
  }

  /// From now on the system's clock is so far ahead of the true time.
  package func stepClock(ahead: Int64) {
    systemAhead = ahead
    tick()
    settle()
  }

  /// The server's machine sleeps until a time, in microseconds since 1970.
  package func sleep(until time: Int64) {
    guard time > now else { return }
    asleep += time - now
    now = time
    tick()
    settle()
  }

  /// The clock goes on to a time, in microseconds since 1970; never back.
  package func advance(to time: Int64) {
    guard time > now else { return }
    now = time
    tick()
    settle()
  }

  /// Time passes.
  package func pass(seconds: Double) {
    now += Int64(seconds * 1_000_000)
    tick()
    settle()
  }
}
