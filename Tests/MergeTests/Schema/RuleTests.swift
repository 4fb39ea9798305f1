import AppModels
import Foundation
import Merge
import Testing
import Wire

/// Rules of edits: the apps' own texts, in the apps' own order.
@Suite struct RuleTests {
  private static func broken(
    _ schema: Name, _ kind: Name, _ values: [Name: Datum], written: Set<Name>? = nil,
    exists: Bool = true
  ) throws -> String? {
    let rule = try shipped(schema, kind).validate(
      values, written: written ?? Set(values.keys), exists: { _ in exists })
    return rule.map { "\($0.code) \($0.message)" }
  }

  private static func timer(_ name: String, _ duration: Int) throws -> String? {
    try broken(
      "todoTimers", "timer",
      ["name": .string(Name(name)), "durationInSeconds": .string(Name("\(duration)"))])
  }

  @Test func timersAreCheckedInOrder() throws {
    #expect(try Self.timer("Tea", 300) == nil)
    #expect(try Self.timer(" ", 0) == "4021 Timer name cannot be empty")
    #expect(try Self.timer("", 90_000) == "4021 Timer name cannot be empty")
    #expect(try Self.timer("Tea", 0) == "4022 Duration must be greater than 0")
    #expect(try Self.timer("Tea", -1) == "4022 Duration must be greater than 0")
    #expect(try Self.timer("Tea", 1) == nil)
    #expect(try Self.timer("Tea", 86_400) == nil)
    #expect(try Self.timer("Tea", 86_401) == "4023 Duration cannot exceed 24 hours")
    #expect(try Self.timer(String(repeating: "a", count: 10_000), 1) == nil)
    // One line feed is a name.
    #expect(try Self.timer("\n", 1) == nil)
    #expect(try Self.timer("\t \u{A0}\u{3000}\u{200B}", 1) == "4021 Timer name cannot be empty")
  }

  /// As Foundation's `.whitespaces` on this platform, character by character.
  @Test func blanksAreFoundations() throws {
    let kind = try shipped("todoTimers", "timer")
    for value in UInt32(0)...0x1_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isBlank =
        kind.validate(
          ["name": .string(Name(String(Character(scalar))))], written: ["name"],
          exists: { _ in true }) != nil
      #expect(isBlank == CharacterSet.whitespaces.contains(scalar), "U+\(String(value, radix: 16))")
    }
  }

  @Test func otherTexts() throws {
    #expect(
      try Self.broken("todoTimers", "todo", ["text": .string(" ")])
        == "4024 To-do text cannot be empty")
    for kind in ["client", "project", "task"] as [Name] {
      #expect(
        try Self.broken("timeTracker", kind, ["name": .string("")]) == "4021 Name cannot be empty")
    }
    #expect(try Self.broken("timeTracker", "task", ["name": .null]) == nil)
    let id = Datum.string("A1B2C3D4-0000-4000-8000-00000000C0DE")
    #expect(
      try Self.broken("timeTracker", "task", ["client": id], exists: false)
        == "4027 Invalid client")
    #expect(
      try Self.broken("timeTracker", "task", ["project": id], exists: false)
        == "4028 Invalid project")
    #expect(try Self.broken("timeTracker", "task", ["project": .null], exists: false) == nil)
    #expect(
      try Self.broken("timeTracker", "client", ["hourlyRate": .string("-0.01")])
        == "4020 Hourly rate cannot be negative")
    #expect(try Self.broken("timeTracker", "client", ["hourlyRate": .string("0")]) == nil)
    for (minutes, isFine) in [("15", true), ("0", true), ("7", false), ("-15", false)] {
      let broken = try Self.broken(
        "timeTracker", "project", ["billingIncrement": .string(Name(minutes))])
      #expect((broken == nil) == isFine)
    }
    #expect(
      try Self.broken("pomodoro", "settings", ["cycle": .string("every5")])
        == "4020 Cycle must be declared or every4")
  }

  private static func interval(_ start: Datum, _ end: Datum) throws -> String? {
    try broken("timeTracker", "task", ["startTime": start, "endTime": end])
  }

  @Test func intervals() throws {
    #expect(try Self.interval(.null, .null) == nil)
    #expect(try Self.interval(.string("1"), .string("1")) == nil)
    #expect(try Self.interval(.string("-2"), .string("-1.5")) == nil)
    #expect(try Self.interval(.string("9"), .string("1e+21")) == nil)
    #expect(
      try Self.interval(.string("10"), .string("9")) == "4020 End time cannot be before start time")
    #expect(try Self.interval(.null, .string("9")) == "4026 Task is not currently running")
    #expect(
      try Self.interval(.string("9"), .null)
        == "4020 A task is shared once it has stopped: endTime is missing")
  }

  /// What was wrong before does not refuse an edit of something else.
  @Test func onlyWhatIsWrittenIsChecked() throws {
    let values: [Name: Datum] = [
      "name": .string(""), "startTime": .string("10"), "endTime": .string("9"),
    ]
    #expect(try Self.broken("timeTracker", "task", values, written: ["hourlyRate"]) == nil)
    // A rule that speaks of two fields is looked at when either is written.
    #expect(
      try Self.broken("timeTracker", "task", values, written: ["startTime"])
        == "4020 End time cannot be before start time")
  }

  @Test func aRuleIsAnError() throws {
    let rule = Schema.Rule(test: .notBlank, code: 4024, message: "To-do text cannot be empty")
    #expect(rule.error == WireError(.emptyText, "To-do text cannot be empty"))
  }
}
