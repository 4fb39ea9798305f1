import Foundation
import LaneModel
import Seeded
import Testing
import Wire

extension ProcessTests {
  /// Servers that share a log are killed, frozen, thawed and ended, and the nodes under them killed, while devices use
  /// the lanes: what was accepted is delivered once and in order, and nobody tells anything false.
  @Suite struct ClusterKillTests {
    let scratch: Scratch
    let checker = DeliveryChecker()

    init() throws {
      scratch = try Scratch()
      checker.isTroubleFree = true
    }

    private enum Trouble: CaseIterable {
      case kill, freeze, end, killNode, killNodes
    }

    @Test(arguments: [
      (ClusterSite.Engine.nodes(1), 1), (.nodes(3), 1), (.nodes(1), 3), (.postgreSQL, 3),
    ])
    func losesNothing(engine: ClusterSite.Engine, shards: Int) throws {
      let rounds = setting("WATCHLINE_CLUSTER_ROUNDS").map { Int($0) } ?? 3
      let seed = killSeed()
      print("cluster: \(rounds) rounds on \(engine), \(shards) shards, WATCHLINE_KILL_SEED=\(seed)")
      var random = SplitMix64(seed: seed)
      let site = try ClusterSite(
        scratch, engine, servers: shards == 1 ? 2 : 3, more: ["--shards", "\(shards)"])
      let shard = site.shard(of: "demo", shards)
      let phone = LoadPhone(checker, seed: random.next())
      let watch = LazyWatch(checker, seed: random.next())
      try introduce(site, &random)
      var told: [String: Int] = [:]
      for round in 1...rounds {
        try load(site, phone, watch, &random)
        let owner = try site.owner(of: shard)
        // Each kind at least once in so many rounds.
        let kinds = Trouble.allCases
        let trouble = round <= kinds.count ? kinds[round - 1] : kinds[random.below(kinds.count)]
        told["\(trouble)", default: 0] += 1
        try make(trouble, site, shard, of: shards, owner, phone, watch, &random)
        try phone.read()
        try watch.read()
        phone.leave()
        watch.leave()
        try #require(checker.violations == [], "seed \(seed), round \(round), \(trouble)")
      }
      try settle(site, phone, watch, &random)
      #expect(checker.violations == [], "seed \(seed)")
      #expect(checker.transfers.count > rounds * 10)
      #expect(checker.transfers.allSatisfy { $0.deliveries == 1 })
      print("cluster: \(checker.transfers.count) transfers, \(told)")
      let codes = try site.stop()
      #expect(codes.allSatisfy { $0 == 0 }, "seed \(seed): \(codes) \(site.logs)")
    }

    private func introduce(_ site: ClusterSite, _ random: inout SplitMix64) throws {
      try site.server(&random).device("watch").close()
      try site.server(&random).device("phone").close()
    }

    /// Some tens of milliseconds of transfers. Each device comes to a server that is drawn.
    private func load(
      _ site: ClusterSite, _ phone: LoadPhone, _ watch: LazyWatch, _ random: inout SplitMix64
    ) throws {
      try watch.connect(site.server(&random))
      try phone.connect(site.server(&random))
      try go(site, phone, watch, &random, "the phone is active") { phone.isActive }
      let end = Moment.after(Double(random.pick(20...300)) / 1_000)
      try go(site, phone, watch, &random, "a while has passed") { end.isPast }
    }

    private func go(
      _ site: ClusterSite, _ phone: LoadPhone, _ watch: LazyWatch, _ random: inout SplitMix64,
      _ what: String, until holds: () -> Bool
    ) throws {
      try eventually(within: 60, what) {
        // A server that was silent for too long is taken over, and ends its sessions when it hears of that.
        for device in [phone, watch] where device.isCutOff {
          try device.connect(site.server(&random))
        }
        try phone.step()
        try watch.step()
        phone.client?.wait(0.0003)
        return holds()
      }
    }

    private func make(
      _ trouble: Trouble, _ site: ClusterSite, _ shard: Int, of shards: Int, _ owner: Int,
      _ phone: LoadPhone,
      _ watch: LazyWatch, _ random: inout SplitMix64
    ) throws {
      switch trouble {
      case .kill: site.servers[owner].kill()
      case .end:
        let ended = site.servers[owner]
        #expect(try ended.terminate() == 0)
      case .freeze: try freeze(site, shard, of: shards, owner, phone, watch)
      // What finds the log silent is refused.
      case .killNode:
        checker.isTroubleFree = false
        let node = random.below(site.nodeCount)
        site.killNode(node)
        let end = Moment.after(Double(random.pick(0...1_500)) / 1_000)
        try go(site, phone, watch, &random, "a while has passed") { end.isPast }
        try site.restartNode(node)
      case .killNodes:
        checker.isTroubleFree = false
        for node in 0..<site.nodeCount { site.killNode(node) }
        for node in 0..<site.nodeCount { try site.restartNode(node) }
      }
    }

    /// The owner is stopped for as long as another one needs to take over. What it tells then, to devices that were
    /// there and to one that comes now, is true: mostly nothing.
    private func freeze(
      _ site: ClusterSite, _ shard: Int, of shards: Int, _ owner: Int, _ phone: LoadPhone,
      _ watch: LazyWatch
    ) throws {
      let old = site.servers[owner]
      let other = (0...).lazy.map { "other\($0)" }.first { site.shard(of: $0, shards) == shard }!
      let before = try #require(old.device("phone", pair: other).activation)
      site.freeze(owner)
      let next = try site.owner(of: shard)
      #expect(next != owner)
      // Asked before it goes on, so that it knows this before it hears of the other owner.
      let late = try LineClient(port: old.port, awaitsHello: false)
      try late.send(["type": "activate", "pair": "demo", "role": "watch"])
      site.thaw(owner)
      try old.expectLog("event=fenced shard=\(shard)")
      // Whatever it knew is gone; what it is told now is another one's.
      let told = try late.toActivation()
      #expect(told == nil || told!.epoch != before.epoch)
    }

    /// Everything is brought to its end.
    private func settle(
      _ site: ClusterSite, _ phone: LoadPhone, _ watch: LazyWatch, _ random: inout SplitMix64
    ) throws {
      phone.isSending = false
      watch.isEager = true
      try phone.connect(site.server(&random))
      try watch.connect(site.server(&random))
      try go(site, phone, watch, &random, "the phone is done") { phone.isSettled && watch.isActive }
      phone.lanes.askAgain()
      try go(site, phone, watch, &random, "nothing is outstanding") {
        guard phone.isSettled else { return false }
        if phone.lanes.state?.integer("outstanding") == 0 { return true }
        phone.lanes.look()
        return false
      }
      watch.lanes.look()
      try go(site, phone, watch, &random, "the watch has looked") { watch.lanes.state != nil }
      checker.check()
    }
  }
}

extension LineClient {
  /// Reads up to an answer to `activate`, or the end of the connection.
  fileprivate func toActivation() throws -> Line? {
    while let line = try line() {
      if line.type == "activationDidComplete" { return line }
    }
    return nil
  }
}

extension Line {
  /// Of the server's run that has told it.
  fileprivate var epoch: Substring? { string("session")?.prefix { $0 != "." } }
}
