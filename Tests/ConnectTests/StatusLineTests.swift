import Testing

@testable import watchline

/// How far long work has come, on a terminal and in a log.
struct StatusLineTests {
  @Test("on a terminal a text takes the place of the one before it, and an empty one takes it away")
  func onTerminal() {
    var line = StatusLine(isTerminal: true, start: 0)
    #expect(line.bytes("seed 1", at: 0) == Array("\r\u{1B}[Kseed 1".utf8))
    #expect(line.bytes("", at: 1) == Array("\r\u{1B}[K".utf8))
  }

  @Test("elsewhere it is a line each 30 s")
  func elsewhere() {
    var line = StatusLine(isTerminal: false, start: 5000)
    #expect(line.bytes("seed 1", at: 34_999) == nil)
    #expect(line.bytes("seed 2", at: 35_000) == Array("seed 2\n".utf8))
    #expect(line.bytes("seed 3", at: 64_999) == nil)
    #expect(line.bytes("", at: 65_000) == nil)
    #expect(line.bytes("seed 4", at: 65_001) == Array("seed 4\n".utf8))
  }
}
