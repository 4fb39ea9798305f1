import AppModels
import Device
import Foundation
import Merge
import SyncSupport
import Testing

extension ProcessTests {
  /// Other schemas than the first: the time tracker's, a user's own, and what a newer version of
  /// an app writes.
  @Suite struct SchemaScenarioTests {
    private func timeTracker() throws -> SyncScene {
      try SyncScene(schema: ShippedSchemas.named("timeTracker")!)
    }

    /// A client with two projects, a task in one and a task of the client's alone.
    private struct Office {
      var client: Name
      var other: Name
      var project: Name
      var task: Name
      var loose: Name

      init(_ device: SyncDevice) throws {
        client = try device.create("client", #"{"name":"Ada","hourlyRate":99.50}"#)
        other = try device.create("client", #"{"name":"Grace"}"#)
        project = try device.create(
          "project", "{\"name\":\"Engine\",\"client\":\"\(client)\"}")
        let interval = #""startTime":0,"endTime":90"#
        task = try device.create(
          "task", "{\"client\":\"\(client)\",\"project\":\"\(project)\",\(interval)}")
        loose = try device.create("task", "{\"client\":\"\(client)\",\(interval)}")
      }
    }

    @Test func clientHidesWhatItOwns() throws {
      let scene = try timeTracker()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let office = try Office(phone.device)
      try scene.settle()
      #expect(watch.device.value("task", office.task, "duration") == .string("90"))
      #expect(watch.device.value("client", office.client, "hourlyRate") == .string("99.5"))
      let person = try scene.keyboard("person", role: "watch")
      try person.edit("sync.edit kind=client record=\"\(office.client)\" delete=true")
      try scene.settle()
      #expect(phone.device.records("client") == [office.other])
      #expect(phone.device.records("project").isEmpty && phone.device.records("task").isEmpty)
      try person.edit("sync.restore kind=client record=\"\(office.client)\"")
      try scene.settle()
      #expect(watch.device.records("project") == [office.project])
      #expect(watch.device.records("task").count == 2)
    }

    /// A project that goes leaves its tasks, which have no project then; it comes back to them.
    @Test func projectIsNullified() throws {
      let scene = try timeTracker()
      let phone = try scene.peer("phone")
      let office = try Office(phone.device)
      try scene.settle()
      let person = try scene.keyboard("person", role: "watch")
      try person.edit("sync.edit kind=project record=\"\(office.project)\" delete=true")
      try scene.settle()
      #expect(phone.device.records("task").count == 2)
      #expect(phone.device.value("task", office.task, "project") == .null)
      #expect(phone.device.value("task", office.task, "client") == .string(office.client))
      try person.edit("sync.restore kind=project record=\"\(office.project)\"")
      try scene.settle()
      #expect(phone.device.value("task", office.task, "project") == .string(office.project))
    }

    /// A project moves to another client, while its task is edited elsewhere: the task goes along.
    @Test func projectMoves() throws {
      let scene = try timeTracker()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let office = try Office(phone.device)
      try scene.settle()
      watch.leave()
      try watch.device.set("task", office.task, #"{"notes":"late hours"}"#)
      try phone.device.set("project", office.project, "{\"client\":\"\(office.other)\"}")
      try scene.connect(watch)
      try scene.settle()
      for peer in [phone, watch] {
        #expect(peer.device.value("task", office.task, "client") == .string(office.other))
        #expect(peer.device.value("task", office.loose, "client") == .string(office.client))
        #expect(peer.device.value("task", office.task, "notes") == .string("late hours"))
      }
      // The old client goes, and takes only what is still its own.
      try phone.device.delete("client", office.client)
      try scene.settle()
      #expect(watch.device.records("task") == [office.task])
    }

    /// An interval is one: of two edits of it the one that wins has both ends.
    @Test func groupsAreWhole() throws {
      let scene = try timeTracker()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let office = try Office(phone.device)
      try scene.settle()
      phone.leave()
      watch.leave()
      phone.device.clock += 1_000
      watch.device.clock += 1_001
      try phone.device.set("task", office.task, #"{"startTime":10}"#)
      try watch.device.set("task", office.task, #"{"endTime":60}"#)
      try scene.connect(phone, watch)
      try scene.settle()
      #expect(phone.device.value("task", office.task, "startTime") == .string("0"))
      #expect(phone.device.value("task", office.task, "endTime") == .string("60"))
      let feed = try scene.keyboard("person", role: "watch").feed()
      #expect(feed.count == 1 && feed[0]["field"] as? String == "interval")
    }

    // MARK: A user's own

    private let plants = #"""
      {"schema":"plants","kinds":[
        {"kind":"bed","order":"place","fields":[
          {"field":"name","type":"string","rules":[
            {"notBlank":true,"code":4021,"message":"A bed needs a name"}]}]},
        {"kind":"plant","order":"place","container":{"kind":"bed","field":"bed"},"fields":[
          {"field":"species","type":"string"},
          {"field":"height","type":"double","optional":true},
          {"field":"log","type":"text","optional":true}]}]}
      """#

    private func file(_ text: String, in scratch: Scratch, _ name: String) throws -> String {
      let path = "\(scratch.path)/\(name).json"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return path
    }

    @Test func ownSchema() throws {
      let files = try Scratch()
      let path = try file(plants, in: files, "plants")
      let scene = try SyncScene(
        ["--clock", "manual", "--schema", path], schema: Schema(json: Array(plants.utf8)))
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      let bed = try phone.device.create("bed", #"{"name":"South"}"#)
      let rose = try phone.device.create("plant", "{\"bed\":\"\(bed)\",\"species\":\"rose\"}")
      try scene.settle()
      phone.leave()
      watch.leave()
      try phone.device.set("plant", rose, #"{"height":1.25}"#)
      try watch.device.set("plant", rose, #"{"log":"watered"}"#)
      try scene.connect(phone, watch)
      try scene.settle()
      #expect(phone.device.value("plant", rose, "height") == .string("1.25"))
      #expect(phone.device.value("plant", rose, "log") == .string("watered"))
      let person = try scene.keyboard("person", role: "watch")
      #expect(try person.type("sync.edit kind=bed set={\"name\":\" \"}").code == 4_021)
      #expect(try person.type("sync.open schema=plant").code == 4_004)
      try scene.restart()
      try scene.connect(phone, watch)
      try scene.settle()
      #expect(watch.device.records("plant") == [rose])
    }

    /// The server was started without the file: what it says is an error, and nothing is lost.
    @Test func ownSchemaMissing() throws {
      let scratch = try Scratch()
      let path = try file(plants, in: scratch, "plants")
      var server = try ServerProcess(scratch, ["--schema", path])
      var person = try server.device("phone")
      try person.type("sync.open schema=plants")
      try person.edit("sync.edit kind=bed set={\"name\":\"North\"}")
      #expect(try server.terminate() == 0)
      server = try ServerProcess(scratch)
      person = try server.device("phone")
      let refused = try person.type("sync.open schema=plants")
      #expect(refused.type == "error" && refused.bool("definite") == true, "\(refused)")
      // The other schemas of the pair are there all the same.
      #expect(try person.type("sync.open schema=todoTimers").type == "sync.opened")
      try person.edit("sync.edit kind=timer set={\"name\":\"a\",\"durationInSeconds\":1}")
      #expect(try server.terminate() == 0)
      server = try ServerProcess(scratch, ["--schema", path])
      person = try server.device("phone")
      #expect(try person.type("sync.open schema=plants").type == "sync.opened")
      #expect(try person.records("bed").map { $0["name"] as? String } == ["North"])
    }

    /// What a newer version writes goes through an older hub to a third device, byte for byte.
    @Test func newerDevice() throws {
      let scene = try SyncScene()
      let phone = try scene.peer("phone")
      let timer = try phone.device.create("timer", #"{"name":"Tea","durationInSeconds":60}"#)
      try scene.settle()
      let target = Target("timer", timer)
      let odd = Datum.sorted([
        .init("z", .string("\u{e9} e\u{301} \u{1F600}\u{0}\u{7F}\"\\/")),
        .init("\u{10000}", .array([.null, .bool(false), .string("9007199254740993")])),
        .init("\u{FFFD}", .sorted([])),
      ])
      let sound = Target("sound", "bell é")
      try phone.device.write([
        Action(target, .write(field: "ringtone", value: odd), revives: true),
        Action(sound, .create),
        Action(sound, .write(field: "loud", value: odd)),
        Action(
          target,
          .unknown(
            .sorted([
              .init("action", .string("rotate")), .init("kind", .string("timer")),
              .init("by", odd),
            ]))),
      ])
      let written = phone.device.replica.replica.log.last!.operation!.bytes
      try scene.settle()
      try scene.restart()
      let third = try scene.peer("third")
      try scene.connect(phone)
      try scene.settle()
      let relayed = third.device.replica.replica.log.last!.operation!.bytes
      #expect(relayed == written)
      // The schema's own records are as ever, and the hub can still be edited.
      let person = try scene.keyboard("person", role: "watch")
      try person.edit("sync.edit kind=timer record=\"\(timer)\" set={\"name\":\"Mate\"}")
      try scene.settle()
      #expect(third.device.value("timer", timer, "name") == .string("Mate"))
      let held = third.device.replica.replica.vector
      #expect(third.device.fold.value(target, "ringtone", within: held) == odd)
    }
  }
}
