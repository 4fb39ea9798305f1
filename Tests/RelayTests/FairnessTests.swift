import Foundation
import RelaySupport
import Testing

@testable import Hub
@testable import Relay

/// Nobody waits for what somebody else floods with: work is counted, not time.
@Suite struct FairnessTests {
  private static let floods: [(name: String, line: String)] = [
    ("bad lines", "?"),
    ("blank lines", ""),
    ("unknown words", "frobnicate"),
    ("long unknown words", String(repeating: "frobnicate", count: 100)),
    ("help", "help"),
    ("pings", "ping id=1"),
    ("refused transfers", #"{"type":"transferUserInfo","payload":{"a":null}}"#),
    ("transfers", #"{"type":"transferUserInfo","payload":{"a":1}}"#),
    ("messages", #"{"type":"sendMessage","payload":{"a":1}}"#),
    ("states", "getState"),
    ("digests", "sync.digest"),
  ]

  private let world: World

  init() throws {
    world = try World(hasManualClock: false)
    for pair in ["flood", "quiet"] {
      for role in ["phone", "watch"] {
        world.send("activate pair=\(pair) role=\(role)", on: "\(pair).\(role)")
      }
    }
    world.send("sync.open schema=todoTimers", on: "flood.phone")
    for name in ["flood.phone", "flood.watch", "quiet.phone"] { _ = world.client(name).takeLines() }
  }

  /// The relay gets bytes, as in one read of a socket, and nothing else happens.
  private func read(_ bytes: [UInt8], _ client: Client) {
    bytes.withUnsafeBytes { world.relay.received($0, on: client.connection, now: world.now) }
  }

  private func flood(_ line: String, lines: Int = 3_000) -> [UInt8] {
    let one = Array(line.utf8) + [0x0A]
    var bytes: [UInt8] = []
    for _ in 0..<min(lines, (64 << 10) / one.count) { bytes += one }
    return bytes
  }

  /// Bytes that wait for a connection.
  private func output(_ client: Client) -> Int { world.relay.takeOutput(client.connection).count }

  /// A flood is served a few lines at once; who comes behind it is served before the rest.
  @Test(arguments: floods.map(\.name)) func theNextIsServedBeforeTheRest(_ name: String) {
    let line = Self.floods.first { $0.name == name }!.line
    let (flooder, quiet) = (world.client("flood.phone"), world.client("quiet.phone"))
    let earlier = flooder.connection.lines
    read(flood(line), flooder)
    #expect(world.relay.hasMore)
    #expect(flooder.connection.lines - earlier <= Work.share / Work.line + 1)
    read(Array("ping id=1\n".utf8), quiet)
    #expect(quiet.connection.hasOutput, "the answer waits for nobody")
    // A turn later there is an end again.
    let before = flooder.connection.lines
    world.relay.nextTurn(now: world.now)
    let served = flooder.connection.lines - before
    #expect(served <= Work.turn / 256 + 1)
    read(Array("ping id=2\n".utf8), quiet)
    #expect(output(quiet) > 60, "both pongs")
  }

  /// Whoever waits for its turn is read on until what waits is as much as it may have of a turn; more would only be held.
  @Test func whatWaitsForItsTurnIsBounded() {
    let flooder = world.client("flood.phone")
    var reads = 0
    while world.relay.wantsInput(flooder.connection), reads < 1_000 {
      read(flood("?", lines: 400), flooder)
      reads += 1
    }
    let held = flooder.connection.input.count
    #expect(
      reads > 1 && held >= Work.heldInput && held < Work.heldInput + 800,
      "\(reads) reads, \(held) bytes")
    world.settle()
    _ = flooder.takeLines()
    #expect(world.relay.wantsInput(flooder.connection))
  }

  /// An edit makes the hub work, whatever comes of it: more than a line does.
  @Test(arguments: [
    #"{"type":"sync.edit","kind":"timer","set":{"name":"x","durationInSeconds":300}}"#,
    #"{"type":"sync.edit","kind":"timer","record":"none","delete":true}"#,
    #"{"type":"sync.restore","kind":"timer","record":"none"}"#,
  ])
  func editsCountForMore(_ line: String) {
    let (flooder, quiet) = (world.client("flood.phone"), world.client("quiet.phone"))
    let earlier = flooder.connection.lines
    read(flood(line), flooder)
    #expect(flooder.connection.lines - earlier <= Work.share / Work.edit + 1)
    read(Array("ping id=1\n".utf8), quiet)
    #expect(quiet.connection.hasOutput)
    let before = flooder.connection.lines
    world.relay.nextTurn(now: world.now)
    #expect(flooder.connection.lines - before <= Work.turn / Work.edit + 1)
  }

  /// For a line that is refused the word is looked for that may have been meant.
  @Test(arguments: [
    #"{"type":"help","topic":"~w0a"}"#, "hepl", "{\"type\":\"pong\"}",
    #"{"type":"configure","knobs":{"replyTimeot":1}}"#,
  ])
  func refusalsCountForMore(_ line: String) {
    let flooder = world.client("flood.phone")
    let earlier = flooder.connection.lines
    read(flood(line), flooder)
    #expect(flooder.connection.lines - earlier <= Work.share / Work.refusal + 1)
    let before = flooder.connection.lines
    world.relay.nextTurn(now: world.now)
    #expect(flooder.connection.lines - before <= Work.turn / Work.refusal + 1)
  }

  /// A digest of what has changed makes the hub spell out its view.
  @Test func digestsCountWhatTheyAreMadeOf() {
    let phone = world.client("flood.phone")
    let name = String(repeating: "x", count: 200)
    let edit =
      #"{"type":"sync.edit","kind":"timer","set":{"name":"\#(name)","durationInSeconds":300}}"#
      + "\n"
    world.send(String(repeating: edit, count: 400), on: "flood.phone")
    let earlier = phone.connection.lines
    read(Array("sync.digest\n".utf8) + Array((edit + "sync.digest\n").utf8) + flood("?"), phone)
    #expect(phone.connection.lines - earlier == 1, "130 KB are more than a share")
    world.settle()
  }

  /// A payload that the hub takes is an edit; a list is as many as it has records.
  @Test func wholeRecordsCountAsEdits() {
    world.send("activate pair=bridged role=phone bridge=todoTimers", on: "bridged")
    let bridged = world.client("bridged")
    let delete = #"{"timerID":"58F40000-0000-4000-8000-0000000058F4","type":"deleted"}"#
    let payload = #"{"timerUpdate":"\#(Data(delete.utf8).base64EncodedString())"}"#
    let earlier = bridged.connection.lines
    read(flood(#"{"type":"transferUserInfo","payload":\#(payload)}"#), bridged)
    #expect(world.relay.hasMore)
    #expect(bridged.connection.lines - earlier <= Work.share / Work.edit + 1)
    world.settle()
  }

  /// An answer that waits for a commit is as much work as one that is sent at once.
  @Test func answersThatWaitForACommitCount() {
    let flooder = world.client("flood.phone")
    for _ in 0..<100 {
      world.send(
        #"{"type":"sync.edit","kind":"timer","set":{"name":"x","durationInSeconds":300}}"#,
        on: "flood.phone")
    }
    _ = flooder.takeLines()
    world.holdsCommits = true
    world.send(
      #"{"type":"sync.edit","kind":"timer","set":{"name":"y","durationInSeconds":300}}"#,
      on: "flood.phone")
    let earlier = flooder.connection.lines
    read(flood("sync.view"), flooder)
    #expect(world.relay.hasMore)
    // Each shows more than 10 KB.
    #expect(flooder.connection.lines - earlier <= 1 + Work.share / 10_000)
  }

  /// Many that flood share a turn, in order, and none is forgotten.
  @Test func manyShareATurn() {
    let clients = (0..<500).map { world.open("flood \($0)") }
    world.settle()
    for client in clients { read(flood("?", lines: 400), client) }
    let started = clients.map { $0.connection.lines }
    // Together what a turn has; when that is used up, whoever has more than a line waits for the next one.
    #expect(started.reduce(0, +) <= Work.turn / Work.line + Work.share / Work.line)
    #expect(started.first! > 0 && started.last! == 0)
    let quiet = world.client("quiet.phone")
    read(Array("ping id=1\n".utf8), quiet)
    #expect(output(quiet) > 30, "a line is answered at once")
    var turns = 0
    // To the end of a round.
    while clients.last!.connection.lines < 100 {
      let before = clients.reduce(0) { $0 + $1.connection.lines }
      world.relay.nextTurn(now: world.now)
      let after = clients.reduce(0) { $0 + $1.connection.lines }
      #expect(after - before <= Work.turn / 256 + 64)
      #expect(after > before)
      turns += 1
    }
    let lines = clients.map { $0.connection.lines }
    #expect(lines.max()! - lines.min()! <= 64, "all had their turn")
    world.settle()
    for client in clients { #expect(client.takeLines().count == 1 + 400) }
  }

  /// Those who do not read what they asked for cost nothing while they do not.
  @Test func slowReadersCostNothing() {
    let clients = (0..<200).map { world.open("slow \($0)") }
    world.settle()
    for client in clients {
      client.holdsOutput = true
      world.send(flood("help", lines: 100), from: client)
    }
    let before = clients.reduce(0) { $0 + $1.connection.lines }
    #expect(!world.relay.hasMore)
    for _ in 1...100 { world.send("ping id=1", on: "quiet.phone") }
    #expect(clients.reduce(0) { $0 + $1.connection.lines } == before)
    // One that reads again gets what it asked for, in order and whole.
    let count = clients[0].takeLines().count
    #expect(count > 0)
    world.read("slow 0")
    let text = clients[0].takeLines()
    #expect(text.count > 1_000 && text.allSatisfy { $0.hasPrefix("{\"type\":\"help\"") })
  }

  /// What is held when the input ends, or the server stops, is as ever: carried out, or dropped.
  @Test func theEndOfHeldInput() throws {
    let client = world.open("ends")
    world.settle()
    client.takeAll()
    read(flood("?") + Array("ping id=9".utf8), client)
    world.relay.ended(client.connection, now: world.now)
    world.settle()
    #expect(client.lastLine?.contains("pong") == true)
    #expect(client.isClosed)
    let other = world.open("stopped")
    read(flood("?"), other)
    try world.restart()
    #expect(other.isClosed)
  }
}

extension Client {
  fileprivate func takeAll() { _ = takeLines() }
  fileprivate var lastLine: String? { takeLines().last }
}
