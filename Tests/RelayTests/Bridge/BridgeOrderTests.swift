import AppModels
import Merge
import RelaySupport
import Testing

/// Where a bridged phone puts timers and to-dos, with somebody at a keyboard as the watch.
@Suite("The bridge and the order of timers")
struct BridgeOrderTests: PhoneBridgeSuite {
  let hub: HubWorld
  let phone: WholeRecordPeer

  @Test func timersAreReordered() throws {
    try makeTimers(4)
    phone.say(phone.model.move(Self.id(4), to: 0, now: phone.now))
    pass()
    #expect(try names() == ["4", "1", "2", "3"])
    try edit("move={\"after\":null}", record: Self.id(3))
    #expect(phone.model.ordered.map(\.name) == ["3", "4", "1", "2"])
    try expectAgreement()
  }

  /// Each of a list's orders stands as the phone made it, however many moves it takes.
  ///
  /// - Parameter inOneList: whether it is told as a list, and not timer by timer.
  @Test(arguments: [3, 4], [true, false])
  func severalMovesAtOnce(_ count: Int, inOneList: Bool) throws {
    for number in 1...count {
      var new = timer
      new.id = Identifier(high: 5, low: UInt64(number))
      new.name = Name("\(number)")
      new.todoItems = (1...count).map {
        TodoItemDTO(
          id: Identifier(high: UInt64(number), low: UInt64($0)), text: Name("\(number) \($0)"),
          createdAt: 0, updatedAt: 0)
      }
      try make(new)
    }
    for order in Self.orders(Array(0..<count)) {
      let list = phone.model.rearrange(now: phone.now) { _ in order }
      let timers = phone.model.ordered.sorted { $0.id < $1.id }
      phone.say(
        inOneList ? list : timers.map { .timerUpdate(TimerUpdateMessage(.updated, $0)) })
      let names = phone.model.ordered.map(\.name.text)
      let texts = phone.model.ordered.flatMap { $0.orderedTodos.map(\.text.text) }
      pass()
      #expect(
        try hub.records("timer", on: "watch").map { $0["name"] as? String } == names, "\(order)")
      #expect(phone.model.ordered.map(\.name.text) == names, "\(order)")
      #expect(
        phone.model.ordered.flatMap { $0.orderedTodos.map(\.text.text) } == texts, "\(order)")
      #expect(Set(try todos()) == Set(texts))
    }
    #expect(phone.errors.isEmpty)
  }

  /// Makes timers named 1 to `count`, in this order.
  private func makeTimers(_ count: Int) throws {
    for number in 1...count {
      var new = timer
      new.id = Self.id(number)
      new.name = Name("\(number)")
      new.todoItems = []
      try make(new)
    }
  }

  private static func id(_ number: Int) -> Identifier { Identifier(high: 5, low: UInt64(number)) }

  private func names() throws -> [String?] {
    try hub.records("timer", on: "watch").map { $0["name"] as? String }
  }

  private func moveElsewhere(_ number: Int, behind other: Int) throws {
    try edit("move={\"after\":\"\(Self.id(other))\"}", record: Self.id(number))
  }

  /// What somebody else has moved unseen goes back only where the phone has moved it.
  @Test func whatOthersMovedStays() throws {
    try makeTimers(4)
    phone.holdsInput = true
    try moveElsewhere(1, behind: 4)
    phone.say(phone.model.move(Self.id(4), to: 0, now: phone.now))
    phone.holdsInput = false
    pass()
    #expect(try names() == ["4", "2", "3", "1"])
    #expect(phone.model.ordered.map(\.name.text) == ["4", "2", "3", "1"])
  }

  /// Of two that have changed places either may have been moved: the one stays that somebody else has put.
  @Test func ofTwoThatWereSwappedTheOthersStays() throws {
    try makeTimers(3)
    phone.holdsInput = true
    try moveElsewhere(1, behind: 3)
    phone.say(phone.model.rearrange(now: phone.now) { $0 == 3 ? [1, 0, 2] : [] })
    phone.holdsInput = false
    pass()
    #expect(try names() == ["2", "3", "1"])
    #expect(phone.model.ordered.map(\.name.text) == ["2", "3", "1"])
  }

  private static func orders(_ rest: [Int]) -> [[Int]] {
    guard !rest.isEmpty else { return [[]] }
    return rest.flatMap { first in orders(rest.filter { $0 != first }).map { [first] + $0 } }
  }
}
