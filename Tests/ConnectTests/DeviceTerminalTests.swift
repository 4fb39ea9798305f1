import Foundation
import Testing

extension ProgramSuite {
  /// `watchline device` on a terminal: the screen stays in its place, and lives.
  @Suite struct DeviceTerminalTests {
    private func session(_ app: String, _ arguments: String...) throws -> TerminalSession {
      try TerminalSession(
        ["--app", app, "--role", "phone", "--offline"] + arguments, subcommand: "device",
        columns: 60, rows: 40, environment: ["NO_COLOR=1"])
    }

    @Test func theScreenCountsDownAboveTheLineBeingTyped() throws {
      let session = try session("todoTimers")
      try session.wait("the list") { $0.contains("No Timers Yet") && $0.hasSuffix("\n>") }
      try session.type("new Tea 0:30")
      try session.press("Enter")
      try session.wait("the timer") { $0.contains("Tea") && $0.contains("00:30") }
      try session.type("op")
      try session.press("Tab")
      try session.type("1")
      try session.press("Enter")
      try session.wait("the timer alone") { $0.contains("[ START ]") }
      try session.type("start")
      try session.press("Enter")
      try session.type("pau")
      // The screen goes on by itself, once, and what is being typed stays below it.
      try session.wait("two seconds later") {
        $0.contains("00:28") && !$0.contains("00:30") && $0.hasSuffix("\n> pau")
      }
      #expect(try session.screen().components(separatedBy: "< Timers").count == 2)
      try session.press("Tab", "Enter")
      try session.wait("it to pause") { $0.contains("⏸ PAUSED") || $0.contains("PAUSED") }
    }

    @Test func leavingLeavesTheTerminalAsItWas() throws {
      let session = try session("pomodoro")
      try session.wait("the timer") { $0.contains("WORK") && $0.hasSuffix("\n>") }
      try session.type("help")
      try session.press("Enter")
      try session.wait("the help") { $0.contains("doubletap") && $0.contains("wait [SECONDS]") }
      try session.press("C-d")
      try session.wait("the end") { $0.contains("status 0") && $0.contains("\nicanon") }
    }

    @Test func unsyncedEditsAreSaidOnLeaving() throws {
      let session = try session("todoTimers")
      try session.wait("the list") { $0.contains("No Timers Yet") }
      try session.type("new Tea 5:00")
      try session.press("Enter")
      try session.wait("the timer") { $0.contains("Tea") }
      try session.press("C-c")
      try session.wait("the end") {
        $0.contains("1 edit was not accepted by the hub and is lost") && $0.contains("status 1")
      }
    }
  }
}
