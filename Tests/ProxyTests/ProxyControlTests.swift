import Testing

@testable import Proxy

/// Commands, and what is wrong with them.
@Suite struct ProxyControlTests {
  @Test(arguments: [
    (#"{"do":"cutt"}"#, "unknown command cutt; did you mean cut?"),
    (
      #"{"does":"cut"}"#, #""do" says what: cut, delay, duplicate, heal, list, oneWay, quit, slice"#
    ),
    ("cut", "not a JSON object: "),
    (#"{"do":"cut","connection":7}"#, #"there is no connection 7; {"do":"list"} shows them"#),
    (#"{"do":"cut","connection":"1"}"#, #""connection" is a connection's number"#),
    (#"{"do":"delay"}"#, #""milliseconds" is a whole number from 0 to 3600000"#),
    (#"{"do":"delay","milliseconds":3600001}"#, #""milliseconds" is a whole number"#),
    (#"{"do":"slice","bytes":-1}"#, #""bytes" is a whole number from 0 to 65536"#),
    (#"{"do":"oneWay"}"#, #""direction" is up (from the client), down or both"#),
    (#"{"do":"oneWay","direction":"up","how":"slow"}"#, #""how" is stall (held back)"#),
    (#"{"do":"duplicate"}"#, #"duplicate is of one "connection""#),
  ])
  func sayWhatIsWrong(line: String, expected: String) {
    var bench = ProxyBench()
    bench.connect()
    let answer = bench.control(line)
    let quoted = expected.replacing("\"", with: "\\\"")
    #expect(answer.hasPrefix(#"{"error":""# + quoted), "\(answer)")
    #expect(bench.proxy.links.count == 1 && bench.reset.isEmpty)
  }

  @Test func blankLinesAreNoCommands() {
    var bench = ProxyBench()
    bench.control("")
    bench.control(" \t\r")
    #expect(bench.lines.isEmpty)
  }

  @Test func whatIsSetForAllHoldsForThoseToCome() {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"delay","milliseconds":30}"#)
    bench.control(#"{"do":"slice","bytes":3,"connection":1}"#)
    bench.connect()
    #expect(bench.proxy.links[1]!.up.slice == 3 && bench.proxy.links[2]!.up.slice == nil)
    #expect(
      bench.proxy.links[1]!.up.delay == 30...30 && bench.proxy.links[2]!.down.delay == 30...30)
    bench.send(1, .client, Array(repeating: 1, count: 20))
    bench.control(#"{"do":"heal"}"#)
    // What waited is due at once.
    bench.advance(to: 0)
    #expect(bench.got(1, .server).count == 20)
    bench.connect()
    #expect(bench.proxy.links[3]!.up.delay == nil)
  }

  @Test func listsWhatThereIs() {
    var bench = ProxyBench()
    bench.connect()
    bench.control(#"{"do":"oneWay","direction":"down"}"#)
    bench.send(1, .server, [1, 2])
    bench.advance(to: 40)
    #expect(
      bench.control(#"{"do":"list"}"#)
        == #"{"re":"list","connections":[{"connection":1,"client":"client","age":40,"#
        + #""up":{"bytes":0,"waiting":0,"state":"flows"},"#
        + #""down":{"bytes":2,"waiting":2,"state":"stall"}}]}"#)
  }

  @Test func quits() {
    var bench = ProxyBench()
    #expect(bench.control(#"{"do":"quit"}"#) == #"{"re":"quit"}"#)
    #expect(bench.hasQuit)
  }
}
