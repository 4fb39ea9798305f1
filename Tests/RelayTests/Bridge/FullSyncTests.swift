import AppModels
import Foundation
import Merge
import RelaySupport
import Testing

@testable import Bridge
@testable import Hub
@testable import Relay

/// A device that is sent all of many records: that is put together aside, and comes out the same.
@Suite("A full sync of many records") struct FullSyncTests {
  enum Cause: CaseIterable {
    case isNew, asks, hasLostAll
  }

  private static let timers = 20

  /// A pair with records, and a device of it that has been sent what was there, unless it is to come as new.
  private func start(_ cause: Cause, aside: Int) throws -> (hub: HubWorld, old: WholeRecordPeer) {
    var limits = Limits()
    limits.aside = aside
    let hub = try HubWorld(limits: limits)
    try hub.keyboard("phone")
    for number in 0..<Self.timers {
      let record = "58F40000-0000-4000-8000-0000000058\(10 + number)"
      hub.type(
        "sync.edit kind=timer record=\(record) set={\"name\":\"\(number)\",\"durationInSeconds\":60}",
        on: "phone")
    }
    hub.type("activate pair=q role=phone", on: "other")
    let old = WholeRecordPeer("old", .watch, hub.world)
    guard cause != .isNew else { return (hub, old) }
    old.connect()
    #expect(old.takeHistory().map(\.kind) == ["fullSync"])
    old.disconnect()
    hub.type("sync.edit kind=timer record=\(first) set={\"name\":\"Mate\"}", on: "phone")
    if cause == .hasLostAll { old.reset() }
    return (hub, old)
  }

  private let first = "58F40000-0000-4000-8000-000000005810"

  /// It does what it is sent everything for.
  private func begin(_ cause: Cause, _ old: WholeRecordPeer) {
    old.connect()
    if cause == .asks { old.say([.syncRequest]) }
  }

  private func lines(_ hub: HubWorld, _ name: String) -> [String] {
    hub.world.client(name).takeLines()
  }

  private func goOn(_ hub: HubWorld, _ old: WholeRecordPeer) {
    hub.world.holdsWorks = false
    old.settle()
  }

  @Test(arguments: Cause.allCases) func itIsTheSame(_ cause: Cause) throws {
    let (small, large) = (try start(cause, aside: .max), try start(cause, aside: 1))
    large.hub.world.holdsWorks = true
    for side in [small, large] { begin(cause, side.old) }
    #expect(!large.old.history.contains { $0.kind == "fullSync" }, "it is done aside")
    goOn(large.hub, large.old)
    let told = large.old.history.map(\.short)
    #expect(told.contains { $0.hasPrefix("fullSync") })
    #expect(told == small.old.history.map(\.short))
    #expect(large.old.model.timers.count == Self.timers)
    #expect(large.old.model.timers == small.old.model.timers)
    // And what comes later is told as a change.
    for side in [small, large] {
      _ = side.old.takeHistory()
      side.hub.type("sync.edit kind=timer record=\(first) set={\"name\":\"Chai\"}", on: "phone")
      side.old.settle()
    }
    #expect(large.old.history.map(\.kind) == ["updated"])
    #expect(large.old.history.map(\.short) == small.old.history.map(\.short))
  }

  /// All of the pair waits for it, in order; others do not.
  @Test(arguments: Cause.allCases) func thePairStandsStill(_ cause: Cause) throws {
    let (hub, old) = try start(cause, aside: 1)
    for name in ["phone", "other"] { _ = lines(hub, name) }
    hub.world.holdsWorks = true
    begin(cause, old)
    hub.world.send("transferUserInfo payload={\"a\":1}\nsync.view id=2", on: "phone")
    hub.world.send("ping", on: "other")
    #expect(!lines(hub, "phone").contains { $0.contains("accepted") })
    #expect(lines(hub, "other").contains { $0.contains("pong") })
    goOn(hub, old)
    let told = lines(hub, "phone")
    let place = try #require(told.firstIndex { $0.contains("accepted") })
    #expect(told[place...].contains { $0.contains("\"re\":2") })
  }

  /// A kill before it is there: the device is sent it nevertheless, and need not ask again.
  @Test(arguments: Cause.allCases) func aKillBeforeIt(_ cause: Cause) throws {
    let (hub, old) = try start(cause, aside: 1)
    hub.world.holdsWorks = true
    begin(cause, old)
    #expect(old.queue.isEmpty, "what it asked for was accepted")
    old.wasCut()
    try hub.restart(killing: true)
    hub.world.holdsWorks = false
    old.connect()
    try hub.keyboard("phone")
    old.settle()
    #expect(old.history.contains { $0.kind == "fullSync" })
    #expect(old.model.timers.count == Self.timers)
    let names = try hub.records("timer", on: "phone").compactMap { $0["name"] as? String }
    #expect(Set(old.model.timers.values.map(\.name.text)) == Set(names))
  }

  /// The device goes and comes back meanwhile, and has lost all: the next is for what it is now.
  @Test(arguments: Cause.allCases) func itComesBackMeanwhile(_ cause: Cause) throws {
    let (hub, old) = try start(cause, aside: 1)
    hub.world.holdsWorks = true
    begin(cause, old)
    old.reset()
    old.connect()
    goOn(hub, old)
    #expect(old.history.last { $0.kind == "fullSync" } != nil)
    #expect(old.model.timers.count == Self.timers)
  }

  /// What is known of the device changes meanwhile, as by the end of a session: it is done again, and sent once.
  @Test(arguments: Cause.allCases) func itIsDoneAgain(_ cause: Cause) throws {
    let (hub, old) = try start(cause, aside: 1)
    let bridged = { hub.world.relay.pairs[1]?.merged?.hubs.first?.bridges.first }
    hub.world.holdsWorks = true
    begin(cause, old)
    let works = hub.world.takeWorks()
    #expect(works.count == 1)
    for work in works { work.run() }
    let device = try #require(bridged())
    device.acknowledge(device.processed, isExplicit: false, accepted: 0)
    hub.world.finish(works)
    hub.world.settle()
    #expect(device.owed != .nothing)
    goOn(hub, old)
    #expect(device.owed == .nothing)
    #expect(old.history.count { $0.kind == "fullSync" } == 1)
    #expect(old.model.timers.count == Self.timers)
  }
}
