import Merge
import Oracle
import Testing

/// Lists and texts.
@Suite struct OracleOrderTests {
  private var scene = Scene()
  private let first: Operation

  /// timer1, timer2, each with a slot after the one before.
  init() {
    first = scene.write(
      .phone, at: 0, create(timer), move(timer), create(timer2),
      move(timer2, of: ElementID(Dot(Scene.replica(.phone), 1), 0)))
  }

  private func slot(_ index: UInt32) -> ElementID { Scene.element(first, index) }

  @Test mutating func itemsStandWhereTheyWereMoved() {
    #expect(scene.shown("timer") == ["timer1", "timer2"])
    scene.write(.watch, at: 1, move(timer, of: slot(1)))
    #expect(scene.shown("timer") == ["timer2", "timer1"])
    #expect(scene.shown(timer, "sortOrder") == "1")
  }

  @Test mutating func twoMovesOfOneItemLeaveOne() {
    let lost = scene.write(.phone, at: 1, move(timer, of: slot(1)))
    scene.write(.watch, at: 2, seeing: .only([first]), move(timer, .left, of: slot(0)))
    #expect(scene.shown("timer") == ["timer1", "timer2"])
    #expect(scene.feed == [lost.dot])
    #expect(scene.oracle.feed()[0].value == .object([.init("list", .null)]))
  }

  @Test mutating func hiddenItemsLeaveNoGap() {
    scene.write(.watch, at: 1, delete(timer))
    #expect(scene.shown(timer2, "sortOrder") == "0")
  }

  @Test mutating func itemsWithoutAPlaceComeLastById() {
    scene.write(.watch, at: 1, create(Target("timer", "b")), create(Target("timer", "a")))
    #expect(scene.shown("timer") == ["timer1", "timer2", "a", "b"])
  }

  @Test mutating func listsAreSortedByTheirContainer() {
    let one = Target("todo", "z")
    let other = Target("todo", "a")
    scene.write(
      .phone, at: 1, create(one, home: timer), move(one, into: timer, home: timer),
      create(other, home: timer2), move(other, into: timer2, home: timer2))
    #expect(scene.shown("todo") == ["z", "a"])
    scene.write(.phone, at: 2, move(one, .right, of: slot(0), into: timer2, home: timer))
    #expect(scene.shown(one, "timer") == "timer2")
  }

  @Test mutating func batchesDoNotInterleave() {
    let phone = scene.write(.phone, at: 1, insert(timer, "abc", at: Anchor(nil, .right)))
    let watch = scene.write(
      .watch, at: 2, seeing: .only([first]), insert(timer, "xyz", at: Anchor(nil, .right)))
    // Of siblings the phone's comes first, whatever came first in time.
    #expect(scene.shown(timer, "notes") == "abcxyz")
    scene.write(
      .phone, at: 3, seeing: .only([phone]),
      insert(timer, "d", at: Anchor(Scene.element(phone, 2), .right)))
    scene.write(
      .watch, at: 4, seeing: .only([watch]),
      insert(timer, "w", at: Anchor(Scene.element(watch, 0), .left)))
    #expect(scene.shown(timer, "notes") == "abcdwxyz")
  }

  @Test mutating func erasedIsErasedForEver() {
    let typed = scene.write(.phone, at: 1, insert(timer, "abc", at: Anchor(nil, .right)))
    scene.write(.phone, at: 2, erase(timer, Scene.element(typed, 1)))
    let sequence = scene.oracle.characters(timer, "notes")
    let anchor = Oracle.anchor(after: Scene.element(typed, 0), in: sequence)
    #expect(anchor == Anchor(Scene.element(typed, 1), .left))
    scene.write(.watch, at: 3, insert(timer, "\u{1F600}", at: anchor))
    #expect(scene.shown(timer, "notes") == "a\u{1F600}c")
  }

  @Test mutating func scalarsAreElements() {
    let typed = scene.write(
      .phone, at: 1, insert(timer, "e\u{301}\u{1F600}x", at: Anchor(nil, .right)))
    #expect(typed.actions[0].elements == 4)
    scene.write(.phone, at: 2, erase(timer, Scene.element(typed, 1), 2))
    #expect(scene.shown(timer, "notes") == "ex")
  }

  @Test mutating func elementsAreCountedOverAllActions() {
    let both = scene.write(
      .phone, at: 1, insert(timer, "ab", at: Anchor(nil, .right)), move(timer, of: slot(1)),
      insert(timer2, "c", at: Anchor(nil, .right)))
    #expect(scene.oracle.slot(timer, "place") == Scene.element(both, 2))
    #expect(scene.oracle.characters(timer2, "notes").map(\.id) == [Scene.element(both, 3)])
  }
}
