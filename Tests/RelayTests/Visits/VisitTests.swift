import Testing

@testable import Relay

/// Connections that go from a lobby to a shard, and on to another one.
@Suite struct VisitTests {
  /// Names of pairs in the shards 0, 1, … of so many.
  private func pairs(_ count: Int) -> [String] {
    (0..<count).map { shard in
      (0...).lazy.map { "p\($0)" }.first {
        Place.shard(ofApp: "default", pair: $0, of: count) == shard
      }!
    }
  }

  /// The place of a pair is for ever: whoever changes how it is found loses what there is.
  @Test func whereAPairIs() {
    let shards = ["demo", "", "é", "a\u{0}b"].map {
      Place.shard(ofApp: "default", pair: $0, of: 64)
    }
    #expect(shards == [60, 36, 44, 33])
    #expect(
      Place.shard(ofApp: "a", pair: "bc", of: 64) != Place.shard(ofApp: "ab", pair: "c", of: 64))
    var counts = [Int](repeating: 0, count: 8)
    for number in 0..<8_000 {
      counts[Place.shard(ofApp: "default", pair: "pair\(number)", of: 8)] += 1
    }
    #expect(counts.allSatisfy { (850...1_150).contains($0) }, "\(counts)")
    #expect(Place.shard(ofApp: "x", pair: "y", of: 1) == 0)
  }

  /// What needs no pair is answered in the lobby; what comes behind a request for one goes with it.
  @Test func fromTheLobbyToAShard() throws {
    let pairs = pairs(3)
    let site = try Shards(3)
    site.send("ping\nactivate pair=\(pairs[1]) role=phone\nping\ngetState")
    #expect(site.types() == ["hello", "pong", "activationDidComplete", "pong", "state"])
    #expect(site.shard == 1)
    #expect(site.relays[1].pairsInMemory == 1 && site.lobby.pairsInMemory == 0)
    // It counts once.
    #expect(site.lobby.figures.connections == 1)
  }

  /// A session that is over, and another pair: the connection goes where that is, and its lines are counted on.
  @Test func fromShardToShard() throws {
    let pairs = pairs(3)
    let site = try Shards(3)
    for (count, shard) in [0, 2, 1, 1, 0].enumerated() {
      site.send("activate pair=\(pairs[shard]) role=phone\ndeactivate\nnonsense")
      #expect(site.shard == shard)
      let lines = site.take()
      #expect(lines.last?.contains("\"line\":\(3 * count + 3),") == true, "\(lines)")
      #expect(lines.contains { $0.contains("activationDidComplete") })
    }
    #expect(site.relays.map(\.figures.sessions) == [0, 0, 0])
    #expect(site.relays.map(\.figures.connections) == [1, 0, 0])
    site.close()
    #expect(([site.lobby] + site.relays).allSatisfy { $0.figures.connections == 0 })
  }

  /// Nothing that is owed is left behind: the answers come before the connection goes.
  @Test func whatIsOwedComesFirst() throws {
    let pairs = pairs(2)
    let site = try Shards(2)
    site.send(
      "activate pair=\(pairs[0]) role=watch\ndeactivate\nactivate pair=\(pairs[0]) role=phone")
    _ = site.types()
    site.reads = false
    site.send(
      "transferUserInfo payload={}\ndeactivate\nactivate pair=\(pairs[1]) role=phone\nping")
    // Its output is not read: it stays where it is.
    #expect(site.shard == 0 && site.types() == [])
    site.reads = true
    site.look()
    site.settle()
    #expect(site.shard == 1)
    #expect(
      site.types() == [
        "accepted", "sessionDidDeactivate", "activationDidComplete", "pong",
      ])
  }

  /// A session, or a tail, is not lost by a request for another shard.
  @Test func whatIsThereIsNotLost() throws {
    let pairs = pairs(2)
    let site = try Shards(2)
    site.send("activate pair=\(pairs[0]) role=phone\nlistDevices pair=\(pairs[1])\nping")
    #expect(site.types() == ["hello", "activationDidComplete", "4004", "pong"])
    site.send("activate pair=\(pairs[1]) role=phone")
    #expect(site.types() == ["4004"])
    #expect(site.shard == 0)
    let other = try Shards(2)
    other.send(
      "tail pair=\(pairs[1]) app=default\nlistDevices pair=\(pairs[0])\ntail\nstats shard=0")
    #expect(other.types() == ["hello", "accepted", "4004", "accepted", "stats"])
    #expect(other.shard == 0)
  }

  /// Requests that are about all pairs name a shard, and a tail names a pair.
  @Test func whatNamesNoShard() throws {
    let site = try Shards(3)
    site.send("stats\nlistPairs\nstats shard=3\ntail pair=*\ntail pair=a app=*\ntail pair=a")
    #expect(site.types() == ["hello", "4003", "4003", "4004", "4004", "4004", "4004"])
    #expect(site.shard == nil)
    site.send("stats shard=2\nlistPairs shard=1")
    #expect(site.types() == ["stats", "pairs"])
    #expect(site.shard == 1)
    let only = try Shards(1)
    only.send("stats\nlistPairs\ntail pair=*")
    #expect(only.types() == ["hello", "stats", "pairs", "accepted"])
  }

  /// A guest is one of the shard's connections; what the lobby has refused is not the shard's.
  @Test func whatAShardCounts() throws {
    let site = try Shards(1)
    site.send("getState\nactivate pair=a role=phone\ntransferUserInfo\nstats")
    let stats = try #require(site.take().last)
    #expect(stats.contains("\"connections\":1,\"sessions\":1,"))
    #expect(stats.contains("\"connectionsEver\":1,"))
    #expect(stats.contains("\"refused\":{\"4003\":1}"), "\(stats)")
    #expect(site.lobby.figures.refused.map(\.code) == [7_004])
  }

  /// The line that asks is refused, what comes behind it is not, and the next one is a new try.
  @Test func aShardThatNobodyHas() throws {
    let pairs = pairs(2)
    let site = try Shards(2)
    site.lost = [1]
    site.send("activate pair=\(pairs[1]) role=phone\nping")
    #expect(site.types() == ["hello", "4008", "pong"])
    site.lost = []
    site.send("activate pair=\(pairs[1]) role=phone")
    #expect(site.types() == ["activationDidComplete"])
  }

  /// The end of the input goes along, also where the last line has no LF.
  @Test(arguments: ["\n", ""]) func theEndGoesAlong(end: String) throws {
    let site = try Shards(2)
    site.reads = false
    site.send(Array("ping\nactivate pair=\(pairs(2)[1]) role=phone\(end)".utf8))
    site.end()
    site.reads = true
    site.look()
    site.settle()
    #expect(site.types() == ["hello", "pong", "activationDidComplete"])
    #expect(site.isClosed)
  }

  /// A command of telnet's that is cut by the way to a shard.
  @Test func telnetOnTheWay() throws {
    let line = Array("activate pair=\(pairs(2)[1]) role=phone\n".utf8)
    let command: [UInt8] = [0xFF, 0xFA, 1, 2, 0xFF, 0xFF, 3, 0xFF, 0xF0, 0xFF, 0xFD, 6]
    for cut in 0...command.count {
      let site = try Shards(2)
      site.send(line + command[..<cut])
      #expect(site.shard == 1)
      site.send(command[cut...] + Array("ping\n".utf8))
      let types = site.types().map { $0.filter { $0.isASCII && $0.isLetter } }
      #expect(types.first == "hello" && types.contains("activationDidComplete"))
      #expect(types.last == "pong", "cut after \(cut): \(types)")
    }
  }

  /// Who has not activated in time is sent away, also from a shard.
  @Test func theTimeToActivateGoesAlong() throws {
    let site = try Shards(2, activationTime: 3_000_000)
    site.send("listDevices pair=\(pairs(2)[1])")
    #expect(site.types() == ["hello", "4004"])
    #expect(site.shard == 1)
    site.pass(seconds: 2)
    #expect(!site.isClosed)
    site.pass(seconds: 2)
    #expect(site.types() == ["7004"] && site.isClosed)
    // Back in the lobby it is the same time.
    let other = try Shards(2, activationTime: 3_000_000)
    other.send("listDevices pair=\(pairs(2)[1])")
    other.pass(seconds: 2)
    other.lost = [0]
    other.send("listDevices pair=\(pairs(2)[0])")
    #expect(other.shard == nil && other.types() == ["hello", "4004", "4008"])
    other.pass(seconds: 2)
    #expect(other.types() == ["7004"] && other.isClosed)
  }

  private let visits: [Visit] = {
    var visit = Visit()
    visit.input = Array("activate".utf8)
    visit.telnet = 0x1234_02
    visit.hasSeenEnd = true
    visit.lines = 7
    visit.position = .max
    visit.hasActivated = true
    visit.token = "watchtok"
    visit.peer = "[::1]:80"
    visit.activationTime = 0
    visit.shard = 63
    return [Visit(), visit]
  }()

  @Test func readsWhatItWrites() throws {
    for visit in visits {
      let bytes = visit.bytes
      #expect(try bytes.withUnsafeBytes { try Visit($0) } == visit)
      for count in 0..<bytes.count {
        #expect(throws: JournalError.self) {
          try Array(bytes[..<count]).withUnsafeBytes { try Visit($0) }
        }
      }
      for other in [[2] + bytes.dropFirst(), bytes + [0]] {
        #expect(throws: JournalError.self) { try Array(other).withUnsafeBytes { try Visit($0) } }
      }
    }
  }
}
