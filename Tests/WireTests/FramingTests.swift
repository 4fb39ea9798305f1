import Testing
import Wire

@Suite struct LineScannerTests {
  @Test func findsTheFirstOfBothAnywhere() {
    for length in 0..<100 {
      for mark in [UInt8(0x0A), 0xFF] {
        for place in 0..<length {
          var bytes = [UInt8](repeating: 0x0B, count: length)
          bytes[place] = mark
          for other in [place, min(place + 1, length - 1), length - 1] where other > place {
            bytes[other] = mark ^ 0xF5
          }
          bytes.withUnsafeBytes { buffer in
            let found = endOfLine(buffer, from: 0)
            #expect(found?.index == place && found?.byte == mark)
          }
        }
      }
    }
  }

  @Test func startsWhereItIsTold() {
    let bytes = Array("a\nb\nc".utf8)
    bytes.withUnsafeBytes { buffer in
      #expect(endOfLine(buffer, from: 1)?.index == 1)
      #expect(endOfLine(buffer, from: 2)?.index == 3)
      #expect(endOfLine(buffer, from: 4) == nil)
      #expect(endOfLine(buffer, from: 5) == nil)
    }
    #expect(endOfLine(UnsafeRawBufferPointer(start: nil, count: 0), from: 0) == nil)
  }

  @Test func everyOtherByteIsPassed() {
    for byte in UInt8(0)...0xFE where byte != 0x0A {
      [UInt8](repeating: byte, count: 41).withUnsafeBytes { #expect(endOfLine($0, from: 0) == nil) }
    }
  }
}

@Suite struct TelnetFilterTests {
  private func run(_ chunks: [ArraySlice<UInt8>]) -> (
    clean: [UInt8], replies: [UInt8], active: Bool
  ) {
    var filter = TelnetFilter()
    var clean: [UInt8] = []
    var replies: [UInt8] = []
    for chunk in chunks {
      chunk.withUnsafeBytes { filter.filter($0, into: &clean, replies: &replies) }
    }
    return (clean, replies, filter.isActive)
  }

  @Test func survivesEverySplit() {
    let input: [UInt8] =
      Array("a".utf8) + [255, 253, 6] + Array("b".utf8) + [255, 255] + [255, 251, 24]
      + [255, 250, 24, 1, 255, 255, 240, 10, 255, 240] + Array("c\n".utf8) + [255, 241]
      + [255, 254, 1, 255, 252, 1, 255, 253, 1, 255, 244, 255, 253, 6] + Array("d".utf8)
    let clean: [UInt8] = [0x61, 0x62, 0xFF, 0x63, 0x0A, 0x64]
    let replies: [UInt8] = [255, 252, 6, 255, 252, 6]
    for first in 0...input.count {
      for second in first...input.count {
        let result = run([input[..<first], input[first..<second], input[second...]])
        #expect(result == (clean, replies, false), "\(first) \(second)")
      }
    }
    #expect(run(input.indices.map { input[$0...$0] }) == (clean, replies, false))
  }

  @Test(
    arguments: [[255], [255, 253], [255, 250], [255, 250, 1], [255, 250, 1, 255]] as [[UInt8]])
  func isActiveWithin(bytes: [UInt8]) { #expect(run([bytes[...]]).active) }

  @Test func aStraySubnegotiationEnds() {
    for extra in [-1, 0, 1] {
      let inside = [UInt8](repeating: 1, count: TelnetFilter.longestSubnegotiation + extra)
      let result = run([([255, 250] + inside)[...]])
      #expect(result.active == (extra < 0))
      #expect(result.clean.count == max(0, extra))
    }
  }
}
