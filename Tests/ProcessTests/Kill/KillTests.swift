import Foundation
import LaneModel
import Seeded
import Testing
import Wire

extension ProcessTests {
  /// kill -9 at any moment: what was accepted is delivered once and in order.
  @Suite struct KillTests {
    let scratch: Scratch
    let checker = DeliveryChecker()

    init() throws {
      scratch = try Scratch()
      checker.isTroubleFree = true
    }

    @Test func survivesKill() throws {
      let rounds = Int(setting("WATCHLINE_KILL_ROUNDS") ?? 100)
      let seed = killSeed()
      print("kill -9: \(rounds) rounds, WATCHLINE_KILL_SEED=\(seed)")
      var random = SplitMix64(seed: seed)
      let phone = LoadPhone(checker, seed: random.next())
      let watch = LazyWatch(checker, seed: random.next())
      try introduce()

      var early = 0
      for round in 1...rounds {
        let server = try ServerProcess(starting: scratch)
        if random.chance(0.15) {
          usleep(UInt32(random.pick(0...40_000)))
          if try !server.isReady() { early += 1 }
          server.kill()
        } else {
          try server.waitUntilReady()
          try load(server, phone, watch, &random)
        }
        try #require(checker.violations == [], "seed \(seed), round \(round)")
      }
      try drain(phone, watch)
      #expect(checker.violations == [], "seed \(seed)")
      #expect(checker.transfers.allSatisfy { $0.deliveries == 1 })
      print(
        "kill -9: \(checker.transfers.count) transfers, \(phone.contexts) contexts, "
          + "\(early) kills before the ready line")
    }

    /// Both devices activate once, so that there is a pair to send to.
    private func introduce() throws {
      let server = try ServerProcess(scratch)
      _ = try server.device("watch")
      _ = try server.device("phone")
      #expect(try server.terminate() == 0)
    }

    /// Load for some tens of milliseconds, then the kill, and what had been sent before it.
    private func load(
      _ server: ServerProcess, _ phone: LoadPhone, _ watch: LazyWatch,
      _ random: inout SplitMix64
    ) throws {
      if random.chance(0.7) { try watch.connect(server) }
      try phone.connect(server)
      // Counted from the first transfer, now and then from the first byte.
      var end: Moment? = random.chance(0.1) ? .after(Double(random.pick(0...10)) / 1_000) : nil
      let time = Double(random.pick(0...80)) / 1_000
      let bound = Moment.after(Moment.patience)
      while end?.isPast != true {
        if end == nil, phone.isActive { end = .after(time) }
        guard !bound.isPast else { throw Failure("the phone was never active") }
        try phone.step()
        try watch.step()
        if random.chance(0.02) {
          if watch.client == nil || random.chance(0.3) {
            try watch.connect(server)
          } else {
            watch.leave()
          }
        }
        if random.chance(0.005) { try phone.connect(server) }
        phone.client!.wait(0.0003)
      }
      // After a second without a commit the database is brought up to the log.
      if random.chance(0.03) {
        Thread.sleep(forTimeInterval: Double(random.pick(950...1_250)) / 1_000)
      }
      server.kill()
      try phone.read()
      try watch.read()
      phone.leave()
      watch.leave()
    }

    /// Everything is brought to its end, by a server that lives.
    private func drain(_ phone: LoadPhone, _ watch: LazyWatch) throws {
      let server = try ServerProcess(scratch)
      phone.isSending = false
      watch.isEager = true
      try phone.connect(server)
      try watch.connect(server)
      try eventually("the phone is done") {
        try phone.step()
        try watch.step()
        return phone.isSettled
      }
      phone.setContext()
      // An end may have been told to a server's last connection.
      phone.lanes.askAgain()
      try eventually("nothing is outstanding") {
        if phone.isSettled { phone.lanes.look() }
        try phone.send()
        phone.client!.wait(0.01)
        try phone.step()
        try watch.step()
        return phone.isSettled && phone.lanes.state?.integer("outstanding") == 0
      }
      // Once more, for what the server has kept.
      try phone.connect(server)
      try watch.connect(server)
      try eventually("both are back") {
        try phone.step()
        try watch.step()
        return phone.isSettled && watch.isActive
      }
      phone.lanes.look()
      watch.lanes.look()
      try eventually("both have looked") {
        try phone.step()
        try watch.step()
        return phone.lanes.state != nil && watch.lanes.state != nil
      }
      checker.check()
      let stored = phone.lanes.state?.object("applicationContext")?.string("v")
      #expect(stored == phone.lanes.contextSet?.value)
      #expect(watch.lanes.contexts["phone"] == stored)
      #expect(try server.terminate() == 0)
    }
  }
}
