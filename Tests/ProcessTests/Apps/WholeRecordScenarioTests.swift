import AppModels
import Foundation
import Merge
import Testing

extension ProcessTests {
  /// The rules of TodoTimers' sync, one by one, between a phone and a watch that know whole records
  /// only, through the real server; and where the seeds and the app of then part, the seeds' way.
  @Suite struct WholeRecordScenarioTests {
    @Test func r1TheLaterWriteWins() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make()
      #expect(scene.watch.shown.map { $0["name"] } == ["Tea"])
      scene.offline()
      scene.phone.now += 10
      scene.watch.now += 20
      try scene.rename(scene.phone, tea, "Earlier")
      try scene.rename(scene.watch, tea, "Later")
      try scene.online()
      try scene.expectEqual()
      #expect(scene.phone.shown.map { $0["name"] } == ["Later"])
    }

    @Test func r2ThePhoneWinsTies() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make()
      scene.offline()
      scene.phone.now += 10
      scene.watch.now += 10
      try scene.rename(scene.watch, tea, "The watch's")
      try scene.rename(scene.phone, tea, "The phone's")
      try scene.online()
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["name"] } == ["The phone's"])
    }

    /// What the loser is sent back, its own last-write-wins takes.
    @Test func r3TheLoserGetsTheNewerRecord() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make()
      scene.offline()
      scene.phone.now += 100
      try scene.rename(scene.phone, tea, "Newer")
      // The watch's clock is a minute behind, and it says so last.
      scene.watch.now -= 60
      try scene.rename(scene.watch, tea, "Older")
      try scene.phone.connect(scene.server)
      try scene.settle()
      try scene.watch.connect(scene.server)
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["name"] } == ["Newer"])
    }

    @Test func r4To6TodosOrderAndCreation() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil", "Pour", "Wait"])
      #expect(scene.watch.shown.map { $0["todos"] } == ["o Boil, o Pour, o Wait"])
      try scene.make("Eggs")
      let created = scene.watch.model.timers[tea]?.createdAt
      // One to-do is taken out and one is added; the list is moved.
      scene.phone.now += 5
      try scene.phone.act { device in
        try device.update(tea, now: scene.phone.now) { timer in
          timer.todoItems.removeFirst()
          timer.todoItems.append(
            TodoItemDTO(
              id: WholeRecordScene.todo("Drink"), text: "Drink", sortOrder: 2, createdAt: 0,
              updatedAt: 0))
        }
      }
      scene.phone.now += 5
      try scene.phone.act { $0.move(tea, to: 1, now: scene.phone.now) }
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["name"] } == ["Eggs", "Tea"])
      #expect(scene.watch.shown.last?["todos"] == "o Pour, o Wait, o Drink")
      #expect(scene.watch.model.timers[tea]?.createdAt == created)
    }

    @Test func r7DeletedStaysDeleted() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      let held = try #require(scene.watch.model.timers[tea])
      try scene.phone.act { $0.delete(tea) }
      try scene.expectEqual()
      #expect(scene.watch.shown.isEmpty)
      // A late copy of what the watch had seen deleted brings nothing back.
      try scene.watch.say([.timerUpdate(TimerUpdateMessage(.updated, held))])
      try scene.settle()
      #expect(scene.phone.shown.isEmpty)
      #expect(try scene.hub("timer").isEmpty)
      // Twice is once.
      try scene.watch.say([.timerUpdate(TimerUpdateMessage(deleted: tea))])
      try scene.settle()
      #expect(scene.phone.shown.isEmpty)
    }

    /// An edit of one who had not seen the delete brings the timer back: no data loss.
    @Test func r7AnUnseenEditUndoesADelete() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      scene.offline()
      scene.watch.now += 10
      try scene.phone.act { $0.delete(tea) }
      try scene.rename(scene.watch, tea, "Needed")
      try scene.online()
      try scene.expectEqual()
      #expect(scene.phone.shown.map { $0["name"] } == ["Needed"])
      #expect(scene.phone.shown.map { $0["todos"] } == ["o Boil"])
    }

    /// A full list deletes only what its sender had been sent; a timer that it does not know stays.
    @Test func r8AFullSyncDestroysNothingNew() throws {
      let scene = try WholeRecordScene()
      try scene.make("Tea")
      scene.offline()
      let eggs = TimerDTO(
        id: Identifier(digestOf: "timer", "Eggs"), name: "Eggs", durationInSeconds: 240,
        createdAt: 0, updatedAt: 0)
      try scene.watch.act { try $0.create(eggs, now: scene.watch.now) }
      try scene.phone.say([scene.phone.model.fullSync(now: scene.phone.now)])
      try scene.online()
      try scene.expectEqual()
      #expect(Set(scene.phone.shown.map { $0["name"] }) == ["Tea", "Eggs"])
    }

    @Test func r9TodosAreSetNotFlipped() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      let action = TodoTimersMessage.quickAction(
        QuickActionMessage(
          .todoToggled(WholeRecordScene.todo("Boil"), isCompleted: true), timerID: tea))
      try scene.watch.act {
        $0.toggle(
          WholeRecordScene.todo("Boil"), of: tea, isCompleted: true, now: scene.watch.now + 1)
      }
      try scene.watch.say([action, action])
      try scene.settle()
      #expect(scene.phone.shown.map { $0["todos"] } == ["x Boil"])
      try scene.expectEqual()
    }

    @Test func r10AndR11Notes() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make()
      scene.phone.now += 1
      try scene.phone.act { $0.setNotes("80 degrees", of: tea, now: scene.phone.now) }
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["notes"] } == ["80 degrees"])
      let before = try scene.hub("timer")[0]["updatedAt"] as? Double
      // The same transfer again, as after an answer that was lost, moves nothing.
      try scene.phone.connect(scene.server)
      try scene.settle()
      #expect(try scene.hub("timer")[0]["updatedAt"] as? Double == before)
      scene.phone.now += 1
      try scene.phone.act { $0.setNotes("", of: tea, now: scene.phone.now) }
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["notes"] } == [""])
    }

    @Test func r12AndR18Order() throws {
      let scene = try WholeRecordScene()
      let names: [Name] = ["A", "B", "C", "D"]
      for name in names { try scene.make(name) }
      scene.phone.now += 1
      try scene.phone.act {
        $0.move(Identifier(digestOf: "timer", "D"), to: 0, now: scene.phone.now)
      }
      try scene.expectEqual()
      #expect(scene.watch.shown.map { $0["name"] } == ["D", "A", "B", "C"])
      let hub = try scene.hub("timer").sorted {
        ($0["sortOrder"] as? Int ?? 0) < ($1["sortOrder"] as? Int ?? 0)
      }
      #expect(hub.map { $0["name"] as? String } == ["D", "A", "B", "C"])
    }

    @Test func r13TwiceIsOnce() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      let copy = TodoTimersMessage.timerUpdate(
        TimerUpdateMessage(.updated, try #require(scene.phone.model.timers[tea])))
      let before = try scene.hub("timer")[0]["updatedAt"] as? Double
      for _ in 0..<3 { try scene.phone.say([copy]) }
      try scene.expectEqual()
      #expect(try scene.hub("timer")[0]["updatedAt"] as? Double == before)
      #expect(scene.watch.shown.count == 1)
    }

    /// Each lane brings it: context, message, and message with a reply.
    @Test func r14Lanes() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      var timer = try #require(scene.phone.model.timers[tea])
      for (number, lane) in ["updateApplicationContext", "sendMessage"].enumerated() {
        timer.name = Name("By \(lane)")
        timer.updatedAt += 10
        let list = TodoTimersMessage.fullSync(
          TimerSyncPayload(timers: [timer], syncTimestamp: timer.updatedAt))
        let payload = String(decoding: scene.phone.envelope.dictionary(list), as: UTF8.self)
        let extra = lane == "sendMessage" ? ",\"expectsReply\":true" : ""
        let answer = try scene.phone.ask(
          "{\"type\":\"\(lane)\",\"id\":\"ask\",\"payload\":\(payload)\(extra)}")
        #expect(answer.type == ["accepted", "didReceiveReply"][number], "\(answer)")
        if number == 1 { #expect(answer.payload["success"] as? Bool == true) }
        try scene.settle()
        #expect(scene.watch.shown.map { $0["name"] } == ["By \(lane)"])
      }
    }

    /// Different fields and to-dos, edited offline on both sides: all of it survives, though each
    /// device sends whole records.
    @Test func r15OfflineOnBothSides() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil", "Pour"])
      scene.offline()
      scene.phone.now += 10
      scene.watch.now += 20
      try scene.rename(scene.phone, tea, "Green tea")
      try scene.phone.act { $0.setNotes("80 degrees", of: tea, now: scene.phone.now) }
      try scene.watch.act {
        $0.toggle(WholeRecordScene.todo("Boil"), of: tea, isCompleted: true, now: scene.watch.now)
      }
      try scene.watch.act {
        try $0.update(tea, now: scene.watch.now + 1) { $0.durationInSeconds = 240 }
      }
      // The server dies meanwhile, and its store is all that is left.
      scene.server.kill()
      scene.server = try ServerProcess(scene.scratch)
      try scene.online()
      try scene.expectEqual()
      #expect(
        scene.phone.shown == [
          ["name": "Green tea", "seconds": "240", "notes": "80 degrees", "todos": "x Boil, o Pour"]
        ])
    }

    @Test func r16TheWatchOnlyShowsNotes() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make()
      try scene.phone.act { $0.setNotes("read me", of: tea, now: scene.phone.now + 1) }
      try scene.settle()
      try scene.watch.act { $0.setNotes("scribble", of: tea, now: scene.watch.now + 9) }
      try scene.watch.act {
        try $0.update(tea, now: scene.watch.now + 10) { $0.notes = "scribble" }
      }
      try scene.expectEqual()
      #expect(scene.phone.shown.map { $0["notes"] } == ["read me"])
    }

    @Test func r17MarkCompleteReachesTheOther() throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil", "Pour"])
      try scene.watch.act { $0.completeAll(tea, now: scene.watch.now + 1) }
      try scene.expectEqual()
      #expect(scene.phone.shown.map { $0["todos"] } == ["x Boil, x Pour"])
    }

    /// Every order of three and of four timers, one after the other: several moves at once.
    @Test(arguments: [3, 4]) func everyOrderIsTakenAsItIs(_ count: Int) throws {
      let scene = try WholeRecordScene()
      let names = (0..<count).map { Name("T\($0)") }
      for name in names { try scene.make(name) }
      for order in Self.permutations(count) {
        scene.phone.now += 1
        let before = scene.phone.shown.map { $0["name"] }
        try scene.phone.act { device in
          device.rearrange(now: scene.phone.now) { $0 == count ? order : Array(0..<$0) }
        }
        try scene.expectEqual()
        #expect(scene.phone.shown.map { $0["name"] } == order.map { before[$0] })
      }
    }

    private static func permutations(_ count: Int) -> [[Int]] {
      guard count > 0 else { return [[]] }
      return permutations(count - 1).flatMap { rest in
        (0..<count).map { place in
          var order = rest
          order.insert(count - 1, at: place)
          return order
        }
      }
    }

    /// One timer with a date before 2001 is refused by itself, and named.
    @Test func oneOfAListIsRefusedByItself() throws {
      let scene = try WholeRecordScene()
      try scene.make("Tea")
      var list = scene.phone.model.ordered
      list[0].name = "Green tea"
      list[0].updatedAt += 10
      let old = Identifier(digestOf: "timer", "Old")
      list.append(
        TimerDTO(id: old, name: "Old", durationInSeconds: 60, createdAt: -1, updatedAt: -1))
      let message = TodoTimersMessage.fullSync(
        TimerSyncPayload(timers: list, syncTimestamp: scene.phone.now))
      let payload = String(decoding: scene.phone.envelope.dictionary(message), as: UTF8.self)
      let answer = try scene.phone.ask(
        "{\"type\":\"updateApplicationContext\",\"id\":\"ask\",\"payload\":\(payload)}")
      let refused = answer.members["refused"] as? [[String: Any]]
      #expect(refused?.map { $0["record"] as? String } == [old.description], "\(answer)")
      #expect(refused?.first?["code"] as? Int == 4004)
      try scene.settle()
      #expect(scene.watch.shown.map { $0["name"] } == ["Green tea"])
      #expect(try scene.hub("timer").map { $0["name"] as? String } == ["Green tea"])
    }

    /// What shows nothing is no name and no text, at whichever door.
    @Test(arguments: [" ", "\u{200B}", "\u{3164}", "\u{00AD}\n", "\u{0007}"])
    func blankNamesAreRefusedAtEveryDoor(_ blank: String) throws {
      let scene = try WholeRecordScene()
      let tea = try scene.make("Tea", todos: ["Boil"])
      for (kind, set, code) in [
        ("timer", ["name": blank, "durationInSeconds": 60] as [String: Any], 4021),
        ("todo", ["timer": tea.description, "text": blank], 4024),
      ] {
        let person = try scene.server.device("watch", ["device": "person"])
        defer { person.close() }
        _ = try person.type("sync.open schema=todoTimers")
        #expect(try person.request(["type": "sync.edit", "kind": kind, "set": set]).code == code)
      }
      var timer = try #require(scene.watch.model.timers[tea])
      timer.updatedAt += 10
      for (code, change) in [
        (4021, { (timer: inout TimerDTO) in timer.name = Name(blank) }),
        (4024, { (timer: inout TimerDTO) in timer.todoItems[0].text = Name(blank) }),
      ] {
        var copy = timer
        change(&copy)
        let message = TodoTimersMessage.timerUpdate(TimerUpdateMessage(.updated, copy))
        let payload = String(decoding: scene.watch.envelope.dictionary(message), as: UTF8.self)
        let answer = try scene.watch.ask(
          "{\"type\":\"transferUserInfo\",\"id\":\"ask\",\"payload\":\(payload)}")
        #expect(answer.code == code, "\(answer)")
      }
      #expect(scene.phone.shown.map { $0["name"] } == ["Tea"])
    }

    // MARK: With others

    /// A device of the first version knows no order: what it sends changes none.
    @Test func aVersionOneDeviceWithoutOrder() throws {
      let scene = try WholeRecordScene()
      let names: [Name] = ["A", "B"]
      for name in names { try scene.make(name) }
      let id = Identifier(digestOf: "timer", "B")
      var old = try #require(scene.watch.model.timers[id])
      old.sortOrder = nil
      old.name = "B of old"
      old.updatedAt += 5
      try scene.watch.say([.timerUpdate(TimerUpdateMessage(.updated, old))])
      try scene.settle()
      #expect(scene.phone.shown.map { $0["name"] } == ["A", "B of old"])
    }

    /// A whole-record watch and a headless phone, which keeps operations.
    @Test func withAHeadlessPhone() throws {
      let scratch = try Scratch()
      let server = try ServerProcess(scratch)
      let phone = try DeviceProgram(server, in: scratch, app: "todoTimers", role: "phone")
      let watch = WholeRecordClient(.watch)
      try watch.connect(server)
      phone.type("new Tea 5:00", "open 1", "add Boil")
      try eventually("the watch has the to-do") {
        _ = try watch.step()
        return watch.shown.map { $0["todos"] } == ["o Boil"]
      }
      let tea = try #require(watch.model.ordered.first)
      watch.now = Date().timeIntervalSinceReferenceDate
      try watch.act {
        $0.toggle(tea.todoItems[0].id, of: tea.id, isCompleted: true, now: watch.now)
      }
      _ = try watch.step()
      try phone.shows("☑ Boil")
      phone.type("delete", "back", "delete 1", "delete")
      try eventually("it is deleted on the watch") {
        _ = try watch.step()
        return watch.shown.isEmpty
      }
    }
  }
}
