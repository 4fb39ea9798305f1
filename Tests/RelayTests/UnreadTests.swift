import RelaySupport
import Testing

@testable import Relay

/// Whoever was not read for a while is read again when its reason is gone, also where nothing of it was held back
/// and nothing is answered. `watchline fuzz-wire` calls it `unread`.
@Suite struct UnreadTests {
  /// An acknowledge is counted as input that no commit covers, and its commit is told to nobody.
  @Test func afterACommitThatNobodyIsToldOf() throws {
    var limits = Limits()
    limits.uncommittedInput = 1
    let world = try World(limits: limits, hasManualClock: false)
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    world.send("sync.open schema=todoTimers", on: "phone")
    let phone = world.client("phone")
    world.holdsCommits = true
    world.send("sync.acknowledge at=0", on: "phone")
    #expect(!world.relay.wantsInput(phone.connection))
    world.holdsCommits = false
    world.settle()
    #expect(world.neglected == nil)
    _ = phone.takeLines()
    world.send("ping", on: "phone")
    #expect(phone.takeLines().count == 1)
  }

  /// What blocked all of them is gone.
  @Test func afterWhatWasCommonToAll() throws {
    var limits = Limits()
    limits.uncommittedTotal = 1
    let world = try World(limits: limits, hasManualClock: false)
    for pair in ["p", "q"] {
      for role in ["phone", "watch"] {
        world.send("activate pair=\(pair) role=\(role)", on: pair + role)
      }
    }
    world.holdsCommits = true
    for pair in ["p", "q"] {
      world.give(
        line: Array("transferUserInfo payload={\"a\":1}".utf8), to: world.client(pair + "phone"))
    }
    world.settle()
    world.commitOne()
    world.settle()
    world.commitOne()
    world.holdsCommits = false
    world.settle()
    #expect(world.neglected == nil)
  }
}
