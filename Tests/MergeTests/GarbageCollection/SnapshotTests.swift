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

  /// Clause 12.9 of PROTOCOL.md, "The pieces of a snapshot": each part with each of its members.
  @Test func theFormOfASnapshot() throws {
    let (list, note, gone) = (Target("list", "1"), Target("note", "1"), Target("note", "2"))
    let desk = Desk()
    func erase(_ seq: UInt64, _ index: UInt32, count: UInt32) -> Action {
      let run = ElementRun(ElementID(Dot(Desk.phone, seq), index), count: count)
      return Action(note, .erase(field: "text", [run]))
    }
    try desk.write(at: 1, Action(list, .create), .set(list, "inbox"))
    try desk.write(at: 2, Action(gone, .create), .move(gone))
    try desk.write(
      at: 3, Action(note, .create), .set(note, "a", home: list), .type(note, "abcdef"),
      .move(note, into: list))
    try desk.write(at: 4, erase(3, 1, count: 2))
    try desk.write(at: 5, Action(gone, .delete))
    let seen = desk.fold.vector
    desk.purge(10)
    try desk.write(at: 20, seen: seen, .set(note, "b"))
    try desk.write(
      Desk.watch, at: 11, seen: seen, .set(note, "c"), .set(gone, "late"), .type(note, "x"))
    try desk.write(Desk.watch, at: 12, seen: seen, Action(note, .delete))
    try desk.write(at: 21, erase(3, 5, count: 1), Action(gone, .create))
    let phone = Desk.phone.description
    let watch = Desk.watch.description
    let pieces = """
      {"format":"1","horizon":"10","part":"header","pieces":"7","replicas":[
      {"base":"5","replica":"PHONE","seq":"7","stamp":"5.1.0"},
      {"replica":"WATCH","seq":"2"}],"unknown":"0"}

      {"part":"records","records":[
      {"created":true,"inside":"0/3/3.1.0","kind":"list","record":"1","touch":"0/1/1.1.0"},
      {"changes":["0/7","1/2"],"created":true,"kind":"note","record":"1","touch":"0/6/20.1.0"},
      {"changes":["0/7"],"created":true,"exhumed":["0/7"],"kind":"note","record":"2",
      "touch":"0/7/21.1.0"}]}

      {"operations":[
      {"actions":[{"action":{"action":"write","field":"name","kind":"list","record":"1",
      "revives":true,"value":"inbox"},"index":"1"}],"seq":"1","stamp":"1.1.0","wall":"0"},
      {"actions":[{"action":{"action":"write","field":"name","home":{"kind":"list","record":"1"},
      "kind":"note","record":"1","revives":true,"value":"a"},"index":"1"},
      {"action":{"action":"move","field":"place","into":{"kind":"list","record":"1"},
      "kind":"note","record":"1"},"element":"6","index":"3"}],"seq":"3","stamp":"3.1.0","wall":"0"},
      {"actions":[{"action":{"action":"write","field":"name","kind":"note","record":"1",
      "revives":true,"value":"b"}}],"seq":"6","stamp":"20.1.0","wall":"0"},
      {"context":{"WATCH":"2"},"erased":[{"action":"erase","elements":[["PHONE/3/5","1"]],
      "field":"text","kind":"note","record":"1"}],"seq":"7","stamp":"21.1.0","wall":"0"}],
      "part":"operations","replica":"0"}

      {"operations":[
      {"actions":[{"action":{"action":"write","field":"name","kind":"note","record":"1",
      "revives":true,"value":"c"},"archived":true},
      {"action":{"action":"write","field":"name","kind":"note","record":"2","revives":true,
      "value":"late"},"index":"1","recovered":true}],
      "context":{"PHONE":"5"},"seq":"1","stamp":"11.1.0","wall":"0"},
      {"actions":[{"action":{"action":"delete","kind":"note","record":"1"},
      "lostTo":"0/6/20.1.0"}],"context":{"WATCH":"0"},"seq":"2","stamp":"12.1.0","wall":"0"}],
      "part":"operations","replica":"1"}

      {"field":"text","kind":"note","part":"text","record":"1","runs":[
      {"first":"0/3/0","rank":"1","text":"a"},
      {"count":"3","first":"0/3/3","key":"0/3/1/1","parent":"0/3/0","rank":"1","text":"def"},
      {"first":"1/1/0","rank":"1","text":"x"}]}

      {"into":{"kind":"list","record":"1"},"kind":"note","part":"list","runs":[
      {"first":"0/3/6","rank":"1"}]}

      {"graves":[{"kind":"note","mark":"0/5/5.1.0","record":"2"}],"part":"graves"}
      """.replacing("PHONE", with: phone).replacing("WATCH", with: watch)
    let expected: [String] = pieces.split(separator: "\n\n").map { piece in
      piece.split(separator: "\n").joined()
    }
    #expect(desk.fold.snapshot().map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test func aSnapshotBeginsWithTheEndsOfTheChains() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()]), hub.item(2, [Hub.name()])])
    let seen = Context(own: 0, others: hub.replica.vector)
    try hub.push([hub.item(1, [Hub.name()], by: Hub.watch, at: 5, context: seen)], from: Hub.watch)
    let hashes = [Hub.phone, Hub.watch].map { hub.replica.chain($0).hash.hexadecimal }
    #expect(hashes.allSatisfy { $0.count == 64 } && hashes[0] != hashes[1])
    let piece = """
      {"\(Hub.phone)":{"context":{"\(Hub.phone)":"1"},"hash":"\(hashes[0])","seq":"2"},
      "\(Hub.watch)":{"context":{"\(Hub.phone)":"2"},"hash":"\(hashes[1])","seq":"1"}}
      """
    let first = String(decoding: hub.replica.snapshot()[0], as: UTF8.self)
    #expect(first == piece.split(separator: "\n").joined())
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
    #expect(pieces.allSatisfy { $0.count <= 256 << 10 })
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
    #expect(desk.fold.snapshot().allSatisfy { $0.count <= 256 << 10 })
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
    return try campaign.hub.fold.snapshot().map { try Datum(json: $0) }
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
        fold.promisedHorizon = 1 << 47
        _ = fold.snapshot()
        for record in fold.records { _ = fold.isLongDeleted(record.target) }
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
