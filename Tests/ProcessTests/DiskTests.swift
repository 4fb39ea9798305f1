import Foundation
import Testing

extension ProcessTests {
  /// No room on the disk: what was accepted stays, the rest is refused, and retries come once.
  @Suite struct DiskTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How writing is made to fail.
    enum Mechanism: String, CaseIterable {
      /// The process may not let a file grow further (EFBIG). Needs no privilege.
      case fileSize
      /// A small file system in memory (ENOSPC), where mounting is allowed.
      case fileSystem
    }

    /// What works on this machine: the first always does.
    static let mechanisms: [Mechanism] = {
      guard let scratch = try? Scratch(),
        (try? SmallDisk(scratch.path + "/probe", in: scratch)) != nil
      else {
        print("full disk: mounting is not allowed here, so by file size alone")
        return [.fileSize]
      }
      return Mechanism.allCases
    }()

    /// Bytes of a file that not even one commit's log fits in.
    private static let little = 12_000

    /// A log without room starts over once what it holds is in the database, which is small as long
    /// as the receiver acknowledges: nobody is to notice more than 4008.
    @Test func goesOnAfterMomentaryFailures() throws {
      let server = try ServerProcess(scratch, shell: "trap '' XFSZ")
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      try server.limitFiles(to: 400_000)
      for n in 1...150 {
        try retry(n, phone)
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == n)
        try watch.send("acknowledge")
      }
      try server.expectLog("event=storeFailing")
      try server.expectLog("event=storeRecovered")
      watch.close()
      phone.close()
      #expect(try server.terminate() == 0)
    }

    /// Sends transfers one by one until one is refused. Returns its error.
    private func sendUntilRefused(_ phone: LineClient, from n: inout Int) throws -> Line {
      while n < 2_000 {
        let answer = try phone.request(transfer(n))
        if answer.type == "error" { return answer }
        #expect(answer.type == "accepted")
        n += 1
      }
      throw Failure("the disk was never full")
    }

    private func transfer(_ n: Int) -> [String: Any] {
      [
        "type": "transferUserInfo", "n": n,
        "payload": ["n": n, "text": String(repeating: "x", count: 8_000)],
      ]
    }

    /// Retries `n` until it is accepted.
    private func retry(_ n: Int, _ phone: LineClient) throws {
      try eventually("\(n) is accepted") {
        let answer = try phone.request(transfer(n))
        if answer.type == "accepted" { return true }
        #expect(answer.code == 4008, "\(answer)")
        return false
      }
    }

    /// Everything up to `n` comes once and in order.
    private func expectAll(_ n: Int, _ watch: LineClient) throws {
      for expected in 1...n {
        let line = try watch.expect("didReceiveUserInfo")
        #expect(line.payload["n"] as? Int == expected)
      }
      try watch.request(["type": "acknowledge"])
      let state = try watch.request(["type": "getState"])
      #expect((state.object("pending")?["userInfo"] as? Int) == 0, "\(state)")
    }

    private func introduce(_ server: ServerProcess) throws -> LineClient {
      try server.device("watch").close()
      return try server.device("phone")
    }

    @Test(arguments: mechanisms) func recoversWhenThereIsRoom(_ mechanism: Mechanism) throws {
      let disk = mechanism == .fileSystem ? try SmallDisk(scratch.data, in: scratch) : nil
      let server = try ServerProcess(scratch, Self.noQuota, shell: "trap '' XFSZ")
      defer { server.kill() }
      let phone = try introduce(server)
      var n = 1
      while n <= 20 {
        try phone.request(transfer(n))
        n += 1
      }
      // Too little for a single commit, also after a new start of the log; on the file system the
      // database has no room for what the log holds.
      if let disk {
        try disk.fill(leaving: 100_000)
      } else {
        try server.limitFiles(to: Self.little)
      }
      let first = try sendUntilRefused(phone, from: &n)
      // Without the reserve it was under way, so it may yet take effect.
      #expect(first.code == 4008 && first.bool("definite") == (disk != nil), "\(first)")
      let second = try phone.request(transfer(n + 1))
      #expect(second.code == 4008 && second.bool("definite") == true, "\(second)")
      let other = try phone.request(["type": "updateApplicationContext", "payload": ["v": 1]])
      #expect(other.code == 4008 && other.bool("definite") == true, "\(other)")
      // What needs no disk goes on.
      try phone.send("ping")
      try phone.expect("pong")
      try server.expectLog(disk == nil ? "event=storeFailing" : "event=diskFull")

      if let disk { try disk.free() } else { try server.limitFiles(to: nil) }
      for number in n...n + 20 { try retry(number, phone) }
      for number in [1, n - 1, n, n + 20] { try retry(number, phone) }
      let watch = try server.device("watch")
      try expectAll(n + 20, watch)
      try eventually("nothing is outstanding") {
        try phone.request(["type": "outstandingTransfers"]).integer("count") == 0
      }
      watch.close()
      phone.close()
      #expect(try server.terminate() == 0)
    }

    /// Where the disk is to be full, the store may be larger than it.
    private static let noQuota = ["--limits", "storeBytes=1000000000000"]

    /// A store of which nobody says how large it may become leaves some of the disk to others, and one of which somebody
    /// does is no larger: what is new is refused with the limit's name, and what is acknowledged makes room.
    @Test(.enabled(if: mechanisms.contains(.fileSystem)), arguments: [false, true])
    func aQuotaIsKept(isGiven: Bool) throws {
      let disk = try SmallDisk(scratch.data, in: scratch)
      defer { withExtendedLifetime(disk) {} }
      let server = try ServerProcess(
        scratch, ["--admin", "127.0.0.1:0"] + (isGiven ? ["--limits", "storeBytes=5000000"] : []))
      defer { server.kill() }
      let admin = try AdminPort(server, scratch)
      let phone = try introduce(server)
      var n = 1
      let refusal = try sendUntilRefused(phone, from: &n)
      #expect(refusal.code == 4008 && refusal.bool("definite") == true, "\(refusal)")
      #expect(refusal.text.contains("as many as it may (storeBytes)"), "\(refusal)")
      try server.expectLog("event=storeFull")
      let metrics = try admin.metrics()
      let used = try #require(AdminPort.value("watchline_store_used_bytes", in: metrics))
      let quota = try #require(AdminPort.value("watchline_store_quota_bytes", in: metrics))
      #expect(isGiven ? quota == 5_000_000 : quota > 5_000_000)
      #expect(used > quota * 7 / 8)
      #expect(AdminPort.value("watchline_store_failing", in: metrics) == 1)
      #expect(try admin.get("/readyz").contains("as many as it may"))
      var room = statvfs()
      try #require(statvfs(scratch.data, &room) == 0)
      #expect(Int(room.f_bavail) * Int(room.f_frsize) > 500_000)
      let watch = try server.device("watch")
      for expected in 1..<n {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == expected)
        if expected % 10 == 0 { try watch.send(["type": "acknowledge", "seq": expected]) }
      }
      for number in n..<n + 20 { try retry(number, phone) }
      try server.expectLog("event=storeHasRoom")
      #expect(!server.log.contains("event=diskFull"), "\(server.log)")
      watch.close()
      phone.close()
      #expect(try server.terminate() == 0)
    }

    /// On a full disk a watch takes what waits and acknowledges it, and that makes the room with which all
    /// goes on: nobody has to remove anything by hand.
    @Test(.enabled(if: mechanisms.contains(.fileSystem)), arguments: [false, true])
    func drains(afterRestart: Bool) throws {
      let disk = try SmallDisk(scratch.data, in: scratch)
      defer { withExtendedLifetime(disk) {} }
      var server = try ServerProcess(scratch, Self.noQuota)
      defer { server.kill() }
      var phone = try introduce(server)
      var n = 1
      let refusal = try sendUntilRefused(phone, from: &n)
      #expect(refusal.code == 4008 && refusal.bool("definite") == true, "\(refusal)")
      #expect(refusal.text.contains("disk"), "\(refusal)")
      if afterRestart {
        #expect(try server.terminate() == 0)
        server = try ServerProcess(scratch, Self.noQuota)
        phone = try server.device("phone")
        // The log has been moved meanwhile, so there may be room for some.
        let again = try sendUntilRefused(phone, from: &n)
        #expect(again.code == 4008 && again.bool("definite") == true, "\(again)")
      }
      let watch = try server.device("watch")
      for expected in 1..<n {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == expected)
        // Some one by one, the others in tens.
        guard expected < 50 || expected % 10 == 0 || expected == n - 1 else { continue }
        try watch.send(["type": "acknowledge", "seq": expected])
      }
      #expect(!server.log.contains("event=storeFailing"), "\(server.log)")
      for number in n..<n + 20 { try retry(number, phone) }
      try server.expectLog("event=storeHasRoom")
      for expected in n..<n + 20 {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == expected)
      }
      watch.close()
      phone.close()
      #expect(try server.terminate() == 0)
    }

    /// What is acknowledged, or belonged to a forgotten pair, is given back to the disk.
    @Test(arguments: [false, true]) func givesBack(forgets: Bool) throws {
      let server = try ServerProcess(scratch)
      let phone = try introduce(server)
      for n in 1...1_500 { try phone.send(transfer(n)) }
      for _ in 1...1_500 { #expect(try phone.expect("accepted").type == "accepted") }
      if forgets {
        try phone.request(["type": "forgetPair"])
      } else {
        let watch = try server.device("watch")
        for _ in 1...1_500 { try watch.expect("didReceiveUserInfo") }
        try watch.request(["type": "acknowledge"])
        watch.close()
      }
      phone.close()
      func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
      }
      // 12 MB were in it.
      try eventually("the files are small") {
        size(scratch.database) < 2 << 20 && size(scratch.database + "-wal") <= 1 << 20
          && size(scratch.data + "/watchline.log") <= 1 << 20
      }
      #expect(try server.terminate() == 0)
    }

    /// The server is stopped, or killed, while it cannot write.
    @Test(arguments: [SIGTERM, SIGKILL]) func restartsWithRoom(number: Int32) throws {
      let full = try ServerProcess(scratch, shell: "trap '' XFSZ")
      let phone = try introduce(full)
      var n = 1
      while n <= 5 {
        try phone.request(transfer(n))
        n += 1
      }
      try full.limitFiles(to: Self.little)
      _ = try sendUntilRefused(phone, from: &n)
      full.program.signal(number)
      let code = try full.program.exitCode()
      if number == SIGTERM {
        // It could not keep all that it had taken, and says so.
        #expect(code == 1, "\(full.log)")
        #expect(full.log.contains("watchline-server: "), "\(full.log)")
      }
      phone.close()

      let server = try ServerProcess(scratch)
      let again = try server.device("phone")
      let known = again.activation.integer("n")!
      #expect(known == n - 1 || known == n, "\(known)")
      for number in max(1, n - 5)...n + 5 { try retry(number, again) }
      try expectAll(n + 5, try server.device("watch"))
      #expect(try server.terminate() == 0)
    }

    /// A server that cannot even start says why, and starts once it can.
    @Test func cannotStart() throws {
      let server = try ServerProcess(starting: scratch, shell: "trap '' XFSZ; ulimit -f 4")
      #expect(try server.program.exitCode() == 1)
      #expect(server.program.errors.split(separator: "\n").count == 1, "\(server.program.errors)")
      #expect(try ServerProcess(scratch).terminate() == 0)
    }
  }
}
