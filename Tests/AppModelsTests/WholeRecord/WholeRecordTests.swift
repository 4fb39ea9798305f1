import Merge
import Testing
import Wire

@testable import AppModels

@Suite("Whole-record devices")
struct WholeRecordTests {
  private let id = Identifier(high: 1, low: 1)
  private let todo = Identifier(high: 2, low: 1)

  private func timer(_ name: Name = "Tea", at date: Double = 10, todos: Int = 1) -> TimerDTO {
    TimerDTO(
      id: id, name: name, durationInSeconds: 300, createdAt: 1, updatedAt: date,
      todoItems: (0..<todos).map {
        TodoItemDTO(
          id: Identifier(high: 2, low: UInt64($0 + 1)), text: "todo", sortOrder: Int64($0),
          createdAt: 1, updatedAt: date)
      })
  }

  private func device(_ role: WholeRecordDevice.Role, _ held: TimerDTO?) -> WholeRecordDevice {
    var device = WholeRecordDevice(role)
    if let held { _ = device.apply(.timerUpdate(TimerUpdateMessage(.created, held)), now: 0) }
    return device
  }

  private func update(_ timer: TimerDTO) -> TodoTimersMessage {
    .timerUpdate(TimerUpdateMessage(.updated, timer))
  }

  @Test func r1LaterWins() {
    var watch = device(.watch, timer(at: 10))
    _ = watch.apply(update(timer("New", at: 11)), now: 0)
    #expect(watch.timers[id]?.name == "New")
    _ = watch.apply(update(timer("Old", at: 10.5)), now: 0)
    #expect(watch.timers[id]?.name == "New")
  }

  @Test func r2PhoneWinsTies() {
    var phone = device(.phone, timer("Phone"))
    _ = phone.apply(update(timer("Watch")), now: 0)
    #expect(phone.timers[id]?.name == "Phone")
    var watch = device(.watch, timer("Watch"))
    _ = watch.apply(update(timer("Phone")), now: 0)
    #expect(watch.timers[id]?.name == "Phone")
  }

  @Test func r3PhoneAnswersTheLoser() {
    var phone = device(.phone, timer("Phone", at: 20))
    #expect(phone.apply(update(timer("Watch", at: 10)), now: 0) == [update(timer("Phone", at: 20))])
    var watch = device(.watch, timer("Watch", at: 20))
    #expect(watch.apply(update(timer("Phone", at: 10)), now: 0).isEmpty)
  }

  @Test func r4TodosRideInTheTimer() {
    var watch = device(.watch, timer(at: 10, todos: 3))
    _ = watch.apply(update(timer(at: 11, todos: 1)), now: 0)
    #expect(watch.timers[id]?.todoItems.count == 1)
    var refused = timer(at: 9, todos: 2)
    refused.todoItems[0].updatedAt = 99
    _ = watch.apply(update(refused), now: 0)
    #expect(watch.timers[id]?.todoItems.count == 1)
    #expect(watch.timers[id]?.todoItems[0].updatedAt == 11)
  }

  @Test func r5AllButCreationIsCopied() {
    var watch = device(.watch, timer(at: 10))
    var next = timer("New", at: 11)
    next.createdAt = 5
    next.sortOrder = 4
    _ = watch.apply(update(next), now: 0)
    #expect(watch.timers[id]?.createdAt == 1)
    #expect(watch.timers[id]?.sortOrder == 4)
    next.sortOrder = nil
    next.updatedAt = 12
    _ = watch.apply(update(next), now: 0)
    #expect(watch.timers[id]?.sortOrder == 4)
  }

  @Test func r6NewTimersKeepTheirTodos() {
    #expect(device(.phone, timer(todos: 2)).timers[id]?.todoItems.count == 2)
  }

  @Test func r7Deleted() {
    var phone = device(.phone, timer())
    for _ in 0..<2 {
      _ = phone.apply(.timerUpdate(TimerUpdateMessage(deleted: id)), now: 0)
      #expect(phone.timers.isEmpty)
    }
  }

  @Test func r8AFullSyncDeletesNothing() {
    var watch = device(.watch, timer())
    _ = watch.apply(.fullSync(TimerSyncPayload(timers: [], syncTimestamp: 99)), now: 0)
    #expect(watch.timers.count == 1)
  }

  @Test func r9TogglesAreSettings() {
    var phone = device(.phone, timer(at: 10))
    let action = TodoTimersMessage.quickAction(
      QuickActionMessage(.todoToggled(todo, isCompleted: true), timerID: id))
    for _ in 0..<2 { _ = phone.apply(action, now: 50) }
    #expect(phone.timers[id]?.todoItems[0].isCompleted == true)
    #expect(phone.timers[id]?.todoItems[0].updatedAt == 50.001)
    let foreign = TodoTimersMessage.quickAction(
      QuickActionMessage(.todoToggled(id, isCompleted: true), timerID: todo))
    let before = phone.timers
    _ = phone.apply(foreign, now: 60)
    #expect(phone.timers == before)
  }

  @Test func r10And11NotesByArrival() {
    var phone = device(.phone, timer(at: 10))
    for (text, now) in [("a", 20.0), ("", 21.0)] {
      _ = phone.apply(
        .quickAction(QuickActionMessage(.noteUpdated(Name(text)), timerID: id)), now: now)
      #expect(phone.timers[id]?.notes == Name(text))
      #expect(phone.timers[id]?.updatedAt == now)
    }
  }

  @Test func r12FullSyncIsInOrder() throws {
    var phone = WholeRecordDevice(.phone)
    for number in 1...3 {
      var new = timer()
      new.id = Identifier(high: 1, low: UInt64(number))
      new.todoItems = []
      _ = try phone.create(new, now: Double(number))
    }
    #expect(phone.ordered.map(\.sortOrder) == [0, 1, 2])
    guard case .fullSync(let sync)? = phone.apply(.syncRequest, now: 9).first else {
      Issue.record("no full sync")
      return
    }
    #expect(sync.timers.map(\.id.low) == [1, 2, 3])
    #expect(sync.syncTimestamp == 9)
  }

  @Test func r13TwiceIsOnce() {
    var watch = device(.watch, timer())
    _ = watch.apply(update(timer("New", at: 11)), now: 0)
    let once = watch.timers
    _ = watch.apply(update(timer("New", at: 11)), now: 0)
    #expect(watch.timers == once)
  }

  @Test func r14And15EveryEditIsSent() throws {
    var phone = device(.phone, timer())
    let sent = try phone.update(id, now: 30) { $0.name = "New" }
    #expect(sent == [update(phone.timers[id]!)])
    #expect(phone.toggle(todo, of: id, isCompleted: true, now: 31).count == 1)
    #expect(phone.setNotes("n", of: id, now: 32).count == 1)
    #expect(phone.delete(id) == [.timerUpdate(TimerUpdateMessage(deleted: id))])
  }

  @Test func r16TheWatchIsACache() throws {
    var watch = device(.watch, timer())
    #expect(watch.setNotes("n", of: id, now: 30).isEmpty)
    _ = try watch.update(id, now: 31) {
      $0.notes = "n"
      $0.todoItems[0].text = "other"
      $0.name = "New"
    }
    #expect(watch.timers[id]?.notes == nil)
    #expect(watch.timers[id]?.todoItems[0].text == "todo")
    #expect(watch.timers[id]?.name == "New")
    let held = watch.timers[id]
    guard case .timerUpdate(let deleted)? = watch.delete(id).first else {
      Issue.record("no delete")
      return
    }
    #expect(deleted.timer == held)
  }

  @Test func r17CompletingAllIsTold() {
    var phone = device(.phone, timer(at: 10, todos: 2))
    let sent = phone.completeAll(id, now: 30)
    #expect(sent == [update(phone.timers[id]!)])
    #expect(phone.timers[id]?.todoItems.allSatisfy { $0.isCompleted && $0.updatedAt == 30 } == true)
    #expect(phone.timers[id]?.updatedAt == 30)
  }

  @Test func r18ReorderingNumbersAll() {
    var phone = WholeRecordDevice(.phone)
    for number in 1...3 {
      var new = timer(todos: 0)
      new.id = Identifier(high: 1, low: UInt64(number))
      new.createdAt = Double(number)
      _ = phone.apply(.timerUpdate(TimerUpdateMessage(.created, new)), now: 0)
    }
    phone.numberOldTimers()
    #expect(phone.ordered.map(\.sortOrder) == [0, 1, 2])
    let sent = phone.move(Identifier(high: 1, low: 3), to: 0, now: 40)
    #expect(sent == [phone.fullSync(now: 40)])
    #expect(phone.ordered.map(\.id.low) == [3, 1, 2])
    #expect(phone.timers.values.allSatisfy { $0.updatedAt == 40 })
  }

  @Test func behindTheLargestNumber() throws {
    var last = timer()
    last.sortOrder = .max
    var phone = device(.phone, last)
    var next = timer("Next")
    next.id = Identifier(high: 1, low: 2)
    _ = try phone.create(next, now: 20)
    #expect(phone.ordered.map(\.name) == ["Tea", "Next"])
  }

  @Test func badEditsChangeNothing() {
    var phone = device(.phone, timer())
    let before = phone.timers
    #expect(throws: WireError(.emptyName, "Timer name cannot be empty")) {
      try phone.update(id, now: 30) { $0.name = " " }
    }
    #expect(throws: WireError(.durationTooLong, "Duration cannot exceed 24 hours")) {
      try phone.update(id, now: 30) { $0.durationInSeconds = 86_401 }
    }
    #expect(phone.timers == before)
  }
}
