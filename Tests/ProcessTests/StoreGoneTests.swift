import Foundation
import Testing

extension ProcessTests {
  /// Files of the store that are moved, removed, replaced or cut while the server runs: nothing is
  /// `accepted` that is in no store, and the server goes on when the very same files are back.
  @Suite struct StoreGoneTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    enum Mishap: String, CaseIterable {
      case databaseRenamed, logRenamed, folderRenamed, folderReplaced
      case databaseRemoved, logRemoved, folderRemoved, databaseCopied, logCopied, databaseCut,
        logCut

      /// Whether what was done can be undone.
      var canBeUndone: Bool {
        switch self {
        case .databaseRenamed, .logRenamed, .folderRenamed, .folderReplaced: true
        default: false
        }
      }

      /// What the refusals say, among other things.
      var sentence: String {
        switch self {
        case .databaseRenamed, .databaseRemoved: "database was removed or renamed"
        case .logRenamed, .logRemoved: "log was removed or renamed"
        case .folderRenamed, .folderRemoved: "folder was removed or renamed"
        // There is a folder, and nothing in it.
        case .folderReplaced: "database was removed or renamed"
        case .databaseCopied: "another file has taken the place of the store's database"
        case .logCopied: "another file has taken the place of the store's log"
        case .databaseCut: "database was cut"
        case .logCut: "log was cut"
        }
      }
    }

    private var log: String { scratch.data + "/watchline.log" }
    private var away: String { scratch.path + "/away" }

    private func move(_ path: String, _ target: String) throws {
      try FileManager.default.moveItem(atPath: path, toPath: target)
    }

    /// A copy takes the place of a file.
    private func copy(_ path: String) throws {
      try FileManager.default.copyItem(atPath: path, toPath: away)
      try #require(rename(away, path) == 0)
    }

    private func befall(_ mishap: Mishap) throws {
      let manager = FileManager.default
      switch mishap {
      case .databaseRenamed: try move(scratch.database, away)
      case .logRenamed: try move(log, away)
      case .folderRenamed: try move(scratch.data, away)
      case .folderReplaced:
        try move(scratch.data, away)
        try manager.createDirectory(atPath: scratch.data, withIntermediateDirectories: false)
      case .databaseRemoved: try manager.removeItem(atPath: scratch.database)
      case .logRemoved: try manager.removeItem(atPath: log)
      case .folderRemoved: try manager.removeItem(atPath: scratch.data)
      case .databaseCopied: try copy(scratch.database)
      case .logCopied: try copy(log)
      case .databaseCut: try #require(truncate(scratch.database, 16_384) == 0)
      case .logCut: try #require(truncate(log, 600) == 0)
      }
    }

    private func undo(_ mishap: Mishap) throws {
      switch mishap {
      case .databaseRenamed: try move(away, scratch.database)
      case .logRenamed: try move(away, log)
      case .folderRenamed: try move(away, scratch.data)
      case .folderReplaced:
        // Empty still, or this fails.
        try #require(rmdir(scratch.data) == 0)
        try move(away, scratch.data)
      default: throw Failure("\(mishap) cannot be undone")
      }
    }

    private func transfer(_ n: Int) -> [String: Any] {
      ["type": "transferUserInfo", "n": n, "payload": ["n": n]]
    }

    @Test(arguments: Mishap.allCases) func isNoticed(_ mishap: Mishap) throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      for n in 1...20 { #expect(try phone.request(transfer(n)).type == "accepted") }
      watch.close()
      let otherWatch = try server.device("watch", pair: "other")
      let other = try server.device("phone", pair: "other")
      #expect(try other.request(transfer(1)).type == "accepted")
      try otherWatch.expect("didReceiveUserInfo")
      otherWatch.close()

      try befall(mishap)
      let names = scratch.names
      for n in 21...220 {
        let answer = try phone.request(transfer(n))
        #expect(answer.code == 4008 && answer.text.contains(mishap.sentence), "\(answer)")
        // Of the first one nobody can say: it comes where the files come back.
        #expect(answer.bool("definite") == (n > 21), "\(answer)")
      }
      #expect(scratch.names == names, "nothing is made in the store's place")
      try server.expectLog("event=storeFailing")
      try server.expectLog(mishap.sentence)
      // What is on no disk is not needed for this.
      let otherAgain = try server.device("watch", pair: "other")
      #expect(try otherAgain.expect("didReceiveUserInfo").payload["n"] as? Int == 1)

      if mishap.canBeUndone {
        try undo(mishap)
        for n in 22...40 {
          try eventually("\(n) is accepted") { try phone.request(transfer(n)).type == "accepted" }
        }
        let again = try server.device("watch")
        for n in 1...40 {
          #expect(try again.expect("didReceiveUserInfo").payload["n"] as? Int == n)
        }
        try again.request(["type": "acknowledge"])
        again.close()
        try server.expectLog("event=storeRecovered")
      }
      for client in [phone, other, otherAgain] { client.close() }
      // A stop waits five seconds for a failing store, so not all of them are stopped.
      guard mishap.canBeUndone || [.folderRemoved, .logCopied, .databaseCut].contains(mishap) else {
        return
      }
      let code = try server.terminate()
      #expect(code == (mishap.canBeUndone ? 0 : 1), "\(server.log)")
      guard mishap.canBeUndone else {
        #expect(scratch.names == names, "a stop leaves what there is as it is")
        #expect(server.log.contains("isComplete=false"), "\(server.log)")
        return
      }
      let next = try ServerProcess(scratch)
      #expect(try next.device("phone").activation.integer("n") == 40)
      #expect(try next.terminate() == 0)
    }

    /// Nobody sends anything after it: the stop notices.
    @Test(arguments: [Mishap.databaseRemoved, .folderRemoved, .logRemoved])
    func isNoticedAtTheStop(_ mishap: Mishap) throws {
      let server = try ServerProcess(scratch)
      try server.device("watch").close()
      let phone = try server.device("phone")
      #expect(try phone.request(transfer(1)).type == "accepted")
      phone.close()
      try befall(mishap)
      #expect(try server.terminate() == 1)
      #expect(server.log.contains(mishap.sentence), "\(server.log)")
    }

    /// A folder that may not be written to, where the files are open: nothing has gone.
    @Test func permissionsThatChange() throws {
      let server = try ServerProcess(scratch)
      try server.device("watch").close()
      let phone = try server.device("phone")
      for (mode, n) in zip([0o500, 0o400, 0o700] as [mode_t], 1...) {
        try #require(chmod(scratch.database, mode) == 0 && chmod(scratch.data, mode | 0o100) == 0)
        #expect(try phone.request(transfer(n)).type == "accepted")
      }
      phone.close()
      #expect(try server.terminate() == 0)
    }
  }
}
