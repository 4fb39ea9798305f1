import AppModels
import Foundation
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// What a bridged phone does and is sent, with somebody at a keyboard as the watch.
@Suite("The bridge for whole records")
struct BridgeTests: PhoneBridgeSuite {
  let hub: HubWorld
  let phone: WholeRecordPeer

  // MARK: Both ways

  @Test func aNewDeviceIsSentEverything() throws {
    #expect(phone.takeHistory().map(\.kind) == ["fullSync"])
    try make(timer)
    #expect(try todos() == ["water", "leaves"])
    #expect(phone.takeHistory().isEmpty, "what it sent is not sent back")
    try edit("set={\"name\":\"Green tea\"}")
    #expect(phone.takeHistory().map(\.kind) == ["updated"])
    try expectAgreement()
    try edit("delete=true")
    #expect(phone.takeHistory().map(\.kind) == ["deleted"])
    try expectAgreement()
  }

  /// What was not given to anybody yet is replaced.
  @Test func whoWasAwayIsSentTheLastStateOnly() throws {
    try make(timer)
    phone.disconnect()
    for name in ["Mate", "Cocoa", "Coffee"] { try edit("set={\"name\":\"\(name)\"}") }
    phone.connect()
    pass()
    #expect(phone.takeHistory().map(\.kind) == ["fullSync", "updated"])
    try expectAgreement()
  }

  @Test func anotherFieldIsNotOverwritten() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"durationInSeconds\":120}")
    try update { $0.name = "Black tea" }
    phone.holdsInput = false
    pass()
    #expect(try field("name") == "Black tea")
    #expect(try shown()[id.description]?["durationInSeconds"] as? Int == 120)
    try expectAgreement()
  }

  @Test func twoEditsBeforeTheAnswer() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"durationInSeconds\":120}")
    try update { $0.name = "Black tea" }
    try update { $0.icon = "leaf" }
    try edit("set={\"name\":\"Mate\"}")
    try update { $0.colorHex = "#FF0000" }
    phone.holdsInput = false
    pass()
    #expect(try field("name") == "Mate", "an old edit of its own is not written again")
    #expect(try shown()[id.description]?["durationInSeconds"] as? Int == 120)
    #expect(try field("icon") == "leaf")
    try expectAgreement()
  }

  @Test func theSameChangeByBothSides() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"isCompleted\":true}", kind: "todo", record: one)
    try edit("set={\"name\":\"Mate\"}")
    phone.say(
      try phone.model.update(id, now: phone.now) { $0.todoItems[0].isCompleted = true })
    phone.holdsInput = false
    pass()
    #expect(try field("name") == "Mate")
    #expect(try todos() == ["water!", "leaves"])
    try expectAgreement()
  }

  @Test func aTodoIsSetBack() throws {
    try make(timer)
    try edit("set={\"isCompleted\":true}", kind: "todo", record: one)
    #expect(phone.model.timers[id]?.todoItems[0].isCompleted == true)
    try update { $0.todoItems[0].isCompleted = false }
    #expect(try todos() == ["water", "leaves"])
    try expectAgreement()
  }

  @Test func notesAreMerged() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"notes\":\"steep 3 min\"}")
    try update { $0.notes = "do steep" }
    try update { $0.notes = "do steep!" }
    phone.holdsInput = false
    pass()
    let merged = try field("notes")
    #expect(["do steep! 3 min", "do steep 3 min!"].contains(merged))
    try expectAgreement()
    try update { $0.notes = nil }
    #expect(try field("notes") == "")
  }

  // MARK: To-dos

  @Test func todosComeAndGo() throws {
    try make(timer)
    phone.holdsInput = true
    try edit("set={\"text\":\"hot water\"}", kind: "todo", record: one)
    let new = Identifier(high: 7, low: 7)
    try update {
      $0.todoItems.removeFirst()
      $0.todoItems.insert(
        TodoItemDTO(id: new, text: "cup", createdAt: 0, updatedAt: 0), at: 0)
    }
    phone.holdsInput = false
    pass()
    #expect(try todos().sorted() == ["cup", "hot water", "leaves"], "an unseen edit wins")
    try update { $0.todoItems.removeAll { $0.id == two } }
    #expect(try todos().sorted() == ["cup", "hot water"])
    try expectAgreement()
  }

  @Test func todosAreReordered() throws {
    try make(timer)
    try update { $0.todoItems.swapAt(0, 1) }
    #expect(try todos() == ["leaves", "water"])
    try expectAgreement()
  }

  @Test func todosOfAnotherTimerAreRefused() throws {
    try make(timer)
    var other = timer
    other.id = Identifier(high: 9, low: 9)
    let before = try hub.state("watch")
    phone.say([.timerUpdate(TimerUpdateMessage(.created, other))])
    #expect(phone.errors.first?.code == 4004)
    #expect(
      phone.errors.first?.message
        == "todo \(one) belongs to timer \(id), not to timer \(other.id)")
    #expect(try hub.state("watch") == before)
  }

  @Test func aNewToDoInTwoTimersIsRefused() throws {
    var other = timer
    other.id = Identifier(high: 9, low: 9)
    let before = try hub.state("watch")
    phone.say([.fullSync(TimerSyncPayload(timers: [timer, other], syncTimestamp: phone.now))])
    #expect(phone.errors.map(\.code) == [4004])
    #expect(phone.errors.first?.message == "todo \(one) occurs in two timers")
    #expect(try hub.state("watch") == before)
  }

  // MARK: Late copies, echoes, the old version

  @Test func lateCopiesChangeNothing() throws {
    try make(timer)
    let old = phone.model.timers[id]!
    try update { $0.name = "Mate" }
    phone.repeatLast(.timerUpdate(TimerUpdateMessage(.updated, old)))
    pass()
    #expect(try field("name") == "Mate")
    try expectAgreement()
  }

  @Test func echoesMintNothing() throws {
    try make(timer)
    try edit("set={\"name\":\"Mate\"}")
    let before = try hub.state("watch")
    phone.say([phone.model.fullSync(now: phone.now)])
    phone.repeatLast(phone.model.fullSync(now: phone.now))
    #expect(try hub.state("watch") == before)
  }

  @Test func theFirstVersionHasNoOrder() throws {
    var old = timer
    old.sortOrder = nil
    old.updatedAt = phone.now
    phone.say([.timerUpdate(TimerUpdateMessage(.created, old))])
    #expect(try field("name") == "Tea")
    old.name = "Mate"
    old.notes = nil
    old.updatedAt = phone.now + 1
    phone.say([.timerUpdate(TimerUpdateMessage(.updated, old))])
    #expect(try field("name") == "Mate")
    #expect(try field("notes") == "", "no notes are an empty text")
    #expect(phone.errors.isEmpty)
  }

  // MARK: Refusals

  /// One rule for blank names at every door that refuses: typed edits, and payloads of whole records.
  @Test(arguments: ["\\n", " \\u200b\\u2060", "\\u3164\\ufe0f", "\\u0001\\u00ad"])
  func blankNamesAreRefusedAtEveryDoor(_ blank: String) throws {
    try make(timer)
    for (edit, code) in [
      ("kind=timer record=\"\(id)\" set={\"name\":\"\(blank)\"}", 4021),
      ("kind=timer create=true set={\"name\":\"\(blank)\",\"durationInSeconds\":1}", 4021),
      ("kind=todo record=\"\(one)\" set={\"text\":\"\(blank)\"}", 4024),
    ] {
      _ = try shown()
      let answer = try hub.ask("sync.edit \(edit)", on: "watch")
      #expect(answer.type == "error" && answer["code"] as? Int == code, "\(edit): \(answer)")
    }
    let name = try Datum(json: Array("\"\(blank)\"".utf8)).text!
    for (part, code) in [(0, 4021), (1, 4024)] {
      var copy = phone.model.timers[id]!
      copy.updatedAt = phone.now + 1
      if part == 0 { copy.name = name } else { copy.todoItems[0].text = name }
      let payload = String(
        decoding: TodoTimersEnvelope().dictionary(.timerUpdate(TimerUpdateMessage(.updated, copy))),
        as: UTF8.self)
      let answer = try hub.ask(
        "{\"type\":\"sendMessage\",\"id\":\"b\",\"payload\":\(payload)}", on: "phone")
      #expect(answer["code"] as? Int == code, "\(answer)")
    }
    #expect(try field("name") == "Tea")
  }

  /// A timer of a list that cannot be is refused by itself: not taken, and not taken for deleted.
  @Test func oneOfAListIsRefusedByItself() throws {
    try make(timer)
    var other = timer
    other.id = Identifier(high: 5, low: 1)
    other.name = "Other"
    other.todoItems = []
    try make(other)
    var sync = TimerSyncPayload(timers: phone.model.ordered, syncTimestamp: phone.now + 2)
    for index in sync.timers.indices { sync.timers[index].updatedAt = phone.now + 1 }
    sync.timers[0].name = "Mate"
    sync.timers[1].createdAt = -1
    sync.timers[1].durationInSeconds = 7
    let payload = String(
      decoding: TodoTimersEnvelope().dictionary(.fullSync(sync)), as: UTF8.self)
    let bad = sync.timers[1].id
    for request in ["transferUserInfo", "updateApplicationContext", "sendMessage"] {
      let reply = request == "sendMessage" ? ",\"expectsReply\":true" : ""
      let answers = hub.type(
        "{\"type\":\"\(request)\",\"id\":\"b\"\(reply),\"payload\":\(payload)}", on: "phone")
      let answer = try #require(
        answers.first { ["accepted", "didReceiveReply"].contains($0.type) }, "\(answers)")
      let told = reply.isEmpty ? answer.members : answer["payload"] as? [String: Any]
      let refused = try #require(told?["refused"] as? [[String: Any]], "\(answer)")
      #expect(refused.count == 1)
      #expect(refused.first?["kind"] as? String == "timer")
      #expect(refused.first?["record"] as? String == bad.description)
      #expect(refused.first?["code"] as? Int == 4004)
      #expect((refused.first?["message"] as? String)?.contains("before 2001") == true)
    }
    #expect(try field("name") == "Mate")
    let kept = try #require(try shown()[bad.description])
    #expect(kept["durationInSeconds"] as? Int == 300)
  }
}
