import Testing
import Wire
import watchline

@Suite struct LineTests {
  private func lines(_ chunks: [[UInt8]]) -> (lines: [String], rest: String) {
    var splitter = LineSplitter()
    var lines: [String] = []
    for chunk in chunks {
      let isShort = chunk.withUnsafeBytes {
        splitter.split($0) { line in
          lines.append(String(decoding: line, as: UTF8.self))
          return true
        }
      }
      #expect(isShort)
    }
    return (lines, String(decoding: splitter.takeRest(), as: UTF8.self))
  }

  @Test func chunksAreCutAtEveryByte() {
    let text = Array("one\n\ntwo å\r\nthree".utf8)
    for cut in 0...text.count {
      let (lines, rest) = lines([Array(text[..<cut]), Array(text[cut...])])
      #expect(lines == ["one\n", "\n", "two å\r\n"])
      #expect(rest == "three")
    }
    #expect(self.lines(text.map { [$0] }).lines.count == 3)
  }

  @Test func linesAtOnce() {
    var splitter = LineSplitter()
    #expect(splitter.lines(in: "one\n\ntw".utf8) == [Array("one".utf8), []])
    #expect(splitter.restCount == 2)
    #expect(splitter.lines(in: "o\n".utf8) == [Array("two".utf8)])
    #expect(splitter.restCount == 0 && splitter.takeRest() == [])
  }

  @Test func deliveriesAreNumberedByLane() {
    #expect(summary(#"{"type":"didReceiveUserInfo"}"#).delivery == nil)
    #expect(summary(#"{"type":"hello","seq":1}"#).delivery == nil)
    var deliveries = Deliveries()
    #expect(deliveries.acknowledgements.isEmpty)
    for line in [
      #"{"type":"didReceiveUserInfo","seq":1}"#, #"{"type":"fileChunk","seq":7,"last":true}"#,
      #"{"type":"didReceiveUserInfo","seq":3,"isCurrentComplicationInfo":false}"#,
      #"{"type":"didReceiveUserInfo","seq":2,"isCurrentComplicationInfo":true}"#,
    ] {
      if let number = summary(line).delivery { deliveries.shown(number) }
    }
    #expect(
      String(decoding: deliveries.acknowledgements, as: UTF8.self) == """
        {"type":"acknowledge","lane":"userInfo","seq":3}
        {"type":"acknowledge","lane":"file","seq":7}
        {"type":"acknowledge","lane":"complication","seq":2}

        """)
  }

  @Test func theRestIsDroppedWhenAsked() {
    var splitter = LineSplitter()
    var count = 0
    _ = Array("a\nb\nc\nd".utf8).withUnsafeBytes {
      splitter.split($0) { _ in
        count += 1
        return count < 2
      }
    }
    #expect(count == 2)
    #expect(splitter.takeRest() == [])
  }

  @Test func aLineHasALimit() {
    var splitter = LineSplitter()
    let chunk = [UInt8](repeating: 0x78, count: LineSplitter.longestLine)
    var isShort = chunk.withUnsafeBytes { splitter.split($0) { _ in true } }
    #expect(isShort)
    isShort = chunk.prefix(1).withUnsafeBytes { splitter.split($0) { _ in true } }
    #expect(!isShort)
  }

  private func summary(_ line: String) -> LineSummary {
    var envelope = Envelope()
    return Array(line.utf8).withUnsafeBytes { LineSummary($0, &envelope) }
  }

  @Test func linesAreSummedUp() {
    #expect(summary(#"{"type":"accepted","re":1}"# + "\n") == LineSummary(type: "accepted"))
    #expect(summary(#"{"re":1}"#).type == nil)
    #expect(summary("nonsense").type == nil)
    #expect(
      summary(#"{"type":"error","code":7007,"name":"notReachable","message":"A \"b\"."}"#).error
        == #"7007 notReachable: A "b"."#)
    #expect(summary(#"{"type":"sessionDidDeactivate","reason":"replaced"}"#).reason == "replaced")
  }

  @Test(
    arguments: [
      ("quit", "quit"), ("  quit ", "quit"), (#"{"type":"quit"}"#, "quit"),
      (" activate pair=p role=phone", "activate"), ("?", nil), ("", nil), (#"{"type":1}"#, nil),
    ] as [(String, String?)])
  func sentLinesMayBeWords(line: String, type: String?) {
    var envelope = Envelope()
    #expect(LineSummary(sent: line, &envelope).type == type)
  }
}
