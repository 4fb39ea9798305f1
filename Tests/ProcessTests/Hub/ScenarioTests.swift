import Device
import Foundation
import Merge
import SyncSupport
import Testing

extension ProcessTests {
  /// What the apps promise, between devices and people, through the server.
  @Suite struct ScenarioTests {
    private let tea = #"{"name":"Tea","durationInSeconds":300}"#

    @Test func timerCreatedOnThePhoneAppearsOnTheWatch() throws {
      let scene = try SyncScene()
      let phone = try scene.keyboard("phone")
      let watch = try scene.peer("watch")
      let id = try phone.edit("sync.edit kind=timer set=\(tea)").string("id")!
      try scene.settle()
      #expect(watch.device.records("timer").map(\.text) == [id])
      #expect(watch.device.value("timer", Name(id), "name") == .string("Tea"))
      #expect(watch.device.value("timer", Name(id), "icon") == .string("timer"))
    }

    @Test func todoCheckedOnTheWatchUpdatesThePhone() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let timer = try phone.device.create("timer", tea)
      let todo = try phone.device.create(
        "todo", "{\"timer\":\"\(timer)\",\"text\":\"boil water\"}")
      try scene.settle()
      let watch = try scene.keyboard("watch")
      try watch.edit("sync.edit kind=todo record=\"\(todo)\" set={\"isCompleted\":true}")
      try scene.settle()
      #expect(phone.device.value("todo", todo, "isCompleted") == .bool(true))
      // A value, not a switch: the same again changes nothing.
      try watch.edit("sync.edit kind=todo record=\"\(todo)\" set={\"isCompleted\":true}")
      try scene.settle()
      #expect(phone.device.value("todo", todo, "isCompleted") == .bool(true))
    }

    @Test func notesWrittenOnBothSidesMergeByCharacter() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let timer = try phone.device.create(
        "timer", #"{"name":"Tea","durationInSeconds":300,"notes":"two spoons"}"#)
      try scene.settle()
      phone.leave()
      watch.leave()
      try phone.device.set("timer", timer, #"{"notes":"two large spoons"}"#)
      try watch.device.set("timer", timer, #"{"notes":"two spoons of sugar 🫖"}"#)
      try scene.connect(watch, phone)
      try scene.settle()
      let merged = "two large spoons of sugar 🫖"
      #expect(phone.device.value("timer", timer, "notes") == .string(Name(merged)))
      let person = try scene.keyboard("person", role: "watch")
      #expect(try person.records("timer")[0]["notes"] as? String == merged)
      #expect(try person.feed().isEmpty)
    }

    @Test func reorderOnBothSides() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let ids = try (1...5).map {
        try phone.device.create("timer", "{\"name\":\"\($0)\",\"durationInSeconds\":60}")
      }
      try scene.settle()
      phone.leave()
      watch.leave()
      try phone.device.move("timer", ids[4], to: .first)
      try watch.device.move("timer", ids[0], to: .last)
      try scene.connect(phone, watch)
      try scene.settle()
      let order = [4, 1, 2, 3, 0].map { ids[$0] }
      #expect(phone.device.records("timer") == order)
      let person = try scene.keyboard("person", role: "watch")
      let shown = try person.records("timer")
      #expect(shown.map { $0["id"] as? String } == order.map(\.text))
      #expect(shown.map { $0["sortOrder"] as? Int } == [0, 1, 2, 3, 4])
      // A person moves one as well.
      try person.edit("sync.edit kind=timer record=\"\(ids[2])\" move={\"after\":null}")
      try scene.settle()
      #expect(watch.device.records("timer") == [2, 4, 1, 3, 0].map { ids[$0] })
    }

    @Test func offlineOnBothSidesAndMeetAgain() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone", connected: false)
      let watch = try scene.peer("watch", connected: false)
      var ids: [Name] = []
      for (peer, prefix) in [(phone, "p"), (watch, "w")] {
        for number in 1...10 {
          let timer = try peer.device.create(
            "timer", "{\"name\":\"\(prefix)\(number)\",\"durationInSeconds\":\(number)}")
          try peer.device.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"do\"}")
          ids.append(timer)
        }
      }
      try scene.connect(watch)
      try scene.settle()
      try scene.connect(phone)
      try scene.settle()
      #expect(Set(phone.device.records("timer")) == Set(ids))
      #expect(phone.device.records("todo").count == 20)
      // Batches made offline are not interleaved.
      let names = phone.device.view["timer"].map { $0["name"]!.text!.text.prefix(1) }
      #expect(names.joined().contains("pppppppppp") && names.joined().contains("wwwwwwwwww"))
    }

    /// - Parameter lead: by how many milliseconds the watch's edit is the later one.
    @Test(arguments: [0, 1, -1]) func sameFieldOnBoth(_ lead: Int64) throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let timer = try phone.device.create("timer", tea)
      try scene.settle()
      phone.leave()
      watch.leave()
      phone.device.clock += 10_000
      watch.device.clock += 10_000 + lead
      try phone.device.set("timer", timer, #"{"name":"Phone's"}"#)
      try watch.device.set("timer", timer, #"{"name":"Watch's","durationInSeconds":9}"#)
      try scene.connect(watch, phone)
      try scene.settle()
      let (won, lost) = lead > 0 ? ("Watch's", "Phone's") : ("Phone's", "Watch's")
      #expect(phone.device.value("timer", timer, "name") == .string(Name(won)))
      // Another field of the losing form is not touched by that.
      #expect(phone.device.value("timer", timer, "durationInSeconds") == .string("9"))
      let person = try scene.keyboard("person", role: "watch")
      let feed = try person.feed()
      #expect(feed.count == 1 && feed[0]["lost"] as? String == lost)
      #expect(feed[0]["field"] as? String == "name" && feed[0]["record"] as? String == timer.text)
      #expect(feed[0]["by"] as? String == (lead > 0 ? "phone" : "watch"))
      let sentence = feed[0]["sentence"] as? String ?? ""
      #expect(sentence.contains(won) && sentence.contains(lost), "\(sentence)")
    }

    /// Two people, one of whom types what was meant for what had been there.
    @Test func sameFieldByTwoPeople() throws {
      let scene = try SyncScene()
      let phone = try scene.keyboard("phone")
      var watch = try scene.keyboard("watch")
      let id = try phone.edit("sync.edit kind=timer set=\(tea)").string("id")!
      _ = try watch.records("timer")
      watch.close()
      try phone.edit("sync.edit kind=timer record=\(id.prefix(8)) set={\"name\":\"Mate\"}")
      try phone.type("advance seconds=5")
      watch = try scene.keyboard("watch")
      let answer = try watch.edit(
        "sync.edit kind=timer record=\(id.prefix(8)) set={\"name\":\"Chai\"}")
      let outcomes = answer.members["outcomes"] as? [[String: Any]] ?? []
      #expect(outcomes.count == 1 && outcomes[0]["result"] as? String == "won", "\(answer)")
      #expect(try phone.records("timer")[0]["name"] as? String == "Chai")
      let feed = try phone.feed()
      #expect(feed.count == 1 && feed[0]["lost"] as? String == "Mate")
    }

    // MARK: Deletes

    @Test func aLaterUnseenEditBringsTheTimerBack() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let timer = try phone.device.create("timer", tea)
      for text in ["a", "b"] {
        try phone.device.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"\(text)\"}")
      }
      try scene.settle()
      watch.leave()
      phone.device.clock += 1_000
      watch.device.clock += 2_000
      try phone.device.delete("timer", timer)
      try scene.settle()
      #expect(phone.device.records("timer").isEmpty && phone.device.records("todo").isEmpty)
      let todo = watch.device.records("todo")[0]
      try watch.device.set("todo", todo, #"{"isCompleted":true}"#)
      try scene.connect(watch)
      try scene.settle()
      #expect(phone.device.records("timer") == [timer])
      #expect(phone.device.records("todo").count == 2)
      let person = try scene.keyboard("person", role: "watch")
      let feed = try person.feed()
      #expect(feed.count == 1 && feed[0]["by"] as? String == "phone" && feed[0]["field"] == nil)
      #expect((feed[0]["sentence"] as? String)?.contains("delete") == true)
    }

    @Test func aDeleteStays() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let seen = try phone.device.create("timer", tea)
      let older = try phone.device.create("timer", tea)
      try scene.settle()
      watch.leave()
      // An edit that is older than the delete, and unseen by it.
      watch.device.clock += 1_000
      try watch.device.set("timer", older, #"{"name":"x"}"#)
      phone.device.clock += 2_000
      try phone.device.delete("timer", seen)
      try phone.device.delete("timer", older)
      try scene.connect(watch)
      try scene.settle()
      #expect(watch.device.records("timer").isEmpty)
      // What was seen deleted cannot be edited, only restored.
      let person = try scene.keyboard("person", role: "watch")
      let refused = try person.type("sync.edit kind=timer record=\"\(seen)\" set={\"name\":\"y\"}")
      #expect(refused.code == 4_004)
      #expect(try person.type("sync.restore kind=timer record=\"\(seen)\"").type == "sync.edited")
      try scene.settle()
      #expect(watch.device.records("timer") == [seen])
    }

    // MARK: Devices come and go

    @Test func resetDeviceIsFilled() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let timer = try phone.device.create("timer", tea)
      try watch.device.create("timer", tea)
      try scene.settle()
      watch.device.reset()
      #expect(watch.device.records("timer").isEmpty)
      try scene.connect(watch)
      try scene.settle()
      #expect(watch.device.records("timer").count == 2)
      #expect(watch.device.replica.id.incarnation == 2)
      try watch.device.set("timer", timer, #"{"name":"from the new one"}"#)
      try scene.settle()
      #expect(phone.device.value("timer", timer, "name") == .string("from the new one"))
    }

    @Test func thirdDeviceJoins() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      for number in 1...40 {
        let peer = number.isMultiple(of: 2) ? phone : watch
        try peer.device.create("timer", "{\"name\":\"\(number)\",\"durationInSeconds\":60}")
      }
      try scene.settle()
      let tablet = try scene.peer("tablet")
      try scene.settle()
      #expect(tablet.device.records("timer") == phone.device.records("timer"))
      try tablet.device.delete("timer", tablet.device.records("timer")[0])
      try scene.restart()
      try scene.connect(tablet, watch, phone)
      try scene.settle()
      #expect(phone.device.records("timer").count == 39)
    }

    /// A device that went back to a backup has given the same numbers to other operations.
    @Test func restoredFromABackup() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let first = try watch.device.create("timer", tea)
      try scene.settle()
      let backup = watch.device.saved
      let after = try watch.device.create("timer", #"{"name":"after","durationInSeconds":1}"#)
      try watch.device.set("timer", first, #"{"name":"after the backup"}"#)
      try scene.settle()
      watch.leave()
      try watch.device.restore(backup)
      watch.device.clock += 60
      let other = try watch.device.create("timer", #"{"name":"other","durationInSeconds":2}"#)
      try watch.device.create("todo", "{\"timer\":\"\(other)\",\"text\":\"of the other\"}")
      try watch.device.set("timer", other, #"{"notes":"typed since"}"#)
      try watch.device.set("timer", other, #"{"notes":"typed twice since"}"#)
      try scene.connect(watch)
      try scene.settle()
      #expect(watch.device.replica.id.incarnation == 2 && watch.device.reissued == 4)
      #expect(watch.device.stranded.isEmpty)
      #expect(Set(phone.device.records("timer")) == [first, after, other])
      #expect(phone.device.value("timer", other, "notes") == .string("typed twice since"))
      #expect(phone.device.value("timer", first, "name") == .string("after the backup"))
      #expect(phone.device.records("todo").count == 1)
    }

    @Test func clockAnHourAhead() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let timer = try phone.device.create("timer", tea)
      try scene.settle()
      watch.device.clock += 3_600_000
      for number in 1...5 {
        try watch.device.set("timer", timer, "{\"durationInSeconds\":\(number)}")
      }
      try scene.settle()
      #expect(watch.device.retimings > 0 && watch.device.replica.offset == -3_600_000)
      #expect(phone.device.value("timer", timer, "durationInSeconds") == .string("5"))
      // It does not win for ever: a later edit of the phone's does.
      phone.device.clock += 1_000
      try phone.device.set("timer", timer, #"{"durationInSeconds":77}"#)
      try scene.settle()
      #expect(watch.device.value("timer", timer, "durationInSeconds") == .string("77"))
      try watch.device.create("timer", tea)
      try scene.settle()
      #expect(watch.device.retimings == 1)
    }
  }
}
