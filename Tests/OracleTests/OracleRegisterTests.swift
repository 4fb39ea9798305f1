import Merge
import Oracle
import Testing

/// Registers, what lost, and ties.
@Suite struct OracleRegisterTests {
  private var scene = Scene()

  init() { scene.write(.phone, at: 0, create(timer), write(timer, "name", "a")) }

  @Test mutating func theLaterWriteWins() {
    scene.write(.watch, at: 2, write(timer, "name", "w"))
    scene.write(.phone, at: 1, seeing: .own, write(timer, "name", "p"))
    #expect(scene.oracle.value(timer, "name") == "w")
  }

  @Test mutating func thePhoneWinsAMillisecond() {
    scene.write(.phone, at: 5, seeing: .own, write(timer, "name", "p"))
    scene.write(.watch, at: 5, seeing: .only([scene.operations[0]]), write(timer, "name", "w"))
    #expect(scene.oracle.value(timer, "name") == "p")
  }

  @Test mutating func whatHasSeenTheOtherWinsTheMillisecond() {
    scene.write(.phone, at: 5, write(timer, "name", "p"))
    scene.write(.watch, at: 5, write(timer, "name", "w"))
    #expect(scene.oracle.value(timer, "name") == "w")
    #expect(scene.feed == [])
  }

  @Test mutating func differentFieldsBothStay() {
    scene.write(.phone, at: 5, seeing: .own, write(timer, "name", "p"))
    scene.write(.watch, at: 6, seeing: .only([scene.operations[0]]), write(timer, "icon", "w"))
    #expect(scene.oracle.value(timer, "name") == "p")
    #expect(scene.oracle.value(timer, "icon") == "w")
    #expect(scene.feed == [])
  }

  @Test mutating func theUnseenLoserIsListed() {
    let first = scene.operations[0]
    let lost = scene.write(.phone, at: 5, seeing: .own, write(timer, "name", "p"))
    let won = scene.write(.watch, at: 6, seeing: .only([first]), write(timer, "name", .null))
    let entry = OracleFeedEntry(
      target: timer, field: "name", dot: lost.dot, actionIndex: 0, stamp: lost.stamp,
      wall: lost.wall, value: "p", lostTo: won.dot)
    #expect(scene.oracle.feed() == [entry])
    // A later write that has seen both is what it lost to from now on; it stays.
    let last = scene.write(.tablet, at: 7, write(timer, "name", "t"))
    #expect(scene.oracle.feed().map(\.lostTo) == [last.dot])
    // The same bytes again: nothing is lost.
    scene.write(.tablet, at: 8, write(timer, "name", "p"))
    #expect(scene.feed == [])
    #expect(scene.oracle.archive(timer, "name").map(\.dot) == [lost.dot])
  }

  @Test mutating func draftsAreLeftOut() {
    let first = scene.operations[0]
    let draft = scene.write(.phone, at: 1, seeing: .own, write(timer, "name", "p"))
    let last = scene.write(.phone, at: 2, seeing: .own, write(timer, "name", "pq"))
    scene.write(.watch, at: 3, seeing: .only([first]), write(timer, "name", "w"))
    #expect(scene.oracle.archive(timer, "name").map(\.dot) == [draft.dot, last.dot])
    #expect(scene.feed == [last.dot])
  }

  @Test mutating func twoFormsOfOneDeviceAreConcurrent() {
    let first = scene.operations[0]
    let lost = scene.write(.phone, at: 1, seeing: .only([first]), write(timer, "name", "p"))
    scene.write(.phone, at: 2, seeing: .only([first]), write(timer, "name", "q"))
    #expect(scene.feed == [lost.dot])
  }

  @Test mutating func composedAndDecomposedAreTwoValues() {
    let first = scene.operations[0]
    let lost = scene.write(.phone, at: 1, seeing: .own, write(timer, "name", "\u{E9}"))
    scene.write(.watch, at: 3, seeing: .only([first]), write(timer, "name", "e\u{301}"))
    #expect(scene.feed == [lost.dot])
    #expect(scene.shown(timer, "name") == "e\u{301}")
    #expect(scene.shown(timer, "name") != "\u{E9}")
  }

  @Test mutating func groupsAreWrittenWhole() {
    scene.write(.phone, at: 1, create(client), create(task, home: client), own(task, by: client))
    let interval = Datum.sorted([.init("startTime", "10"), .init("endTime", "75.9")])
    scene.write(.phone, at: 2, write(task, "interval", interval, home: client))
    #expect(scene.shown(task, "startTime") == "10")
    #expect(scene.shown(task, "duration") == "65")
    scene.write(.watch, at: 3, write(task, "interval", .sorted([.init("startTime", "20")])))
    #expect(scene.shown(task, "endTime") == .null)
    #expect(scene.shown(task, "duration") == .null)
  }

  @Test mutating func unknownRegistersAreListedToo() {
    let lost = scene.write(.phone, at: 1, write(Target("gizmo", "1"), "colour", "red"))
    scene.write(.watch, at: 2, seeing: .nothing, write(Target("gizmo", "1"), "colour", "blue"))
    #expect(scene.feed == [lost.dot])
    #expect(scene.oracle.view(HistorySchemas.everything)["gizmo"] == nil)
  }

  @Test func datesAreShort() {
    #expect(Oracle.date(milliseconds: 978_307_200_000) == "0")
    #expect(Oracle.date(milliseconds: 978_307_200_001) == "0.001")
    #expect(Oracle.date(milliseconds: 978_307_199_500) == "-0.5")
    #expect(Oracle.date(milliseconds: 1_790_000_000_120) == "811692800.12")
    #expect(Oracle.date(milliseconds: 0) == "-978307200")
  }
}

extension Datum: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .string(Name(text)) }
}
