import Foundation
import Testing

extension ProcessTests {
  /// Scripts for `watchline device`: what they end with, and that no time passes in them which need not.
  @Suite struct DeviceScriptTests: DeviceSuite {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    @Test func aScriptBeginsInStepWithTheHub() throws {
      let first = try script(["--strict"], "new Tea 5:00", "expect Tea", "wait")
      #expect(first.status == 0, "\(first.errors)")
      let watch = try script(["--strict"], "open Tea", "expect 05:00", role: "watch")
      #expect(watch.status == 0, "\(watch.errors)\(watch.output)")
    }

    @Test func theFirstRefusalEndsAStrictScript() throws {
      let program = try script(["--strict"], "new Tea 5:00", "wait", "open 7", "new Bread 9:00")
      #expect(program.status == 1)
      #expect(!program.output.contains("Bread"))
      let lenient = try script([], "open 7", "new Bread 9:00", "wait")
      #expect(lenient.status == 0)
    }

    @Test func whatIsNotShownEndsAScript() throws {
      let start = Date()
      let program = try script([], "expect No such thing", "new Bread 9:00")
      #expect(program.status == 1)
      #expect(program.errors.contains("the screen does not show No such thing"))
      #expect(!program.output.contains("Bread"))
      #expect(Date().timeIntervalSince(start) < 40)
    }

    @Test func aVirtualClockNeedsNoTime() throws {
      let start = Date()
      let program = try script(
        ["--strict", "--virtual-clock", "--json"], "new Workout 25:00", "open 1", "start",
        "wait 1499", "expect 00:01", "wait 2", "expect Timer Complete!", "act RESTART_TIMER",
        "expect 25:00", "wait")
      #expect(program.status == 0, "\(program.errors)\(program.output)")
      #expect(Date().timeIntervalSince(start) < 40)
      #expect(program.output.contains("\"category\":\"TIMER_COMPLETION\""))
    }

    @Test func theServersRefusalEndsAScript() throws {
      // The pair has a phone of another name already, and can have one only.
      _ = try script([], "new Tea 5:00", "wait")
      let program = try script(["--device", "another"], "new Bread 9:00")
      #expect(program.status == 1)
      #expect(program.errors.contains("the server does not take this device"))
    }

    @Test func recordsAndNotificationsAreToldToPrograms() throws {
      let phone = try device("phone")
      phone.type("settings", "sound off", "back", "new Eggs 0:01", "open 1", "add Salt", "start")
      try phone.shows("Timer Complete!")
      #expect(phone.records["timer"]?.first?["name"] as? String == "Eggs")
      #expect(phone.records["todo"]?.first?["text"] as? String == "Salt")
      let scheduled = phone.events.compactMap { $0["scheduled"] as? [String: Any] }.last
      let notified = phone.events.compactMap { $0["notified"] as? [String: Any] }.last
      for notification in [scheduled, notified] {
        #expect(notification?["category"] as? String == "TIMER_COMPLETION")
        #expect(notification?["badge"] as? String == "1")
        #expect(notification?["sound"] as? Bool == false)
        #expect((notification?["userInfo"] as? [String: String])?["timerName"] == "Eggs")
      }
      #expect(Int64(scheduled?["due"] as? String ?? "") != nil)
      #expect(phone.told.contains { $0.text.contains("sound off") })
    }
  }
}
