import Foundation
import RelaySupport
import Testing

@testable import Relay

/// What whoever keeps the server asks. The dialogue 15-operator has the rest.
@Suite struct OperatorTests {
  private func ask(_ line: String, _ world: World) throws -> [String: Any] {
    world.send(line, on: "operator")
    let last = try #require(world.client("operator").takeLines().last)
    return try #require(
      try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any], "\(last)")
  }

  private func pairs(_ answer: [String: Any]) -> [String] {
    (answer["pairs"] as? [[String: Any]] ?? []).compactMap { $0["pair"] as? String }
  }

  /// Each pair once, in the order of their making, however many an answer has.
  @Test func pagesOfPairs() throws {
    let world = try World()
    for number in 1...7 {
      world.send(
        "activate pair=\(number % 2 == 0 ? "even" : "odd")-\(number) role=phone", on: "\(number)")
    }
    #expect(pairs(try ask("listPairs", world)).count == 7)
    #expect(pairs(try ask("listPairs pair=even-*", world)) == ["even-2", "even-4", "even-6"])
    #expect(pairs(try ask("listPairs pair=*-3 app=default", world)) == ["odd-3"])
    #expect(pairs(try ask("listPairs app=other", world)) == [])
    var all: [String] = []
    var next = 0
    repeat {
      let answer = try ask("listPairs limit=2 after=\(next)", world)
      all += pairs(answer)
      next = answer["next"] as? Int ?? 0
    } while next > 0 && all.count < 20
    #expect(all == ["odd-1", "even-2", "odd-3", "even-4", "odd-5", "even-6", "odd-7"])
    #expect(pairs(try ask("listPairs after=4294967295", world)) == [])
  }

  /// However many pairs there are, one request looks at some of them, and says where to go on.
  @Test func oneRequestIsNotLong() throws {
    let world = try World(hasManualClock: false)
    world.keepsHistory = false
    for number in 1...25_000 {
      world.send("activate pair=p\(number) role=phone", on: "p")
      if number < 25_000 { world.send("deactivate", on: "p") }
    }
    world.advance(to: world.now + 2 * Limits.idleGrace)
    #expect(world.relay.pairsInMemory == 1)
    let first = try ask("listPairs", world)
    let next = try #require(first["next"] as? Int)
    #expect(pairs(first) == [] && next < 25_000)
    #expect(pairs(try ask("listPairs after=\(next)", world)) == ["p25000"])
  }

  /// A pair that is not in memory is read back for its devices, and goes again.
  @Test func devicesOfAnEvictedPair() throws {
    let world = try World(hasManualClock: false)
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    world.send("transferUserInfo payload={\"a\":1}", on: "phone")
    for role in ["phone", "watch"] { world.close(role) }
    world.advance(to: world.now + 2 * Limits.idleGrace)
    #expect(world.relay.pairsInMemory == 0)
    let answer = try ask("listDevices pair=p", world)
    let devices = try #require(answer["devices"] as? [[String: Any]])
    #expect(devices.map { $0["device"] as? String } == ["phone", "watch"])
    #expect(devices.allSatisfy { $0["isConnected"] as? Bool == false && $0["peer"] == nil })
    let lanes = try #require(devices[1]["lanes"] as? [String: [String: Any]])
    #expect(lanes["userInfo"]?["waiting"] as? Int == 1)
    world.advance(to: world.now + 2 * Limits.idleGrace)
    #expect(world.relay.pairsInMemory == 0)
    world.failsPairReads = true
    #expect(try ask("listDevices pair=p", world)["code"] as? Int == 4008)
    world.failsPairReads = false
    #expect(try ask("listDevices pair=p", world)["type"] as? String == "devices")
  }

  /// What waits for its commit is answered before the end, and nothing of it is lost.
  @Test func kickedAfterWhatIsOwed() throws {
    let world = try World()
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"a\":1} id=1", on: "phone")
    _ = try ask("kick pair=p device=phone", world)
    let phone = try #require(world.lastClient("phone"))
    #expect(!phone.isClosed)
    world.holdsCommits = false
    world.settle()
    let lines = phone.takeLines()
    #expect(phone.isClosed && lines.contains { $0.contains(#""type":"accepted","re":1"#) })
    #expect(lines.last == #"{"type":"sessionDidDeactivate","reason":"kicked"}"#)
    #expect(world.client("watch").takeLines().contains { $0.contains("didReceiveUserInfo") })
    // It may come back.
    world.send("activate pair=p role=phone", on: "phone")
    #expect(world.client("phone").takeLines().contains { $0.contains("activationDidComplete") })
    // Whoever kicks all of a pair may be one of them.
    world.send("kick pair=p", on: "watch")
    #expect(
      world.lastClient("watch")?.isClosed == true && world.lastClient("phone")?.isClosed == true)
  }

  /// Asking needs no store, so it is answered when something is wrong with it.
  @Test func statsSayWhy() throws {
    let world = try World()
    #expect(try ask("stats", world)["trouble"] == nil)
    world.fillDisk()
    #expect((try ask("stats", world)["trouble"] as? String)?.isEmpty == false)
    world.makeRoom()
    #expect(try ask("stats", world)["trouble"] == nil)
  }
}
