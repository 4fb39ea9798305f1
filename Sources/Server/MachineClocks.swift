import Glibc
import Relay

/// The clocks of this machine.
enum MachineClocks {
  static func start() -> ServerClock { ServerClock(steady: steady, system: system) }

  /// Reads both. Returns a line for the log where the system's clock has stepped.
  static func read(into clock: inout ServerClock) -> String? {
    switch clock.read(steady: steady, system: system) {
    case nil: nil
    case .forward(let step): "event=clockStepped seconds=\(step / 1_000_000)"
    case .standing(let behind): "event=clockStandsStill seconds=\(behind / 1_000_000)"
    case .back(let behind): "event=clockStepped seconds=-\(behind / 1_000_000)"
    }
  }

  /// Stands still while the machine sleeps, like the loop's timers.
  private static var steady: Int64 { microseconds(CLOCK_MONOTONIC) }
  private static var system: Int64 { microseconds(CLOCK_REALTIME) }

  private static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
