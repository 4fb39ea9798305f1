import AppModels
import Merge
import Testing

@testable import Relay

/// What a window knows, and what a copy is found to have changed.
@Suite("Windows of whole-record devices")
struct RecordWindowTests {
  private static let id = Identifier(high: 1, low: 1)
  private static func todo(_ number: UInt64, at date: Double = 1) -> TodoItemDTO {
    TodoItemDTO(
      id: Identifier(high: 2, low: number), text: Name("todo \(number)"),
      sortOrder: Int64(number), createdAt: 1, updatedAt: date)
  }

  private func timer(
    _ name: Name = "A", at date: Double, todos: [TodoItemDTO] = [],
    _ change: (inout TimerDTO) -> Void = { _ in }
  ) -> TimerDTO {
    var timer = TimerDTO(
      id: Self.id, name: name, durationInSeconds: 60, notes: "n", createdAt: 1, updatedAt: date,
      todoItems: todos)
    change(&timer)
    return timer
  }

  private func window(_ start: TimerDTO, sent: TimerDTO...) -> RecordWindow {
    var window = RecordWindow(.absent)
    window.receive(start, atLeast: 0)
    for (index, timer) in sent.enumerated() {
      window.add(
        .init(state: .timer(timer), position: UInt64(index + 1), seq: UInt64(index + 1)))
    }
    return window
  }

  private func difference(_ copy: TimerDTO, _ window: RecordWindow) -> TimerDifference {
    var window = window
    window.advance(showing: copy)
    return TimerDifference(copy, window, present: nil)
  }

  // MARK: What is changed

  @Test func onlyWhatIsInNoCopyIsChanged() {
    let window = window(timer(at: 1), sent: timer("B", at: 2) { $0.durationInSeconds = 90 })
    let copy = timer(at: 3) { $0.icon = "leaf" }
    #expect(difference(copy, window).writes == ["icon": "leaf".datum])
    #expect(difference(timer("B", at: 3) { $0.durationInSeconds = 90 }, window).isEmpty)
    #expect(difference(timer("C", at: 3), window).writes == ["name": "C".datum])
  }

  @Test func anEchoOfTheStartChangesNothing() {
    #expect(difference(timer(at: 1), window(timer(at: 1), sent: timer("B", at: 2))).isEmpty)
  }

  @Test func absentNotesAreEmptyAndAnAbsentOrderIsAsItWas() {
    let copy = timer(at: 2) {
      $0.notes = nil
      $0.sortOrder = nil
    }
    let found = difference(copy, window(timer(at: 1) { $0.sortOrder = 4 }))
    #expect(found.notes == "")
    #expect(found.sortOrder == nil)
    #expect(found.writes.isEmpty)
  }

  @Test func todosThatAreMissingFromAllCopiesAreDeleted() {
    let both = [Self.todo(1), Self.todo(2)]
    let copy = timer(at: 3, todos: [Self.todo(2)])
    #expect(difference(copy, window(timer(at: 1, todos: both))).deletedTodos == [both[0].id])
    // A sent copy lacks it: the device may have taken that one in.
    let crossing = window(timer(at: 1, todos: both), sent: timer(at: 2, todos: [Self.todo(2)]))
    #expect(difference(copy, crossing).deletedTodos.isEmpty)
    // Another field says that it has not.
    let other = window(timer(at: 1, todos: both), sent: timer("B", at: 2, todos: [Self.todo(2)]))
    #expect(difference(copy, other).deletedTodos == [both[0].id])
  }

  @Test func newTodosStandBehindTheOneBefore() {
    let found = difference(
      timer(at: 2, todos: [Self.todo(1), Self.todo(2)]),
      window(timer(at: 1, todos: [Self.todo(1)])))
    #expect(found.newTodos == [.init(todo: Self.todo(2), after: Self.todo(1).id)])
  }

  @Test func oneMoveForEachTodoOutOfOrder() {
    let all = (1...4).map { Self.todo($0) }
    var moved = all
    moved[3].sortOrder = 0
    let found = difference(timer(at: 2, todos: moved), window(timer(at: 1, todos: all)))
    #expect(found.todoMoves == [.init(id: all[3].id, after: nil)])
  }

  @Test func aTickThatGoesBackIsSeenByItsDate() {
    let done = [
      TodoItemDTO(
        id: Self.todo(1).id, text: "todo 1", isCompleted: true, sortOrder: 1, createdAt: 1,
        updatedAt: 2)
    ]
    let window = window(timer(at: 1, todos: [Self.todo(1)]), sent: timer(at: 2, todos: done))
    #expect(
      difference(timer(at: 3, todos: [Self.todo(1, at: 3)]), window).todoWrites
        == [.init(id: Self.todo(1).id, writes: ["isCompleted": .bool(false)])])
    #expect(difference(timer(at: 3, todos: [Self.todo(1)]), window).todoWrites.isEmpty)
  }

  @Test func ofAnUnknownCopyOnlyWhatDiffersFromThePresentIsWritten() {
    let copy = timer("B", at: 2, todos: [Self.todo(2)])
    let found = TimerDifference(
      copy, RecordWindow(.unknown), present: timer(at: 1, todos: [Self.todo(1)]))
    #expect(found.writes == ["name": "B".datum])
    #expect(found.newTodos.map(\.todo.id) == [Self.todo(2).id])
    #expect(found.deletedTodos.isEmpty)
  }

  // MARK: Where the window starts

  @Test func aValueThatACopyBroughtMovesTheStart() {
    var moved = window(timer(at: 1), sent: timer("B", at: 2), timer("C", at: 3))
    moved.advance(showing: timer("B", at: 9) { $0.icon = "leaf" })
    #expect(moved.start.state.timer?.name == "B")
    #expect(moved.entries.count == 2)
  }

  @Test func theSameChangeByBothMovesNothing() {
    let sent = timer("B", at: 2) { $0.durationInSeconds = 90 }
    var window = window(timer(at: 1), sent: sent)
    window.advance(showing: timer("B", at: 9))
    #expect(window.start.state.timer?.name == "A")
    #expect(TimerDifference(timer("B", at: 9), window, present: nil).writes.isEmpty)
  }

  @Test func acknowledgedIsNotTakenInWhereTheOwnCopyIsNewer() {
    var newer = window(timer(at: 5), sent: timer("B", at: 2))
    newer.advance { _ in true }
    #expect(newer.start.state.timer?.name == "A")
    var older = window(timer(at: 1), sent: timer("B", at: 2))
    older.advance { _ in false }
    #expect(older.start.state.timer?.name == "A")
    older.advance { _ in true }
    #expect(older.start.state.timer?.name == "B")
  }

  @Test func whatTheDeviceDatedItselfProvesNothing() {
    var window = window(timer(at: 1), sent: timer("B", at: 2))
    window.amend(latest: 2.5) { $0.notes = "m" }
    window.advance { _ in true }
    #expect(window.start.state.timer?.notes == "m")
    // What is sent above the latest date that it can have is taken in.
    window.add(.init(state: .timer(timer("C", at: 3)), position: 2, seq: 2))
    window.advance { _ in true }
    #expect(window.start.state.timer?.name == "C")
  }

  @Test func aCopyLikeTheStartWasNotMadeUponWhatWasBefore() {
    var window = window(timer(at: 1, todos: [Self.todo(1)]))
    var done = Self.todo(1)
    done.isCompleted = true
    let sent = RecordWindow.Entry(
      state: .timer(timer(at: 2, todos: [done])), position: 1, seq: 1)
    window.add(sent)
    window.advance { _ in true }
    window.amend(latest: 3) { $0.todoItems[0].isCompleted = false }
    #expect(window.last?.todoItems[0].isCompleted == false)
    let before = window
    let copy = timer(at: 4, todos: [Self.todo(1, at: 4)])
    #expect(difference(copy, window).isEmpty, "the tick has been told by a word")
    window.advance(showing: copy)
    #expect(window.start == before.start)
  }

  @Test func datesThatMayHaveComeOfOthers() {
    let window = window(timer(at: 5), sent: timer("B", at: 90))
    for date in [5, 5.002, 90, 90.5] { #expect(window.mayFollow(date)) }
    for date in [4.999, 6.5, 89, 92] { #expect(!window.mayFollow(date)) }
  }

  @Test func lateCopies() {
    var window = window(timer(at: 5))
    #expect(window.isLate(timer("B", at: 4)))
    #expect(window.isLate(timer(at: 5)), "the same again")
    #expect(!window.isLate(timer("B", at: 5)), "equal is not late")
    window.receive(timer("B", at: 5), atLeast: 0)
    #expect(window.isLate(timer("B", at: 5)))
  }

  @Test func whatIsExpected() {
    #expect(window(timer(at: 1), sent: timer("B", at: 2)).expected.timer?.name == "B")
    #expect(window(timer(at: 3), sent: timer("B", at: 2)).expected.timer?.name == "A")
    #expect(window(timer(at: 2), sent: timer("B", at: 2)).expected == .unknown, "a tie")
  }

  @Test func aWindowHasSixteenCopiesAtMost() {
    var window = window(timer(at: 1))
    for number in 1...40 {
      window.add(
        .init(state: .timer(timer(Name("\(number)"), at: 1 + Double(number))), seq: UInt64(number)))
    }
    #expect(window.entries.count == RecordWindow.limit)
    #expect(window.entries.last?.state.timer?.name == "40")
    window.receive(timer("own", at: 2), atLeast: 0)
    #expect(window.entries.count == RecordWindow.limit)
    #expect(window.start.state.timer?.name == "own")
  }

  // MARK: Dates that are sent

  @Test func datesAreAboveAllThatTheDeviceHas() {
    let window = window(timer(at: 7, todos: [Self.todo(1, at: 9)]))
    let exported = timer("B", at: 3, todos: [Self.todo(1, at: 2)]).exported(window)
    #expect(exported.updatedAt == 7.0015)
    #expect(exported.todoItems[0].updatedAt == 9, "as the device has it")
    var changed = Self.todo(1, at: 2)
    changed.isCompleted = true
    #expect(timer(at: 3, todos: [changed]).exported(window).todoItems[0].updatedAt == 9.0015)
    #expect(timer(at: 3).exported(RecordWindow(.unknown)).updatedAt == 3.0005)
  }

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
}

extension String {
  fileprivate var datum: Datum { .string(Name(self)) }
}
