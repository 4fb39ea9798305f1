import Seeded
import Merge
import Testing

@Suite struct TextDiffTests {
  private func apply(_ edits: [TextEdit], to old: String) -> String {
    let scalars = Array(old.unicodeScalars)
    var result = String.UnicodeScalarView()
    var at = 0
    for edit in edits {
      result.append(contentsOf: scalars[at..<edit.offset])
      result.append(contentsOf: edit.inserted.unicodeScalars)
      at = edit.offset + edit.removed
    }
    result.append(contentsOf: scalars[at...])
    return String(result)
  }

  /// As many edits as there may be are found one by one, and one more is a replacement as a whole; whether the characters
  /// are counted, as those of ASCII, or a script is looked for.
  @Test(arguments: ["x", "é"]) func theBoundIsTheSame(_ other: String) {
    // Each line that changes is a character removed and one inserted.
    for (changed, count) in [(500, 500), (501, 1)] {
      let old = String(repeating: "a.", count: 2_000)
      let lines = (0..<2_000).map { $0 % 3 == 0 && $0 / 3 < changed ? "\(other)." : "a." }
      let edits = TextEdit.edits(from: old, to: lines.joined())
      #expect(edits.count == count, "\(changed) of \(other)")
      #expect(apply(edits, to: old) == lines.joined())
    }
  }

  /// Clusters by their scalars: `==` of strings would find "é" and "e\u{301}" equal.
  private func clusters(_ text: String) -> [[UInt8]] { text.map { Array($0.utf8) } }

  private func check(_ old: String, _ new: String) {
    let edits = TextEdit.edits(from: old, to: new)
    #expect(Array(apply(edits, to: old).utf8) == Array(new.utf8), "\(old) → \(new)")
    #expect(zip(edits, edits.dropFirst()).allSatisfy { $0.offset + $0.removed < $1.offset })
    #expect(edits.allSatisfy { $0.removed > 0 || !$0.inserted.isEmpty })
    let ends = old.reduce(into: [0]) { $0.append($0.last! + $1.unicodeScalars.count) }
    #expect(
      edits.allSatisfy { ends.contains($0.offset) && ends.contains($0.offset + $0.removed) },
      "a cluster of \(old) is cut: \(edits)")

    let (before, after) = (clusters(old), clusters(new))
    let prefix = zip(before, after).prefix { $0 == $1 }.count
    let rest = min(before.count, after.count) - prefix
    let suffix = zip(before.reversed(), after.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let length = { (part: Substring) in part.unicodeScalars.count }
    let last = length(old[...]) - length(old.suffix(suffix))
    #expect(edits.allSatisfy { $0.offset >= length(old.prefix(prefix)) }, "\(old) → \(new)")
    #expect(edits.allSatisfy { $0.offset + $0.removed <= last }, "\(old) → \(new)")
  }

  @Test func shortestScript() {
    #expect(
      TextEdit.edits(from: "Buy milk", to: "Buy oat milk!")
        == [
          TextEdit(offset: 4, removed: 0, inserted: "oat "),
          TextEdit(offset: 8, removed: 0, inserted: "!"),
        ])
    #expect(TextEdit.edits(from: "same", to: "same").isEmpty)
    #expect(
      TextEdit.edits(from: "", to: "new") == [TextEdit(offset: 0, removed: 0, inserted: "new")])
    #expect(
      TextEdit.edits(from: "old", to: "") == [TextEdit(offset: 0, removed: 3, inserted: "")])
  }

  @Test func clustersAreWhole() {
    // A skin tone, a flag, a family, a combining mark: never a part of a cluster.
    #expect(
      TextEdit.edits(from: "a👍b", to: "a👍🏽b")
        == [TextEdit(offset: 1, removed: 1, inserted: "👍🏽")])
    #expect(
      TextEdit.edits(from: "🇩🇪🇫🇷", to: "🇩🇰🇫🇷")
        == [TextEdit(offset: 0, removed: 2, inserted: "🇩🇰")])
    #expect(
      TextEdit.edits(from: "e", to: "e\u{301}")
        == [TextEdit(offset: 0, removed: 1, inserted: "e\u{301}")])
  }

  @Test func canonicalEquivalentsDiffer() {
    let edits = TextEdit.edits(from: "caf\u{E9}", to: "cafe\u{301}")
    #expect(edits.count == 1)
    #expect(edits.first?.offset == 3)
    #expect(edits.first.map { Array($0.inserted.unicodeScalars).count } == 2)
    check("caf\u{E9}", "cafe\u{301}")
    check("cafe\u{301}\r\n", "caf\u{E9}\n")
  }

  @Test func anyTexts() {
    var chance = SplitMix64(seed: 7)
    let parts = [
      "a", "b", " ", "é", "e\u{301}", "\u{301}", "🇩", "🇪", "👍", "🏽", "\u{200D}", "👩", "字", "\r",
      "\n", "\0", "\u{FEFF}", "ב", "\u{AD}", "\u{2FF}", "\u{600}", "\u{AE}",
    ]
    for _ in 0..<3000 {
      var old: [String] = []
      for _ in 0..<chance.below(12) { old.append(parts[chance.below(parts.count)]) }
      var new = old
      for _ in 0..<chance.below(5) {
        if chance.below(2) == 0, !new.isEmpty {
          new.remove(at: chance.below(new.count))
        } else {
          new.insert(parts[chance.below(parts.count)], at: chance.below(new.count + 1))
        }
      }
      check(old.joined(), new.joined())
    }
  }

  /// Past the bounds the middle is replaced, and the ends still stay.
  @Test func bounds() {
    let old = String(repeating: "a", count: 3_000)
    let new = String(repeating: "b", count: 3_000)
    let edits = TextEdit.edits(from: "<" + old + ">", to: "<" + new + ">")
    #expect(edits == [TextEdit(offset: 1, removed: 3_000, inserted: new)])
    check(
      "<" + String(repeating: "ab", count: 499) + ">", "<" + String(repeating: "ba", count: 700))
    check(String(repeating: "abcd", count: 600), String(repeating: "bacd", count: 600))
  }
}
