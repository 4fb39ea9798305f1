import Foundation
import Testing

extension ProcessTests {
  /// What the log says of damage that ends neither the start nor the server.
  @Suite struct DamageLogTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var wal: URL { URL(fileURLWithPath: scratch.database + "-wal") }

    private func transfer(_ n: Int) -> [String: Any] {
      ["type": "transferUserInfo", "n": n, "payload": ["n": n]]
    }

    /// A row of a pair that is not in use.
    @Test func aDamagedRowIsNamed() throws {
      let server = try ServerProcess(scratch)
      for role in ["watch", "phone"] {
        try server.device(role, pair: "good").close()
        try server.device(role, ["device": "very-own-\(role)"]).close()
      }
      #expect(try server.terminate() == 0)
      try scratch.writeDatabase { bytes in
        while let range = bytes.range(of: Data("very-own-watch".utf8)) {
          bytes[range.lowerBound] = 0x56
        }
      }
      let second = try ServerProcess(scratch)
      let client = try second.client()
      let error = try client.request(["type": "activate", "pair": "demo", "role": "phone"])
      #expect(error.code == 4_008 && error.bool("definite") == true, "\(error)")
      #expect(try client.request(["type": "ping"]).type == "pong")
      try eventually("it is said") { second.log.contains("event=storeDamaged error=") }
      _ = try second.device("phone", pair: "good")
      #expect(try second.terminate() == 0)
    }

    /// The last commit of the database, half written: what it had is in the log.
    @Test func aCommitThatIsLeftOutIsSaid() throws {
      let server = try ServerProcess(scratch, AdminPort.arguments)
      let admin = try AdminPort(server, scratch)
      try server.device("watch").close()
      let phone = try server.device("phone")
      #expect(try phone.request(transfer(1)).type == "accepted")
      #expect(try phone.request(transfer(2)).type == "accepted")
      // All of the commit is in the WAL then.
      try eventually("the database is brought up to the log") {
        try admin.metric("watchline_memtable_bytes") == 0
      }
      server.kill()
      let files = scratch.contents
      var isSaid = false
      // SQLite's sum of its WAL stays what it is where three numbers in a row change by d, -d and -d. Not
      // each such change damages something.
      for word in 0..<16 where !isSaid {
        for (name, bytes) in files {
          try bytes.write(to: URL(fileURLWithPath: scratch.data + "/" + name))
        }
        var bytes = try Data(contentsOf: wal)
        let page = bytes.count - 16_384
        for (index, change) in [UInt8(1), 255, 255].enumerated() {
          bytes[page + (word + index) * 4 + 3] &+= change
        }
        try bytes.write(to: wal)
        let second = try ServerProcess(scratch)
        // What came before is in the log before.
        try second.expectLog("event=listening")
        isSaid = second.log.contains("event=commitLeftOut cause=")
        #expect(try second.device("phone").activation.integer("n") == 2)
        second.kill()
      }
      #expect(isSaid)
    }
  }
}
