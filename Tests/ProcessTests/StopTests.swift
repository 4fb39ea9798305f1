import Foundation
import LaneModel
import Seeded
import Testing

extension ProcessTests {
  /// SIGTERM: what was taken is committed and answered, and the server says that all is well.
  @Suite struct StopTests {
    let scratch: Scratch
    let checker = DeliveryChecker()

    init() throws {
      scratch = try Scratch()
      checker.isTroubleFree = true
    }

    /// Reads until the server has ended the connection.
    private func readToEnd(_ client: LineClient?, _ read: () throws -> Void) throws {
      try eventually("the connection ends") {
        try read()
        client?.wait(0.01)
        return client?.hasEnded ?? true
      }
      try read()
    }

    @Test func drainsUnderLoad() throws {
      let seed = killSeed()
      print("SIGTERM under load: WATCHLINE_KILL_SEED=\(seed)")
      var random = SplitMix64(seed: seed)
      let phone = LoadPhone(checker, seed: random.next())
      let watch = LazyWatch(checker, seed: random.next())
      for _ in 1...8 {
        let server = try ServerProcess(scratch)
        try watch.connect(server)
        try eventually("the watch is active") {
          try watch.step()
          return watch.isActive
        }
        try phone.connect(server)
        try eventually("the phone is active") {
          try phone.read()
          return phone.isActive
        }
        // All that was answered is there, and all that is there was answered.
        #expect(phone.lanes.numberTold == checker.lastAccepted(by: "phone"))
        let end = Moment.after(Double(random.pick(5...100)) / 1_000)
        while !end.isPast {
          try phone.step()
          try watch.step()
          phone.client!.wait(0.0003)
        }
        server.program.signal(SIGTERM)
        try readToEnd(phone.client, phone.read)
        try readToEnd(watch.client, watch.read)
        phone.leave()
        watch.leave()
        #expect(try server.program.exitCode() == 0)
        #expect(server.log.contains("event=stopped isComplete=true"))
        try #require(checker.violations == [], "seed \(seed)")
      }
      #expect(checker.transfers.contains { $0.deliveries > 0 })
    }

    @Test(arguments: [SIGTERM, SIGINT]) func answersWhatIsOwed(number: Int32) throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      try phone.send([
        "type": "sendMessage", "id": "asked", "payload": ["a": 1], "expectsReply": true,
      ])
      try watch.expect("didReceiveMessage")
      server.program.signal(number)
      // Nobody will reply any more.
      let lines = try phone.linesToEnd()
      #expect(lines.contains { $0.code == 7014 && $0.string("re") == "asked" }, "\(lines)")
      _ = try watch.linesToEnd()
      #expect(try server.program.exitCode() == 0)
    }

    /// A client that does not read is not waited for without end.
    @Test func stopsDespiteStuckClient() throws {
      let server = try ServerProcess(scratch)
      let stuck = try server.client(receiveBuffer: 4_096)
      let request = Array((String(repeating: "help id=1\n", count: 100)).utf8)
      while stuck.waitForRoom(0.3) {
        var sent = 0
        while sent < request.count, stuck.waitForRoom(0.3) {
          sent += try stuck.sendSome(request[sent...])
        }
      }
      #expect(try server.terminate() == 0)
    }

    @Test func secondSignalChangesNothing() throws {
      let server = try ServerProcess(scratch)
      let phone = try server.device("phone")
      server.program.signal(SIGTERM)
      server.program.signal(SIGTERM)
      server.program.signal(SIGINT)
      _ = try phone.linesToEnd()
      #expect(try server.program.exitCode() == 0)
    }

    @Test func newConnectionsAreRefusedWhileStopping() throws {
      let server = try ServerProcess(scratch)
      #expect(try server.terminate() == 0)
      #expect(throws: Failure.self) { try server.client() }
    }
  }
}
