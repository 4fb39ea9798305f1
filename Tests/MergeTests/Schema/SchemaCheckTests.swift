import AppModels
import Merge
import Testing
import Wire

/// What devices push has the schema's form, and what the schema does not know passes.
@Suite struct SchemaCheckTests {
  private static let timer = Target("timer", "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F")
  private static let todo = Target("todo", "0D9F2B11-77A4-4A0B-8C12-1234567890AB")
  private static let client = Target("client", "A1B2C3D4-0000-4000-8000-00000000C0DE")
  private static let other = Target("client", "A1B2C3D4-0000-4000-8000-00000000C0DF")
  private static let task = Target("task", "0D9F2B11-77A4-4A0B-8C12-1234567890AC")
  private static let end = Anchor(nil, .right)

  private static func error(_ schema: Name, _ actions: [Action]) throws -> String? {
    let replica = try #require(
      ReplicaID(Array("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1".utf8)))
    let operation = Merge.Operation(
      dot: Dot(replica, 7), stamp: Stamp(ms: 1, rank: 2, counter: 0, replica: replica),
      context: Context(own: 6), wall: 1, actions: actions)
    let schema = try #require(ShippedSchemas.named(schema))
    let error = wireError { try schema.check(operation) }
    #expect(error == nil || error?.code == .invalidField)
    #expect(error?.message.contains("of operation 7") != false)
    return error?.message
  }

  private static func write(
    _ target: Target, _ field: Name, _ value: Datum, home: Target? = nil, into: Target? = nil
  ) -> Action {
    Action(target, .write(field: field, value: value), home: home, into: into)
  }

  private static func owner(_ client: Datum, _ project: Datum = .null) -> Datum {
    .sorted([.init("client", client), .init("project", project)])
  }

  @Test func whatADeviceWritesPasses() throws {
    #expect(
      try Self.error(
        "todoTimers",
        [
          Action(Self.timer, .create), Action(Self.timer, .move(field: "place", to: Self.end)),
          Self.write(Self.timer, "name", .string(" ")),
          Self.write(Self.timer, "durationInSeconds", .string("-5")),
          Self.write(Self.timer, "createdAt", .string("785412000.5")),
          Action(Self.timer, .insert(field: "notes", at: Self.end, text: "a")),
          Action(Self.timer, .erase(field: "notes", [])),
          Action(Self.todo, .create, home: Self.timer),
          Action(
            Self.todo, .move(field: "place", to: Self.end), home: Self.timer, into: Self.timer),
          Self.write(Self.todo, "isCompleted", .bool(true), home: Self.timer),
          Action(Self.todo, .delete, home: Self.timer),
        ]) == nil)
    #expect(
      try Self.error(
        "timeTracker",
        [
          Action(Self.task, .create, home: Self.client),
          Self.write(
            Self.task, "owner", Self.owner(.string(Self.client.record)), home: Self.client,
            into: Self.other),
          Self.write(Self.task, "hourlyRate", .null, home: Self.client),
          Self.write(Target("settings", "settings"), "autoPauseMinutes", .string("0")),
        ]) == nil)
  }

  @Test func whatTheSchemaDoesNotKnowPasses() throws {
    #expect(
      try Self.error(
        "todoTimers",
        [
          Action(Target("stopwatch", "x"), .create),
          Self.write(Target("stopwatch", "x"), "name", .null),
          Self.write(Self.timer, "sound", .array([])),
          Action(Self.timer, .insert(field: "lyrics", at: Self.end, text: "a")),
          Action(Self.timer, .move(field: "shelf", to: Self.end)),
          Action(Target("timer", "x"), .unknown(.object([]))),
        ]) == nil)
  }

  private static let wrong: [(Name, Action, String)] = [
    ("todoTimers", Action(Target("timer", "x"), .create), "record of timer in action 1"),
    (
      "todoTimers", Action(Target("timer", "6f0e3a52-0c55-4f6b-9e0e-0a1b2c3d4e5f"), .delete),
      "an upper-case UUID"
    ),
    (
      "timeTracker", Action(Target("settings", timer.record), .create),
      #"must be "settings", the only one"#
    ),
    ("todoTimers", Action(todo, .create), "home of todo in action 1"),
    ("todoTimers", Action(todo, .create, home: todo), "the timer that it stood in"),
    ("todoTimers", Action(todo, .delete), "home of todo"),
    ("todoTimers", write(todo, "text", .string("a")), "home of todo"),
    ("todoTimers", write(timer, "name", .null), "must be a string, found null"),
    ("todoTimers", write(timer, "durationInSeconds", .string("1500.0")), #"found "1500.0""#),
    ("todoTimers", write(timer, "durationInSeconds", .bool(true)), "found true"),
    ("todoTimers", write(timer, "createdAt", .string("1")), "only an operation that creates"),
    ("todoTimers", write(timer, "notes", .string("a")), "is a text: insert"),
    ("todoTimers", write(timer, "place", .null), "is a place: move"),
    ("todoTimers", write(timer, "updatedAt", .string("1")), "derived and never written"),
    (
      "todoTimers", write(todo, "timer", .string(timer.record), home: timer), "its place tells"
    ),
    ("todoTimers", Action(timer, .insert(field: "name", at: end, text: "a")), "write it"),
    ("todoTimers", Action(timer, .erase(field: "icon", [])), "write it"),
    ("todoTimers", Action(timer, .move(field: "name", to: end)), "write it"),
    ("todoTimers", Action(timer, .move(field: "notes", to: end)), "is a text"),
    ("todoTimers", Action(todo, .move(field: "place", to: end), home: timer), "into of todo"),
    (
      "todoTimers", Action(todo, .move(field: "place", to: end), home: timer, into: todo),
      "into of todo"
    ),
    ("timeTracker", write(task, "startTime", .null, home: client), "part of interval"),
    (
      "timeTracker", write(task, "interval", .null, home: client), "an object of startTime, endTime"
    ),
    (
      "timeTracker", write(task, "interval", .sorted([.init("startTime", .null)]), home: client),
      "endTime is missing"
    ),
    (
      "timeTracker",
      write(
        task, "interval",
        .sorted([.init("startTime", .null), .init("endTime", .null), .init("z", .null)]),
        home: client), #"found also "z""#
    ),
    (
      "timeTracker",
      write(
        task, "interval", .sorted([.init("startTime", .null), .init("endTime", .string("1.0"))]),
        home: client), "changes endTime of task"
    ),
    ("timeTracker", Action(task, .move(field: "owner", to: end), home: client), "is a group"),
    (
      "timeTracker", write(task, "owner", owner(.string(client.record)), home: client),
      "into of task"
    ),
    (
      "timeTracker", write(task, "owner", owner(.null), home: client, into: client),
      "changes client of task"
    ),
    (
      "timeTracker",
      write(
        Target("project", task.record), "client", .string(client.record), home: client, into: other),
      "the client that client names"
    ),
  ]

  @Test(arguments: wrong.indices)
  func aWrongFormIsNamed(_ index: Int) throws {
    let (schema, action, part) = Self.wrong[index]
    let message = try #require(try Self.error(schema, [action]), "\(part)")
    #expect(message.contains(part), "\(message)")
    #expect(message.contains("action 1"), "\(message)")
    // After others it has its own number.
    let padding = Action(Target("stopwatch", "x"), .delete)
    #expect(try Self.error(schema, [padding, action])?.contains("action 2") == true)
  }
}
