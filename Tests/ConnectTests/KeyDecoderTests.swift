import Testing
import watchline

@Suite struct KeyDecoderTests {
  private func keys(_ chunks: [[UInt8]]) -> [EditorKey] {
    var decoder = KeyDecoder()
    var keys: [EditorKey] = []
    for chunk in chunks { chunk.withUnsafeBytes { decoder.decode($0, into: &keys) } }
    return joined(keys)
  }

  /// Text that was torn is the same text.
  private func joined(_ keys: [EditorKey]) -> [EditorKey] {
    keys.reduce(into: []) { result, key in
      if case .text(let more) = key, case .text(let text)? = result.last {
        result[result.count - 1] = .text(text + more)
      } else {
        result.append(key)
      }
    }
  }

  private static let cases: [(String, [EditorKey])] = [
    ("aå漢😀b", [.text("aå漢😀b")]),
    ("a\u{1B}[Ab\u{1B}OB", [.text("a"), .up, .text("b"), .down]),
    (
      "\u{1B}[1;5D\u{1B}[1;3C\u{1B}[1;2C\u{1B}b\u{1B}f",
      [
        .wordLeft, .wordRight, .right, .wordLeft, .wordRight,
      ]
    ),
    ("\u{1B}[3~\u{1B}[H\u{1B}[4~\u{1B}[F\u{1B}[7~", [.delete, .home, .end, .end, .home]),
    (
      "\u{1}\u{5}\u{3}\u{4}\r\n\t\u{7F}\u{17}",
      [
        .home, .end, .interrupt, .endOfInput, .enter, .enter, .tab, .backspace, .killWordBefore,
      ]
    ),
    (
      "\u{1B}[200~a\tb\r\nc\rd\n\u{3}\u{1B}[201~\t",
      [
        .text("a\tb"), .pastedNewline, .text("c"), .pastedNewline, .text("d"), .pastedNewline, .tab,
      ]
    ),
    ("\u{1B}[99zx\u{1B}[>1;2cy", [.text("xy")]),
    ("\u{1B}\u{1B}[C", [.right]),
  ]

  @Test(arguments: cases.indices)
  func sequencesAreKeysHoweverTheyAreTorn(index: Int) {
    let (text, expected) = Self.cases[index]
    let bytes = Array(text.utf8)
    #expect(keys([bytes]) == joined(expected))
    #expect(keys(bytes.map { [$0] }) == joined(expected))
    for cut in bytes.indices {
      #expect(keys([Array(bytes[..<cut]), Array(bytes[cut...])]) == joined(expected))
    }
  }

  @Test func brokenUTF8IsReplacedAndForgotten() {
    #expect(keys([[0xC3, 0x0D]]) == [.text("\u{FFFD}"), .enter])
    #expect(keys([[0xFF, 0x61]]) == [.text("\u{FFFD}a")])
    #expect(keys([[0x80, 0x80, 0x80, 0x80, 0x61]]).count == 1)
  }
}
