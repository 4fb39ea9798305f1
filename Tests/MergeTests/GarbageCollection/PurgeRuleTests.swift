import Testing

@testable import Merge

@Suite struct PurgeRuleTests {
  let desk = Desk()
  let note = Target("note", "1")
  var fold: Fold { desk.fold }

  private func writes(_ target: Target, _ field: Name = "name") -> Int {
    fold.record(target)?.registers.first { $0.name == field }?.writes.count ?? 0
  }

  // MARK: Registers

  @Test func ofStableWritesTheHighestStays() throws {
    try desk.write(at: 1, Action(note, .create), .set(note, "a"))
    try desk.write(at: 2, .set(note, "b"))
    let frontier = fold.vector
    try desk.write(at: 3, .set(note, "c"))
    fold.purge(frontier: frontier, horizon: 100)
    #expect(writes(note) == 2)
    #expect(desk.value(note) == .string("c"))
    #expect(fold.value(note, "name", within: frontier) == .string("b"))
    #expect(fold.operations.count == 2)
    fold.purge(frontier: fold.vector, horizon: 100)
    #expect(writes(note) == 1 && desk.value(note) == .string("c"))
  }

  @Test(arguments: [(4, 1), (5, 1), (6, 0)]) func theArchiveStaysUntilTheHorizon(
    horizon: Int, count: Int
  ) throws {
    try desk.write(at: 1, Action(note, .create))
    let seen = fold.vector
    try desk.write(at: 5, seen: seen, .set(note, "lost"))
    try desk.write(Desk.watch, at: 7, seen: seen, .set(note, "won"))
    desk.purge(UInt64(horizon))
    #expect(fold.feed().count == count)
    #expect(fold.archiveCount(note, "name") == count)
  }

  @Test func whatIsNotStableStays() throws {
    try desk.write(at: 1, Action(note, .create), .set(note, "a"))
    let frontier = fold.vector
    let seen = fold.vector
    try desk.write(at: 2, seen: seen, .set(note, "lost"))
    try desk.write(Desk.watch, at: 3, seen: seen, .set(note, "won"))
    fold.purge(frontier: frontier, horizon: 100)
    #expect(writes(note) == 3)
    #expect(fold.feed().count == 1)
  }

  @Test func stampsAreKnownFromTheFrontierOn() throws {
    let first = try desk.write(at: 1, Action(note, .create))
    let second = try desk.write(at: 2, .set(note, "a"))
    let frontier = fold.vector
    let third = try desk.write(at: 3, .set(note, "b"))
    fold.purge(frontier: frontier, horizon: 0)
    #expect(fold.stamp(of: first) == nil)
    #expect(fold.stamp(of: second)?.ms == 2 && fold.stamp(of: third)?.ms == 3)
    #expect(fold.latest(within: frontier)?.ms == 2 && fold.latest(within: fold.vector)?.ms == 3)
    #expect(fold.lastStamp(of: Desk.phone)?.ms == 3)
  }

  // MARK: Deletes

  @Test(arguments: [(10, 1), (11, 0)]) func ofStableDeletesTheLastStays(
    horizon: Int, lost: Int
  ) throws {
    try desk.write(at: 1, Action(note, .create))
    let seen = fold.vector
    try desk.write(at: 10, seen: seen, Action(note, .delete))
    try desk.write(Desk.watch, at: 11, seen: seen, .set(note, "kept"))
    try desk.write(at: 12, Action(note, .delete))
    try desk.write(at: 13, Action(note, .restore))
    desk.purge(UInt64(horizon))
    #expect(fold.feed().count == lost)
    #expect(fold.record(note)?.deletes.count == 1 + lost)
    #expect(fold.record(note)?.isAlive == true)
  }

  // MARK: Records

  @Test(arguments: [(1, true), (5, true), (6, false)]) func aDeletedRecordBecomesATombstone(
    horizon: Int, stays: Bool
  ) throws {
    try desk.write(at: 1, Action(note, .create), .set(note, "a"), .type(note, "abc"))
    let delete = try desk.write(at: 5, Action(note, .delete))
    desk.purge(UInt64(horizon))
    #expect((fold.record(note) != nil) == stays)
    #expect((fold.tombstones[note]?.dot == delete) == !stays)
    #expect(fold.operations.isEmpty == !stays)
  }

  @Test func contentsGoWithTheirContainer() throws {
    let (timer, other) = (Target("timer", "1"), Target("timer", "2"))
    let (todo, moved) = (Target("todo", "1"), Target("todo", "2"))
    try desk.write(at: 1, Action(timer, .create), Action(other, .create))
    try desk.write(
      at: 2, Action(todo, .create, home: timer), .move(todo, into: timer),
      Action(moved, .create, home: timer), .move(moved, into: timer))
    try desk.write(at: 3, .move(moved, into: other))
    try desk.write(at: 4, Action(timer, .delete))
    desk.purge(5)
    #expect(fold.tombstones.keys.sorted() == [timer, todo])
    #expect(fold.tombstones[todo] == fold.tombstones[timer])
    #expect(fold.record(moved)?.isAlive == true)
    #expect(fold.lists.keys.sorted() == [Fold.ListName(kind: "todo", container: other)])
  }

  /// Whoever has seen no more of a container than its delete makes a record in it, while another one makes the
  /// same in a container that lives: which of the two came first is of no consequence.
  @Test(arguments: [true, false]) func madeInWhatIsGoneAndElsewhere(isFirst: Bool) throws {
    let (gone, lives) = (Target("client", "1"), Target("client", "2"))
    let project = Target("project", "1")
    try desk.write(at: 1, Action(gone, .create), Action(lives, .create))
    try desk.write(at: 2, Action(gone, .delete))
    let seen = fold.vector
    desk.purge(5)
    try desk.write(at: 10, Action(gone, .create))
    func makeInGone() throws {
      try desk.write(
        at: 12, seen: seen, Action(project, .create, home: gone), .set(project, "a", home: gone))
      try desk.write(at: 13, seen: seen, .set(project, "b", home: gone))
    }
    if isFirst { try makeInGone() }
    try desk.write(
      Desk.watch, at: 11, seen: seen, Action(project, .create, home: lives),
      .set(project, "c", home: lives))
    if !isFirst { try makeInGone() }
    #expect(desk.value(project) == .string("c"))
    #expect(fold.recovered.count == 3)
    #expect(fold.record(project)?.recreations == [Dot(Desk.watch, 1)])
    try desk.write(at: 14, .set(project, "d", home: lives))
    #expect(desk.value(project) == .string("d"), "it has seen the one that lives")
  }

  @Test func aRecordStaysWhileWhatItStandsThroughMightShow() throws {
    let (client, project) = (Target("client", "1"), Target("project", "1"))
    let task = Target("task", "1")
    try desk.write(at: 1, Action(client, .create), Action(project, .create))
    try desk.write(
      at: 2, Action(task, .create),
      Action(task, .write(field: "owner", value: .null), into: client, via: project))
    try desk.write(at: 3, Action(client, .delete))
    desk.purge(10)
    #expect(fold.tombstones[client] != nil && fold.record(task) != nil)
    try desk.write(at: 11, Action(project, .delete))
    desk.purge(20)
    #expect(fold.tombstones.keys.sorted() == [client, project, task])
    #expect(fold.records.isEmpty)
  }

  // MARK: Sequences

  @Test func charactersGoOnceTheirDeletionIsStable() throws {
    let typed = try desk.write(at: 1, Action(note, .create), .type(note, "abc"))
    let frontier = fold.vector
    let erase = Action(
      note, .erase(field: "text", [ElementRun(ElementID(typed, 1), count: 2)]), revives: true)
    try desk.write(at: 2, erase)
    fold.purge(frontier: frontier, horizon: 100)
    #expect(fold.text(note, "text")?.elementCount == 3)
    desk.purge(100)
    #expect(fold.text(note, "text")?.elementCount == 1 && fold.text(of: note, "text") == "a")
  }

  @Test func slotsOfOldPlacesGo() throws {
    let other = Target("note", "2")
    let first = try desk.write(at: 1, Action(note, .create), .move(note))
    let second = try desk.write(
      at: 2, Action(other, .create), .move(other, after: ElementID(first, 0)))
    try desk.write(at: 3, .move(note, after: ElementID(second, 0)))
    let list = Fold.ListName(kind: "note", container: nil)
    desk.purge(100)
    // The slot that it had left is the other's only ancestor, and goes all the same.
    #expect(fold.lists[list]?.elementCount == 2)
    try desk.write(at: 4, Action(other, .delete))
    desk.purge(100)
    #expect(fold.lists[list]?.elementCount == 1)
  }

  /// p has the dead child d, d the child x of somebody who did not know that. Whoever does, and does
  /// not know x, hangs q at p, and q stands to x as it stood to d.
  @Test(arguments: [1, 2]) func whatTakesAPlaceIsOrderedAsWhatWasThere(rank: UInt8) throws {
    func element(_ replica: UInt32, _ seq: UInt64) -> Element {
      Element(replica: replica, seq: seq)
    }
    func before(_ a: Sibling, _ b: Sibling) -> Bool { Sibling.precedes(a, b, replicas: <) }
    let (p, d, x, q) = (element(2, 1), element(2, 2), element(5, 1), element(3, 1))
    var whole = Fugue()
    try whole.insert(p, text: "p", rank: 1, at: .root, before: before)
    try whole.insert(d, text: "d", rank: 1, at: Origin(p, .right), before: before)
    try whole.delete(ElementRange(d, count: 1), by: 2, seq: 3)
    try whole.insert(x, text: "x", rank: rank, at: Origin(d, .right), before: before)
    var purged = whole
    purged.purge { $0 == d }
    #expect(!purged.contains(d))
    try whole.insert(q, text: "q", rank: 1, at: Origin(p, .right), before: before)
    try purged.insert(q, text: "q", rank: 1, at: Origin(p, .right), before: before)
    #expect(whole.text == "pxq" && purged.text == whole.text)
    let late = element(1, 1)
    try whole.insert(late, text: "l", rank: 1, at: Origin(p, .right), before: before)
    try purged.insert(late, text: "l", rank: 1, at: Origin(p, .right), before: before)
    #expect(whole.text == "plxq" && purged.text == whole.text)
  }

  @Test func theSlotOfAnArchivedMoveStays() throws {
    try desk.write(at: 1, Action(note, .create))
    let seen = fold.vector
    try desk.write(at: 5, seen: seen, .move(note))
    try desk.write(Desk.watch, at: 6, seen: seen, .move(note))
    let list = Fold.ListName(kind: "note", container: nil)
    desk.purge(5)
    #expect(fold.lists[list]?.elementCount == 2)
    desk.purge(6)
    #expect(fold.lists[list]?.elementCount == 1)
  }

  // MARK: What a device does no more

  @Test func newElementsHangAtLivingOnes() throws {
    let typed = try desk.write(at: 1, Action(note, .create), .type(note, "ab"))
    let a = try #require(fold.element(ElementID(typed, 0)))
    let b = try #require(fold.element(ElementID(typed, 1)))
    func origin() throws -> Origin {
      let text = try #require(fold.text(note, "text"))
      return text.origin(at: 1, passing: Fold.isDead(in: text))
    }
    #expect(try origin() == Origin(b, .left))
    try desk.write(
      at: 2,
      Action(note, .erase(field: "text", [ElementRun(ElementID(typed, 1), count: 1)])))
    #expect(try origin() == Origin(a, .right))
    #expect(try #require(fold.text(note, "text")).origin(at: 1) == Origin(b, .left))
  }

  @Test func newSlotsHangAtThoseThatRecordsStandIn() throws {
    let other = Target("note", "2")
    let list = Fold.ListName(kind: "note", container: nil)
    let first = try desk.write(at: 1, Action(note, .create), .move(note))
    let second = try desk.write(
      at: 2, Action(other, .create), .move(other, after: ElementID(first, 0)))
    func origin() throws -> Origin {
      try #require(fold.lists[list]).origin(at: 2) { fold.isLeft($0, list, by: "place") }
    }
    let (one, two) = (fold.element(ElementID(first, 0)), fold.element(ElementID(second, 0)))
    #expect(try origin() == Origin(two, .right))
    // The first record goes behind the second one: nothing stands in its slot any more.
    let third = try desk.write(at: 3, .move(note, after: ElementID(second, 0)))
    #expect(try origin() == Origin(fold.element(ElementID(third, 0)), .left))
    #expect(fold.isLeft(try #require(one), list, by: "place"))
    try desk.write(at: 4, Action(note, .delete))
    #expect(try origin() == Origin(fold.element(ElementID(third, 0)), .left))
    fold.promisedHorizon = 5
    #expect(try origin() == Origin(two, .right))
  }

  @Test func whatWasDeletedLongAgoIsLeftAloneUntilSomebodyTurnsOutToUseIt() throws {
    try desk.write(at: 1, Action(note, .create), .move(note))
    try desk.write(at: 2, Action(note, .delete))
    let seen = fold.vector
    #expect(!fold.isLongDeleted(note))
    fold.promisedHorizon = 2
    #expect(!fold.isLongDeleted(note))
    fold.promisedHorizon = 10
    #expect(fold.isLongDeleted(note))
    #expect(fold.changesLongDeleted(Action(Target("note", "2"), .create, home: note)))
    #expect(!fold.changesLongDeleted(Action(Target("note", "2"), .delete, home: note)))
    try desk.write(Desk.watch, at: 11, seen: seen, Action(note, .restore))
    #expect(!fold.isLongDeleted(note))
    fold.purge(frontier: seen, horizon: 10)
    #expect(fold.record(note)?.isAlive == true)
  }

  /// All that a purge takes away was left alone: also what stands in what was deleted, however deep, and by each of
  /// the ways by which it may stand there.
  @Test func whatStandsInWhatWasDeletedLongAgoIsLeftAloneToo() throws {
    let (client, task) = (Target("client", "c"), Target("task", "t"))
    let project = Target("project", "p")
    func put(_ target: Target, into: Target, via: Target? = nil) -> Action {
      Action(target, .write(field: "owner", value: .string("x")), home: into, into: into, via: via)
    }
    try desk.write(at: 1, Action(client, .create), Action(project, .create, home: client))
    try desk.write(at: 2, put(project, into: client))
    try desk.write(
      at: 3, Action(task, .create, home: client), put(task, into: client, via: project))
    try desk.write(at: 4, Action(client, .delete))
    fold.promisedHorizon = 10
    #expect(fold.isLongDeleted(client) && fold.isLongDeleted(project) && fold.isLongDeleted(task))
    // It goes where something lives.
    let other = Target("client", "d")
    try desk.write(Desk.watch, at: 5, Action(other, .create))
    try desk.write(Desk.watch, at: 6, put(task, into: other))
    #expect(!fold.isLongDeleted(task) && fold.isLongDeleted(project))
    desk.purge(10)
    #expect(fold.record(project) == nil && fold.isCreated(task) && !fold.isLongDeleted(project))
    // Two that are in one another, by moves that did not know of each other, are in nothing that was deleted.
    let (one, two) = (Target("folder", "1"), Target("folder", "2"))
    try desk.write(at: 11, Action(one, .create), Action(two, .create))
    try desk.write(at: 12, put(one, into: two), put(two, into: one))
    fold.promisedHorizon = 100
    #expect(!fold.isLongDeleted(one) && !fold.isLongDeleted(two))
  }

  // MARK: What comes too late

  @Test func whatComesTooLateIsRecovered() throws {
    let other = Target("note", "2")
    let typed = try desk.write(
      at: 1, Action(note, .create), .type(note, "ab"), Action(other, .create))
    let seen = fold.vector
    try desk.write(
      at: 2,
      Action(note, .erase(field: "text", [ElementRun(ElementID(typed, 1), count: 1)])))
    try desk.write(at: 3, Action(other, .delete))
    desk.purge(10)
    let late = try desk.write(
      Desk.watch, at: 4, seen: seen, .type(note, "c", ElementID(typed, 1)), .set(other, "x"),
      .set(note, "y"))
    #expect(
      fold.recoveredItems().map(\.actionIndex) == [0, 1]
        && fold.recoveredItems().allSatisfy { $0.dot == late && $0.stamp.ms == 4 })
    #expect(desk.value(note) == .string("y") && fold.text(of: note, "text") == "a")
    // What builds upon it finds no place either.
    try desk.write(Desk.watch, at: 5, .type(note, "d", ElementID(late, 0)))
    #expect(fold.recoveredItems().map(\.target) == [note, other, note])
    desk.purge(5)
    #expect(fold.recoveredItems().map(\.stamp.ms) == [5])
    desk.purge(6)
    #expect(fold.recoveredItems().isEmpty)
  }

  /// A record made in a container that is gone for good, by one who did not know: nothing of it is
  /// shown, and all of it is kept apart.
  @Test func whatIsMadeInAPurgedRecordIsRecovered() throws {
    let inside = Target("leaf", "1")
    try desk.write(at: 1, Action(note, .create))
    let seen = fold.vector
    try desk.write(at: 2, Action(note, .delete))
    desk.purge(10)
    try desk.write(
      Desk.watch, at: 20, seen: seen, Action(inside, .create, home: note),
      Action(inside, .write(field: "name", value: .string("x")), revives: true, home: note))
    #expect(fold.recoveredItems().map(\.actionIndex) == [0, 1])
    #expect(!fold.isCreated(inside) && fold.record(note) == nil)
    try desk.write(Desk.watch, at: 21, .set(inside, "y"))
    #expect(fold.recoveredItems().count == 3 && fold.record(inside) == nil)
    // Who makes the container anew, later, has one to make records in.
    try desk.write(at: 30, Action(note, .create))
    try desk.write(at: 31, Action(Target("leaf", "2"), .create, home: note))
    #expect(fold.isCreated(Target("leaf", "2")))
  }

  @Test func aPurgedRecordIsCreatedAnew() throws {
    try desk.write(at: 1, Action(note, .create), .set(note, "old"))
    try desk.write(at: 5, Action(note, .delete))
    desk.purge(10)
    let before = fold.vector
    try desk.write(Desk.watch, at: 4, seen: before, Action(note, .create))
    #expect(fold.record(note) == nil && fold.recoveredItems().count == 1)
    try desk.write(at: 11, Action(note, .create))
    #expect(fold.record(note)?.isAlive == true && desk.value(note) == nil)
    // Whoever has not seen that writes to the record that is gone.
    try desk.write(Desk.watch, at: 12, seen: before, .set(note, "late"))
    #expect(desk.value(note) == nil && fold.recoveredItems().count == 2)
    try desk.write(Desk.watch, at: 13, .set(note, "new"))
    #expect(desk.value(note) == .string("new"))
  }
}
