import Journal
import Relay
import RelaySupport
import Seeded
import Testing

/// `forgetPair erase=true`: all that the server has of a pair goes, and its name is as if nobody had used it.
@Suite struct ErasureTests {
  let world: World

  init() throws {
    world = try World()
    activate()
  }

  private func activate() {
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
  }

  private func lines(_ name: String, _ type: String) -> [String] {
    (world.lastClient(name)?.takeLines() ?? []).filter {
      $0.hasPrefix("{\"type\":\"\(type)\"")
    }
  }

  private func member(_ name: String, of line: String?) -> String? {
    guard let line, let start = line.firstRange(of: "\"\(name)\":\"")?.upperBound else {
      return nil
    }
    return String(line[start...].prefix { $0 != "\"" })
  }

  /// Something in every lane and table.
  private func fill(_ count: Int = 20) {
    for name in ["phone", "watch"] {
      for n in 1...count {
        world.send("transferUserInfo n=\(n) payload={\"i\":\(n)} id=\(n)", on: name)
      }
      world.send("updateApplicationContext payload={\"c\":1}", on: name)
      for (n, data) in [(count + 1, "YWFh"), (count + 2, "YQ==")] {
        let sum = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"
        world.send("transferFile n=\(n) name=f size=3 sha256=\"\(sum)\"", on: name)
        world.send("fileChunk transfer=\(name):0.\(n) offset=0 data=\"\(data)\"", on: name)
      }
    }
    world.send("configure replyTimeout=3", on: "phone")
    world.send("sync.open schema=todoTimers", on: "phone")
    world.send("sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":300}", on: "phone")
  }

  private var rowsOfPairs: [Row.Key] { rows(of: world) }

  /// The phone's `activationDidComplete`.
  private func comeBack(_ more: String = "") -> String? {
    world.send("activate pair=p role=phone \(more)", on: "phone")
    return world.lastClient("phone")?.takeLines().last
  }

  // MARK: What goes

  @Test(arguments: [false, true]) func everythingGoes(isRead: Bool) throws {
    if !isRead { world.send("hold", on: "watch") }
    fill()
    #expect(Set(rowsOfPairs.map(\.table)).isSuperset(of: [.pair, .device, .context, .file, .hub]))
    world.send("activate pair=q role=phone", on: "other")
    world.send("activate pair=q role=watch", on: "other watch")
    world.close("other watch")
    world.send("transferUserInfo payload={\"kept\":1}", on: "other")
    for name in ["phone", "watch"] { _ = lines(name, "") }

    world.send("forgetPair erase=true id=1", on: "phone")
    #expect(
      world.lastClient("phone")?.takeLines() == [
        #"{"type":"accepted","re":1}"#, #"{"type":"sessionDidDeactivate","reason":"forgotten"}"#,
      ])
    #expect(lines("watch", "sessionDidDeactivate").count == 1)
    #expect(world.relay.waitingFault == nil && world.relay.figures.pairsStored == 1)
    #expect(rowsOfPairs.allSatisfy { $0.pair == 2 })
    #expect(world.store.segments.count == 1, "what waits in the other pair")
    world.send("transferUserInfo payload={}", on: "watch")
    #expect(lines("watch", "error").last!.contains("activate first"))

    try world.kill()
    #expect(world.relay.figures.pairsStored == 1 && world.store.segments.count == 1)
    world.send("activate pair=q role=watch", on: "other watch")
    #expect(lines("other watch", "didReceiveUserInfo").count == 1)
  }

  /// The same devices may come again: their numbers are those of another store, and mean nothing.
  @Test func itsNameIsAsIfNobodyHadUsedIt() throws {
    let first = try #require(member("store", of: lines("phone", "activationDidComplete").last))
    fill()
    world.send("acknowledge", on: "watch")
    world.send("forgetPair erase=true", on: "watch")
    let again = try #require(comeBack("store=\(first) received=20"))
    #expect(member("store", of: again) == "\(first)~1")
    #expect(again.contains("\"n\":0,\"outstanding\":0") && again.contains("\"isPaired\":false"))
    #expect(
      again.contains("\"userInfo\":0,\"complication\":0,\"context\":0,\"file\":0,\"outcome\":0"))
    world.send("getState", on: "phone")
    #expect(lines("phone", "state").last!.contains("\"replyTimeout\":30"))
    world.send("activate pair=p role=watch received=20 id=2", on: "watch")
    #expect(lines("watch", "error").last!.contains("4004"))
    world.send("sync.open schema=todoTimers", on: "phone")
    #expect(lines("phone", "sync.opened").last!.contains("\"at\":0"))

    // A pair that was there before keeps the store that it has told, across a kill as well.
    try world.kill()
    #expect(member("store", of: comeBack()) == "\(first)~1")
    world.send("forgetPair erase=true", on: "phone")
    #expect(member("store", of: comeBack()) == "\(first)~2")
  }

  @Test func othersKeepTheirStore() {
    let first = member("store", of: lines("phone", "activationDidComplete").last)
    world.send("activate pair=q role=phone", on: "other")
    world.send("forgetPair erase=true", on: "other")
    #expect(member("store", of: comeBack()) == first)
  }

  /// What the hub writes for a device has another author in the pair that comes after: its numbers begin anew.
  @Test func hubsHaveOtherAuthors() {
    var authors: [String] = []
    for round in 0..<2 {
      world.send("sync.open schema=todoTimers", on: "phone")
      world.send(
        "sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":300}", on: "phone")
      world.send("activate pair=p role=watch", on: "watch")
      let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.\(round)"
      world.send("sync.open schema=todoTimers replica=\(replica)", on: "watch")
      let all = world.lastClient("watch")?.takeLines() ?? []
      authors.append(all.last { $0.contains("\"replica\":") } ?? "\(all)")
      world.send("forgetPair erase=true", on: "phone")
      world.send("activate pair=p role=phone", on: "phone")
    }
    let ids = authors.map { member("replica", of: $0) }
    #expect(ids[0] != nil && ids[1] != nil && ids[0] != ids[1], "\(authors)")
  }

  // MARK: What is under way

  /// Killed before the commit the pair is as it was; after it there is none, whatever was let go by then.
  @Test(arguments: [0, 1]) func aKillAroundTheCommit(written: Int) throws {
    world.send("hold", on: "watch")
    fill()
    let rows = rowsOfPairs.count
    world.holdsCommits = true
    world.send("forgetPair erase=true", on: "phone")
    #expect(rowsOfPairs.count == rows)
    try world.kill(written: written)
    world.holdsCommits = false
    world.settle()
    #expect(world.relay.figures.pairsStored == 1 - written)
    #expect(world.store.segments.isEmpty == (written == 1))
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == (written == 1 ? 0 : 20))
  }

  /// Acknowledges whose commit is under way are told to nobody, and payloads that are being read go nowhere.
  @Test func endsAndReadsUnderWay() throws {
    world.send("acknowledge", on: "watch")
    world.send("hold", on: "watch")
    for n in 1...50 { world.send("transferUserInfo payload={\"i\":\(n)}", on: "phone") }
    for name in ["phone", "watch"] { world.close(name) }
    try world.restart()
    activate()
    world.holdsReads = true
    world.send("transferUserInfo payload={}", on: "watch")
    world.holdsCommits = true
    world.send("acknowledge lane=userInfo seq=10", on: "watch")
    world.send("acknowledge", on: "phone")
    world.send("forgetPair erase=true", on: "phone")
    world.send("activate pair=p role=phone id=9", on: "phone")
    world.holdsCommits = false
    world.holdsReads = false
    world.settle()
    #expect(lines("phone", "activationDidComplete").last!.contains("\"outcome\":0"))
    #expect(world.relay.waitingFault == nil && world.store.segments.isEmpty)
    try world.kill()
    #expect(world.relay.figures.pairsStored == 1)
  }

  /// A pair whose row is on its way to the disk, since it was idle.
  @Test func whileItIsEvicted() throws {
    fill()
    for name in ["phone", "watch"] { world.close(name) }
    world.holdsCommits = true
    world.send("advance seconds=31", on: "clock")
    world.send("activate pair=p role=phone", on: "phone")
    world.send("forgetPair erase=true", on: "phone")
    world.holdsCommits = false
    world.settle()
    #expect(rowsOfPairs.isEmpty && world.store.segments.isEmpty)
    #expect(world.relay.pairsInMemory == 0 && world.relay.waitingFault == nil)
    try world.restart()
    #expect(world.relay.figures.pairsStored == 0)
  }

  /// Much is let go in pieces, and a kill in between leaves nothing.
  @Test(arguments: [false, true]) func muchIsLetGoInPieces(isKilled: Bool) throws {
    world.close("watch")
    let line = "{\"type\":\"transferUserInfo\",\"payload\":{}}\n"
    for _ in 0..<10 { world.send(Array(String(repeating: line, count: 2_000).utf8), on: "phone") }
    world.holdsCommits = isKilled
    world.send("forgetPair erase=true", on: "phone")
    if isKilled {
      try world.kill(written: 1)
      world.holdsCommits = false
      world.settle()
    }
    #expect(world.store.segments.isEmpty && rowsOfPairs.isEmpty)
    #expect(!world.relay.hasMore)
  }

  /// A segment of which an erased pair's rest is left is copied without it.
  @Test func compactionPassesItOver() throws {
    var options = Relay.Options()
    options.hasManualClock = true
    options.deadAllowance = 0
    let world = try World(options)
    for pair in ["p", "q"] {
      world.send("activate pair=\(pair) role=watch", on: "\(pair) watch")
      world.close("\(pair) watch")
      world.send("activate pair=\(pair) role=phone", on: pair)
    }
    let pad = String(repeating: "x", count: 1_000)
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"kept\":1}", on: "q")
    for _ in 0..<40 { world.send("transferUserInfo payload={\"p\":\"\(pad)\"}", on: "p") }
    world.holdsCommits = false
    world.settle()
    for name in ["p", "q"] { world.close(name) }
    world.send("advance seconds=31", on: "clock")
    world.send("activate pair=p role=phone", on: "p")
    world.send("forgetPair erase=true", on: "p")
    world.settle()
    #expect(world.relay.figures.storedBytes < 5_000, "\(world.relay.figures.storedBytes)")
    try world.kill()
    world.send("activate pair=q role=watch", on: "watch")
    let delivered = (world.lastClient("watch")?.takeLines() ?? []).filter { $0.contains("kept") }
    #expect(delivered.count == 1)
    #expect(!world.logs.contains { $0.contains("pairUnreadable") })
  }

  // MARK: Whatever was before

  /// Whatever has happened, and wherever a kill falls: once all pairs are erased, nothing is left of them.
  @Test(arguments: 1...60) func nothingIsLeft(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var options = Relay.Options()
    options.hasManualClock = true
    options.deadAllowance = seed % 2 == 0 ? 0 : 64 << 20
    let world = try World(options)
    let pairs = ["p", "q", "r"]
    let roles = ["phone", "watch"]
    for step in 1...80 {
      let (pair, role) = (
        pairs.randomElement(using: &random)!, roles.randomElement(using: &random)!
      )
      let name = "\(pair) \(role)"
      switch Int.random(in: 0..<22, using: &random) {
      case 0...4: world.send("activate pair=\(pair) role=\(role)", on: name)
      case 5...8: world.send("transferUserInfo payload={\"i\":\(step)}", on: name)
      case 9: world.send("updateApplicationContext payload={\"i\":\(step)}", on: name)
      case 10:
        let sum = String(repeating: "0", count: 64)
        world.send("transferFile n=\(step) name=f size=6 sha256=\"\(sum)\"", on: name)
        world.send("fileChunk transfer=\(role):0.\(step) offset=0 data=YWJj", on: name)
      case 11:
        world.send("sync.open schema=todoTimers", on: name)
        world.send("sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":60}", on: name)
      case 12: world.send("acknowledge", on: name)
      case 13: world.close(name)
      case 14: world.send("advance seconds=31", on: "clock")
      case 15, 16: world.send("forgetPair erase=\(Bool.random(using: &random))", on: name)
      case 17: world.holdsCommits.toggle()
      case 18: world.holdsReads.toggle()
      case 19: world.holdsPairReads.toggle()
      case 20: try world.kill(written: Int.random(in: 0...2, using: &random))
      default:
        world.holdsCommits = false
        world.settle()
        try world.restart()
      }
      #expect(world.relay.waitingFault == nil, "step \(step)")
    }
    (world.holdsCommits, world.holdsReads, world.holdsPairReads) = (false, false, false)
    world.settle()
    for pair in pairs {
      world.close("\(pair) phone")
      world.send("activate pair=\(pair) role=phone", on: "\(pair) phone")
      world.send("forgetPair erase=true", on: "\(pair) phone")
    }
    #expect(rows(of: world).isEmpty, "\(rows(of: world))")
    #expect(world.store.segments.isEmpty && world.relay.figures.liveBytes == 0)
    #expect(world.relay.figures.pairsStored == 0 && world.relay.pairsInMemory == 0)
    try world.kill()
    #expect(
      world.relay.figures.pairsStored == 0 && !world.logs.contains { $0.contains("Unreadable") })
  }

  private func rows(of world: World) -> [Row.Key] { world.store.rows.keys.filter { $0.pair > 0 } }

  // MARK: Who may

  @Test func whatIsNoTruthValueChangesNothing() {
    world.send("forgetPair erase=maybe id=1", on: "phone")
    #expect(lines("phone", "error").last!.contains("4004"))
    #expect(world.relay.figures.pairsStored == 1 && world.relay.figures.sessions == 2)
  }
}
