import Merge
import Testing

@testable import Bridge

/// Which of a list were moved, and what of a text was changed.
@Suite("Lists and texts of whole records")
struct ListAndTextTests {
  @Test func risingSubsequences() {
    #expect(RisingSubsequence.positions([]).isEmpty)
    #expect(RisingSubsequence.positions([3, 0, 1, 2]) == [1, 2, 3])
    let moves = RisingSubsequence.moves(from: ["a", "b", "c", "d"], to: ["d", "a", "c", "b"])
    #expect(moves.count == 2)
    var order = ["a", "b", "c", "d"]
    for move in moves {
      order.removeAll { $0 == move.id }
      order.insert(move.id, at: move.after.map { order.firstIndex(of: $0)! + 1 } ?? 0)
    }
    #expect(order == ["d", "a", "c", "b"])
  }

  /// From 1, 6, 45 to 45, 6, 1 any one of them may have stayed: it is the one that another has moved.
  @Test func whatAnotherHasMovedStays() {
    for one in [1, 6, 45] {
      let moves = RisingSubsequence.moves(
        from: [1, 6, 45], to: [45, 6, 1], keeping: { $0 == one })
      #expect(moves.count == 2 && !moves.map(\.id).contains(one))
    }
    let many = Array(0...RisingSubsequence.choiceLimit)
    let last = RisingSubsequence.moves(from: many, to: many.dropFirst() + [0], keeping: { $0 == 0 })
    #expect(last.map(\.id) == [0], "of so many it is not looked for")
  }

  @Test(arguments: [
    ("steep", "do steep", "steep 3 min", "do steep 3 min"),
    ("steep", "", "steep 3 min", " 3 min"),
    ("", "a", "", "a"), ("abc", "abxc", "c", "xc"), ("abc", "ac", "abc", "ac"),
    ("abcdef", "abXdef", "aYcdZf", "aYXdZf"), ("ab", "ab", "cd", "cd"),
    ("Caf\u{E9}", "Caf\u{E9}s", "Le Caf\u{E9}", "Le Caf\u{E9}s"),
    // What looks the same is not the same.
    ("\u{E9}", "a\u{E9}", "e\u{301}", "ae\u{301}"),
  ])
  func textsAreMerged(_ old: Name, _ new: Name, _ present: Name, _ merged: Name) {
    #expect(Name(TextMerge.merge(from: old, to: new, onto: present)) == merged)
  }

  /// Of two that are as near it is the one of which more is left.
  @Test func theNearestText() {
    #expect(Changes.nearest(["", "n\u{301}gs", "ab"], to: "ngs") == "n\u{301}gs")
    #expect(Changes.nearest(["steep", "", "steep 3 min"], to: "steep!") == "steep")
    let family = Name("o\u{1F469}\u{200D}\u{1F467}wp")
    #expect(
      Changes.nearest(["w", family], to: Name("o\u{1F469}\u{200D}a\u{1F467}wp")) == family)
    #expect(Changes.nearest([], to: "a") == nil)
  }
}
