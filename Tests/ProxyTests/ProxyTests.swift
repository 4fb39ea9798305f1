import Seeded
import Testing

@testable import Proxy

/// What a proxy decides, without sockets.
@Suite struct ProxyTests {
  /// Whatever is delayed and sliced, each side gets what the other has sent, and then its end.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func bytesArriveWholeAndInOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed, stream: 0)
    var faults = ProxyFaults()
    if seed % 3 != 0 { faults.delay = 0...Int.random(in: 0...90, using: &random) }
    if seed % 3 != 1 { faults.slice = [1, 7, 300, 5000].randomElement(using: &random)! }
    var bench = ProxyBench(faults, seed: seed)
    bench.accepts = seed % 2 == 0
    bench.connect()
    var sent: [Side: [UInt8]] = [.client: [], .server: []]
    for step in 0..<Int.random(in: 1...30, using: &random) {
      if step == 4 {
        bench.proxy.connected(1, now: bench.now)
        bench.settle()
      }
      // A server that has not accepted sends nothing.
      let isClient = step < 4 && !bench.accepts || Bool.random(using: &random)
      let side: Side = isClient ? .client : .server
      let bytes = (0..<Int.random(in: 1...4000, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      sent[side]! += bytes
      bench.send(1, side, bytes)
      bench.advance(to: bench.now + Int.random(in: 0...40, using: &random))
    }
    bench.proxy.connected(1, now: bench.now)
    bench.end(1, .client)
    bench.end(1, .server)
    bench.advance(to: bench.now + 100_000)
    #expect(bench.got(1, .server) == sent[.client])
    #expect(bench.got(1, .client) == sent[.server])
    #expect(bench.shutDown.sorted() == ["1 client", "1 server"])
    #expect(bench.closed == ["1 client", "1 server"])
    #expect(bench.proxy.links.isEmpty && bench.proxy.deadline == nil)
  }

  @Test func delayAndSliceDoSomething() {
    var bench = ProxyBench(ProxyFaults(delay: 50...50, slice: 10))
    bench.connect()
    bench.send(1, .client, Array(repeating: 1, count: 1000))
    bench.advance(to: 49)
    #expect(bench.got(1, .server).isEmpty)
    bench.advance(to: 10_000)
    #expect(bench.got(1, .server).count == 1000)
    #expect(bench.writes > 100)
  }

  @Test func aSideThatTakesNothingStopsTheOther() {
    var bench = ProxyBench()
    bench.takes = false
    bench.connect()
    var sent = 0
    while bench.reading.contains("1 client") {
      bench.send(1, .client, Array(repeating: 0, count: 40_000))
      sent += 40_000
      #expect(sent < 1_000_000)
    }
    #expect(bench.proxy.links[1]!.up.waiting < Flow.mostWaiting + 40_000)
    #expect(bench.reading.contains("1 server"))
    bench.takes = true
    bench.proxy.wrote(1, .server, now: 0)
    bench.settle()
    #expect(bench.got(1, .server).count == sent)
    #expect(bench.reading.contains("1 client"))
  }

  @Test(arguments: [-1, 0])
  func theReadingStopsAtTheLimit(offset: Int) {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"oneWay","direction":"up"}"#)
    bench.send(1, .client, Array(repeating: 0, count: Flow.mostWaiting + offset))
    #expect(bench.reading.contains("1 client") == (offset < 0))
  }

  @Test func aCutIsSeenByBothSides() {
    var bench = ProxyBench(ProxyFaults(delay: 100...100))
    bench.connect()
    bench.connect()
    bench.send(1, .client, [1])
    #expect(bench.control(#"{"do":"cut","connection":1}"#) == #"{"re":"cut","connections":[1]}"#)
    #expect(bench.reset == ["1 client", "1 server"])
    #expect(
      bench.lines.contains(#"{"event":"closed","at":0,"connection":1,"by":"cut","up":1,"down":0}"#))
    bench.advance(to: 1000)
    #expect(bench.got(1, .server).isEmpty)
    #expect(bench.proxy.links.keys.sorted() == [2])
  }

  @Test func whatStallsComesLater() {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"oneWay","direction":"up","how":"stall"}"#)
    bench.send(1, .client, [1, 2])
    bench.end(1, .client)
    bench.send(1, .server, [9])
    #expect(bench.got(1, .server).isEmpty && bench.shutDown.isEmpty)
    #expect(bench.got(1, .client) == [9])
    #expect(bench.proxy.deadline == nil)
    bench.control(#"{"do":"heal"}"#)
    #expect(bench.got(1, .server) == [1, 2])
    #expect(bench.shutDown == ["1 server"])
  }

  @Test func whatIsSwallowedIsGone() {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"oneWay","direction":"up","how":"swallow"}"#)
    bench.send(1, .client, Array(repeating: 0, count: 10_000_000))
    #expect(bench.reading.contains("1 client"))
    #expect(bench.proxy.links[1]!.up.waiting == 0)
    bench.end(1, .client)
    #expect(bench.shutDown.isEmpty)
    bench.send(1, .server, [9])
    #expect(bench.got(1, .client) == [9])
    // A stream with a hole in it does not go on.
    bench.control(#"{"do":"heal","connection":1}"#)
    #expect(bench.reset == ["1 client", "1 server"])
    #expect(bench.got(1, .server).isEmpty)
  }

  /// The server does not learn that a client is gone whose direction has stopped.
  @Test func aHalfOpenConnectionStaysWithTheServer() {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"oneWay","direction":"up","how":"stall"}"#)
    bench.fail(1, .client)
    #expect(bench.reset.isEmpty && bench.closed.isEmpty)
    bench.send(1, .server, [1])
    #expect(bench.got(1, .client).isEmpty)
    #expect(bench.proxy.deadline == nil)
    bench.control(#"{"do":"heal"}"#)
    #expect(bench.reset == ["1 server"])
  }

  @Test func afailureEndsTheOtherSide() {
    var bench = ProxyBench()
    bench.accepts = false
    bench.connect()
    bench.fail(1, .server)
    #expect(bench.reset == ["1 client"])
    #expect(bench.lines.last?.contains(#""by":"server: reset""#) == true)
  }

  // MARK: Copies

  @Test func aCopySendsWhatItsOriginalSends() {
    var bench = ProxyBench()
    bench.connect()
    bench.send(1, .client, [1, 2])
    bench.control(#"{"do":"duplicate","connection":1}"#)
    #expect(bench.lines.contains(#"{"event":"duplicated","at":0,"connection":2,"of":1}"#))
    bench.send(1, .client, [3])
    #expect(bench.got(2, .server) == [1, 2, 3])
    bench.send(2, .server, [7])
    #expect(bench.got(1, .client).isEmpty)
    // The server ends the one that was taken over, and then the client does.
    bench.end(1, .server)
    bench.end(1, .client)
    #expect(bench.closed == ["1 client", "1 server", "2 server"])
    #expect(bench.proxy.links.isEmpty)
  }

  @Test(arguments: [-1, 0, 1])
  func aCopyNeedsAllThatWasSent(offset: Int) {
    var bench = ProxyBench()
    bench.connect()
    let count = Link.longestPrefix + offset
    bench.send(1, .client, Array(repeating: 0, count: count))
    let answer = bench.control(#"{"do":"duplicate","connection":1}"#)
    #expect(answer.contains("error") == (offset > 0), "\(answer)")
    #expect(bench.got(2, .server).count == (offset > 0 ? 0 : count))
  }

  @Test func aCopyThatTakesNothingStopsTheClient() {
    var bench = ProxyBench()
    bench.connect()
    bench.accepts = false
    bench.control(#"{"do":"duplicate","connection":1}"#)
    bench.send(1, .client, Array(repeating: 0, count: Flow.mostWaiting))
    #expect(!bench.reading.contains("1 client"))
    bench.fail(2, .server)
    #expect(bench.reading.contains("1 client"))
  }

  @Test(arguments: [-1, 0])
  func thereIsALimitOfConnections(offset: Int) {
    var bench = ProxyBench()
    for _ in 0..<Proxy.mostConnections + offset { bench.connect() }
    #expect((bench.connect() == nil) == (offset == 0))
    #expect(bench.lines.last?.contains("refused") == (offset == 0))
  }
}
