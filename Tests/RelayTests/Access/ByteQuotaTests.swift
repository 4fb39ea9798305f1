import RelaySupport
import Testing

@testable import Relay

/// How many bytes the pairs of a token may hold.
@Suite struct ByteQuotaTests {
  private func world(_ bytes: Int, hasManualClock: Bool = false) throws -> World {
    let world = try World(
      hasManualClock: hasManualClock,
      access: Access([
        AccessTests.token {
          $0.quota.bytes = bytes
          $0.grants.insert(.forget)
        }
      ]))
    return world
  }

  /// A phone and a watch that is away.
  private func form(_ world: World, _ pair: String) {
    for role in ["watch", "phone"] {
      world.send(
        "activate pair=\(pair) role=\(role) token=\(AccessTests.text)", on: "\(pair) \(role)")
    }
    world.close("\(pair) watch")
  }

  private func say(_ line: String, _ world: World, on name: String = "p phone") -> String {
    world.send(line, on: name)
    return world.client(name).takeLines().last { !$0.contains("didFinish") } ?? ""
  }

  /// A user info of so many bytes.
  private func transfer(_ bytes: Int) -> String {
    "transferUserInfo payload={\"p\":\"\(String(repeating: "x", count: bytes - 8))\"}"
  }

  private func held(_ world: World) -> Int { world.relay.makerBytes["watchtok"] }

  private static let refused = "(quota.bytes)"

  /// −1, 0 and +1, in two pairs together; what is acknowledged makes room.
  @Test func aTokenKeepsSoManyBytes() throws {
    let world = try world(1_000)
    for pair in ["p", "q"] { form(world, pair) }
    #expect(say(transfer(400), world).contains("accepted"))
    #expect(say(transfer(400), world, on: "q phone").contains("accepted"))
    let refused = say(transfer(201), world)
    #expect(refused.contains("4008") && refused.contains(Self.refused), "\(refused)")
    #expect(refused.contains("hold 800 bytes") && refused.contains("allows 1000"), "\(refused)")
    #expect(say(transfer(199), world).contains("accepted"))
    #expect(say(transfer(10), world).contains(Self.refused))
    world.send("activate pair=q role=watch token=\(AccessTests.text)", on: "q watch")
    world.send("acknowledge", on: "q watch")
    #expect(say(transfer(401), world).contains("accepted"))
    #expect(held(world) == 1_000)
    #expect(say(transfer(10), world).contains(Self.refused))
  }

  /// The same of one pair, whoever made it: −1, 0 and +1, after an eviction, too, and nothing of another's.
  @Test func aPairKeepsSoManyBytes() throws {
    var limits = Limits()
    limits.pairBytes = 1_000
    let world = try World(limits: limits)
    for pair in ["p", "q"] {
      for role in ["watch", "phone"] {
        world.send("activate pair=\(pair) role=\(role)", on: "\(pair) \(role)")
      }
      world.close("\(pair) watch")
    }
    let context =
      "updateApplicationContext payload={\"p\":\"\(String(repeating: "x", count: 92))\"}"
    #expect(say(context, world).contains("accepted"))
    #expect(say(transfer(400), world).contains("accepted"))
    #expect(say(transfer(501), world).contains("(pairBytes)"))
    #expect(say(transfer(500), world).contains("accepted"))
    let refused = say(transfer(10), world)
    #expect(
      refused.contains("4008")
        && refused.contains("holds 1000 bytes, and may hold 1000 (pairBytes)"), "\(refused)")
    #expect(say(transfer(900), world, on: "q phone").contains("accepted"))
    world.close("p phone")
    world.send("advance seconds=61", on: "q phone")
    try world.kill()
    world.send("activate pair=p role=phone", on: "p phone")
    #expect(say(transfer(10), world).contains("(pairBytes)"))
    world.send("activate pair=p role=watch", on: "p watch")
    world.send("acknowledge lane=userInfo seq=1", on: "p watch")
    #expect(say(transfer(400), world).contains("accepted"))
    #expect(say(transfer(10), world).contains("(pairBytes)"))
  }

  /// A context takes the place of the one before; a file counts from its announcement on; edits count as they are kept.
  @Test func everyLaneCounts() throws {
    let world = try world(6_000)
    form(world, "p")
    let context =
      "updateApplicationContext payload={\"p\":\"\(String(repeating: "x", count: 2_900))\"}"
    #expect(say(context, world).contains("accepted"))
    #expect(say(context.replacing("xxx", with: "yyy"), world).contains("accepted"))
    let sum = String(repeating: "0", count: 64)
    let file = "transferFile n=1 name=f size=2000 sha256=\"\(sum)\""
    #expect(say(file, world).contains("accepted"))
    #expect(say(file.replacing("n=1", with: "n=2"), world).contains(Self.refused))
    #expect(say("cancelTransfer transfer=phone:0.1", world).contains("accepted"))
    #expect(say(file.replacing("n=1", with: "n=2"), world).contains("accepted"))
    #expect(say("sync.open schema=todoTimers", world).contains("sync.opened"))
    let edit = "sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":300}"
    var edits = 0
    while say(edit, world).contains("sync.edited"), edits < 50 { edits += 1 }
    #expect((1...5).contains(edits), "\(edits)")
    #expect(say(edit, world).contains(Self.refused))
    #expect((5_000...6_000).contains(held(world)), "\(held(world))")
  }

  /// What a pair holds is known of one that is not in memory, too, after a stop and after a kill.
  @Test(arguments: [false, true]) func acrossEvictionsAndRuns(isKilled: Bool) throws {
    let world = try world(4_000)
    for pair in ["p", "q"] { form(world, pair) }
    _ = say(transfer(600), world)
    world.send("sync.open schema=todoTimers", on: "p phone")
    let edit = "sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":300}"
    #expect(say(edit, world).contains("sync.edited"))
    world.close("p phone")
    world.advance(to: world.now + 3 * Limits.idleGrace)
    let before = held(world)
    #expect((700...3_000).contains(before), "\(before)")
    #expect(world.relay.pairsInMemory == 1)
    if isKilled { try world.kill() } else { try world.restart() }
    #expect(held(world) == before)
    world.send("activate pair=q role=phone token=\(AccessTests.text)", on: "q phone")
    #expect(say(transfer(4_001 - before), world, on: "q phone").contains(Self.refused))
    #expect(say(transfer(4_000 - before), world, on: "q phone").contains("accepted"))
    // An erased pair gives all of it back.
    world.send("activate pair=p role=phone token=\(AccessTests.text)", on: "p phone")
    #expect(say("forgetPair erase=true", world).contains("sessionDidDeactivate"))
    #expect(held(world) == 4_000 - before)
  }

  /// The quota is that of the token that made the pair, whoever sends.
  @Test func theMakersQuotaCounts() throws {
    let other = Token.text(id: "another1", secret: [UInt8](repeating: 9, count: 32))
    let world = try World(
      access: Access([
        AccessTests.token { $0.quota.bytes = 100 }, AccessTests.token("another1", other),
      ]))
    form(world, "p")
    world.send("deactivate", on: "p phone")
    world.close("p phone")
    world.send("activate pair=p role=phone token=\(other)", on: "p phone")
    #expect(say(transfer(101), world).contains(Self.refused))
    for role in ["watch", "phone"] {
      world.send("activate pair=q role=\(role) token=\(other)", on: "q \(role)")
    }
    #expect(say(transfer(5_000), world, on: "q phone").contains("accepted"))
    // Once it is withdrawn nobody bounds its pairs but the server.
    world.relay.takeAccess(Access([AccessTests.token("another1", other)]), now: world.now)
    #expect(say(transfer(101), world).contains("accepted"))
  }

  /// Files that are announced keep their room: together they are no more than may wait for one receiver.
  @Test func announcedFilesHaveTheirRoom() throws {
    var limits = Limits()
    limits.queueBytes = 1_000
    let world = try World(limits: limits)
    for role in ["watch", "phone"] { world.send("activate pair=p role=\(role)", on: "p \(role)") }
    world.close("p watch")
    let sum = String(repeating: "0", count: 64)
    func file(_ n: Int, _ size: Int) -> String {
      "transferFile n=\(n) name=f size=\(size) sha256=\"\(sum)\""
    }
    #expect(say(file(1, 600), world).contains("accepted"))
    #expect(say(file(2, 401), world).contains("4008"))
    #expect(say(file(2, 400), world).contains("accepted"))
    #expect(say(transfer(10), world).contains("4008"))
    try world.kill()
    world.send("activate pair=p role=phone", on: "p phone")
    #expect(say(transfer(10), world).contains("4008"))
    #expect(say("cancelTransfer transfer=phone:0.1", world).contains("accepted"))
    #expect(say(transfer(600), world).contains("accepted"))
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    guard let range = firstRange(of: text) else { return self }
    return self[..<range.lowerBound] + other + self[range.upperBound...]
  }
}
