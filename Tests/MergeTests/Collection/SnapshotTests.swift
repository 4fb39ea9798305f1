import Seeded
import Testing
import Wire

@testable import Merge

@Suite struct SnapshotTests {
  @Test func ofNothing() throws {
    let fold = try Campaign.rewritten(Fold())
    #expect(fold.vector.isEmpty && fold.records.isEmpty)
    #expect(Fold().snapshot().count == 1)
  }

  @Test func doesNotDependOnTheOrderOfArrival() throws {
    let note = Target("note", "1")
    let (one, other) = (Desk(), Desk())
    try one.write(Desk.phone, at: 1, Action(note, .create), .set(note, "a"), .type(note, "ab"))
    try one.write(
      Desk.watch, at: 2, seen: VersionVector(), Action(note, .create), .set(note, "b"),
      .type(note, "cd"))
    try other.write(
      Desk.watch, at: 2, seen: VersionVector(), Action(note, .create), .set(note, "b"),
      .type(note, "cd"))
    try other.write(
      Desk.phone, at: 1, seen: VersionVector(), Action(note, .create), .set(note, "a"),
      .type(note, "ab"))
    #expect(one.fold.snapshot() == other.fold.snapshot())
  }

  @Test func longTextsAreCutIntoPiecesOfBoundedSize() throws {
    let note = Target("note", "1")
    let desk = Desk()
    let text = Name(String(repeating: "\u{1}é😀xyz", count: 166_000))
    let typed = try desk.write(at: 1, Action(note, .create), .type(note, text))
    try desk.write(
      at: 2,
      Action(note, .erase(field: "text", [ElementRun(ElementID(typed, 9), count: 900_000)])))
    let pieces = desk.fold.snapshot()
    #expect(pieces.count > 8)
    #expect(pieces.allSatisfy { $0.canonical.count <= 256 << 10 })
    let fold = try Campaign.rewritten(desk.fold)
    #expect(fold.text(of: note, "text") == desk.fold.text(of: note, "text"))
    fold.purge(frontier: fold.vector, horizon: 0)
    desk.purge(0)
    #expect(fold.snapshot() == desk.fold.snapshot())
    #expect(fold.text(note, "text")?.elementCount == 96_000)
  }

  @Test func manyRecordsAndOperationsAreCutIntoPiecesOfBoundedSize() throws {
    let desk = Desk()
    for number in 0..<4000 {
      let note = Target("note", Name("\(number)"))
      try desk.write(at: UInt64(number), Action(note, .create), .set(note, "a"), .move(note))
    }
    #expect(desk.fold.snapshot().allSatisfy { $0.canonical.count <= 256 << 10 })
    _ = try Campaign.rewritten(desk.fold)
  }

  // MARK: Bad input

  private func read(_ pieces: [Datum]) throws(WireError) {
    var reader = SnapshotReader()
    for piece in pieces { try reader.add(piece) }
    _ = try reader.finish()
  }

  private func sample(_ seed: Int) throws -> [Datum] {
    var options = Campaign.Options()
    options.expires = true
    options.retention = 100
    var campaign = Campaign(seed, options)
    try campaign.run(150)
    return campaign.hub.fold.snapshot()
  }

  @Test func piecesComeInOrderAndAllOfThem() throws {
    let pieces = try sample(3)
    try read(pieces)
    for index in pieces.indices {
      var less = pieces
      less.remove(at: index)
      #expect(throws: WireError.self, "without piece \(index)") { try read(less) }
    }
    #expect(throws: WireError.self) { try read([]) }
    #expect(throws: WireError.self) { try read(pieces + [pieces.last!]) }
    #expect(throws: WireError.self) { try read([pieces[0], pieces[0]]) }
  }

  /// Whatever is changed in a snapshot, it is refused, or gives a fold that can be written down,
  /// purged and shown.
  @Test(arguments: 0..<6) func badSnapshotsAreRefusedOrWork(seed: Int) throws {
    let pieces = try sample(seed)
    var chance = SplitMix64(seed: UInt64(seed))
    var refused = 0
    for _ in 0..<150 {
      var bad = pieces
      let piece = chance.below(bad.count)
      bad[piece] = bad[piece].damaged(&chance)
      var reader = SnapshotReader()
      do throws(WireError) {
        for piece in bad { try reader.add(piece) }
        let fold = try reader.finish()
        fold.announce(frontier: fold.vector, horizon: 1 << 47)
        _ = fold.snapshot()
        _ = fold.view(Campaign.schema)
        _ = fold.feed()
        fold.purge(frontier: fold.vector, horizon: 1 << 47)
        _ = fold.snapshot()
      } catch {
        refused += 1
        #expect(error.code == .missingField || error.code == .invalidField)
      }
    }
    #expect(refused > 50)
  }
}

extension Datum {
  /// The same with one value changed somewhere, or gone, or twice.
  fileprivate func damaged(_ chance: inout SplitMix64) -> Datum {
    switch self {
    case .null, .bool: return .string("1")
    case .string(let text):
      let others: [Name] = [
        "", "0", "1", "2", "18446744073709551615", "17592186044415", "0/1/0", "1/2/1048575", "left",
        "note", "delete", "write",
      ]
      if text.utf8.isEmpty || chance.below(3) == 0 {
        return .string(others[chance.below(others.count)])
      }
      var bytes = text.utf8
      bytes[chance.below(bytes.count)] = UInt8(0x30 + chance.below(10))
      return .string(Name(utf8: Array(String(decoding: bytes, as: UTF8.self).utf8)))
    case .array(var items):
      guard !items.isEmpty else { return .null }
      let index = chance.below(items.count)
      switch chance.below(8) {
      case 0: items.remove(at: index)
      case 1: items.insert(items[index], at: index)
      case 2: items.swapAt(index, chance.below(items.count))
      default: items[index] = items[index].damaged(&chance)
      }
      return .array(items)
    case .object(var members):
      guard !members.isEmpty else { return .null }
      let index = chance.below(members.count)
      if chance.below(8) == 0 {
        members.remove(at: index)
      } else {
        members[index].value = members[index].value.damaged(&chance)
      }
      return .object(members)
    }
  }
}
