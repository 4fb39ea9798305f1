import Seeded
import AppModels
import Merge
import Testing
import Wire

/// Two devices at which anything is typed: nothing stops them, frames are straight, and once they
/// have exchanged everything they show the same.
@Suite struct TrackerWalkTests {
  private static let arguments = [
    "", "1", "2", "7", "x", "Acme", "Draft 👩‍👩‍👧", "on", "off", "none", "15", "-4", "112.50",
    "9:05", "10:30", "2025-11-20 23:59", "9:00-10:00 Mail", "yearly", "trial", "ocean", "40 -25",
    "\u{202E}\u{1B}[2J", String(repeating: "long ", count: 20),
  ]

  @Test(arguments: 0..<6)
  func anythingMayBeTyped(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let phone = TrackerDevice(random.pick([.phone, .pad]))
    let watch = phone.counterpart()
    var devices = [phone, watch]
    try phone.fill()
    for _ in 0..<250 {
      let index = random.below(2)
      let device = devices[index]
      let step = Int64(random.below(4) == 0 ? random.below(4_000_000) : random.below(5000))
      for device in devices { device.now += step }
      switch random.below(12) {
      case 0: try phone.exchange(with: watch)
      case 1: devices[index] = try device.restarted()
      case 2: device.app.tick(now: device.now)
      default:
        let words = device.app.commands.map(\.word) + ["start", "stop", "home", "zz"]
        let line = "\(random.pick(words)) \(random.pick(Self.arguments))"
        if let wrong = error({ try device.type(line) }) {
          #expect([.malformedJSON, .invalidField, .invalidClient].contains(wrong.code), "\(line)")
        }
      }
      let shown = devices[index]
      for line in shown.lines { #expect(line.columns == shown.idiom.columns + 2, "\(line)") }
      if let next = shown.app.nextTick(now: shown.now) { #expect(next > shown.now) }
    }
    try devices[0].exchange(with: devices[1])
    let views = devices.map { $0.keeper.fold.view($0.keeper.schema).canonical.canonical }
    #expect(views[0] == views[1])
    for task in phone.tracked.tasks {
      guard let project = phone.tracked.project(task.project) else { continue }
      #expect(task.client == project.client)
    }
  }

  /// Records as no edit of the app's writes them.
  @Test(arguments: 0..<8)
  func anythingMayBeRecorded(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed) + 100)
    let device = TrackerDevice(random.pick(Idiom.allCases))
    try device.fill()
    var values: [Datum] = [
      .null, .bool(true), .bool(false), .string(""), .string("0"), .string("-1"), .string("15"),
      .string("9223372036854775807"), .string("-9223372036854775808"), .string("1e308"),
      .string("-1e12"), .string("785412000.25"), .string("nan"), .string("0.00000001"),
      .string("99999999999999999999999999999999999999"), .array([]), .object([]),
      .string("monthly\n\u{7}"),
    ]
    values += (device.tracked.clients.map(\.id) + device.tracked.projects.map(\.id)).map(
      Datum.string)
    for _ in 0..<25 {
      var actions: [Action] = []
      for kind in device.keeper.schema.kinds {
        let records = device.records.all(kind.name).map(\.id)
        let record =
          kind.fixedID ?? (records.isEmpty ? device.keeper.newRecord() : random.pick(records))
        let target = Target(kind.name, record)
        if device.records[kind.name, record] == nil { actions.append(Action(target, .create)) }
        for register in kind.registers where register.form != .text && random.below(3) == 0 {
          let members = register.fields.map { Datum.Member($0.name, random.pick(values)) }
          let value = register.form == .group ? Datum.sorted(members) : members[0].value
          actions.append(Action(target, .write(field: register.name, value: value)))
        }
      }
      try device.keeper.write(actions, shown: device.keeper.vector, now: device.now)
      device.app.recordsDidChange(now: device.now)
      for _ in 0..<3 {
        let words = device.app.commands.filter { $0.word != "confirm" }
        let line = "\(random.pick(words).word) \(random.below(9))"
        _ = error { try device.type(line) }
        for line in device.lines { #expect(line.columns == device.idiom.columns + 2, "\(line)") }
        _ = device.app.nextTick(now: device.now)
      }
      device.pass(60)
    }
  }

  @Test func manyRecordsAreShownQuickly() throws {
    let device = TrackerDevice()
    let clients = try (0..<40).map { try device.client("Client \($0)") }
    for number in 0..<2000 {
      try device.task(
        "Task \(number % 50)", of: clients[number % 40], minutes: 5, ago: Int64(number))
    }
    let clock = ContinuousClock()
    var lines: [String] = []
    let elapsed = clock.measure {
      for _ in 0..<10 { lines = device.lines }
    }
    #expect(lines.contains { $0.contains("40") || $0.contains("Client 39") })
    #expect(elapsed < .seconds(5))
  }
}
