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

  @Test func howLongTheOldestHasWaited() throws {
    let world = try World()
    func oldest(_ lane: String = "userInfo") throws -> Double {
      try #require((try ask("stats", world)["oldest"] as? [String: Double])?[lane])
    }
    func pass(_ seconds: Int) { world.send("advance seconds=\(seconds)", on: "clock") }
    for role in ["watch", "phone"] { world.send("activate pair=p role=\(role)", on: role) }
    pass(100)
    #expect(try oldest() == 0)
    world.send("transferUserInfo payload={}", on: "phone")
    pass(10)
    world.send("transferUserInfo payload={}", on: "phone")
    world.send("updateApplicationContext payload={\"c\":1}", on: "phone")
    pass(100)
    #expect(try (110...112).contains(oldest()) && oldest("file") == 0)
    #expect(try (100...102).contains(oldest("context")))
    world.send("acknowledge lane=userInfo seq=1", on: "watch")
    #expect(try (100...102).contains(oldest()))
    // Of before the start it is known that they are older than that.
    try world.kill()
    pass(20)
    #expect(try oldest() == 20)
    world.send("activate pair=p role=watch", on: "watch")
    world.send("acknowledge", on: "watch")
    #expect(try oldest() == 0)
    // What a manual clock makes of it is told up to 10^9 seconds.
    world.send("transferUserInfo payload={}", on: "watch")
    for _ in 0..<3 { pass(800_000_000) }
    #expect(try oldest() == 1_000_000_000)
  }

  /// For as long as a server runs, in little room.
  @Test func agesOfBatches() {
    var times = BatchTimes(last: 0, now: 0)
    let second: Int64 = 1_000_000
    var now: Int64 = 0
    let count = 200_000
    for batch in 1...count {
      now += Int64(batch % 5) * 3 * second / 2
      times.note(UInt64(batch), now: now)
    }
    var then: Int64 = 0
    for batch in 1...count {
      then += Int64(batch % 5) * 3 * second / 2
      guard batch % 97 == 0 || batch > count - 50 else { continue }
      let (age, told) = (now - then, times.age(of: UInt64(batch), now: now))
      #expect(told >= age && told <= age + max(4 * second, age / 32), "\(batch): \(age), \(told)")
    }
    #expect(times.count <= 2_048)
  }

  /// Both directions in their order, payloads by their size alone, and nothing of other pairs or of who is told.
  @Test func tailTellsWhatPasses() throws {
    let world = try World()
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=q role=watch", on: "other")
    #expect(try ask("tail pair=p*", world)["type"] as? String == "accepted")
    world.send("activate pair=p role=phone", on: "phone")
    world.send("transferUserInfo payload={\"secret\":1} id=1", on: "phone")
    world.send("nonsense", on: "phone")
    world.send("ping", on: "other")
    world.send("deactivate", on: "phone")
    let lines = world.client("operator").takeLines()
    func told(_ line: String) throws -> String {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let inner = object["line"] as? [String: Any]
      let type = inner?["type"] as? String ?? "?"
      #expect(object["pair"] as? String == "p" && object["type"] as? String == "passed")
      #expect((inner?["payload"] as? String ?? "<12 bytes>") == "<12 bytes>", "\(line)")
      return "\(object["device"] as? String ?? "")-\(object["by"] as? String ?? "")-\(type)"
    }
    let all = try lines.map(told)
    #expect(
      all.filter { $0.hasPrefix("phone-") } == [
        "phone-device-activate", "phone-server-activationDidComplete",
        "phone-device-transferUserInfo",
        "phone-server-accepted", "phone-device-<10 bytes>", "phone-server-error",
        "phone-device-deactivate",
        "phone-server-sessionDidDeactivate",
      ], "\(all)")
    #expect(all.contains("watch-server-didReceiveUserInfo"))
    #expect(!lines.contains { $0.contains("secret") || $0.contains("\"q\"") })

    // With payloads, of one app; one of the devices is told itself, and so not of.
    world.send("tail pair=p payloads=true app=default", on: "watch")
    world.send("tail", on: "operator")
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=phone app=else", on: "else")
    world.send("transferUserInfo payload={\"shown\":1} id=1", on: "phone")
    #expect(world.client("operator").takeLines() == [#"{"type":"accepted","of":"tail"}"#])
    let own = world.client("watch").takeLines().filter { $0.contains(#""type":"passed""#) }
    #expect(own.contains { $0.contains(#"{"shown":1}"#) })
    #expect(
      own.allSatisfy { $0.contains(#""device":"phone""#) && $0.contains(#""app":"default""#) })
  }

  /// Who does not read is told how much it has missed, and nobody waits for it.
  @Test func aTailThatIsTooSlow() throws {
    var limits = Limits()
    limits.waitingOutput = 1_000
    let world = try World(limits: limits)
    world.send("tail pair=*", on: "operator")
    world.send("activate pair=p role=phone", on: "phone")
    let tail = world.client("operator")
    _ = tail.takeLines()
    tail.holdsOutput = true
    for _ in 1...100 { world.send("ping", on: "phone") }
    #expect(world.client("phone").takeLines().count >= 100)
    #expect(tail.unreadBytes < 2_000)
    world.read("operator")
    let told = tail.takeLines().count { $0.contains(#""type":"passed""#) }
    world.send("ping", on: "phone")
    let lines = tail.takeLines()
    try #require(lines.count == 2 && told > 0)
    #expect(lines[0].contains(#""missed":\#(200 - told)"#), "\(told) \(lines[0])")
    #expect(!lines[1].contains("missed"))
    world.drop("operator")
    world.settle()
    #expect(world.relay.tails.isEmpty && world.relay.origins.isEmpty)
  }
}
