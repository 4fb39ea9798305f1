import AppModels
import Merge
import RelaySupport
import SyncSupport
import Testing
import Wire

@testable import Hub
@testable import Relay

/// What a commit of a hub with many records costs: what has changed, and no more.
@Suite("The cost of bridged devices")
struct BridgeCostTests {
  let hub: HubWorld
  let phone: WholeRecordPeer
  static let count = 600

  /// A phone that has processed all that it was sent, and somebody at a keyboard as its watch.
  init() throws {
    hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    phone = WholeRecordPeer("phone", .phone, hub.world)
    try hub.keyboard("watch")
    for number in 1...Self.count {
      let answer = try hub.ask(
        #"sync.edit kind=timer record="\#(Self.id(number))" set={"name":"t","durationInSeconds":300}"#,
        on: "watch")
      try #require(answer.type == "sync.edited", "\(answer)")
    }
    phone.connect()
    pass()
    try #require(phone.model.timers.count == Self.count)
  }

  private static func id(_ number: Int) -> String {
    let text = String(number)
    return "6F0E3A52-0C55-4F6B-9E0E-" + String(repeating: "0", count: 12 - text.count) + text
  }

  private func pass() {
    hub.world.pass(seconds: 1)
    phone.settle()
  }

  /// What a hub's commits have written, and how many records were looked at, meanwhile.
  private func cost(_ body: () throws -> Void) throws -> (rows: Int, looked: Int) {
    let fold = try #require(hub.world.client("phone").connection.device?.bridge?.replica.fold)
    let (rows, looked) = (hub.world.store.rows, fold.looked)
    try body()
    let written = hub.world.store.rows.filter { rows[$0.key] != $0.value }
    return (written.count, fold.looked - looked)
  }

  @Test func anEditOfOneIsComparedAlone() throws {
    let count = phone.history.count
    let cost = try cost {
      _ = try hub.ask(
        #"sync.edit kind=timer record="\#(Self.id(7))" set={"name":"other"}"#, on: "watch")
      pass()
    }
    #expect(cost.looked < 200 && cost.rows < 20, "\(cost) of \(Self.count) records")
    #expect(phone.history.count == count + 1)
  }

  @Test func aCopyOfOneIsComparedAlone() throws {
    let id = try #require(Identifier(Self.id(7).utf8))
    let cost = try cost {
      phone.say(try phone.model.update(id, now: phone.now) { $0.name = "own" })
      pass()
    }
    #expect(cost.looked < 200 && cost.rows < 20, "\(cost) of \(Self.count) records")
    let shown = try hub.records("timer", on: "watch")
    #expect(shown.count { $0["name"] as? String == "own" } == 1)
  }

  /// A move changes the number of many. They are sent over several commits; what is left when the server is killed
  /// comes when the device does.
  @Test(arguments: [0, 1, 3])
  func whatIsLeftOverComesLater(commits: Int) throws {
    let world = hub.world
    phone.holdsInput = true
    world.holdsCommits = true
    world.send(
      #"{"type":"sync.edit","kind":"timer","record":"\#(Self.id(Self.count))","move":{"before":"\#(Self.id(1))"}}"#,
      on: "watch")
    for _ in 0..<commits { #expect(world.commitOne()) }
    let told = world.client("phone").lines.count
    #expect(told <= max(0, commits) * 256 && (commits < 2 || told > 256), "\(told)")
    try world.kill()
    world.holdsCommits = false
    phone.wasCut()
    phone.holdsInput = false
    try hub.keyboard("watch")
    phone.connect()
    pass()
    pass()
    let first = Self.id(commits == 0 ? 1 : Self.count)
    let order = try hub.records("timer", on: "watch").map { $0["id"] as? String }
    #expect(order.first == first && order.count == Self.count)
    let own = phone.model.timers.values.sorted { $0.sortOrder ?? 0 < $1.sortOrder ?? 0 }
    #expect(own.map { $0.id.description } == order && phone.errors.isEmpty)
  }
}
