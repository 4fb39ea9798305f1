import Foundation
import Testing

extension ProcessTests {
  /// A data directory that cannot be served is refused with a sentence, and left as it is.
  @Suite struct RefusalTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Leaves a store with something in it.
    private func fill(killed: Bool = false) throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      for n in 1...20 {
        try phone.request(["type": "transferUserInfo", "n": n, "payload": ["n": n]])
      }
      watch.close()
      if killed { server.kill() } else { #expect(try server.terminate() == 0) }
    }

    private func expectRefusal(
      _ words: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let before = scratch.contents
      let server = try ServerProcess(starting: scratch)
      #expect(try server.program.exitCode() == 1, sourceLocation: sourceLocation)
      #expect(server.program.output == "", sourceLocation: sourceLocation)
      let errors = server.program.errors
      #expect(errors.split(separator: "\n").count == 1, "\(errors)", sourceLocation: sourceLocation)
      #expect(errors.contains(scratch.data), "\(errors)", sourceLocation: sourceLocation)
      #expect(errors.contains(words), "\(errors)", sourceLocation: sourceLocation)
      #expect(scratch.contents == before, "touched", sourceLocation: sourceLocation)
    }

    @Test(arguments: [false, true]) func newerDatabase(killed: Bool) throws {
      try fill(killed: killed)
      // The user version is a big-endian number at byte 60 of SQLite's header.
      try scratch.writeDatabase { $0[63] = 99 }
      try expectRefusal("version 99")
    }

    @Test func corruptHeader() throws {
      try fill()
      try scratch.writeDatabase {
        $0.replaceSubrange(0..<16, with: [UInt8](repeating: 7, count: 16))
      }
      try expectRefusal("damaged")
    }

    /// A server that was killed, and whose log somebody has deleted.
    @Test func deletedLog() throws {
      try fill(killed: true)
      try FileManager.default.removeItem(atPath: scratch.data + "/watchline.log")
      try expectRefusal("--accept-loss")
      let server = try ServerProcess(scratch, ["--accept-loss"])
      try server.expectLog("event=lossAccepted store=")
      _ = try server.device("watch")
      let phone = try server.device("phone")
      try phone.request(["type": "transferUserInfo", "n": 1, "payload": ["n": 1]])
      #expect(try server.terminate() == 0)
      let second = try ServerProcess(scratch, ["--accept-loss"])
      #expect(try second.terminate() == 0)
      #expect(!second.log.contains("lossAccepted"))
    }

    @Test func cutShort() throws {
      try fill()
      try scratch.writeDatabase { $0.removeLast($0.count / 2) }
      try expectRefusal("cut short")
    }

    @Test func corruptPage() throws {
      try fill()
      try scratch.writeDatabase { bytes in
        for page in 1..<bytes.count / 4096 {
          let start = page * 4096
          bytes.replaceSubrange(start..<start + 16, with: [UInt8](repeating: 0xEE, count: 16))
        }
      }
      try expectRefusal("damaged")
    }

    @Test func notADatabase() throws {
      try FileManager.default.createDirectory(
        atPath: scratch.data, withIntermediateDirectories: true)
      try Data("shopping list\n".utf8).write(to: URL(fileURLWithPath: scratch.database))
      try expectRefusal("no database")
    }

    @Test func secondServer() throws {
      let server = try ServerProcess(scratch)
      let phone = try server.device("phone")
      let watch = try server.device("watch")
      try phone.request(["type": "transferUserInfo", "n": 1, "payload": ["n": 1]])
      try watch.expect("didReceiveUserInfo")
      try expectRefusal("another process")
      // The first one goes on as if nothing had been.
      try phone.request(["type": "transferUserInfo", "n": 2, "payload": ["n": 2]])
      #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == 2)
      #expect(try server.terminate() == 0)
    }

    @Test func directoryThatCannotBe() throws {
      let server = try ServerProcess(starting: scratch, data: "/proc/watchline/data")
      #expect(try server.program.exitCode() == 1)
      #expect(server.program.errors.contains("/proc/watchline"))
      #expect(server.program.errors.split(separator: "\n").count == 1)
    }
  }
}
