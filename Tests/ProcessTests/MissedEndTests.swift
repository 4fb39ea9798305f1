import Foundation
import Testing

extension ProcessTests {
  /// `mayHaveMissedDidFinish` where a real kernel confirms.
  @Suite struct MissedEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func isMissed(_ client: LineClient) -> Bool {
      client.activation.bool("mayHaveMissedDidFinish") == true
    }

    /// A client that ends in order, however fast, never has to ask.
    @Test(arguments: ["quit", "deactivate", "end", "stop"]) func cleanEnds(_ way: String) throws {
      var server = try ServerProcess(scratch)
      for round in 1...(way == "stop" ? 3 : 20) {
        let watch = try server.device("watch")
        let phone = try server.device("phone")
        #expect(!isMissed(phone), "round \(round)")
        #expect(!isMissed(watch), "round \(round)")
        try phone.send(["type": "transferUserInfo", "payload": ["a": round]])
        let seq = try watch.expect("didReceiveUserInfo").integer("seq")!
        try watch.send(["type": "acknowledge", "seq": seq])
        switch way {
        case "quit":
          try phone.expect("didFinishUserInfoTransfer")
          try phone.send("quit")
          _ = try phone.linesToEnd()
        case "deactivate":
          try phone.expect("didFinishUserInfoTransfer")
          try phone.send("deactivate")
          try phone.expect("sessionDidDeactivate")
        case "end":
          try phone.expect("didFinishUserInfoTransfer")
          phone.endOutput()
          _ = try phone.linesToEnd()
        default:
          try phone.expect("didFinishUserInfoTransfer")
          server.program.signal(SIGTERM)
          _ = try phone.linesToEnd()
          #expect(try server.program.exitCode() == 0)
          server = try ServerProcess(scratch)
        }
        try watch.send("quit")
        _ = try? watch.linesToEnd()
      }
    }

    @Test func killedServer() throws {
      var server = try ServerProcess(scratch)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      try phone.request(["type": "transferUserInfo", "payload": ["a": 1]])
      try watch.expect("didReceiveUserInfo")
      try watch.send("acknowledge")
      try phone.expect("didFinishUserInfoTransfer")
      server.kill()
      server = try ServerProcess(scratch)
      let again = try server.device("phone")
      #expect(isMissed(again))
      try again.send("quit")
      _ = try again.linesToEnd()
      #expect(try !isMissed(server.device("phone")))
    }

    /// The client's program goes without having read: its kernel resets the connection.
    @Test func unread() throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      try phone.send(["type": "transferUserInfo", "payload": ["a": 1]])
      try watch.expect("didReceiveUserInfo")
      try watch.request(["type": "acknowledge"])
      phone.reset()
      #expect(try isMissed(server.device("phone")))
    }
  }
}
