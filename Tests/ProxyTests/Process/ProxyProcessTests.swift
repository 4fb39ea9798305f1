import Foundation
import Testing

/// The built program between real sockets. One at a time, for the machine's sake.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ProxyProcessTests {
  private let server: Socket
  private let port: Int

  init() throws { (server, port) = try Socket.listener() }

  /// A proxy before the test's server, and a connection through it: the client's end and the
  /// server's.
  private func connected(
    _ arguments: [String] = []
  ) throws -> (proxy: RunningProgram, client: Socket, peer: Socket) {
    let (proxy, port) = try RunningProgram.proxy(to: self.port, arguments)
    let client = try Socket(connectingTo: port)
    return (proxy, client, try server.accept())
  }

  @Test(arguments: [
    [], ["--delay", "1..30"], ["--slice", "700"], ["--delay", "0..5", "--slice", "99"],
  ])
  func bytesArriveWholeAndInOrder(arguments: [String]) async throws {
    let (proxy, client, peer) = try connected(arguments)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    Thread.detachNewThread {
      while let some = try? peer.receive() { try? peer.send(some) }
      peer.endOutput()
    }
    Thread.detachNewThread {
      try? client.send(bytes)
      client.endOutput()
    }
    #expect(try client.receiveAll() == bytes)
    withExtendedLifetime(proxy) {}
  }

  @Test func aCutIsSeenByBothSides() throws {
    let (proxy, client, peer) = try connected()
    try client.send("hello")
    try peer.receive(until: "hello")
    #expect(try proxy.ask(#"{"do":"cut","connection":1}"#) == #"{"re":"cut","connections":[1]}"#)
    #expect(throws: Socket.Trouble.reset) { try client.receive() }
    #expect(throws: Socket.Trouble.reset) { try peer.receive() }
  }

  @Test func whatStallsComesLater() throws {
    let (proxy, client, peer) = try connected()
    try proxy.ask(#"{"do":"oneWay","direction":"up"}"#)
    try client.send("held")
    #expect(peer.isQuiet(seconds: 0.3))
    try peer.send("other way")
    try client.receive(until: "other way")
    try proxy.ask(#"{"do":"heal"}"#)
    try peer.receive(until: "held")
  }

  /// Far more than is kept: the client is made to wait, and nothing is lost.
  @Test func aStallMakesTheSenderWait() throws {
    let (proxy, client, peer) = try connected()
    try proxy.ask(#"{"do":"oneWay","direction":"up"}"#)
    let bytes = [UInt8](repeating: 7, count: 30_000_000)
    Thread.detachNewThread {
      try? client.send(bytes)
      client.endOutput()
    }
    Thread.sleep(forTimeInterval: 0.5)
    let list = try proxy.ask(#"{"do":"list"}"#)
    let waiting = try #require(RunningProgram.number("waiting", in: list))
    #expect(200_000...600_000 ~= waiting, "\(list)")
    try proxy.ask(#"{"do":"heal"}"#)
    #expect(try peer.receiveAll().count == bytes.count)
  }

  @Test func theEndOfOneDirectionIsPassedOn() throws {
    let (proxy, client, peer) = try connected()
    try client.send("last")
    client.endOutput()
    #expect(try peer.receiveAll() == Array("last\n".utf8))
    try peer.send("answer")
    try client.receive(until: "answer")
    peer.endOutput()
    #expect(throws: Socket.Trouble.ended) { try client.receive() }
    let line = try proxy.line("the end") { $0.contains("\"event\":\"closed\"") }
    #expect(line.hasSuffix(#""connection":1,"by":"client","up":5,"down":7}"#), "\(line)")
  }

  @Test func aServerThatIsNotThere() throws {
    let gone = try Socket.listener().port
    let (proxy, port) = try RunningProgram.proxy(to: gone)
    let client = try Socket(connectingTo: port)
    #expect(throws: Socket.Trouble.reset) { try client.receive() }
    let line = try proxy.line("the end") { $0.contains("\"event\":\"closed\"") }
    #expect(line.contains(#""by":"server: connection refused""#))
  }

  /// The copy of a device's bytes takes its session over.
  @Test func aDuplicateTakesTheSessionOver() throws {
    let program = try RunningProgram(
      "watchline-server", ["--listen", "127.0.0.1:0", "--data", ":memory:"])
    let ready = try program.line("the ready line") { $0.contains("listening on") }
    let port = try #require(ready.split(separator: ":").last.flatMap { Int($0) })
    let (proxy, entrance) = try RunningProgram.proxy(to: port)
    let device = try Socket(connectingTo: entrance)
    try device.receive(until: "hello")
    try device.send(#"{"type":"activate","pair":"demo","role":"phone"}"#)
    try device.receive(until: "activationDidComplete")
    try proxy.ask(#"{"do":"duplicate","connection":1}"#)
    let text = try device.receive(until: "sessionDidDeactivate")
    #expect(text.contains("replaced"), "\(text)")
    _ = try device.receiveAll()
  }

  // MARK: Leaving

  @Test func aPortInUseIsAFailure() throws {
    let program = try RunningProgram("watchline", ["proxy", "--listen", "127.0.0.1:\(port)"])
    #expect(try program.status() == 1)
    #expect(
      program.said == ["watchline: cannot listen on 127.0.0.1:\(port): address already in use"])
    #expect(program.lines.isEmpty)
  }

  @Test func itEndsWhenAskedTo() throws {
    let (byCommand, _, _) = try connected()
    #expect(try byCommand.ask(#"{"do":"quit"}"#) == #"{"re":"quit"}"#)
    #expect(try byCommand.status() == 0)
    let (bySignal, _, _) = try connected()
    bySignal.terminate()
    #expect(try bySignal.status() == 0)
    let (byInput, _, _) = try connected(["--end-with-input"])
    byInput.endInput()
    #expect(try byInput.status() == 0)
    // Without being asked to it goes on.
    let (other, _, _) = try connected()
    other.endInput()
    Thread.sleep(forTimeInterval: 0.2)
    other.terminate()
    #expect(try other.status() == 0)
  }

  @Test func aSeedTellsItsFaults() throws {
    let (proxy, _) = try RunningProgram.proxy(to: port, ["--seed", "7"])
    let options = try #require(proxy.said.first?.split(separator: " are ").last).description
    let (again, _) = try RunningProgram.proxy(
      to: port, options.split(separator: " ").map(String.init))
    #expect(again.said == proxy.said)
    #expect(proxy.lines[0].contains("\"options\":\"\(options)\""))
  }

  @Test(arguments: [
    ([], "--listen is missing, such as --listen 127.0.0.1:9300"),
    (["--listen", "9300"], "a server is HOST:PORT"),
    (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:0"], "a server is HOST:PORT"),
    (["--listen", "127.0.0.1:0", "--delay", "9..3"], "--delay is two numbers of milliseconds"),
    (["--listen", "127.0.0.1:0", "--cut", "1..2..3"], "--cut is two numbers of milliseconds"),
    (["--listen", "127.0.0.1:0", "--slice", "0"], "--slice is a number from 1 to 65536"),
    (["--listen", "127.0.0.1:0", "--seeds", "1"], "unknown option --seeds"),
  ])
  func badUsage(arguments: [String], message: String) throws {
    let program = try RunningProgram("watchline", ["proxy"] + arguments)
    #expect(try program.status() == 2)
    #expect(program.said.count == 1 && program.said[0].contains(message), "\(program.said)")
  }
}
