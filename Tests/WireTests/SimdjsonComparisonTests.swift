import Seeded
import ScannerComparison
import Testing
import Wire

/// See `ScannerComparison`.
@Suite struct SimdjsonComparisonTests {
  @Test func agreesOnAGeneratedCorpus() {
    var documents = DocumentGenerator(random: SplitMix64(seed: 20_261_121))
    var envelope = Envelope()
    var counts: [ScannerComparison.Verdict: Int] = [:]
    for _ in 0..<50_000 {
      let document = documents.valid()
      let variants = [
        document, documents.mutated(document), documents.mutated(document), documents.broken(),
      ]
      for text in variants {
        guard let verdict = ScannerComparison.compare(text, &envelope) else {
          Issue.record("differ on \(String(decoding: text, as: UTF8.self)): \(text)")
          return
        }
        counts[verdict, default: 0] += 1
      }
    }
    // Each kind must have come up, or the corpus proves less than it says.
    for verdict in ScannerComparison.Verdict.allCases {
      #expect(counts[verdict, default: 0] > 100, "\(counts)")
    }
    #expect(counts.values.reduce(0, +) == 200_000)
    #expect(counts[.bothAccept, default: 0] > 50_000 && counts[.bothRefuse, default: 0] > 50_000)
  }

  /// Every pair of bytes inside a string, and every lead with every second byte of longer ones.
  @Test func agreesOnUTF8() {
    var envelope = Envelope()
    for first in UInt8(0)...255 {
      for second in UInt8(0)...255 {
        for tail in [[], [0x80], [0x80, 0x80]] as [[UInt8]] {
          let document = Array("{\"a\":\"".utf8) + [first, second] + tail + Array("\"}".utf8)
          let verdict = ScannerComparison.compare(document, &envelope)
          if verdict == nil { Issue.record("differ on \(document)") }
        }
      }
    }
  }

  @Test func agreesOnSurrogates() {
    var envelope = Envelope()
    let units = ["0041", "d7ff", "d800", "DBFF", "dc00", "DFFF", "e000", "\\n", "", "x"]
    for first in units {
      for second in units {
        for third in units {
          let text = [first, second, third].map { $0.count == 4 ? "\\u" + $0 : $0 }.joined()
          let document = Array("{\"a\":\"\(text)\"}".utf8)
          if ScannerComparison.compare(document, &envelope) == nil {
            Issue.record("differ on \(text)")
          }
        }
      }
    }
  }
}

/// Documents from a seed: most of what JSON can say in small.
struct DocumentGenerator {
  var random: SplitMix64

  private static let names = [
    "type", "id", "a", "b", "payload", "\\u0061", "é", "", "$data", "n", "x-y",
  ]
  private static let strings: [[UInt8]] = [
    "", "a", "plain text", "a longer piece of plain text, over thirty-two bytes", "é", "会議", "🙂",
    "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude42", "\\u00e9", "\\/", "Заметка о встрече", "]}",
  ].map { Array($0.utf8) }
  private static let scalars: [[UInt8]] = [
    "0", "-1", "12345", "9223372036854775807", "18446744073709551615", "1.5", "-0.25e-3", "1E10",
    "true", "false", "null", "-0", "1e308", "123456789012345678901234567890", "1e400",
  ].map { Array($0.utf8) }
  private static let fragments: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "nul", "0", "-", ".",
      "e", " ",
      "\n", "\u{0}", "\u{1F}", "\u{FEFF}", "\u{7F}", "{}", "//", "é", "\\x",
    ].map { Array($0.utf8) } + [
      [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0xED, 0xA0, 0x80], [0xFF], [0xC0, 0x80],
    ]

  mutating func valid() -> [UInt8] {
    var text: [UInt8] = []
    if random.below(50) == 0 { value(&text, 2) } else { object(&text, 0, random.below(30)) }
    return text
  }

  private mutating func blank(_ text: inout [UInt8]) {
    if random.below(12) == 0 { text.append([0x20, 0x09, 0x0A, 0x0D][random.below(4)]) }
  }

  private mutating func object(_ text: inout [UInt8], _ depth: Int, _ seed: Int) {
    text.append(0x7B)
    let count = random.below(5)
    for index in 0..<count {
      if index > 0 { text.append(0x2C) }
      blank(&text)
      text.append(0x22)
      // Mostly different names, for a repeated one ends the comparison of that document.
      let name =
        random.below(8) == 0 ? random.below(Self.names.count) : (seed + index) % Self.names.count
      text.append(contentsOf: Self.names[name].utf8)
      text.append(0x22)
      blank(&text)
      text.append(0x3A)
      value(&text, depth + 1)
    }
    text.append(0x7D)
    blank(&text)
  }

  private mutating func value(_ text: inout [UInt8], _ depth: Int) {
    blank(&text)
    switch random.below(depth > 6 ? 6 : 10) {
    case 0...2:
      let last = random.below(40) == 0 ? Self.scalars.count : Self.scalars.count - 2
      text.append(contentsOf: Self.scalars[random.below(last)])
    case 3...5:
      text.append(0x22)
      for _ in 0..<random.below(4) {
        text.append(contentsOf: Self.strings[random.below(Self.strings.count)])
      }
      text.append(0x22)
    case 6...7: object(&text, depth, random.below(30))
    default:
      text.append(0x5B)
      for index in 0..<random.below(4) {
        if index > 0 { text.append(0x2C) }
        value(&text, depth + 1)
      }
      blank(&text)
      text.append(0x5D)
    }
    blank(&text)
  }

  /// One to three edits: a byte flipped, replaced, removed, or doubled; a cut; a piece put in.
  mutating func mutated(_ document: [UInt8]) -> [UInt8] {
    var text = document
    for _ in 0...random.below(3) {
      guard !text.isEmpty else { break }
      let place = random.below(text.count)
      switch random.below(6) {
      case 0: text[place] ^= 1 << UInt8(random.below(8))
      case 1: text[place] = UInt8(random.below(256))
      case 2: text.remove(at: place)
      case 3: text.removeSubrange(place...)
      case 4: text.insert(text[place], at: place)
      default:
        text.insert(contentsOf: Self.fragments[random.below(Self.fragments.count)], at: place)
      }
    }
    return text
  }

  /// A string of random pieces of UTF-8, whole and broken, long enough to fill blocks.
  mutating func broken() -> [UInt8] {
    var text = Array("{\"a\":\"".utf8)
    for _ in 0..<random.below(24) {
      switch random.below(16) {
      case 0: text.append(contentsOf: Self.fragments[random.below(Self.fragments.count)])
      case 1 where random.below(8) == 0: text.append(UInt8(random.below(256)))
      case 2...4:
        let lead = [0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4][random.below(8)]
        text.append(UInt8(lead))
        text.append(UInt8([0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF][random.below(6)]))
        if lead >= 0xE0 { text.append(UInt8(0x80 + random.below(64))) }
        if lead >= 0xF0 { text.append(UInt8(0x80 + random.below(64))) }
      default: text.append(contentsOf: Self.strings[random.below(Self.strings.count)])
      }
    }
    text.append(contentsOf: Array("\"}".utf8))
    return text
  }
}
