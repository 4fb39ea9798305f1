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
    #expect(try Self.timer("\t \u{A0}\u{3000}\u{200B}", 1) == "4021 Timer name cannot be empty")
  }

  /// What shows nothing is no name, and what shows anything is one.
  @Test func blanks() throws {
    let blank = [
      0x00, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x7F, 0x85, 0x9F, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F,
      0x1160,
      0x1680, 0x17B4, 0x180B, 0x180E, 0x2000, 0x200B, 0x200D, 0x2028, 0x2029, 0x202E, 0x202F,
      0x205F,
      0x2060, 0x2064, 0x206F, 0x3000, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0x1BCA0, 0x1D173,
      0xE0001, 0xE0020, 0xE0100,
    ].map { String(Character(Unicode.Scalar($0)!)) }
    for text in blank + [blank.joined()] {
      #expect(
        try Self.timer(text, 1) == "4021 Timer name cannot be empty", "\(text.unicodeScalars)")
      #expect(
        try Self.broken("todoTimers", "todo", ["text": .string(Name(text))])
          == "4024 To-do text cannot be empty")
      #expect(try Self.timer(blank.joined() + "." + text, 1) == nil)
    }
    for value in [0x21, 0x300, 0x600, 0x6DD, 0x2800, 0xFFFC, 0x1F600] {
      #expect(try Self.timer(String(Character(Unicode.Scalar(value)!)), 1) == nil, "\(value)")
    }
  }

  /// As Foundation's `.whitespaces` on this platform, character by character.
  @Test func whatIsTakenOffTheEndsIsFoundations() throws {
    for value in UInt32(0)...0x1_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isTakenOff = Name("a\(scalar)").trimmed == "a"
      #expect(
        isTakenOff == CharacterSet.whitespaces.contains(scalar), "U+\(String(value, radix: 16))")
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
