import Foundation
import Testing

extension ProcessTests {
  /// More connections than usual, and more than there may be.
  @Suite struct CrowdTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Lets this process have as many descriptors as it may, and returns how many.
    private static func raiseDescriptors() -> Int {
      var limit = rlimit()
      let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
      getrlimit(resource, &limit)
      limit.rlim_cur = limit.rlim_max
      setrlimit(resource, &limit)
      return Int(clamping: limit.rlim_max)
    }

    @Test func tenThousandIdle() throws {
      let count = min(10_000, Self.raiseDescriptors() - 500)
      let server = try ServerProcess(scratch, data: ":memory:")
      let worker = try server.device("phone")
      let before = server.memory
      var crowd: [LineClient] = []
      for _ in 1...count {
        let client = try server.client()
        #expect(client.hello?.type == "hello")
        crowd.append(client)
      }
      let connected = server.memory
      #expect(try worker.request(["type": "ping"]).type == "pong")
      // Each is a device of its own, every fifth activates.
      let active = stride(from: 0, to: count, by: 5).map { crowd[$0] }
      for (number, client) in active.enumerated() {
        try client.send([
          "type": "activate", "pair": "p\(number / 2)", "role": number % 2 == 0 ? "phone" : "watch",
        ])
      }
      for client in active { try client.expect("activationDidComplete") }
      let activated = server.memory
      let perConnection = (connected - before) / count
      let perSession = (activated - connected) / active.count
      print(
        "\(count) idle connections: \(perConnection) bytes each; "
          + "\(active.count) sessions: \(perSession) bytes more each")
      #expect(perConnection < 16_384)
      #expect(perSession < 32_768)
      #expect(try worker.request(["type": "ping"]).type == "pong")
      #expect(try active.last!.request(["type": "getState"]).type == "state")
      for client in crowd { client.close() }
      try eventually("another one comes in") { (try? server.client().hello?.type) == "hello" }
      worker.close()
      #expect(try server.terminate() == 0)
    }

    @Test func tooManyConnections() throws {
      let server = try ServerProcess(scratch, ["--limits", "connections=3"], data: ":memory:")
      let first = try server.device("phone")
      let second = try server.client()
      let third = try server.client()
      for _ in 1...5 {
        let refused = try server.client()
        #expect(refused.hello?.code == 4_011)
        #expect(try refused.line() == nil)
      }
      #expect(try first.request(["type": "ping"]).type == "pong")
      third.close()
      try eventually("there is a place again") { try server.client().hello?.type == "hello" }
      try second.send("ping")
      try second.expect("pong")
    }

    /// The process has no descriptor left: it says so, and everyone else is served.
    @Test func outOfDescriptors() throws {
      let server = try ServerProcess(scratch, shell: "ulimit -n 128")
      let phone = try server.device("phone")
      let watch = try server.device("watch")
      var crowd: [LineClient] = []
      var served = 0
      // The server keeps refused ones for a moment, to be sure that they read why.
      try eventually("the log says it") {
        for _ in 1...40 {
          guard let client = try? server.client() else { continue }
          if client.hello?.type == "hello" { served += 1 }
          crowd.append(client)
        }
        return server.log.contains("event=acceptFailed")
      }
      #expect(served > 20)
      try phone.request(["type": "transferUserInfo", "payload": ["n": 1]])
      try watch.expect("didReceiveUserInfo")
      for client in crowd { client.close() }
      try eventually("new ones come in") { (try? server.client().hello?.type) == "hello" }
      let late = try server.device("watch", pair: "late")
      #expect(try late.request(["type": "ping"]).type == "pong")
      for client in [phone, watch, late] { client.close() }
      #expect(try server.terminate() == 0)
    }
  }
}
