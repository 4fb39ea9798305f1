import Seeded
import Testing

@testable import Merge

/// Steps are counted, not seconds.
@Suite struct CommonEndsTests {
  private static let acute = "\u{301}"

  /// Pairs of texts that keep the places where clusters start apart for long, by their size.
  static let shapes: [(name: String, texts: @Sendable (Int) -> (String, String))] = [
    ("accents", { ("a" + marks(acute, $0), "b" + marks(acute, $0)) }),
    ("accents, one less", { ("a" + marks(acute, $0), "a" + marks(acute, $0 - 1)) }),
    ("accents before a letter", { (marks(acute, $0) + "a", marks(acute, $0) + "b") }),
    ("joined", { ("a" + marks("👩\u{200D}", $0), "b" + marks("👩\u{200D}", $0)) }),
    ("a family", { ("👨" + marks("\u{200D}👩", $0), "👧" + marks("\u{200D}👩", $0)) }),
    ("tones", { ("👍" + marks("🏽", $0) + "\u{200D}👍", "a" + marks("🏽", $0) + "\u{200D}👍") }),
    ("flags, odd by even", { ("🇩" + marks("🇪", $0), marks("🇪", $0)) }),
    ("flags, one at the end", { (marks("🇪", $0), marks("🇪", $0) + "🇩") }),
    ("lines", { ("\r" + marks("\r\n", $0), marks("\r\n", $0)) }),
    ("line ends", { (marks("\n", $0) + "\r", marks("\n", $0) + "\r\n") }),
    ("jamo", { ("ᄀ" + marks("ᅡ", $0), "ᄂ" + marks("ᅡ", $0)) }),
    ("leading jamo", { (marks("ᄀ", $0) + "가", marks("ᄀ", $0) + "각") }),
    ("viramas", { ("क" + marks("\u{94D}क", $0), "a" + marks("\u{94D}क", $0)) }),
    ("prefixes", { (marks("\u{600}", $0) + "1", marks("\u{600}", $0) + "2") }),
    ("equal", { (marks("字", $0), marks("字", $0)) }),
    ("controls", { ("a" + marks("\0", $0), "b" + marks("\0", $0)) }),
  ]

  private static func marks(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test(arguments: shapes.map(\.name)) func costsTheLength(_ name: String) throws {
    let shape = try #require(Self.shapes.first { $0.name == name })
    let (old, new) = shape.texts(4_000)
    let ends = CommonEnds(old, new)
    // Each byte is compared once for either end; each scalar of either text is passed at most four
    // times for either end.
    let length = old.utf8.count + new.utf8.count
    #expect(ends.work >= min(length / 8, 4_000), "the steps are not counted")
    #expect(ends.work <= 6 * length + 64)
    check(old, new)
  }

  /// Texts as people have them: what is looked at besides equal bytes is a handful of scalars.
  @Test(arguments: ["Grüße, Jürgen. ", "買い物リスト。", "Список дел, 3. ", "👍🏽 fine 👩‍👩‍👧 ", "नमस्ते दुनिया। "])
  func looksAtAFewScalars(_ part: String) {
    let old = Self.marks(part, 1_000)
    let middle = old.index(old.startIndex, offsetBy: old.count / 2)
    let new = old[..<middle] + "!" + old[middle...]
    let ends = CommonEnds(old, String(new))
    #expect(ends.work <= old.utf8.count + 40)
    check(old, String(new))
  }

  @Test func anyTexts() {
    var chance = SplitMix64(seed: 11)
    let parts = [
      "a", "é", "\u{301}", "🇩", "🇪", "👍", "🏽", "\u{200D}", "👩", "字", "\r", "\n", "\0", "ᄀ", "ᅡ",
      "ᆨ",
      "가", "\u{94D}", "क", "\u{903}", "\u{600}", "\u{FE0F}", "©",
    ]
    for _ in 0..<20_000 {
      let few = 1 + chance.below(parts.count)
      func text(_ count: Int) -> [String] { (0..<count).map { _ in parts[chance.below(few)] } }
      let (start, end) = (text(chance.below(6)), text(chance.below(6)))
      check(
        (start + text(chance.below(3)) + end).joined(),
        (start + text(chance.below(3)) + end).joined())
    }
  }

  /// The definition: the longest that is one of whole clusters in both.
  private func check(_ old: String, _ new: String, _ location: SourceLocation = #_sourceLocation) {
    let ends = CommonEnds(old, new)
    let (before, after) = (old.map { Array($0.utf8) }, new.map { Array($0.utf8) })
    let prefix = zip(before, after).prefix { $0 == $1 }.reduce(0) { $0 + $1.0.count }
    let most = min(old.utf8.count, new.utf8.count) - prefix
    var suffix = 0
    for (one, other) in zip(before.reversed(), after.reversed()) {
      guard one == other, suffix + one.count <= most else { break }
      suffix += one.count
    }
    #expect(ends.prefix == prefix, "\(old) → \(new)", sourceLocation: location)
    #expect(ends.suffix == suffix, "\(old) → \(new)", sourceLocation: location)
  }
}
