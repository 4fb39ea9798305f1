import AppModels
import Merge
import Testing

@testable import Bridge
@testable import Relay

/// What is known of a copy, and what another one is found to have changed.
@Suite("Tracks of whole-record devices")
struct TrackTests {
  private static let id = Identifier(high: 1, low: 1)
  private static let schema = HubSchema.todoTimers

  private enum HubSchema {
    static let todoTimers = ShippedSchemas.named("todoTimers")!
  }

  private static func todo(_ number: UInt64, at date: Double = 1) -> TodoItemDTO {
    TodoItemDTO(
      id: Identifier(high: 2, low: number), text: Name("todo \(number)"),
      sortOrder: Int64(number), createdAt: 1, updatedAt: date)
  }

  private static func target(_ todo: TodoItemDTO) -> Target {
    Target("todo", Name(todo.id.description))
  }

  private func timer(
    _ name: Name = "A", at date: Double, todos: [TodoItemDTO] = [],
    _ change: (inout TimerDTO) -> Void = { _ in }
  ) -> WholeRecord {
    var timer = TimerDTO(
      id: Self.id, name: name, durationInSeconds: 60, notes: "n", createdAt: 1, updatedAt: date,
      todoItems: todos)
    change(&timer)
    return timer.whole
  }

  private var notes: WholeRecord.Field {
    WholeRecord.Field(target: timer(at: 1).target, name: "notes")
  }

  private func sent(_ record: WholeRecord?, _ seq: UInt64) -> Track.Delivery {
    Track.Delivery(record: record, position: seq, seq: seq, sentAt: 1, isAlone: true)
  }

  private func track(_ start: WholeRecord, sent copies: WholeRecord?...) -> Track {
    var track = Track(.absent)
    track.receive(start, at: 0, newest: 0)
    for (index, copy) in copies.enumerated() { track.send(sent(copy, UInt64(index + 1))) }
    return track
  }

  /// A list has the numbers of a delivery only where it has what that brought, and was made before it where it lacks
  /// that. What the device has sent before it may have deleted or made itself.
  @Test func aListIsOfOneMoment() {
    func placed(_ place: Int64, at date: Double) -> WholeRecord {
      timer(at: date) { $0.sortOrder = place }
    }
    var new = Track(.absent)
    new.send(sent(placed(3, at: 2), 5))
    // It is there, with its number, from its delivery on.
    #expect(!new.agrees(with: 3, after: 4) && new.agrees(with: 3, after: 5))
    #expect(!new.agrees(with: 2, after: 5))
    // A version that has no numbers says nothing of them.
    #expect(new.agrees(with: .some(nil), after: 5))
    #expect(new.agrees(with: nil, after: 4) && !new.agrees(with: nil, after: 5))
    new.send(sent(nil, 6))
    #expect(!new.agrees(with: nil, after: 5) && new.agrees(with: nil, after: 6))
    // It may have deleted what it was sent.
    var deleted = Track(.absent)
    deleted.send(sent(placed(3, at: 2), 5))
    deleted.beInDoubt()
    #expect(deleted.agrees(with: nil, after: 5))
    let own = track(placed(1, at: 1), sent: placed(2, at: 2))
    #expect(own.agrees(with: 1, after: 0) && own.agrees(with: 2, after: 1))
    #expect(!own.agrees(with: 1, after: 1) && own.agrees(with: nil, after: 1))
    // Nothing is known of what it held before it came here.
    var unknown = Track(.unknown)
    unknown.send(sent(placed(3, at: 2), 5))
    #expect(unknown.agrees(with: 1, after: 4) && unknown.agrees(with: nil, after: 5))
  }

  private func changes(_ copy: WholeRecord, _ track: Track) -> Changes {
    Changes(
      copy, Self.schema, starts: track.starts(before: copy.updatedAt).map(\.record),
      room: track.room(of: copy), present: nil, acted: track.acted, isUnknown: false,
      isOld: { _, _ in false })
  }

  private func writes(_ changes: Changes) -> [Name: Datum]? {
    changes.writes[timer(at: 0).target]
  }

  // MARK: What is changed

  @Test func onlyWhatIsInNoCopyIsChanged() {
    let track = track(timer(at: 1), sent: timer("B", at: 2) { $0.durationInSeconds = 90 })
    #expect(writes(changes(timer(at: 3) { $0.icon = "leaf" }, track)) == ["icon": "leaf".datum])
    let same = changes(timer("B", at: 3) { $0.durationInSeconds = 90 }, track)
    #expect(same.writes.isEmpty && same.texts.isEmpty && same.place == nil)
    #expect(writes(changes(timer("C", at: 3), track)) == ["name": "C".datum])
  }

  @Test func aCopyThatIsDatedBelowWasNotMadeUponThat() {
    let track = track(timer(at: 1), sent: timer("B", at: 5))
    #expect(writes(changes(timer("B", at: 3), track)) == ["name": "B".datum])
    #expect(changes(timer("A", at: 3), track).writes.isEmpty)
  }

  @Test func absentNotesAreEmptyAndAnAbsentOrderIsAsItWas() {
    let copy = timer(at: 2) {
      $0.notes = nil
      $0.sortOrder = nil
    }
    let found = changes(copy, track(timer(at: 1) { $0.sortOrder = 4 }))
    #expect(found.texts.map(\.new) == [""])
    #expect(found.place == nil)
    #expect(found.writes.isEmpty)
    var track = track(timer(at: 1) { $0.sortOrder = 4 })
    track.receive(copy, at: 1, newest: 1)
    #expect(track.held?.place == 4)
  }

  @Test func todosThatAreMissingFromAllCopiesAreDeleted() {
    let both = [Self.todo(1), Self.todo(2)]
    let copy = timer(at: 3, todos: [Self.todo(2)])
    #expect(changes(copy, track(timer(at: 1, todos: both))).deleted == [Self.target(both[0])])
    // A delivery in flight lacks it: the device may have taken that one in.
    let crossing = track(timer(at: 1, todos: both), sent: timer(at: 2, todos: [Self.todo(2)]))
    #expect(changes(copy, crossing).deleted.isEmpty)
    // Not where that came too late.
    let late = track(timer(at: 1, todos: both), sent: timer(at: 4, todos: [Self.todo(2)]))
    #expect(changes(copy, late).deleted == [Self.target(both[0])])
  }

  @Test func newTodosStandBehindTheOneBefore() {
    let found = changes(
      timer(at: 2, todos: [Self.todo(1), Self.todo(2)]),
      track(timer(at: 1, todos: [Self.todo(1)])))
    #expect(found.created.map(\.record.target) == [Self.target(Self.todo(2))])
    #expect(found.created.map(\.after) == [Self.target(Self.todo(1))])
  }

  @Test func oneMoveForEachTodoOutOfOrder() {
    let all = (1...4).map { Self.todo($0) }
    var moved = all
    moved[3].sortOrder = 0
    let found = changes(timer(at: 2, todos: moved), track(timer(at: 1, todos: all)))
    #expect(
      found.moves == [
        .init(target: Self.target(all[3]), container: timer(at: 1).target, after: nil)
      ])
  }

  @Test func aTickThatGoesBackCountsOnceTheTickIsAcknowledged() {
    var done = Self.todo(1, at: 2)
    done.isCompleted = true
    var track = track(timer(at: 1, todos: [Self.todo(1)]), sent: timer(at: 2, todos: [done]))
    let copy = timer(at: 3, todos: [Self.todo(1, at: 3)])
    #expect(changes(copy, track).writes.isEmpty, "it may not have been there yet")
    track.acknowledge { _ in true }
    #expect(changes(copy, track).writes == [Self.target(done): ["isCompleted": .bool(false)]])
  }

  @Test func ofAnUnknownCopyOnlyWhatNobodyEverWroteIsWritten() {
    let copy = timer("B", at: 2, todos: [Self.todo(2)]) { $0.icon = "old" }
    let found = Changes(
      copy, Self.schema, starts: [], room: nil, present: timer(at: 1, todos: [Self.todo(1)]),
      acted: [:], isUnknown: true, isOld: { $1 == "old".datum })
    #expect(writes(found) == ["name": "B".datum])
    #expect(found.created.map(\.record.target) == [Self.target(Self.todo(2))])
    #expect(found.deleted.isEmpty && found.moves.isEmpty)
  }

  // MARK: What is certain

  @Test func whatIsSentBackIsProven() {
    var track = track(timer(at: 1), sent: timer("B", at: 2), timer("C", at: 3))
    let isOther = track.prove(timer("B", at: 9))
    #expect(!isOther && track.held?.values["name"] == "A".datum)
    let isSame = track.prove(timer("B", at: 2))
    #expect(isSame && track.held?.values["name"] == "B".datum && track.inFlight.count == 1)
  }

  @Test func acknowledgedIsNotTakenInWhereTheOwnCopyIsNewer() {
    var newer = track(timer(at: 5), sent: timer("B", at: 2))
    newer.acknowledge { _ in true }
    #expect(newer.held?.values["name"] == "A".datum && newer.inFlight.isEmpty)
    var older = track(timer(at: 1), sent: timer("B", at: 2))
    older.acknowledge { _ in false }
    #expect(older.held?.values["name"] == "A".datum)
    older.acknowledge { _ in true }
    #expect(older.held?.values["name"] == "B".datum)
  }

  @Test func whatTheDeviceDatedItselfProvesNothing() {
    var track = track(timer(at: 1), sent: timer("B", at: 2))
    track.act(notes, "m".datum, latest: 2.5, isPhone: true)
    track.acknowledge { _ in true }
    #expect(track.held?.values["notes"] == "m".datum)
    #expect(track.held?.values["name"] == "A".datum && track.isOwed)
    // What is sent above the latest date that it can have settles it: a phone answers what it refuses.
    track.send(sent(timer("C", at: 3), 2))
    track.acknowledge { _ in true }
    #expect(track.held?.values["name"] == "C".datum && track.inFlight.isEmpty)
  }

  /// A watch does not tell what it refuses, and nobody knows by how much its clock is ahead.
  @Test func afterAnUndatedActionOfAWatchOnlyADatedCopyProves() {
    var track = track(timer(at: 1))
    track.act(notes, "m".datum, latest: 2.5, isPhone: false)
    track.send(sent(timer("C", at: 3), 1))
    track.acknowledge { _ in true }
    #expect(track.held?.values["name"] == "A".datum && track.inFlight.count == 1)
    // It may hold either: what one of the two lacks was not deleted.
    #expect(track.starts(before: 9).count == 2)
    track.receive(timer("D", at: 9), at: 0, newest: 0)
    track.send(sent(timer("E", at: 10), 2))
    track.acknowledge { _ in true }
    #expect(track.held?.values["name"] == "E".datum && track.inFlight.isEmpty)
  }

  /// It had nothing before; what it acted upon was on its way to it.
  @Test func anUndatedActionUponTheFirstCopyProvesNothing() {
    var track = Track(.absent)
    track.send(sent(timer(at: 2), 1))
    track.act(notes, "x".datum, latest: 60, isPhone: false)
    track.send(sent(timer("B", at: 61), 2))
    track.acknowledge { _ in true }
    #expect(track.held == nil && track.inFlight.count == 2)
    track.receive(timer("A", at: 70), at: 1, newest: 1)
    #expect(track.held?.values["name"] == "A".datum)
  }

  @Test func whatFollowedAnUndatedActionIsSentOnceMoreWithAWideMargin() {
    var track = track(timer(at: 1))
    track.act(notes, "m".datum, latest: 2.5, isPhone: false)
    track.resendUndated(margin: 100)
    #expect(!track.isOwed, "nothing was sent since")
    track.send(sent(timer("C", at: 3), 1))
    track.resendUndated(margin: 100)
    #expect(track.isOwed && track.floor == 102.5)
    track.send(sent(timer("C", at: 103), 2))
    track.resendUndated(margin: 100)
    #expect(!track.isOwed, "once is enough")
  }

  @Test func aDatedCopyEndsADoubtOfDates() {
    var track = track(timer(at: 1), sent: timer("B", at: 2))
    track.act(notes, "m".datum, latest: 60, isPhone: true)
    #expect(track.starts(before: nil).count == 2, "it may have taken that before or after")
    track.receive(timer("C", at: 3), at: 0, newest: 0)
    #expect(track.starts(before: nil).map { $0.record.values["name"] } == ["C".datum])
  }

  @Test func aCopyThatCrossedADeleteIsInDoubtUntilALaterDelivery() {
    var track = track(timer(at: 1), sent: nil, timer("B", at: 2))
    track.receive(timer("C", at: 5), at: 0, newest: 0)
    track.acknowledge { _ in true }
    #expect(track.isOwed && track.inFlight.count == 2, "it may hold either")
    #expect(track.starts(before: nil).map { $0.record.values["name"] } == ["C".datum, "B".datum])
    track.send(sent(timer("C", at: 6), 3))
    track.acknowledge { _ in true }
    #expect(track.held?.updatedAt == 6 && track.inFlight.isEmpty)
  }

  @Test func whatItDeletesMayComeBackFromWhatWasInFlight() {
    var track = track(timer(at: 5), sent: timer("B", at: 2))
    #expect(track.starts(before: nil).count == 1, "it refuses what is older")
    track.delete()
    #expect(track.starts(before: nil).map { $0.record.values["name"] } == ["B".datum])
    #expect(track.isOwed)
    track.send(sent(nil, 2))
    track.acknowledge { _ in true }
    #expect(track.base == .absent && track.inFlight.isEmpty)
  }

  @Test func agreementWaitsForWhatIsInFlight() throws {
    var track = track(timer(at: 1), sent: timer("B", at: 2))
    #expect(!track.agrees(with: timer(at: 9)) && !track.agrees(with: timer("B", at: 9)))
    track.acknowledge { _ in true }
    #expect(!track.agrees(with: timer(at: 9)))
    try #require(track.agrees(with: timer("B", at: 9)))
    track.agree(at: 8)
    #expect(track.oldestPosition == 8)
  }

  @Test func lateCopies() {
    var track = track(timer(at: 5))
    #expect(track.isLate(timer("B", at: 4)))
    #expect(track.isLate(timer(at: 5)), "the same again")
    #expect(!track.isLate(timer("B", at: 5)), "equal is not late")
    track.receive(timer("B", at: 5), at: 0, newest: 0)
    #expect(track.isLate(timer("B", at: 5)))
  }

  @Test func itsDatesBeginAnewInTheLaneOfItsDelete() {
    var track = track(timer(at: 5), sent: timer("B", at: 2))
    track.delete(isInOrder: true)
    let next = timer("C", at: 3)
    #expect(!track.isLate(next, isInOrder: true), "made upon what was on its way")
    #expect(track.isLate(next), "another lane may bring what it had made before")
    track.receive(next, at: 0, newest: 0, isInOrder: true)
    #expect(track.isLate(timer(at: 5)), "the one of before again")
    #expect(!track.isLate(timer("D", at: 3), isInOrder: true))
    track.receive(timer("D", at: 6), at: 0, newest: 0)
    #expect(track.isLate(timer("E", at: 4), isInOrder: true), "another lane was faster")
  }

  @Test func theNewestOfBeforeItsDeleteStaysKnown() {
    var track = track(timer(at: 5))
    track.delete(isInOrder: true)
    track.receive(timer("C", at: 5), at: 0, newest: 0, isInOrder: true)
    #expect(track.isLate(timer(at: 5)), "the one of before again, of one date with the new one")
  }

  @Test func itsDatesDoNotBeginAnewWithADeleteThatMayBeLate() {
    var track = track(timer(at: 5), sent: timer("B", at: 2))
    track.delete()
    #expect(track.isLate(timer("C", at: 3), isInOrder: true))
  }

  @Test func whatIsExpected() {
    #expect(track(timer(at: 1), sent: timer("B", at: 2)).expects(timer("B", at: 0)))
    #expect(track(timer(at: 3), sent: timer("B", at: 2)).expects(timer(at: 0)))
    #expect(track(timer(at: 2), sent: timer("B", at: 2)).expected == .unknown, "a tie")
    #expect(track(timer(at: 1), sent: nil).expected == .absent)
  }

  @Test func sixteenDeliveriesAreInFlightAtMost() throws {
    var track = track(timer(at: 1))
    for number in 1...16 {
      #expect(track.hasRoom)
      track.send(sent(timer(Name("\(number)"), at: 1 + Double(number)), UInt64(number)))
    }
    #expect(!track.hasRoom)
    track.makeRoom(processed: 0)
    #expect(!track.hasRoom, "none of them was read")
    track.makeRoom(processed: 1)
    #expect(!track.hasRoom, "the oldest stays, and the next one was not read")
    track.makeRoom(processed: 2)
    #expect(track.hasRoom && track.held == timer(at: 1))
    let dates = track.starts(before: nil).map(\.record.updatedAt)
    #expect(dates == [1, 2] + (4...17).map(Double.init))
    // What it said is known, and when it was sent.
    #expect(track.room(of: timer("upon an earlier one", at: 2.5)) == nil)
    let name = WholeRecord.Field(target: timer(at: 1).target, name: "name")
    for copy in [timer("2", at: 3), timer("upon that", at: 3.5)] {
      let room = try #require(track.room(of: copy))
      #expect(room.says(.string("2"), in: name) && !room.says(.string("3"), in: name))
      #expect(!room.says(.string("upon that"), in: name))
    }
    track.receive(timer("own", at: 2.5), at: 0, newest: 0)
    #expect(track.room(of: timer("upon that", at: 3.5)) != nil, "it may be taken yet")
    track.receive(timer("own", at: 3.5), at: 0, newest: 0)
    #expect(track.room(of: timer("upon that", at: 4.5)) == nil, "it was refused")
    track.delete(isInOrder: true)
    #expect(
      track.room(of: timer("upon that", at: 4.5)) != nil, "it may have come behind the delete")
  }

  /// A copy that may be made upon what has made room: its values are no edits, and neither is what it lacks or moved.
  @Test func whatMadeRoomIsNoEdit() {
    var track = track(timer(at: 1, todos: [Self.todo(1)]))
    for number in 1...16 {
      let todos = number == 2 ? [Self.todo(1), Self.todo(2)] : [Self.todo(1)]
      track.send(
        sent(timer(Name("\(number)"), at: 1 + Double(number), todos: todos), UInt64(number)))
    }
    track.makeRoom(processed: 2)
    let upon = timer("2", at: 3.5, todos: [Self.todo(2)]) { $0.icon = "new" }
    let found = changes(upon, track)
    #expect(writes(found) == ["icon": "new".datum])
    #expect(found.created.isEmpty && found.deleted.isEmpty && found.moves.isEmpty)
    let other = changes(timer("own", at: 3.5, todos: [Self.todo(1), Self.todo(3)]), track)
    #expect(writes(other) == ["name": "own".datum])
    #expect(other.created.map(\.record.target) == [Self.target(Self.todo(3))])
  }

  /// What is dated below a device's own copy was refused, or came before it: that takes no knowledge with it.
  @Test func whatIsOlderThanItsCopyMakesRoomForNothing() {
    var track = track(timer(at: 1))
    for number in 1...16 {
      track.send(sent(timer(Name("\(number)"), at: 1 + Double(number)), UInt64(number)))
    }
    track.receive(timer("own", at: 5), at: 0, newest: 0)
    for seq in 1...4 as ClosedRange<UInt64> { track.makeRoom(processed: seq) }
    #expect(track.held == timer("own", at: 5))
    #expect(track.inFlight.count == 15)
  }

  // MARK: Dates that are sent

  private func dated(_ record: WholeRecord, _ track: Track) -> WholeRecord {
    Outgoing(
      BridgedDevice(device: 0), position: 0, now: 0, present: { _ in nil }, all: { [] },
      deliver: { _ in 0 }, takeBack: { _ in false }
    ).dated(record, track)
  }

  @Test func datesAreAboveAllThatTheDeviceHas() {
    let track = track(timer(at: 7, todos: [Self.todo(1, at: 9)]))
    let exported = dated(timer("B", at: 3, todos: [Self.todo(1, at: 2)]), track)
    #expect(exported.updatedAt == 7.0015)
    #expect(exported.children[0].updatedAt == 9, "as the device has it")
    var changed = Self.todo(1, at: 2)
    changed.isCompleted = true
    #expect(dated(timer(at: 3, todos: [changed]), track).children[0].updatedAt == 9.0015)
    #expect(dated(timer(at: 3), Track(.unknown)).updatedAt == 3.0005)
  }
}

extension String {
  fileprivate var datum: Datum { .string(Name(self)) }
}
