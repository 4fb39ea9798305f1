import AppModels
import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// A form that is open on a device holds collection up, whatever the app: what it saves has seen what is
/// collected.
@Suite struct OpenFormTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var schema: Name
    /// What brings the form up, and what leaves it.
    var opening: [String]
    var closing: String
    /// An edit by somebody else.
    var kind: Name
    var fields: @Sendable (Int) -> String

    var testDescription: String { schema.text }

    var app: any App.Type {
      switch schema {
      case "todoTimers": TodoTimersApp.self
      case "timeTracker": TimeTrackerApp.self
      default: PomodoroApp.self
      }
    }
  }

  @Test(arguments: [
    Case(
      schema: "todoTimers", opening: ["new Tea 5:00", "open 1", "edit"], closing: "cancel",
      kind: "timer", fields: { "{\"name\":\"Tea \($0)\",\"durationInSeconds\":60}" }),
    Case(
      schema: "timeTracker", opening: ["menu", "settings"], closing: "cancel", kind: "client",
      fields: { "{\"name\":\"Client \($0)\"}" }),
    Case(
      schema: "pomodoro", opening: ["settings"], closing: "cancel", kind: "session",
      fields: {
        "{\"phase\":\"work\",\"plannedSeconds\":60,\"startTime\":\($0),\"endTime\":\($0 + 1),"
          + "\"isCompleted\":true}"
      }),
  ])
  func anOpenFormHoldsCollectionUp(_ example: Case) throws {
    var limits = Limits()
    limits.syncLog = 16
    let hub = try HubWorld(limits: limits)
    let schema = try #require(ShippedSchemas.named(example.schema))
    var records: UInt64 = 0
    let now = hub.world.now / 1000
    let phone = HeadlessDevice(
      example.app, schema: schema,
      .init(pair: "p", isPhone: true, name: "phone", idiom: .phone),
      Identifier(high: 1, low: 0), now: now
    ) {
      records += 1
      return Identifier(high: 2, low: records)
    }
    func settle() throws { try hub.settle(phone, "phone", now: now) }
    func type(_ line: String) throws {
      phone.type(line, now: now)
      try settle()
      let errors = phone.takeNotices().filter { if case .error = $0 { true } else { false } }
      #expect(errors.isEmpty, "\(line): \(errors)")
    }
    hub.world.open("phone")
    phone.didConnect(now: now)
    try settle()
    let pad = hub.device("pad", schema: schema)
    try hub.connect(pad)
    for line in example.opening { try type(line) }
    let opened = phone.screen(now: now)
    for number in 0..<60 {
      try pad.create(example.kind, example.fields(number))
      try settle()
    }
    #expect(pad.fold.base.isEmpty, "nothing is collected while the form is open")
    #expect(pad.replica.promise.frontier == pad.fold.vector)
    try type(example.closing)
    #expect(phone.screen(now: now) != opened)
    try settle()
    #expect(!pad.fold.base.isEmpty, "it is once the form is left")
  }
}
