import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// Devices that a person types at and that know whole records only: two of them, and one beside a
  /// device that merges, through the real server.
  @Suite struct WholeRecordDeviceTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    private func device(
      _ role: String, isWhole: Bool = true, _ arguments: String...
    ) throws -> DeviceProgram {
      try DeviceProgram(
        server, in: scratch, app: "todoTimers", role: role,
        (isWhole ? ["--whole-records"] : []) + arguments)
    }

    /// The other device of a pair in which the first one has whole records.
    static let others = [true, false]

    // MARK: Both ways

    @Test(arguments: others)
    func whatIsDoneOnOneIsSeenOnTheOther(_ isWhole: Bool) throws {
      let phone = try device("phone")
      let watch = try device("watch", isWhole: isWhole)
      try watch.shows("No Timers")
      phone.type("new Workout 25:00", "open 1", "add Warm up", "add Stretch")
      try watch.shows("Workout", "25:00")
      watch.type("open 1")
      try watch.shows("☐ Warm up", "☐ Stretch")
      watch.type("toggle 2")
      try phone.shows("☐ Warm up", "☑ Stretch")
      phone.type("notes", "write Remember to hydrate!", "save", "edit", "name Run", "save")
      try watch.shows("Run", "Remember to hydrate!")
      phone.type("move 2 1", "toggle 2", "todo 1", "text Stretch well", "save")
      try watch.shows("☑ Warm up", "☑ Stretch well")
      let places = ["Stretch well", "Warm up"].map { text in
        watch.screen.firstIndex { $0.contains(text) } ?? 0
      }
      #expect(places[0] < places[1])
      watch.type("back", "new Eggs 4:30")
      try phone.sync("back")
      try phone.shows("Run", "Eggs")
      watch.type("delete Run", "delete")
      try phone.shows("Eggs", without: ["Run"])
      #expect(try hub().timers == ["Eggs"])
    }

    @Test(arguments: others)
    func offlineOnBothNothingIsLost(_ isWhole: Bool) throws {
      let phone = try device("phone")
      let watch = try device("watch", isWhole: isWhole)
      try phone.sync("new Tea 5:00", "open 1", "add Boil water", "add Warm the pot")
      try watch.shows("Tea")
      watch.type("open 1")
      try watch.shows("☐ Boil water", "☐ Warm the pot")
      for device in [phone, watch] {
        device.type("offline")
        try device.tells("offline; edits wait")
      }
      phone.type("edit", "name Green tea", "save", "add Pour", "notes", "write 80 degrees", "save")
      watch.type("toggle 1", "back", "new Eggs 4:30")
      try watch.shows("Eggs", "Tea", without: ["Green tea"])
      try phone.shows("☐ Boil water", "☐ Pour", "80 degrees")
      watch.type("online")
      phone.type("online")
      try phone.shows("Green tea", "☑ Boil water", "☐ Warm the pot", "☐ Pour", "80 degrees")
      try watch.shows("Green tea", "Eggs")
      watch.type("open Green tea")
      try watch.shows("☑ Boil water", "☐ Pour", "80 degrees")
    }

    @Test(arguments: others, [["watch", "phone"], ["phone", "watch"]])
    func thePhoneBreaksTies(_ isWhole: Bool, _ order: [String]) throws {
      let phone = try device("phone")
      let watch = try device("watch", isWhole: isWhole)
      try phone.sync("new Tea 5:00", "open 1", "add Boil")
      try watch.shows("Tea")
      let (timer, todo) = try hub().ids
      // Whole records carry their dates, so both can be made to say the same time.
      phone.type("quit")
      watch.type("quit")
      #expect(try phone.program.exitCode() == 0)
      #expect(try watch.program.exitCode() == 0)
      // Ahead of the hub's clock.
      let date = Date().timeIntervalSinceReferenceDate + 3600
      for role in order {
        let client = try server.device(
          role, ["bridge": "todoTimers", "device": role, "incarnation": "tie"])
        defer { client.close() }
        let copy = """
          {"id":"\(timer)","name":"Of the \(role)","durationInSeconds":300,"icon":"timer",\
          "colorHex":"#007AFF","sortOrder":0,"createdAt":1,"updatedAt":\(date),"todoItems":[\
          {"id":"\(todo)","text":"Boil","isCompleted":false,"sortOrder":0,"createdAt":1,\
          "updatedAt":1}]}
          """
        _ = try client.request([
          "type": "transferUserInfo",
          "payload": [
            "type": "timerUpdate",
            "payload": [
              "type": "updated", "timerID": timer,
              "timer": try JSONSerialization.jsonObject(with: Data(copy.utf8)),
            ] as [String: Any],
          ] as [String: Any],
        ])
      }
      let again = try device("phone")
      let other = try device("watch", isWhole: isWhole)
      try again.shows("Of the phone", without: ["Of the watch"])
      try other.shows("Of the phone", without: ["Of the watch"])
    }

    @Test(arguments: [["move 3 1"], ["move 1 3"], ["move 2 1", "move 3 2"], ["move 1 2"]])
    func anOrderIsTheSameOnBoth(_ moves: [String]) throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new A 1:00", "new B 2:00", "new C 3:00")
      for move in moves { phone.type(move) }
      try phone.sync()
      let wanted = names(on: phone)
      try eventually("the watch shows \(wanted)") {
        try watch.update()
        return names(on: watch) == wanted
      }
    }

    private func names(on device: DeviceProgram) -> [String] {
      device.screen.compactMap { line in ["A", "B", "C"].first { line.contains(" \($0) ") } }
    }

    // MARK: Countdowns

    @Test func whatRunsIsShared() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("settings", "share on", "back", "new Tea 5:00")
      watch.type("settings", "share on", "back")
      try watch.shows("Tea")
      watch.type("open 1")
      // It shares by then: what starts before that it is not told.
      try watch.shows("START")
      // Nor is what starts before the phone knows that the watch is there. Whoever came first is told of the other.
      try eventually("one of them is told that the other is reachable") {
        try phone.update()
        try watch.update()
        return (phone.told + watch.told).contains { $0.1.hasSuffix(" is reachable") }
      }
      phone.type("open 1", "start")
      try phone.shows("PAUSE")
      try watch.shows("PAUSE")
      watch.type("pause")
      try phone.shows("RESUME")
      // Not reachable: the complication brings it later, at the time that it is then.
      watch.type("offline")
      try phone.tells("the watch is not reachable")
      // Two states of one millisecond may come in either order, by two lanes. A person takes longer.
      phone.type("reset")
      try phone.shows("START")
      phone.type("start")
      try phone.shows("PAUSE")
      watch.type("reset", "online")
      try watch.shows("PAUSE")
    }

    // MARK: What outlives it

    /// Killed at any moment, with a store, offline and online: what it had shown is there again.
    @Test(arguments: ["phone", "watch"])
    func aKilledDeviceComesBackWithItsStore(_ role: String) throws {
      let store = scratch.path + "/whole.store"
      let other = try device(role == "phone" ? "watch" : "phone", isWhole: false)
      for round in 1...6 {
        let offline = round % 2 == 0 ? [] : ["--offline"]
        let device = try DeviceProgram(
          server, in: scratch, app: "todoTimers", role: role,
          ["--whole-records", "--store", store] + offline)
        device.type("new Round \(round) 1:00")
        try device.shows("Round \(round)")
        device.program.kill()
      }
      let rounds = (1...6).map { "Round \($0)" }
      let device = try device(role, isWhole: true, "--store", store)
      for round in rounds { try device.shows(round) }
      for round in rounds { try other.shows(round) }
      #expect(try hub().timers.sorted() == rounds)
    }

    /// A toggle that was sent as a message, and of which the answer is lost, is done once.
    @Test func theServerDiesAndNothingIsLost() throws {
      let data = scratch.path + "/other"
      let port = try FreePorts.draw(1)[0]
      var other = try ServerProcess(scratch, data: data, port: port)
      let store = scratch.path + "/phone.store"
      let phone = try DeviceProgram(
        other, in: scratch, app: "todoTimers", role: "phone", ["--whole-records", "--store", store])
      let watch = try DeviceProgram(
        other, in: scratch, app: "todoTimers", role: "watch", ["--whole-records"])
      try phone.sync("new Tea 5:00", "open 1", "add Boil", "add Pour")
      try watch.shows("Tea")
      phone.type("toggle 1")
      other.kill()
      phone.type("toggle 2", "back", "new Meanwhile 2:00")
      try phone.shows("Meanwhile")
      phone.program.kill()
      other = try ServerProcess(scratch, data: data, port: port)
      let again = try DeviceProgram(
        other, in: scratch, app: "todoTimers", role: "phone", ["--whole-records", "--store", store])
      try again.shows("Meanwhile", "Tea")
      try watch.shows("Meanwhile", "Tea")
      watch.type("open Tea")
      try watch.shows("☑ Boil", "☑ Pour")
    }

    /// The server has lost its store: what the device holds is there again.
    @Test func aNewServerIsToldAll() throws {
      let phone = try device("phone", isWhole: true, "--store", scratch.path + "/a")
      try phone.sync("new Tea 5:00")
      phone.type("quit")
      #expect(try phone.program.exitCode() == 0)
      let other = try ServerProcess(scratch, data: scratch.path + "/empty")
      let again = try DeviceProgram(
        other, in: scratch, app: "todoTimers", role: "phone",
        ["--whole-records", "--store", scratch.path + "/a"])
      try again.sync("new Eggs 4:30", "sync")
      try again.shows("Tea", "Eggs")
      let watch = try DeviceProgram(other, in: scratch, app: "todoTimers", role: "watch")
      try watch.shows("Tea", "Eggs")
    }

    // MARK: Scripts

    @Test func aStrictScriptWithAVirtualClock() throws {
      let start = Date()
      let program = try script(
        ["--strict", "--virtual-clock"], "new Workout 25:00", "open 1", "start", "wait 1499",
        "expect 00:01", "wait 2", "expect Timer Complete!", "wait")
      #expect(program.status == 0, "\(program.errors)\(program.output)")
      #expect(Date().timeIntervalSince(start) < 40)
      let watch = try script(
        ["--strict"], "expect Workout", "open 1", "expect 25:00", role: "watch")
      #expect(watch.status == 0, "\(watch.errors)\(watch.output)")
    }

    /// What the hub refuses is shown, ends a strict script, and does not hold up the rest.
    @Test func whatTheHubRefusesIsShown() throws {
      let long = "write " + String(repeating: "long ", count: 20_000)
      let lines = [
        "new Tea 5:00", "open 1", "notes", long, "save", "back", "new Eggs 4:30", "wait",
      ]
      let lenient = try script([], lines)
      #expect(lenient.status == 0, "\(lenient.errors)")
      #expect(lenient.output.contains("the hub refuses what was done to timer \\\"Tea\\\""))
      #expect(try hub().timers.sorted() == ["Eggs", "Tea"])
      let strict = try script(["--strict"], lines)
      #expect(strict.status == 1)
      #expect(strict.errors.contains("the hub refuses"))
    }

    @Test func storesAndAppsThatDoNotFit() throws {
      let store = scratch.path + "/store"
      #expect(try script(["--store", store], "new Tea 5:00", "wait").status == 0)
      let merging = try device("phone", isWhole: false, "--store", store)
      #expect(try merging.program.exitCode() == 1)
      #expect(merging.program.errors.contains("is not this device's store"))
      let program = try Program(
        [
          Program.products + "/watchline", "device", "--app", "pomodoro", "--role", "phone",
          "--whole-records",
        ], in: scratch)
      #expect(try program.exitCode() == 2)
      #expect(program.errors.contains("--whole-records is for --app todoTimers"))
    }

    private func script(
      _ arguments: [String], _ lines: String..., role: String = "phone"
    ) throws -> (status: Int, output: String, errors: String) {
      try script(arguments, lines, role: role)
    }

    private func script(
      _ arguments: [String], _ lines: [String], role: String = "phone"
    ) throws -> (status: Int, output: String, errors: String) {
      let program = try Program(
        [
          Program.products + "/watchline", "device", "--app", "todoTimers", "--role", role,
          "--whole-records", "--connect", "127.0.0.1:\(server.port)", "--timeout", "60", "--json",
        ] + arguments, in: scratch, input: lines.joined(separator: "\n") + "\n")
      return (try program.exitCode(), program.output, program.errors)
    }

    // MARK: The hub

    private struct Hub {
      var timers: [String]
      var ids: (timer: String, todo: String)
    }

    /// The hub's records, as a person at a keyboard sees them.
    private func hub() throws -> Hub {
      let person = try server.device("watch", ["device": "person"])
      defer { person.close() }
      _ = try person.type("sync.open schema=todoTimers")
      let timers = try person.records("timer")
      let todos = try person.records("todo")
      return Hub(
        timers: timers.compactMap { $0["name"] as? String },
        ids: (timers.first?["id"] as? String ?? "", todos.first?["id"] as? String ?? ""))
    }
  }
}
