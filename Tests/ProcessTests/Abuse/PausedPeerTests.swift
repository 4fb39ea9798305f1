import Foundation
import Testing

extension ProcessTests {
  /// A peer that takes nothing for a while, as one that a debugger has paused.
  @Suite struct PausedPeerTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Asks for more than the kernels hold and does not read for four times as long as a dead peer is
    /// given. Returns whether the connection goes on afterwards.
    private func goesOn(_ limits: String) throws -> Bool {
      let server = try ServerProcess(scratch, ["--limits", limits], data: ":memory:")
      let client = try server.client(receiveBuffer: 4_096)
      let count = 200
      let request = Array(String(repeating: "help\n", count: count).utf8)
      try client.send(bytes: request, readsMeanwhile: false)
      sleep(4)
      try? client.send("ping id=1")
      while let line = try client.line() {
        if line.type == "pong" { return true }
      }
      return false
    }

    @Test func isNotCutOnTheLoopback() throws {
      #expect(try goesOn("keepalive=1,waitingOutput=100000000"))
    }

    @Test func isCutWhereThatIsAsked() throws {
      #expect(try !goesOn("loopbackKeepalive=1,waitingOutput=100000000"))
    }
  }
}
