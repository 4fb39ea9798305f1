import Relay
import RelaySupport
import Testing

/// What bytes alone can show.
@Suite struct LineTests {
  /// Only IAC DO TIMING-MARK is answered: IAC WONT TIMING-MARK, before the lines after it.
  @Test func timingMark() throws {
    let world = try World()
    let bytes: [UInt8] = Array("ping id=1\npi".utf8) + [255, 253, 6] + Array("ng id=2\n".utf8)
    for cut in 0...bytes.count {
      let client = world.open("a")
      _ = client.takeLines()
      world.send(Array(bytes[..<cut]), on: "a")
      world.send(Array(bytes[cut...]), on: "a")
      let lines = client.lines
      #expect(lines.count == 2)
      #expect(Array(lines[1].prefix(3)) == [255, 252, 6])
      #expect(String(decoding: lines[1].dropFirst(3), as: UTF8.self).contains("\"re\":2"))
    }
  }

  /// Telnet's bytes count also while a line has to wait.
  @Test func telnetWhileBlocked() throws {
    let world = try World()
    let bytes: [UInt8] =
      Array("activate pair=p role=phone\npi".utf8) + [255, 251, 31]
      + Array("ng id=2\nping id=3\n".utf8)
    for cut in 0...bytes.count {
      let client = world.open("a")
      world.holdsCommits = true
      world.send(Array(bytes[..<cut]), on: "a")
      world.send(Array(bytes[cut...]), on: "a")
      world.holdsCommits = false
      world.settle()
      let pongs = client.takeLines().filter { $0.contains("pong") }
      #expect(pongs.count == 2, "cut after \(cut)")
      world.close("a")
    }
  }

  /// A chunk that was read before the caller saw that the line before it waits.
  @Test func telnetWithinHeldInput() throws {
    let world = try World()
    let client = world.open("a")
    world.holdsCommits = true
    for chunk in [
      [255], [251, 31] + Array("activate pair=p role=phone\npi".utf8) + [255], [251, 31],
    ]
      + [Array("ng id=2\n".utf8)] as [[UInt8]]
    {
      chunk.withUnsafeBytes {
        world.relay.received($0, on: client.connection, now: world.now)
      }
    }
    world.holdsCommits = false
    world.settle()
    #expect(client.takeLines().last?.contains("pong") == true)
  }
}
