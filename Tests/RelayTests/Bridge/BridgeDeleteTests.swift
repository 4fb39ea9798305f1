import AppModels
import Merge
import RelaySupport
import Testing

/// What a bridged phone deletes, and what it is sent of deletes, with somebody at a keyboard as the watch.
@Suite("The bridge and deletes")
struct BridgeDeleteTests: PhoneBridgeSuite {
  let hub: HubWorld
  let phone: WholeRecordPeer

  @Test func aDeleteLosesToWhatItHadNotSeen() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"name\":\"Mate\"}")
    phone.say(phone.model.delete(id))
    phone.holdsInput = false
    pass()
    #expect(try field("name") == "Mate")
    try expectAgreement()
    phone.say(phone.model.delete(id))
    pass()
    #expect(try shown().isEmpty)
    try expectAgreement()
  }

  @Test func whatWasSeenDeletedStaysDeleted() throws {
    try make(timer)
    let held = phone.model.timers[id]!
    try edit("delete=true")
    var late = held
    late.name = "Ghost"
    late.updatedAt = phone.now
    for message in [held, late].map({ TodoTimersMessage.timerUpdate(.init(.updated, $0)) }) {
      phone.repeatLast(message)
      #expect(try shown().isEmpty)
    }
    #expect(phone.takeHistory().suffix(2).map(\.kind) == ["deleted", "deleted"])
  }

  @Test func aDeleteMeetsALaterEdit() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("delete=true")
    try update { $0.name = "Mate" }
    phone.holdsInput = false
    pass()
    #expect(try field("name") == "Mate", "later, and had not seen the delete")
    #expect(try todos() == ["water", "leaves"])
    try expectAgreement()
  }

  @Test func absenceDeletes() throws {
    try make(timer)
    pass()
    _ = phone.model.delete(id)
    phone.say([phone.model.fullSync(now: phone.now)])
    pass()
    #expect(try shown().isEmpty)
    try expectAgreement()
  }

  @Test func absenceOfTheUnseenDeletesNothing() throws {
    phone.holdsInput = true
    let new = try hub.ask(
      "sync.edit kind=timer set={\"name\":\"New\",\"durationInSeconds\":7}", on: "watch")
    phone.say([phone.model.fullSync(now: phone.now)])
    phone.holdsInput = false
    pass()
    #expect(try shown()[new.id] != nil)
    try expectAgreement()
  }

  @Test func aResetPhoneDeletesNothing() throws {
    try make(timer)
    try edit("set={\"name\":\"Mate\"}")
    phone.reset()
    phone.connect()
    phone.say([phone.model.fullSync(now: phone.now)])
    pass()
    #expect(phone.model.timers[id]?.name == "Mate")
    try expectAgreement()
    var lower = WholeRecordPeer("phone", .phone, hub.world)
    lower = phone
    lower.connect(received: 0)
    _ = lower.model.delete(id)
    lower.say([lower.model.fullSync(now: lower.now)])
    pass()
    #expect(try shown().count == 1, "its numbers are below what it acknowledged")
    try expectAgreement()
  }

  /// The second one has seen all that brought the timer back.
  @Test func aSecondDeleteIsOfWhatCameBack() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"name\":\"Mate\"}")
    try edit("set={\"name\":\"Cocoa\"}")
    phone.say(phone.model.delete(id))
    pass()
    #expect(try field("name") == "Cocoa", "it had not seen that")
    // It reads both edits, and not yet what answers its delete.
    let unread = phone.takeUnread(behind: 2)
    phone.holdsInput = false
    pass()
    #expect(phone.model.timers[id]?.name == "Cocoa")
    phone.say(phone.model.delete(id))
    pass()
    #expect(try shown().isEmpty)
    phone.giveBack(unread)
    pass()
    try expectAgreement()
  }

  /// Who acknowledges nothing proves by the copy in its delete what it had seen.
  @Test func aDeleteSaysWhatItIsOf() throws {
    try make(timer)
    phone.acknowledges = false
    try edit("set={\"name\":\"Mate\"}")
    let held = phone.model.timers[id]!
    #expect(held.name == "Mate")
    _ = phone.model.delete(id)
    phone.say([.timerUpdate(TimerUpdateMessage(.deleted, held))])
    pass()
    #expect(try shown().isEmpty)
    try expectAgreement()
  }

  /// A copy that shows a to-do was made upon what brought that; so what else came with it was deleted.
  @Test func aTodoThatCameUnacknowledgedIsDeleted() throws {
    var bare = timer
    bare.todoItems = []
    try make(bare)
    phone.acknowledges = false
    phone.disconnect()
    for (todo, text) in [(one, "water"), (two, "leaves")] {
      try edit("set={\"timer\":\"\(id)\",\"text\":\"\(text)\"}", kind: "todo", record: todo)
    }
    phone.connect()
    pass()
    try update { $0.todoItems.removeAll { $0.id == two } }
    #expect(try todos() == ["water"])
    try expectAgreement()
  }
}
