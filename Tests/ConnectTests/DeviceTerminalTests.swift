import Foundation
import Testing

extension ProgramSuite {
  /// `watchline device` on a terminal: the screen stays in its place, and lives.
  @Suite struct DeviceTerminalTests {
    private func session(
      _ app: String, _ arguments: String..., environment: [String] = ["NO_COLOR=1"]
    ) throws -> TerminalSession {
      try TerminalSession(
        ["--app", app, "--role", "phone", "--offline"] + arguments, subcommand: "device",
        columns: 60, rows: 40, environment: environment)
    }

    /// What the terminal is told of a done to-do, and of a green timer.
    @Test(arguments: [
      (["NO_COLOR=1", "COLORTERM=truecolor"], [String]()),
      (["NO_COLOR=", "COLORTERM="], ["\u{1B}[9", "\u{1B}[38;5;"]),
      (["NO_COLOR=", "COLORTERM=truecolor"], ["\u{1B}[9", "\u{1B}[38;2;36;136;61m00:30"]),
    ])
    func coloursAreShownWhereTheTerminalHasThem(
      _ environment: [String], _ expected: [String]
    ) throws {
      let session = try session("todoTimers", environment: environment)
      for line in ["new Tea", "duration 0:30", "color 4", "done", "open 1", "add Boil", "toggle 1"]
      {
        try session.type(line)
        try session.press("Enter")
      }
      try session.wait("the to-do") { $0.contains("1 ☑ Boil") }
      let screen = try session.screen(styled: true)
      #expect(screen.contains("\u{1B}[") == !expected.isEmpty, "\(screen.debugDescription)")
      for text in expected { #expect(screen.contains(text), "\(screen.debugDescription)") }
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
      try session.wait("two seconds later, or some more") { screen in
        (10...28).contains { screen.contains("00:\($0)") } && !screen.contains("00:30")
          && screen.hasSuffix("\n> pau")
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
