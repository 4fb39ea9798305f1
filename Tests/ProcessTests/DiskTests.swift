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
      #expect(server.log.contains("event=storeFailing"))
      #expect(server.log.contains("event=storeRecovered"))
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
      let server = try ServerProcess(scratch, shell: "trap '' XFSZ")
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
      // It was under way, so it may yet take effect.
      #expect(first.code == 4008 && first.bool("definite") == false, "\(first)")
      let second = try phone.request(transfer(n + 1))
      #expect(second.code == 4008 && second.bool("definite") == true, "\(second)")
      let other = try phone.request(["type": "updateApplicationContext", "payload": ["v": 1]])
      #expect(other.code == 4008 && other.bool("definite") == true, "\(other)")
      // What needs no disk goes on.
      try phone.send("ping")
      try phone.expect("pong")
      #expect(server.log.contains("event=storeFailing"))

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
