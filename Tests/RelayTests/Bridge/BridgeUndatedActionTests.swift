import AppModels
import Foundation
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// A watch that acts by undated actions, with somebody at a keyboard as the phone.
@Suite("The bridge and undated actions")
struct BridgeUndatedActionTests: BridgeSuite {
  let hub: HubWorld
  let watch: WholeRecordPeer
  var peer: WholeRecordPeer { watch }

  init() throws { (hub, watch) = try Self.start(.watch) }

  private func make(_ id: Identifier) throws {
    if !watch.isConnected { watch.connect() }
    var timer = tea
    if id != self.id { (timer.id, timer.todoItems) = (id, []) }
    try make(timer)
  }

  private func tick(_ todo: Identifier, _ isCompleted: Bool = true) {
    watch.say(watch.model.toggle(todo, of: id, isCompleted: isCompleted, now: watch.now))
    pass()
  }

  private func delete(_ todo: Identifier) throws {
    watch.say(
      try watch.model.update(id, now: watch.now) {
        $0.todoItems = $0.orderedTodos.filter { $0.id != todo }
      })
    pass()
  }

  /// Somebody who sees what is there edits a to-do.
  private func edit(_ what: String, _ todo: Identifier) throws {
    _ = try todos()
    let answer = try hub.ask(
      "sync.edit kind=todo record=\"\(todo.description)\" \(what)", on: "phone")
    try #require(answer.type == "sync.edited", "\(answer)")
    watch.settle()
    pass()
  }

  private var held: [String] {
    watch.model.timers[id]?.orderedTodos.map { "\($0.text)\($0.isCompleted ? "!" : "")" } ?? []
  }

  // MARK: What never was

  /// Who is in step knows each to-do that there is; else its copy with the to-do may have been left out.
  @Test func anActionOnWhatNeverWasIsADoubtWhileSomethingIsUnread() throws {
    try make(id)
    let never = Identifier(high: 9, low: 9)
    func tickNever() {
      watch.say([
        .quickAction(QuickActionMessage(.todoToggled(never, isCompleted: true), timerID: id))
      ])
      pass()
    }
    watch.holdsInput = true
    _ = try hub.ask(
      "sync.edit kind=timer record=\"\(id.description)\" set={\"name\":\"Mate\"}", on: "phone")
    pass()
    tickNever()
    watch.holdsInput = false
    pass()
    #expect(watch.errors.isEmpty, "taken, and answered with what is there")
    #expect(try todos() == ["water", "leaves"])
    #expect(watch.model.timers[id]?.name == "Mate")
    // Its next dated copy says what it holds.
    try delete(two)
    tickNever()
    #expect(watch.errors.map(\.code) == [4004])
  }

  // MARK: Clocks that are ahead

  @Test(arguments: [0.007, 50])
  func whatIsSentAfterAnUndatedActionIsTakenIn(ahead: Double) throws {
    try make(id)
    watch.skew = ahead
    tick(one)
    try edit("set={\"text\":\"hot water\"}", one)
    #expect(try todos() == ["hot water!", "leaves"])
    #expect(held == ["hot water!", "leaves"])
  }

  @Test func aClockThatIsFarAheadEndsWithTheNextSession() throws {
    try make(id)
    watch.skew = 3_600
    tick(one)
    try edit("set={\"text\":\"hot water\"}", one)
    #expect(held == ["water!", "leaves"], "refused: nothing has told of its clock")
    watch.connect()
    pass()
    #expect(held == ["hot water!", "leaves"])
    _ = watch.takeHistory()
    watch.connect()
    pass()
    #expect(watch.takeHistory().isEmpty, "it is sent once")
  }

  @Test func aClockThatIsFarAheadEndsWithItsNextCopy() throws {
    try make(id)
    watch.skew = 1_000_000
    tick(one)
    try edit("set={\"text\":\"hot water\"}", one)
    #expect(held == ["water!", "leaves"])
    watch.say(try watch.model.update(id, now: watch.now) { $0.durationInSeconds = 7 })
    pass()
    #expect(held == ["hot water!", "leaves"])
    #expect(try todos() == ["hot water!", "leaves"])
  }

  /// It refused the to-do that came after its tick, and has acknowledged it all the same: what its list lacks
  /// it did not delete.
  @Test(arguments: [70, 10_000])
  func whatAClockAheadRefusedIsNotDeleted(ahead: Double) throws {
    try make(id)
    watch.skew = ahead
    tick(one)
    _ = try todos()
    let made = try hub.ask(
      "sync.edit kind=todo record=\"A0000000-0000-4000-8000-000000000003\" "
        + "set={\"timer\":\"\(id)\",\"text\":\"cup\"}", on: "phone")
    try #require(made.type == "sync.edited", "\(made)")
    pass()
    #expect(held == ["water!", "leaves"], "refused")
    for _ in 1...2 {
      watch.say([watch.model.fullSync(now: watch.now)])
      pass()
      #expect(try todos().sorted() == ["cup", "leaves", "water!"])
      watch.connect()
      pass()
    }
    #expect(held.sorted() == ["cup", "leaves", "water!"])
  }

  @Test func datesThatItWasSentTellNothingOfItsClock() throws {
    try make(id)
    for round in 1...20 {
      tick(one, round % 2 == 1)
      try edit("set={\"text\":\"\(round)\"}", two)
      watch.say(try watch.model.update(id, now: watch.now) { $0.durationInSeconds += 1 })
      pass()
      let shown = try todos()
      #expect(held == shown)
    }
    let ahead = watch.model.timers[id]!.updatedAt - watch.now
    #expect(ahead < 70, "a minute, however often")
  }

  // MARK: What it had seen

  @Test func itsOwnDeleteAfterAnUndatedActionIsCarriedOut() throws {
    try make(id)
    tick(one)
    pass(300)
    try delete(one)
    #expect(try todos() == ["leaves"])
    #expect(held == ["leaves"])
  }

  /// The price of that nothing is concluded after a tick: what somebody else has changed since comes back once.
  @Test func aDeleteAfterAnUndatedActionOfWhatOthersChangedCountsTheSecondTime() throws {
    try make(id)
    tick(one)
    try edit("set={\"text\":\"hot water\"}", one)
    pass(300)
    try delete(one)
    #expect(try todos() == ["hot water!", "leaves"])
    #expect(held == ["hot water!", "leaves"])
    try delete(one)
    #expect(try todos() == ["leaves"])
    #expect(held == ["leaves"])
  }

  @Test func whatItHadNotSeenAfterAnUndatedActionStays() throws {
    try make(id)
    tick(one)
    watch.holdsInput = true
    try edit("set={\"text\":\"hot water\"}", one)
    try delete(one)
    watch.holdsInput = false
    pass()
    #expect(try todos() == ["hot water!", "leaves"])
    #expect(held == ["hot water!", "leaves"])
  }

  /// It was done before the delete was read, and comes by another lane.
  @Test func aLateActionBringsNothingBack() throws {
    try make(id)
    pass(10)
    try edit("delete=true")
    #expect(watch.model.timers.isEmpty)
    watch.repeatLast(
      .quickAction(QuickActionMessage(.todoToggled(one, isCompleted: true), timerID: id)))
    #expect(try todos().isEmpty && hub.records("timer", on: "phone").isEmpty)
    #expect(watch.model.timers.isEmpty && watch.errors.isEmpty)
  }

  // MARK: Devices that come later

  private func makeElsewhere() throws {
    let made = [
      "kind=timer record=\"\(id)\" set={\"name\":\"Tea\",\"durationInSeconds\":300}",
      "kind=todo record=\"\(one)\" set={\"timer\":\"\(id)\",\"text\":\"water\"}",
      "kind=todo record=\"\(two)\" set={\"timer\":\"\(id)\",\"text\":\"leaves\"}",
    ]
    for edit in made {
      let answer = try hub.ask("sync.edit \(edit)", on: "phone")
      try #require(answer.type == "sync.edited", "\(answer)")
    }
    hub.world.pass(seconds: 5)
  }

  @Test func theFirstDeleteOfANewDevice() throws {
    try makeElsewhere()
    watch.connect()
    pass(5)
    #expect(held == ["water", "leaves"])
    for todo in [one, two] { try delete(todo) }
    #expect(try todos().isEmpty)
    #expect(watch.model.timers[id]?.todoItems.isEmpty == true)
  }

  @Test func theFirstDeleteOfOneThatHadAnOlderCopy() throws {
    try makeElsewhere()
    // From before it came here, and changed meanwhile: it refuses what it is sent.
    var old = tea
    old.todoItems.removeFirst()
    _ = try watch.model.create(old, now: watch.now + 100)
    watch.say(try watch.model.update(id, now: watch.now + 200) { $0.durationInSeconds = 7 })
    watch.connect()
    pass()
    #expect(try todos() == ["water", "leaves"], "it never had the other one")
    #expect(held == ["water", "leaves"])
  }
}
