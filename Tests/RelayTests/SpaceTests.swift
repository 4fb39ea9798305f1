import Journal
import Relay
import RelaySupport
import Testing

/// What the relay takes and gives back where room is short: a full disk, forgotten pairs, pairs that
/// are none.
@Suite struct SpaceTests {
  private func makeWorld(pairs: Int? = nil) throws -> World {
    var limits = Limits()
    if let pairs { limits.pairs = pairs }
    return try World(limits: limits)
  }

  /// Bytes of all rows and segments.
  private func bytes(_ store: MemoryStore) -> Int {
    store.rows.reduce(0) { $0 + $1.value.count }
      + store.segments.reduce(0) { $0 + $1.value.header.count + $1.value.body.count }
  }

  /// Activates in a pair, leaves, and waits until it is evicted.
  private func visit(_ world: World, _ pair: String, _ lines: String...) {
    world.send("activate pair=\(pair) role=phone", on: pair)
    for line in lines { world.send(line, on: pair) }
    world.close(pair)
    pass(world)
  }

  private func pass(_ world: World) { world.send("advance seconds=31", on: "clock") }

  private func last(_ world: World, _ name: String) -> String {
    world.lastClient(name)?.takeLines().last ?? ""
  }

  // MARK: A full disk

  /// Nothing new is taken; what waits is delivered, acknowledged and told.
  @Test func fullDisk() throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    for n in 1...5 { world.send("transferUserInfo payload={\"n\":\(n)} n=\(n)", on: "phone") }
    #expect(last(world, "phone").contains("accepted"))
    world.fillDisk()
    for line in [
      "transferUserInfo payload={} n=6", "updateApplicationContext payload={}",
      "transferFile name=a size=1 sha256=x", "configure replyTimeout=1",
      "selectWatch device=watch",
    ] {
      world.send(line, on: "phone")
      let answer = last(world, "phone")
      #expect(answer.contains("4008") && answer.contains("\"definite\":true"), "\(answer)")
      #expect(answer.contains("disk full"), "\(answer)")
    }
    world.send("activate pair=q role=phone", on: "stranger")
    #expect(last(world, "stranger").contains("4008"))
    world.send("activate pair=p role=watch incarnation=b", on: "watch")
    #expect(last(world, "watch").contains("4008"))

    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.client("watch").takeLines().count { $0.contains("didReceiveUserInfo") } == 5)
    world.send("acknowledge id=1", on: "watch")
    #expect(last(world, "watch").contains("accepted"))
    #expect(world.client("phone").takeLines().count { $0.contains("didFinish") } == 5)
    #expect(world.store.segments.isEmpty)
    world.send("forgetPair id=2", on: "watch")
    #expect(world.client("watch").takeLines().contains { $0.contains("accepted") })

    // Nothing is written down about those that have left.
    pass(world)
    #expect(world.relay.pairsInMemory == 1)
    world.makeRoom()
    pass(world)
    #expect(world.relay.pairsInMemory == 0)
    world.send("activate pair=q role=phone", on: "stranger")
    #expect(last(world, "stranger").contains("activationDidComplete"))
  }

  /// A store that is as large as it may become takes nothing new either. There is a disk, though: what is dead is copied
  /// out of the way however little it is, and pairs leave the memory.
  @Test func fullStore() throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    world.takesBatchesAhead = false
    world.holdsCommits = true
    for n in 1...40 { world.send("transferUserInfo payload={\"n\":\(n)} n=\(n)", on: "phone") }
    world.holdsCommits = false
    world.settle()
    let before = bytes(world.store)
    for n in 3...40 { world.send("cancelTransfer transfer=phone:0.\(n)", on: "phone") }
    #expect(world.segmentsRead == 0)
    world.fillDisk("the store has 9 bytes", isDisk: false)
    #expect(world.segmentsRead == 1)
    #expect(bytes(world.store) < before / 2)
    world.send("transferUserInfo payload={} n=41", on: "phone")
    let answer = last(world, "phone")
    #expect(answer.contains("4008") && answer.contains("9 bytes (storeBytes)"), "\(answer)")
    world.close("phone")
    pass(world)
    #expect(world.relay.pairsInMemory == 0)
    world.makeRoom()
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.client("watch").takeLines().count { $0.contains("didReceiveUserInfo") } == 2)
  }

  /// The reserve is used up as well: all is as with any store that cannot write, and back again.
  @Test func fullAndFailing() throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.fillDisk()
    world.failStore("no room at all")
    world.send("forgetPair", on: "phone")
    #expect(last(world, "phone").contains("no room at all"))
    world.recoverStore()
    world.send("transferUserInfo payload={}", on: "phone")
    #expect(last(world, "phone").contains("disk full"))
    world.makeRoom()
    world.send("transferUserInfo payload={}", on: "phone")
    #expect(last(world, "phone").contains("accepted"))
  }

  // MARK: Forgetting

  /// A pair that is filled and forgotten leaves little more than it began with.
  @Test(arguments: [50, 400]) func forgottenPair(count: Int) throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch device=a", on: "a")
    world.send("activate pair=p role=watch device=b", on: "b")
    for name in ["phone", "a", "b"] { world.close(name) }
    pass(world)
    let before = bytes(world.store)

    let pad = String(repeating: "x", count: 2_000)
    let data = "YWFh"
    let digest = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"
    for name in ["phone", "a", "b"] {
      world.send(
        name == "phone"
          ? "activate pair=p role=phone" : "activate pair=p role=watch device=\(name)",
        on: name)
      for n in 1...count {
        world.send("transferUserInfo payload={\"i\":\(n),\"p\":\"\(pad)\"}", on: name)
      }
      world.send("updateApplicationContext payload={\"p\":\"\(pad)\"}", on: name)
      for n in 1...6 {
        world.send("transferFile n=\(n) name=f\(n) size=3 sha256=\"\(digest)\"", on: name)
        let end = n % 2 == 0 ? data : "YQ=="
        world.send("fileChunk transfer=\(name):0.\(n) offset=0 data=\"\(end)\"", on: name)
      }
      world.close(name)
    }
    #expect(bytes(world.store) > before + 3 * count * 2_000)
    world.send("activate pair=p role=phone", on: "phone")
    world.send("forgetPair id=1", on: "phone")
    // All hear of what came of theirs, the second watch when it is selected.
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch device=a", on: "a")
    world.send("activate pair=p role=watch device=b", on: "b")
    var heard: [Int] = []
    for name in ["phone", "a", "b"] {
      if name == "b" { world.send("selectWatch device=b", on: "phone") }
      heard.append(
        world.client(name).takeLines().count { $0.contains("didFinish") && $0.contains("7005") })
      world.send("acknowledge lane=outcome id=1", on: name)
    }
    // Half of the six files are uploads that have not come to their end.
    #expect(heard == [count + 6, count + 6, count + 6])
    for name in ["phone", "a", "b"] { world.close(name) }
    pass(world)
    let rows = world.store.rows.map { "\($0.key.table) \($0.key.item): \($0.value.count)" }
    #expect(world.store.segments.isEmpty)
    // The failures that a retry by n is answered with, and longer numbers.
    #expect(bytes(world.store) <= before + 150, "\(before) to \(bytes(world.store)): \(rows)")
  }

  // MARK: Blank pairs

  /// What the store keeps of a pair in which one device has activated once.
  @Test func smallPairs() throws {
    let world = try makeWorld()
    for number in 1...20 { visit(world, "junk\(number)") }
    #expect(world.relay.pairsInMemory == 0)
    let each = bytes(world.store) / 20
    #expect(each <= 130, "\(each) bytes a pair")
  }

  /// No more pairs than there may be: new ones are refused, known ones go on.
  @Test func pairLimit() throws {
    let world = try makeWorld(pairs: 2)
    for pair in ["p", "q"] {
      world.send("activate pair=\(pair) role=phone", on: pair)
      world.send("activate pair=\(pair) role=watch", on: pair + "-watch")
    }
    world.send("activate pair=r role=phone id=7", on: "r")
    let answer = last(world, "r")
    #expect(answer.contains("4008") && answer.contains("\"re\":7"), "\(answer)")
    #expect(answer.contains("keeps 2 pairs") && answer.contains("pairs=N"), "\(answer)")
    for name in ["p", "q", "p-watch", "q-watch"] { world.close(name) }
    pass(world)
    world.send("activate pair=r role=phone", on: "r")
    #expect(last(world, "r").contains("4008"), "a pair that was formed stays")
    try world.restart()
    world.send("activate pair=r role=phone", on: "r")
    #expect(last(world, "r").contains("4008"))
    for pair in ["p", "q"] {
      world.send("activate pair=\(pair) role=watch device=another", on: pair)
      #expect(last(world, pair).contains("activationDidComplete"))
    }
  }

  /// Where there is no more room, pairs in which nothing ever happened make it, the oldest first;
  /// others never do. The same after a restart.
  @Test(arguments: [false, true]) func blankPairsGo(restarts: Bool) throws {
    let world = try makeWorld(pairs: 7)
    visit(world, "formed")
    world.send("activate pair=formed role=watch", on: "watch")
    world.close("watch")
    visit(world, "blank1")
    visit(world, "knobs", "configure replyTimeout=1")
    visit(world, "facts", "setDeviceState isLocked=true")
    visit(world, "records", "sync.open schema=todoTimers")
    visit(world, "blank2")
    visit(world, "blank3")
    // Looked at again: now it is younger than the third.
    visit(world, "blank2")
    if restarts { try world.restart() }
    #expect(world.relay.pairsInMemory == 0)

    var names = ["formed", "knobs", "facts", "records"]
    for (fresh, gone) in [("new1", "blank1"), ("new2", restarts ? "blank2" : "blank3")] {
      visit(world, fresh, "configure replyTimeout=1")
      #expect(world.lastClient(fresh)!.takeLines().contains { $0.contains("configured") })
      #expect(
        world.logs.contains("event=pairLetGo app=\"default\" pair=\"\(gone)\""), "\(world.logs)")
      names.append(fresh)
    }
    visit(world, "new3", "configure replyTimeout=1")
    names.append("new3")
    world.send("activate pair=new4 role=phone", on: "new4")
    #expect(last(world, "new4").contains("4008"))
    // What stayed is what it was: the device's name has its role.
    for name in names {
      world.send("activate pair=\(name) role=watch device=phone", on: name)
      #expect(last(world, name).contains("4004"), "\(name)")
    }
    // All that is left in the store belongs to them.
    try world.restart()
    #expect(Set(world.store.rows.keys.filter { $0.table == .pair && $0.pair > 0 }).count == 7)
    #expect(world.store.rows.keys.allSatisfy { $0.pair <= 7 })
    for name in names {
      world.send("activate pair=\(name) role=phone", on: name)
      #expect(last(world, name).contains("activationDidComplete"), "\(name)")
    }
  }
}
