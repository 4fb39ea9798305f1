import Foundation
import Testing

extension ProcessTests {
  /// The log: nobody may be reading it.
  @Suite struct LogTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// As JSON each line is an object, whatever is in it.
    @Test func jsonLines() throws {
      let server = try ServerProcess(
        scratch, ["--log-format", "json", "--log-level", "debug"], data: ":memory:")
      let phone = try server.device("phone", pair: "a \"b\" = c\\")
      try phone.send(["type": "quit"])
      _ = try phone.linesToEnd()
      #expect(try server.terminate() == 0)
      let lines = try server.program.errors.split(separator: "\n").map { line in
        try #require(
          JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      }
      #expect(lines.count > 3)
      #expect(lines.allSatisfy { $0["time"] is String && $0["level"] is String })
      let events = lines.compactMap { $0["event"] as? String }
      #expect(events.count == lines.count && events.last == "stopped")
      #expect(lines.last?["isComplete"] as? Bool == true)
      let accepted = try #require(lines.first { $0["event"] as? String == "accepted" })
      #expect(accepted["connection"] is NSNumber && accepted["peer"] is String)
    }

    /// systemd is told when the server is ready, that it lives, and that it goes.
    @Test func tellsItsSupervisor() throws {
      let path = scratch.path + "/notify"
      let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(receiver) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      #expect(isBound)
      _ = fcntl(receiver, F_SETFL, O_NONBLOCK)
      var told: [String] = []
      func listen() {
        var buffer = [UInt8](repeating: 0, count: 1_000)
        while true {
          let count = recv(receiver, &buffer, buffer.count, 0)
          guard count > 0 else { return }
          told.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
      }
      let server = try ServerProcess(
        scratch, data: ":memory:",
        shell: "export NOTIFY_SOCKET='\(path)' WATCHDOG_USEC=200000 WATCHDOG_PID=$$")
      try eventually("it is ready, and says again and again that it lives") {
        listen()
        return told.count { $0 == "WATCHDOG=1" } >= 4
      }
      #expect(told[0] == "READY=1\nSTATUS=listening on 127.0.0.1:\(server.port)")
      #expect(try server.terminate() == 0)
      listen()
      #expect(told.last == "STOPPING=1")
    }

    /// Its stderr is a pipe that nobody reads until the end. Everyone is served; each line is either
    /// written whole or counted.
    @Test func anUnreadLogStopsNothing() throws {
      let path = scratch.path + "/log"
      guard mkfifo(path, 0o600) == 0 else { throw Failure("mkfifo: errno \(errno)") }
      // Open for both, so that neither side waits for the other.
      let pipe = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      guard pipe >= 0 else { throw Failure("open: errno \(errno)") }
      defer { close(pipe) }
      let server = try ServerProcess(
        scratch, ["--log-level", "debug"], data: ":memory:", shell: "exec 2>\"\(path)\"")
      // Each leaves a line of some 100 bytes: more than the pipe's 64 KiB and what waits in memory.
      let connections = 5_000
      for _ in 1...connections { try server.client().reset() }
      let phone = try server.device("phone")
      #expect(try phone.request(["type": "ping"]).type == "pong")

      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      func read() {
        while true {
          let count = Glibc.read(pipe, &buffer, buffer.count)
          guard count > 0 else { return }
          bytes += buffer[..<count]
        }
      }
      func lines() -> [Substring] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      }
      try eventually("the log says how many lines were dropped") {
        read()
        return lines().contains { $0.contains("event=logDropped lines=") }
      }
      // What comes after there is room again is there again.
      let late = try server.device("watch")
      late.close()
      phone.close()
      server.program.signal(SIGTERM)
      try eventually("the last line is there") {
        read()
        return lines().contains { $0.contains("event=stopped") }
      }
      #expect(try server.program.exitCode() == 0)
      #expect(lines().allSatisfy { $0.hasPrefix("time=") && $0.contains(" event=") })
      let dropped = lines().compactMap { line in
        line.components(separatedBy: "event=logDropped lines=").dropFirst().first.flatMap {
          Int($0)
        }
      }.reduce(0, +)
      let accepted = lines().count { $0.contains("event=accepted") }
      #expect(dropped > 0)
      // A reset may leave lines of its own among those that were dropped.
      #expect(accepted + dropped >= connections + 2, "\(accepted) and \(dropped)")
    }

    /// The server ends in time though its last lines find no reader.
    @Test func anUnreadLogDoesNotHoldTheEndUp() throws {
      let path = scratch.path + "/log"
      guard mkfifo(path, 0o600) == 0 else { throw Failure("mkfifo: errno \(errno)") }
      let pipe = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      guard pipe >= 0 else { throw Failure("open: errno \(errno)") }
      defer { close(pipe) }
      let full = [UInt8](repeating: 0x2E, count: 4_096)
      while Glibc.write(pipe, full, full.count) > 0 {}
      let server = try ServerProcess(scratch, shell: "exec 2>\"\(path)\"")
      #expect(try server.device("phone").activation.integer("n") == 0)
      #expect(try server.terminate() == 0)
    }

    /// Nobody can read it any more.
    @Test func aClosedLogStopsNothing() throws {
      let server = try ServerProcess(scratch, data: ":memory:", shell: "exec 2>&-")
      #expect(try server.device("phone").activation.integer("n") == 0)
      #expect(try server.terminate() == 0)
    }
  }

  /// SIGHUP: what the command line names is read again.
  @Suite struct ReloadTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func write(_ file: String, _ field: String) throws {
      try Data(
        """
        {"schema":"notes","kinds":[{"kind":"note","fields":[{"field":"\(field)","type":"text"}]}]}
        """.utf8
      ).write(to: URL(fileURLWithPath: scratch.path + "/" + file))
    }

    private func digest(_ client: LineClient) throws -> String? {
      try client.request(["type": "sync.open", "schema": "notes"]).string("schemaDigest")
    }

    @Test func hangUpEndsNothing() throws {
      let server = try ServerProcess(scratch, data: ":memory:")
      let phone = try server.device("phone")
      server.program.signal(SIGHUP)
      try eventually("the log says so") { server.log.contains("event=reloaded files=0 changes=0") }
      #expect(try phone.request(["type": "ping"]).type == "pong")
      #expect(try server.terminate() == 0)
    }

    @Test func readsSchemasAgain() throws {
      try write("notes.json", "x")
      let server = try ServerProcess(
        scratch, ["--schema", scratch.path + "/notes.json"], data: ":memory:")
      try write("notes.json", "y")
      server.program.signal(SIGHUP)
      try eventually("it was taken") { server.log.contains("event=schema name=notes is=changed") }
      let phone = try server.device("phone")
      let digest = try digest(phone)

      // In use now.
      try write("notes.json", "z")
      server.program.signal(SIGHUP)
      try eventually("it was refused") {
        server.log.contains("event=reloadRefused error=\"schema notes is in use by pair demo")
      }
      #expect(try self.digest(phone) == digest)

      // No schema at all.
      try Data("{".utf8).write(to: URL(fileURLWithPath: scratch.path + "/notes.json"))
      server.program.signal(SIGHUP)
      try eventually("it was refused") {
        server.log.contains("event=reloadRefused error=\"--schema ")
      }
      #expect(try self.digest(phone) == digest)
      #expect(try server.terminate() == 0)
    }
  }

  /// How many files the process may open.
  @Suite struct DescriptorLimitTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func tooFewAreRefused() throws {
      let server = try ServerProcess(starting: scratch, data: ":memory:", shell: "ulimit -n 70")
      #expect(try server.program.exitCode() == 1)
      #expect(server.log.contains("may open 70 files") && server.log.contains("ulimit -n"))
      #expect(server.log.split(separator: "\n").count == 1, "\(server.log)")
    }

    @Test func fewAreSaid() throws {
      let server = try ServerProcess(scratch, data: ":memory:", shell: "ulimit -n 128")
      #expect(try server.terminate() == 0)
      #expect(server.log.contains("level=info event=fewDescriptors connections=64 wanted=100000"))
      let asked = try ServerProcess(
        scratch, ["--limits", "connections=65", "--log-level", "error"], data: ":memory:",
        shell: "ulimit -n 128")
      #expect(try asked.terminate() == 0)
      #expect(asked.log.contains("level=error event=fewDescriptors connections=64 wanted=65"))
      let enough = try ServerProcess(
        scratch, ["--limits", "connections=64"], data: ":memory:", shell: "ulimit -n 128")
      #expect(try enough.terminate() == 0)
      #expect(!enough.log.contains("fewDescriptors"))
    }
  }
}
