import Relay
import RelaySupport
import Testing

/// Clients of HTTP and TLS: one error, and nothing behind it is carried out, wherever TCP cuts.
@Suite struct OtherProtocolTests {
  private static let body =
    "\r\nHost: 127.0.0.1:9282\r\nContent-Length: 99\r\n\r\nactivate pair=p role=phone\n"
    + "{\"type\":\"forgetPair\"}\nping id=1\n"

  static let openings: [String] = [
    "POST / HTTP/1.1", "GET /a?b={\"c\":1} HTTP/1.0", "post / http/1.1", "OPTIONS * HTTP/1.1",
    "PRI * HTTP/2.0", "M-SEARCH * HTTP/1.1", "get\t/\tHTTP/1.1", "help / HTTP/1.1",
    "help topic HTTP/1.1", "activate pair=p HTTP/1.1", "x-y /a b HTTP/1.1",
    "!#$ / HTTP/1.1", "CONNECT a:443 HTTP/1.1", "GET http://a/ HTTP/1.1",
    "\r\nPOST / HTTP/1.1",
  ]

  private func check(_ bytes: [UInt8], _ cut: Int, _ name: String) throws {
    let world = try World()
    let client = world.open("a")
    world.settle()
    let hello = client.takeLines()
    #expect(hello.count == 1)
    world.send(Array(bytes[..<cut]), from: client)
    if !client.isClosed { world.send(Array(bytes[cut...]), from: client) }
    let lines = client.takeLines()
    #expect(lines.count == 1, "\(lines), cut after \(cut)")
    #expect(lines.first?.contains("\"code\":4001") == true)
    #expect(lines.first?.contains("no \(name)") == true, "\(lines)")
    #expect(client.isClosed)
    #expect(world.relay.pairsInMemory == 0)
  }

  @Test(arguments: openings) func http(_ opening: String) throws {
    let bytes = Array((opening + Self.body).utf8)
    for cut in 0...bytes.count { try check(bytes, cut, "HTTP") }
  }

  /// The line is longer than any: its end is not waited for.
  @Test func longTarget() throws {
    var limits = Limits()
    limits.line = 200
    let bytes = Array(
      ("POST /" + String(repeating: "a", count: 300) + " HTTP/1.1" + Self.body).utf8)
    for cut in 0...bytes.count {
      let world = try World(limits: limits)
      let client = world.open("a")
      world.settle()
      _ = client.takeLines()
      world.send(Array(bytes[..<cut]), from: client)
      if !client.isClosed { world.send(Array(bytes[cut...]), from: client) }
      let lines = client.takeLines()
      #expect(lines.count == 1 && lines[0].contains("\"code\":4001"), "\(lines), cut after \(cut)")
      #expect(client.isClosed && world.relay.pairsInMemory == 0)
    }
  }

  /// A ClientHello has any bytes, those of lines and of telnet too.
  @Test func tls() throws {
    let bytes: [UInt8] =
      [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x0A, 0xFF, 0xFD, 0x06, 0x0A, 0xFF, 0xFF]
      + Array(Self.body.utf8)
    for cut in 0...bytes.count { try check(bytes, cut, "TLS") }
  }

  /// What a person may type goes on, and so does whoever has a session.
  @Test func othersGoOn() throws {
    let world = try World()
    for line in ["HTTP/1.1", "help HTTP/1.1", "GET /", "POST / HTTP", "POST / HTTP/", "\u{16}"] {
      let client = world.open("a")
      world.send(line, on: "a")
      world.send("ping id=1", on: "a")
      #expect(client.takeLines().last?.contains("pong") == true, "\(line)")
    }
    var limits = Limits()
    limits.line = 200
    let small = try World(limits: limits)
    for line in ["activate pair=", "{\"type\":\"", "word"] {
      let client = small.open("a")
      small.send(line + String(repeating: "a", count: 300), on: "a")
      small.send("ping id=1", on: "a")
      let lines = client.takeLines()
      #expect(lines.dropFirst().first?.contains("\"code\":4005") == true, "\(lines)")
      #expect(lines.last?.contains("pong") == true, "\(line)")
    }
    world.send("activate pair=p role=phone", on: "b")
    world.send("GET / HTTP/1.1", on: "b")
    world.send("ping id=2", on: "b")
    #expect(world.client("b").takeLines().last?.contains("pong") == true)
  }
}
