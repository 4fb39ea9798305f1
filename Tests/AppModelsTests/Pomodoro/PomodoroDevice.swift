import AppModels
import Merge
import Testing
import Wire

/// A Pomodoro timer on a device whose clock the test sets.
final class PomodoroDevice {
  let keeper: LocalKeeper
  let app: PomodoroApp
  let idiom: Idiom
  /// 2025-11-21T10:00:00Z.
  static let start: Int64 = 1_763_719_200_000
  var now = PomodoroDevice.start

  init(_ idiom: Idiom = .phone, keeper: LocalKeeper = LocalKeeper("pomodoro")) {
    self.keeper = keeper
    self.idiom = idiom
    app = PomodoroApp(
      Surroundings(idiom: idiom, records: Records(keeper), secondsFromUTC: 3600))
  }

  func type(_ lines: String...) throws {
    for line in lines { try app.perform(CommandLine(line), now: now) }
  }

  /// Lets seconds pass, with a tick at the end alone.
  func pass(_ seconds: Double) {
    now += Int64(seconds * 1000)
    app.tick(now: now)
  }

  var remaining: Double { app.timeRemaining(now: now) }
  var progress: Double { app.progress(now: now) }
  var sessions: [RecordView] { Records(keeper).all("session") }

  func set(_ fields: [Name: Datum]) throws {
    try Records(keeper).edit(now: now) { edit throws(WireError) in
      try edit.set("settings", fields)
    }
    app.recordsDidChange(now: now)
  }

  /// The same device after its app was killed.
  func restarted() throws -> PomodoroDevice {
    let other = PomodoroDevice(idiom, keeper: keeper)
    other.now = now
    try other.app.restore(app.localState, now: now)
    return other
  }

  func golden(_ name: String, at location: SourceLocation = #_sourceLocation) {
    Golden.check(app.screen(now: now), "pomodoro/\(name)", columns: idiom.columns, at: location)
  }
}

func error(_ body: () throws -> Void) -> WireError? {
  do {
    try body()
    return nil
  } catch {
    return error as? WireError
  }
}
