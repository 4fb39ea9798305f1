import AppModels
import Merge
import Testing
import Wire

/// A time tracker on a device whose clock the test sets.
final class TrackerDevice {
  let keeper: LocalKeeper
  let app: TimeTrackerApp
  let idiom: Idiom
  /// 2025-11-21T10:00:00Z, a Friday, an hour later there.
  static let start: Int64 = 1_763_719_200_000
  static let secondsFromUTC = 3600
  var now = TrackerDevice.start

  init(_ idiom: Idiom = .phone, keeper: LocalKeeper = LocalKeeper("timeTracker")) {
    self.keeper = keeper
    self.idiom = idiom
    app = TimeTrackerApp(
      Surroundings(
        idiom: idiom, records: Records(keeper), secondsFromUTC: Self.secondsFromUTC))
  }

  var records: Records { Records(keeper) }
  var service: TrackerService { TrackerService(records) }
  var tracked: TrackedWork { TrackedWork(records) }

  func type(_ lines: String...) throws {
    for line in lines { try app.perform(CommandLine(line), now: now) }
  }

  /// Lets seconds pass, with a tick at the end alone.
  func pass(_ seconds: Int64) {
    now += seconds * 1000
    app.tick(now: now)
  }

  var screen: Screen { app.screen(now: now) }
  var lines: [String] { screen.lines(columns: idiom.columns) }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  // MARK: Records

  @discardableResult
  func client(_ name: String, _ fields: [Name: Datum] = [:]) throws -> Name {
    try service.create("client", fields.merging(["name": .string(name)]) { $1 }, now: now)
  }

  @discardableResult
  func project(_ name: String, of client: Name, _ fields: [Name: Datum] = [:]) throws -> Name {
    let fields = fields.merging(["name": .string(name), "client": .string(client)]) { $1 }
    return try service.create("project", fields, now: now)
  }

  /// A task of so many minutes that ended so many minutes ago.
  @discardableResult
  func task(
    _ name: String?, of client: Name, project: Name? = nil, minutes: Int64, ago: Int64 = 0,
    _ fields: [Name: Datum] = [:]
  ) throws -> Name {
    let end = now - ago * 60_000
    var all = fields
    all["client"] = .string(client)
    all["startTime"] = .date(end - minutes * 60_000)
    all["endTime"] = .date(end)
    all["createdAt"] = .date(end - minutes * 60_000)
    if let name { all["name"] = .string(name) }
    if let project { all["project"] = .string(project) }
    return try service.create("task", all, now: now)
  }

  /// The clients, projects and tasks that most screens are shown with.
  func fill() throws {
    let acme = try client("Acme", ["hourlyRate": .string("150"), "billingIncrement": .int(15)])
    let globex = try client("Globex", ["notes": .string("Pays late.")])
    let site = try project("Website", of: acme)
    let app = try project("App", of: acme, ["hourlyRate": .string("120.5")])
    try project("Archive", of: globex, ["isActive": .bool(false)])
    try task("Design review", of: acme, project: site, minutes: 37, ago: 60)
    try task("Build", of: acme, project: app, minutes: 95, ago: 150)
    try task(nil, of: globex, minutes: 20, ago: 1500)
    try task(
      "Kick-off", of: acme, minutes: 60, ago: 4000,
      [
        "isBilled": .bool(true), "billedAmount": .string("140"),
        "billedDate": .date(now - 86_400_000),
      ])
    try task("Design review", of: acme, project: site, minutes: 45, ago: 60 * 24 * 40)
  }

  func counterpart() -> TrackerDevice {
    TrackerDevice(.watch, keeper: LocalKeeper("timeTracker", device: "watch", isPhone: false))
  }

  /// Both have then what either had.
  func exchange(with other: TrackerDevice) throws {
    try keeper.exchange(with: other.keeper)
    app.recordsDidChange(now: now)
    other.app.recordsDidChange(now: other.now)
  }

  /// The same device after its app was killed.
  func restarted() throws -> TrackerDevice {
    let other = TrackerDevice(idiom, keeper: keeper)
    other.now = now
    try other.app.restore(app.localState, now: now)
    return other
  }

  func golden(_ name: String, at location: SourceLocation = #_sourceLocation) {
    Golden.check(screen, "timeTracker/\(name)", columns: idiom.columns, at: location)
  }
}
