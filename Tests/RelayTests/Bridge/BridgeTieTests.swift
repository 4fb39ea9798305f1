import AppModels
import Merge
import RelaySupport
import SyncSupport
import Testing
import Wire

/// Both devices write a field unseen, with clocks that are ahead of the hub's.
@Suite("Bridge: dates ahead of the hub's clock")
struct BridgeTieTests: BridgeSuite {
  let hub: HubWorld
  let phone: WholeRecordPeer
  let watch: WholeRecordPeer
  var peer: WholeRecordPeer { phone }

  init() throws {
    hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    phone = WholeRecordPeer("phone", .phone, hub.world)
    watch = WholeRecordPeer("watch", .watch, hub.world)
    for device in [phone, watch] { device.connect() }
    try make(tea)
    watch.settle()
    try #require(watch.model.timers.count == 1)
    for device in [phone, watch] { device.disconnect() }
  }

  enum Role: CaseIterable, Sendable { case phone, watch }

  private func device(_ role: Role) -> WholeRecordPeer { role == .phone ? phone : watch }

  /// - Parameter ahead: when it says that it did so, in seconds after the present.
  private func rename(_ role: Role, _ name: Name, ahead: Double) throws {
    let device = device(role)
    let edited = try device.model.update(id, now: phone.now + ahead) { $0.name = name }
    device.say(edited)
  }

  /// - Parameter pause: between the two, in seconds.
  private func expect(_ name: Name, first: Role, pause: Double = 5) throws {
    for role in [first, first == .phone ? .watch : .phone] {
      device(role).connect()
      pass(pause)
    }
    for _ in 0..<3 {
      for device in [phone, watch] { device.settle() }
      hub.world.pass(seconds: 1)
    }
    for device in [phone, watch] {
      #expect(device.model.timers[id]?.name == name, "on the \(device.name)")
      #expect(device.errors.isEmpty, "\(device.errors)")
    }
  }

  @Test(arguments: Role.allCases, [0, 30, 3600])
  func thePhoneBreaksTies(_ first: Role, _ ahead: Double) throws {
    try rename(.phone, "Of the phone", ahead: ahead)
    try rename(.watch, "Of the watch", ahead: ahead)
    try expect("Of the phone", first: first)
  }

  @Test(arguments: Role.allCases, Role.allCases)
  func theLaterDateWins(_ first: Role, _ later: Role) throws {
    try rename(.phone, "Of the phone", ahead: later == .phone ? 600 : 500)
    try rename(.watch, "Of the watch", ahead: later == .phone ? 500 : 600)
    try expect(later == .phone ? "Of the phone" : "Of the watch", first: first)
  }

  /// The hub's clock has come to the date by the time that the second one is heard.
  @Test(arguments: Role.allCases)
  func theClockMayCatchUp(_ first: Role) throws {
    try rename(.phone, "Of the phone", ahead: 4)
    try rename(.watch, "Of the watch", ahead: 4)
    try expect("Of the phone", first: first, pause: 10)
  }

  /// What was shown to the other one is no tie, whatever it is dated.
  @Test func whoHasSeenTheOtherGoesOn() throws {
    try rename(.phone, "Of the phone", ahead: 3600)
    try expect("Of the phone", first: .phone)
    watch.say(try watch.model.update(id, now: watch.now) { $0.name = "Of the watch" })
    try expect("Of the watch", first: .watch)
  }
}
