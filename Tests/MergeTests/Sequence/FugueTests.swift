import Seeded
import Merge
import Testing

@Suite struct FugueTests {
  private func before(_ a: Sibling, _ b: Sibling) -> Bool {
    Sibling.precedes(a, b, replicas: <)
  }

  private func element(_ replica: UInt32, _ seq: UInt64, _ index: Int = 0) -> Element {
    Element(replica: replica, seq: seq, index: index)
  }

  /// "hello", of which "ll" is deleted.
  private func sample() throws -> Fugue {
    var fugue = Fugue()
    try fugue.insert(element(1, 1), text: "hello", rank: 1, at: .root, before: before)
    try fugue.delete(ElementRange(element(1, 1, 2), count: 2), by: 1, seq: 2)
    return fugue
  }

  @Test func siblingsByRankThenReplica() throws {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      var fugue = Fugue()
      for at in order {
        try fugue.insert(
          element(UInt32(at), 1), text: ["low", "tie", "top"][at], rank: at == 2 ? 2 : 1,
          at: .root, before: before)
      }
      #expect(fugue.text == "toplowtie")
    }
  }

  @Test func typedCharactersAreOneRun() throws {
    var fugue = Fugue()
    for (offset, letter) in "typing 字".enumerated() {
      try fugue.insert(
        element(3, UInt64(offset) + 10), text: String(letter), rank: 1,
        at: fugue.origin(at: offset), before: before)
    }
    let all = ElementRange(element(3, 10), count: 8, step: .seq)
    #expect(fugue.elements(in: 0..<8) == [all])
    #expect(fugue.snapshot().map(\.elements) == [all])
    #expect(fugue.snapshot().map(\.text) == ["typing 字"])
    try fugue.delete(
      ElementRange(element(3, 12), count: 3, step: .seq), by: 3, seq: 18)
    #expect(fugue.text == "tyg 字")
    #expect(fugue.offset(of: element(3, 12)) == 2)
    #expect(fugue.offset(of: element(3, 16)) == 3)
    #expect(!fugue.isVisible(element(3, 12)) && fugue.contains(element(3, 12)))
  }

  @Test func duplicatesAreNoChange() throws {
    var fugue = try sample()
    #expect(try !fugue.insert(element(1, 1), text: "hello", rank: 1, at: .root, before: before))
    #expect(try !fugue.insert(element(1, 1, 2), text: "ll", rank: 1, at: .root, before: before))
    #expect(try !fugue.delete(ElementRange(element(1, 1, 2), count: 2), by: 1, seq: 2))
    #expect(fugue.text == "heo")
    #expect(fugue.count == 3)
  }

  @Test func slotsHaveAnOrderAndNoText() throws {
    var fugue = Fugue()
    try fugue.insert(element(1, 1), slots: 3, rank: 1, at: .root, before: before)
    let after = try fugue.origin(after: element(1, 1, 0))
    #expect(after == Origin(element(1, 1, 1), .left))
    try fugue.insert(element(2, 1), slots: 1, rank: 1, at: after, before: before)
    #expect(
      fugue.elements(in: 0..<4).map(\.first) == [element(1, 1), element(2, 1), element(1, 1, 1)])
    #expect(fugue.count == 4)
    #expect(fugue.text.isEmpty)
    #expect(try fugue.origin(after: nil) == Origin(element(1, 1), .left))
    #expect(try fugue.origin(after: element(1, 1, 2)) == Origin(element(1, 1, 2), .right))
    #expect(throws: FugueError.unknown(element(9, 9))) {
      try fugue.origin(after: element(9, 9))
    }
  }

  @Test func badInsertionsChangeNothing() throws {
    var fugue = try sample()
    func refused(
      _ error: FugueError, _ first: Element, _ text: String, _ origin: Origin = .root
    ) {
      #expect(throws: error) {
        try fugue.insert(first, text: text, rank: 1, at: origin, before: before)
      }
      #expect(fugue.text == "heo")
    }
    refused(.unknown(element(7, 1)), element(1, 3), "x", Origin(element(7, 1), .right))
    refused(.unknown(element(1, 1, 5)), element(1, 3), "x", Origin(element(1, 1, 5), .left))
    refused(.leftOfRoot, element(1, 3), "x", Origin(nil, .left))
    refused(.count(0), element(1, 3), "")
    refused(.count(2), element(1, 3, 1 << 20 - 1), "xy")
    refused(.overlapping(element(1, 1, 4)), element(1, 1, 4), "oo")
    refused(.outOfOrder(element(1, 0)), element(1, 0), "x")
    #expect(throws: FugueError.mixed(element(1, 3))) {
      try fugue.insert(element(1, 3), slots: 1, rank: 1, at: .root, before: before)
    }
    #expect(throws: FugueError.count(-1)) {
      try fugue.insert(element(2, 3), slots: -1, rank: 1, at: .root, before: before)
    }
    #expect(throws: FugueError.count(.max)) {
      try fugue.insert(element(2, 3), slots: .max, rank: 1, at: .root, before: before)
    }
    // The last element that there can be.
    let last = Element(replica: 1, position: .max)
    try fugue.insert(last, text: "!", rank: 1, at: fugue.origin(at: 3), before: before)
    #expect(fugue.text == "heo!")
    #expect(fugue.view { _ in .max }.text == "heo!")
    #expect(fugue.elements(in: 3..<4) == [ElementRange(last, count: 1)])
  }

  @Test func badDeletionsChangeNothing() throws {
    var fugue = try sample()
    func refused(_ error: FugueError, _ range: ElementRange) {
      #expect(throws: error) { try fugue.delete(range, by: 1, seq: 3) }
      #expect(fugue.text == "heo")
    }
    refused(.unknown(element(2, 1)), ElementRange(element(2, 1), count: 1))
    refused(.unknown(element(1, 1, 5)), ElementRange(element(1, 1, 4), count: 2))
    refused(.unknown(element(1, 2)), ElementRange(element(1, 1), count: 2, step: .seq))
    refused(.count(0), ElementRange(element(1, 1), count: 0))
    refused(.count(-1), ElementRange(element(1, 1), count: -1))
    refused(.count(.max), ElementRange(element(1, 1), count: .max))
    refused(.count(5), ElementRange(element(1, 1, 1 << 20 - 2), count: 5))
    let last = Element(replica: 1, position: .max)
    refused(.count(2), ElementRange(last, count: 2, step: .seq))
    refused(.unknown(element(1, 1, 5)), ElementRange(element(1, 1), count: 1_000))
  }

  @Test func badSnapshots() throws {
    let runs = try sample().snapshot()
    #expect(runs.map(\.text) == ["he", "ll", "o"])
    #expect(runs.map(\.isVisible) == [true, false, true])
    #expect(try Fugue(restoring: runs).text == "heo")
    #expect(try Fugue(restoring: runs).view { _ in 1 }.text == "heo")
    #expect(throws: FugueError.unknown(element(1, 1, 1))) {
      try Fugue(restoring: Array(runs.dropFirst()))
    }
    #expect(throws: FugueError.self) { try Fugue(restoring: runs.reversed()) }
    #expect(throws: FugueError.self) { try Fugue(restoring: runs + runs) }
    var cycle = runs
    cycle[0].origin = Origin(element(1, 1, 4), .right)
    #expect(throws: FugueError.self) { try Fugue(restoring: cycle) }
    cycle[0].origin = Origin(element(1, 1, 1), .left)
    #expect(throws: FugueError.self) { try Fugue(restoring: cycle) }
    cycle = runs
    cycle[1].text = "l"
    #expect(throws: FugueError.count(1)) { try Fugue(restoring: cycle) }
    for range in [
      ElementRange(element(1, 1), count: 0), ElementRange(element(1, 1), count: .max, step: .seq),
      ElementRange(Element(replica: 1, position: .max), count: 2, step: .seq),
    ] {
      let run = FugueRun(range, rank: 1, isVisible: true, origin: .root, text: "")
      #expect(throws: FugueError.count(range.count)) { try Fugue(restoring: [run]) }
    }
  }

  /// Backspace and Delete over a run leave one dead run, not one a character.
  @Test func deletingKeysKeepRunsFew() throws {
    var fugue = Fugue()
    try fugue.insert(
      element(1, 1), text: String(repeating: "x", count: 300), rank: 1, at: .root, before: before)
    var seq: UInt64 = 1
    func delete(_ offset: Int) throws {
      seq += 1
      for range in fugue.elements(in: offset..<offset + 1) {
        try fugue.delete(range, by: 1, seq: seq)
      }
    }
    for offset in (100..<150).reversed() { try delete(offset) }
    for _ in 0..<50 { try delete(150) }
    #expect(fugue.snapshot().map(\.elements.count) == [100, 50, 50, 50, 50])
    for _ in 0..<50 { try delete(100) }
    #expect(fugue.snapshot().map(\.elements.count) == [100, 150, 50])
    #expect(fugue.view { _ in 51 }.count == 250)
    #expect(fugue.view { _ in 101 }.count == 200)
    fugue.purge { _ in true }
    #expect(fugue.snapshot().map(\.elements.count) == [100, 50])
    for _ in 0..<50 { try delete(100) }
    fugue.purge { _ in true }
    #expect(fugue.snapshot().map(\.elements.count) == [100])
    for _ in 0..<100 { try delete(0) }
    fugue.purge { _ in true }
    #expect(fugue.snapshot().isEmpty && fugue.isEmpty)
    #expect(fugue.origin(at: 0) == .root)
  }

  /// Insertions that take several runs, at places and with deletions that cut them anywhere.
  @Test func longInsertions() throws {
    var chance = SplitMix64(seed: 11)
    for (count, piece) in [(4096, "x"), (4097, "é"), (9000, "a字"), (12_300, "🙂b")] {
      var model = Array(String(repeating: piece, count: count).unicodeScalars.prefix(count))
      func text(_ scalars: some Collection<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
      }
      var fugue = Fugue()
      try fugue.insert(element(1, 1), text: text(model), rank: 1, at: .root, before: before)
      for seq in 2..<UInt64(80) {
        let start = chance.below(model.count)
        if seq % 3 > 0 {
          let end = min(model.count, start + 1 + chance.below(seq % 2 == 0 ? 3 : 300))
          for range in fugue.elements(in: start..<end) {
            try fugue.delete(range, by: 1, seq: seq)
          }
          model.removeSubrange(start..<end)
        } else {
          let new = String(repeating: "new ", count: seq % 9 == 0 ? 1100 : 1)
          try fugue.insert(
            element(1, seq), text: new, rank: 1, at: fugue.origin(at: start), before: before)
          model.insert(contentsOf: new.unicodeScalars, at: start)
        }
        #expect(fugue.count == model.count)
      }
      #expect(Array(fugue.text.unicodeScalars) == model)
      let view = fugue.view { _ in 1 }
      #expect(view.count == count && view.elements == [ElementRange(element(1, 1), count: count)])
      let restored = try Fugue(restoring: fugue.snapshot())
      #expect(restored.text == fugue.text)
      var purged = fugue
      purged.purge { _ in true }
      #expect(purged.text == fugue.text)
      // As a snapshot that other code has made: one long run.
      let long = FugueRun(
        ElementRange(element(1, 1), count: count), rank: 1, isVisible: true, origin: .root,
        text: view.text)
      #expect(try Fugue(restoring: [long]).text == view.text)
    }
  }

  /// A position is an offset in scalars, and "e\u{301}" is two.
  @Test func elementsAreScalars() throws {
    var fugue = Fugue()
    try fugue.insert(element(1, 1), text: "e\u{301}\r\n🇩🇪", rank: 1, at: .root, before: before)
    #expect(fugue.count == 6)
    try fugue.insert(
      element(1, 2), text: "x", rank: 1, at: fugue.origin(at: 1), before: before)
    #expect(Array(fugue.text.unicodeScalars).map(\.value)[..<4] == [0x65, 0x78, 0x301, 0xD])
  }
}
