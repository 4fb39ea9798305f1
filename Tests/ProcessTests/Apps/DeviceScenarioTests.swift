import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// What the apps promise, on two devices without a screen that a person types at, through the
  /// server.
  @Suite struct DeviceScenarioTests: DeviceSuite {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    // MARK: Timers

    @Test func aTimerMadeOnThePhoneAppearsOnTheWatch() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      try watch.shows("No Timers", "Create one on iPhone")
      try phone.shows("No Timers Yet", "Tap + to create your first timer")
      phone.type("new Workout 25:00")
      try watch.shows("Workout", "25:00")
      watch.type("open 1")
      try watch.shows("To-Dos (0)", "Add them on iPhone")
      phone.type("open 1", "add Warm up 5 minutes", "notes", "write Remember to hydrate!", "save")
      try watch.shows("☐ Warm up 5 minutes", "Remember to hydrate!")
    }

    @Test func aToDoCheckedOnTheWatchIsCheckedOnThePhone() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new Workout 25:00", "open 1", "add Stretch legs")
      try watch.shows("Workout")
      watch.type("open 1")
      try watch.shows("☐ Stretch legs")
      watch.type("toggle 1")
      try phone.shows("☑ Stretch legs")
      try watch.tells("haptic")
    }

    @Test func startOfATimerThatIsThroughBeginsAnew() throws {
      let phone = try device("phone")
      phone.type("new Eggs 0:01", "open 1", "start")
      try phone.shows("Timer Complete!", "00:00")
      phone.type("start")
      try phone.shows("00:01", "PAUSE", without: ["Timer Complete!"])
    }

    /// What a counterpart says of its countdown is looked at before it is done.
    @Test func whatACounterpartSaysOfItsCountdownIsChecked() throws {
      let phone = try device("phone")
      try phone.sync("settings", "share on", "back", "new Tea 5:00", "open 1")
      let timer = try #require(phone.records["timer"]?.first?["id"] as? String)
      let watch = try server.device("watch")
      func say(_ action: String, _ seconds: Int, at timestamp: Double, more: String = "") throws {
        try watch.send(
          """
          {"type":"sendMessage","id":"say","payload":{"type":"timerState","payload":\
          {"timerID":"\(timer)","action":"\(action)","currentTime":\(seconds),\
          "timestamp":\(timestamp)\(more)}}}
          """)
      }
      // More than its duration, and what cannot be read.
      try say("started", 301, at: 800_000_001)
      try say("started", 60, at: 800_000_002, more: ",\"unknown\":1")
      try say("started", 200, at: 800_000_100)
      try phone.shows("PAUSE", "03:")
      // An older one comes late.
      try say("reset", 300, at: 800_000_099)
      try say("paused", 200, at: 800_000_101)
      try phone.shows("RESUME", "03:")
      #expect(!phone.screen.contains { $0.contains("05:00") })
      // The bridge refuses one that cannot be (clause 13.5).
      let bridged = try server.device("watch", ["bridge": "todoTimers"])
      let answer = try bridged.request([
        "type": "sendMessage",
        "payload": [
          "type": "timerState",
          "payload": [
            "timerID": timer, "action": "started", "currentTime": 60, "timestamp": 1, "unknown": 1,
          ] as [String: Any],
        ] as [String: Any],
      ])
      #expect(answer.code == 4004, "\(answer)")
    }

    @Test func doneIsOffWhileAFormIsNotValid() throws {
      let phone = try device("phone")
      phone.type("new", "help")
      try phone.tells("cancel")
      #expect(!phone.told.contains { $0.what == "page" && $0.text.hasPrefix("  done") })
      phone.type("name \u{200B}", "done")
      try phone.shows("⚠ Timer name cannot be empty")
      phone.type("name Tea", "help")
      try phone.tells("  done")
      phone.type("done")
      try phone.shows("My Timers", "Tea")
    }

    /// Opening a notification shows its timer, wherever the person is.
    @Test func aNotificationOpensItsTimer() throws {
      let phone = try device("phone")
      phone.type("new Eggs 0:01", "new Bread 9:00", "open Eggs", "start")
      try phone.shows("Timer Complete!")
      phone.type("restart", "back", "open Bread")
      try phone.tells("notification")
      try phone.shows("Timer Complete!")
      phone.type("act RESTART_TIMER")
      try phone.shows("Eggs", "PAUSE", without: ["Bread"])
    }

    // MARK: Two devices

    /// Both edit the same timer offline, and meet again: nothing is lost.
    @Test func bothEditOfflineAndMeetAgain() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new Tea 5:00", "open 1", "add Boil water", "add Warm the pot")
      try watch.shows("Tea")
      watch.type("open 1")
      try watch.shows("☐ Boil water", "☐ Warm the pot")
      phone.type("offline")
      watch.type("offline")
      try phone.tells("offline")
      try watch.tells("offline")
      phone.type("edit", "name Green tea", "save", "add Pour", "notes", "write 80 degrees", "save")
      watch.type("toggle 1", "back", "new Eggs 4:30")
      try watch.shows("Eggs", "Tea", without: ["Green tea"])
      try phone.shows("☐ Boil water", "☐ Pour", "80 degrees")
      watch.type("online")
      phone.type("online")
      try phone.shows("Green tea", "☑ Boil water", "☐ Warm the pot", "☐ Pour", "80 degrees")
      try watch.shows("Green tea", "Eggs")
      watch.type("open 1")
      try eventually("the watch shows what the phone shows") {
        try watch.update()
        if watch.screen.contains(where: { $0.contains("Eggs") }) { watch.type("back", "open 2") }
        return watch.screen.contains { $0.contains("☑ Boil water") }
      }
      try watch.shows("☐ Pour", "80 degrees")
    }

    /// A form that was open while the other device saved changes only what was typed into it.
    @Test func anOpenFormMerges() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new Tea 5:00", "open 1", "notes", "write two spoons", "save")
      try watch.shows("Tea")
      phone.type("edit")
      try phone.shows("Edit Timer")
      try watch.sync("delete 1", "cancel", "new Coffee 2:00")
      phone.type("duration 3:00", "save")
      try phone.shows("Tea", "03:00", "two spoons")
      try watch.shows("Coffee", "Tea", "03:00")
    }

    @Test func deletedOnThePhoneWhileTheWatchLooksAtIt() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new Workout 25:00")
      try watch.shows("Workout")
      watch.type("open 1", "start")
      try watch.shows("PAUSE")
      phone.type("delete 1")
      try phone.shows("Delete Timer?", "[Cancel]  [Delete]")
      phone.type("delete")
      try phone.shows("No Timers Yet")
      try watch.shows("No Timers")
      try watch.tells("cancelled")
    }

    /// Which timer runs is the device's own affair, and survives the end of its app.
    @Test func runningIsOfTheDevice() throws {
      let phone = try device("phone")
      let watch = try device("watch")
      phone.type("new Workout 25:00", "new Pasta 9:00")
      try watch.shows("Workout", "Pasta")
      phone.type("open 1", "start")
      try phone.shows("PAUSE")
      try phone.tells("scheduled")
      watch.type("open 1")
      try watch.shows("START", without: ["PAUSE"])
      phone.type("kill")
      try phone.tells("killed")
      phone.type("open 1")
      try phone.shows("PAUSE")
      // Only one runs at a time.
      phone.type("back", "open 2", "start", "back", "open 1")
      try phone.shows("RESUME")
    }

    @Test func aTimerRunsOutAndIsStartedAgain() throws {
      let phone = try device("phone")
      phone.type("new Blink 0:01", "open 1", "start")
      try phone.shows("Timer Complete!", "Your Blink has finished!")
      try phone.tells("notification")
      phone.type("restart")
      try phone.shows("PAUSE", without: ["Timer Complete!"])
    }

    // MARK: What goes wrong

    @Test func validationErrorsAreShown() throws {
      let phone = try device("phone")
      phone.type("new", "name  ", "done")
      try phone.shows("⚠ Timer name cannot be empty")
      phone.type("name Tea", "minutes 0", "done")
      try phone.shows("⚠ Duration must be greater than 0")
      phone.type("minutes 61")
      try phone.tells("minutes")
      phone.type("duration 5:00", "done")
      try phone.shows("My Timers", "Tea", "05:00")
      phone.type("settings please")
      try phone.tells("settings stands alone")
      phone.type("nonsense")
      try phone.tells("there is no \"nonsense\" here")
    }

    /// The device is killed at any moment; what it had shown is there again, and synced.
    @Test func aKilledDeviceComesBackWithItsStore() throws {
      let store = scratch.path + "/phone.store"
      let watch = try device("watch")
      for round in 1...4 {
        let phone = try device("phone", "--store", store, "--offline")
        phone.type("new Round \(round) 1:00")
        try phone.shows("Round \(round)")
        phone.program.kill()
      }
      let phone = try device("phone", "--store", store)
      try phone.shows("Round 1", "Round 2", "Round 3", "Round 4")
      try watch.shows("Round 1", "Round 2", "Round 3", "Round 4")
    }

    @Test func theServerGoesAndComesBack() throws {
      let data = scratch.path + "/other"
      let port = try FreePorts.draw(1)[0]
      var other = try ServerProcess(scratch, data: data, port: port)
      let phone = try DeviceProgram(other, in: scratch, app: "todoTimers", role: "phone")
      try phone.sync("new Before 1:00")
      other.kill()
      try phone.tells("the connection is lost")
      phone.type("new Meanwhile 2:00")
      try phone.shows("Meanwhile")
      other = try ServerProcess(scratch, data: data, port: port)
      try phone.tells("online")
      phone.type("wait", "settings")
      try phone.shows("Status")
      let watch = try DeviceProgram(other, in: scratch, app: "todoTimers", role: "watch")
      try watch.shows("Before", "Meanwhile")
    }

    @Test func aSecondProgramTakesTheDeviceOver() throws {
      let first = try device("phone")
      try first.tells("online")
      let second = try device("phone")
      try second.tells("online")
      try first.tells("another connection has taken this device's session over")
      first.type("new From the first 1:00")
      try first.shows("From the first")
      first.type("online")
      try second.tells("another connection has taken")
      try first.tells("online as the phone")
    }

    /// Its clock is an hour ahead: the hub corrects it, and nothing is lost.
    @Test func aWrongClock() throws {
      let phone = try device("phone", "--clock-offset", "3600")
      let watch = try device("watch")
      phone.type("new Tea 5:00", "new Eggs 4:30")
      try watch.shows("Tea", "Eggs")
    }

    // MARK: Leaving

    @Test func leavingUnsyncedWithoutAStoreFails() throws {
      let phone = try device("phone", "--offline")
      phone.type("new Tea 5:00", "quit")
      #expect(try phone.program.exitCode() == 1)
      #expect(phone.program.errors.contains("1 edit was not accepted by the hub and is lost"))
    }

    @Test func theEndOfTheInputWaitsForTheHub() throws {
      let phone = try device("phone")
      phone.type("new Tea 5:00")
      phone.endInput()
      #expect(try phone.program.exitCode() == 0)
      let watch = try device("watch")
      try watch.shows("Tea")
    }

    @Test func storesThatAreNotTheDevices() throws {
      let store = scratch.path + "/store"
      let phone = try device("phone", "--store", store)
      try phone.sync("new Tea 5:00")
      phone.type("quit")
      #expect(try phone.program.exitCode() == 0)
      let watch = try device("watch", "--store", store)
      #expect(try watch.program.exitCode() == 1)
      #expect(watch.program.errors.contains("is not this device's store"))
      for (at, broken) in [(40, "x"), (400, "\u{0}")] {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        bytes.replaceSubrange(at..<at + 1, with: Data(broken.utf8))
        try bytes.write(to: URL(fileURLWithPath: store + ".broken"))
        let broken = try device("phone", "--store", store + ".broken")
        #expect(try broken.program.exitCode() == 1)
        #expect(broken.program.errors.contains("store"))
      }
    }

    @Test(arguments: [
      (["--role", "phone"], "--app is missing"), (["--app", "todoTimers"], "--role is missing"),
      (["--app", "clock", "--role", "phone"], "--app is"),
      (["--app", "pomodoro", "--role", "tablet"], "--role is"),
      (["--app", "pomodoro", "--role", "phone", "--connect", "nowhere"], "HOST:PORT"),
      (["--app", "pomodoro", "--role", "phone", "--clock-offset", "soon"], "--clock-offset"),
    ])
    func badUsage(_ arguments: [String], _ complaint: String) throws {
      let program = try Program(
        [Program.products + "/watchline", "device"] + arguments, in: scratch)
      #expect(try program.exitCode() == 2)
      #expect(program.errors.contains(complaint), "\(program.errors)")
      #expect(program.errors.split(separator: "\n").count == 1)
    }
  }
}
