import AppModels
import Merge
import Testing
import Wire

/// What is typed becomes the registers to write.
@Suite struct EditPlanTests {
  private static let one = "A1B2C3D4-0000-4000-8000-000000000001"
  private static let two = "A1B2C3D4-0000-4000-8000-000000000002"
  private static let project = "A1B2C3D4-0000-4000-8000-00000000000A"
  private static let hidden = "A1B2C3D4-0000-4000-8000-00000000000B"

  /// A world in which everything is visible but `hidden`, and the project is the second client's.
  private static var others: Neighbours {
    Neighbours(
      isVisible: { $0.record.text != hidden },
      container: { $0 == Target("project", Name(project)) ? Name(two) : nil })
  }

  private static let now: Int64 = 1_763_719_200_000

  private func create(_ schema: Name, _ kind: Name, _ fields: String) throws -> EditPlan {
    let kind = try shipped(schema, kind)
    return try withJSON(fields) { value, line in
      try kind.plan(creating: value, line, now: Self.now, among: Self.others)
    }
  }

  private func set(
    _ schema: Name, _ kind: Name, _ fields: String, _ present: [Name: Datum]
  ) throws -> EditPlan {
    let kind = try shipped(schema, kind)
    return try withJSON(fields) { value, line in
      try kind.plan(setting: value, line, present: present, among: Self.others)
    }
  }

  /// The writes as `register=value`, and the container.
  private func text(_ plan: EditPlan) -> [String] {
    let writes = plan.writes.map { write in
      switch write.content {
      case .value(let value):
        "\(write.register.name)=" + String(decoding: value.canonical, as: UTF8.self)
      case .text(let text): "\(write.register.name)~\(text)"
      }
    }
    return writes + (plan.container.map { ["in \($0.kind) \($0.record.text.suffix(1))"] } ?? [])
  }

  private func owner(_ client: String, _ project: String?) -> Datum {
    .sorted([
      .init("client", .string(Name(client))),
      .init("project", project.map { .string(Name($0)) } ?? .null),
    ])
  }

  // MARK: Create

  @Test func aCreateFillsInDefaults() throws {
    #expect(
      try text(create("todoTimers", "timer", #"{"durationInSeconds":300.0,"name":"Tea "}"#)) == [
        #"name="Tea ""#, #"durationInSeconds="300""#, #"icon="timer""#, ##"colorHex="#007AFF""##,
        #"createdAt="785412000""#,
      ])
    #expect(
      try text(
        create(
          "todoTimers", "timer",
          #"{"name":"Tea","durationInSeconds":1,"notes":"a","createdAt":"2001-01-01T00:00:00Z"}"#)
      )
      .suffix(2) == ["notes~a", #"createdAt="0""#])
    // A to-do's text is stored without the blanks around it, a timer's name with them.
    #expect(
      try text(create("todoTimers", "todo", #"{"text":" \t milk ","timer":"\#(Self.one)"}"#)) == [
        #"text="milk""#, "isCompleted=false", #"createdAt="785412000""#, "in timer 1",
      ])
    #expect(
      try text(create("timeTracker", "settings", "{}")) == [
        #"defaultHourlyRate="100""#, #"defaultBillingIncrement="10""#, "autoPauseEnabled=false",
        #"autoPauseMinutes="15""#,
      ])
    #expect(
      try text(create("timeTracker", "entitlement", #"{"isPremium":true}"#)) == [
        #"grant={"expiresAt":null,"isPremium":true,"productID":null,"source":null}"#
      ])
  }

  @Test func aTaskStandsWhereItsProjectDoes() throws {
    func ownerOf(_ fields: String) throws -> [String] {
      try text(create("timeTracker", "task", fields)).filter {
        $0.hasPrefix("owner") || $0.hasPrefix("in ")
      }
    }
    #expect(
      try ownerOf(#"{"client":"\#(Self.one)"}"#) == [
        #"owner={"client":"\#(Self.one)","project":null}"#, "in client 1",
      ])
    #expect(
      try ownerOf(#"{"project":"\#(Self.project)"}"#) == [
        #"owner={"client":"\#(Self.two)","project":"\#(Self.project)"}"#, "in client 2",
      ])
    let error = wireError {
      _ = try ownerOf(#"{"client":"\#(Self.one)","project":"\#(Self.project)"}"#)
    }
    #expect(error == WireError(.invalidProject, "Invalid project"))
  }

  @Test(arguments: [
    ("timer", #"{"name":"Tea"}"#, 4003, "durationInSeconds of the timer is missing"),
    ("timer", #"{"durationInSeconds":1}"#, 4003, "name of the timer is missing"),
    ("todo", #"{"text":"a"}"#, 4003, "timer of the todo is missing"),
    ("todo", #"{"text":"a","timer":null}"#, 4004, "timer must be a UUID"),
    ("todo", #"{"text":"a","timer":"\#(hidden)"}"#, 4004, "timer must be a timer that is there"),
    ("timer", #"{"name":" ","durationInSeconds":0}"#, 4021, "Timer name cannot be empty"),
    ("timer", #"{"name":"a","durationInSeconds":0}"#, 4022, "Duration must be greater than 0"),
    ("timer", #"{"name":"a","durationInSeconds":86401}"#, 4023, "Duration cannot exceed 24 hours"),
    ("todo", #"{"text":" ","timer":"\#(one)"}"#, 4024, "To-do text cannot be empty"),
    ("timer", #"{"nmae":"Tea"}"#, 4004, #"a timer has no field "nmae"; did you mean name?"#),
    ("timer", #"{"zzzzzzzz":1}"#, 4004, "it has name, durationInSeconds, icon"),
    ("timer", #"{"name":"a","name":"b"}"#, 4004, "name is given twice"),
    ("timer", #"{"name":null}"#, 4004, "name must be a string, found null"),
    ("timer", #"{"durationInSeconds":1500.5}"#, 4004, "found 1500.5"),
    ("timer", #"{"id":"a"}"#, 4004, "id is no field"),
    ("timer", #"{"updatedAt":1}"#, 4004, "updatedAt is derived"),
    ("timer", #"{"place":1}"#, 4004, "place is the record's place; move it"),
    ("timer", #"[]"#, 4004, "the fields must be an object, found []"),
  ])
  func aCreateIsRefused(_ kind: String, _ fields: String, _ code: Int, _ part: String) throws {
    let error = wireError { _ = try create("todoTimers", Name(kind), fields) }
    #expect(error?.code.rawValue == code)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "no error")")
  }

  // MARK: Set

  private static let timer: [Name: Datum] = [
    "name": .string("Tea"), "durationInSeconds": .string("300"), "icon": .string("timer"),
    "notes": .string("hot"), "createdAt": .string("0"),
  ]

  @Test func aSetWritesOnlyWhatDiffers() throws {
    #expect(
      try text(
        set(
          "todoTimers", "timer",
          #"{"name":"Tea","durationInSeconds":"300","icon":"cup","notes":"hot"}"#, Self.timer)) == [
          #"icon="cup""#
        ])
    #expect(try text(set("todoTimers", "timer", #"{"notes":null}"#, Self.timer)) == ["notes~"])
    #expect(
      try text(set("todoTimers", "timer", #"{"notes":"hotter"}"#, Self.timer)) == ["notes~hotter"])
    #expect(try text(set("todoTimers", "timer", "{}", Self.timer)) == [])
    // The two spellings of é differ.
    #expect(
      try text(
        set("todoTimers", "timer", #"{"name":"\u00e9"}"#, ["name": .string("e\u{301}")])
      ).count == 1)
    #expect(try text(set("timeTracker", "task", #"{"hourlyRate":null}"#, [:])) == [])
  }

  @Test func aGroupIsWrittenWhole() throws {
    let billing = Datum.sorted([
      .init("isBilled", .bool(false)), .init("billedAmount", .string("5")),
      .init("billedDate", .null),
    ])
    #expect(
      try text(set("timeTracker", "task", #"{"isBilled":true}"#, ["billing": billing])) == [
        #"billing={"billedAmount":"5","billedDate":null,"isBilled":true}"#
      ])
    #expect(
      try text(set("timeTracker", "task", #"{"isBilled":false}"#, ["billing": billing])) == [])
    #expect(
      try text(set("timeTracker", "task", #"{"startTime":1,"endTime":"2"}"#, [:])) == [
        #"interval={"endTime":"2","startTime":"1"}"#
      ])
    // A group that nobody has written is completed by its defaults.
    #expect(
      try text(set("timeTracker", "task", #"{"billedAmount":112.50}"#, [:])) == [
        #"billing={"billedAmount":"112.5","billedDate":null,"isBilled":false}"#
      ])
    let half = wireError { _ = try set("pomodoro", "session", #"{"startTime":1}"#, [:]) }
    #expect(half?.code == .missingField)
    #expect(half?.message.hasPrefix("endTime of the session is missing") == true)
  }

  @Test func anotherContainer() throws {
    let todo: [Name: Datum] = ["text": .string("milk"), "place": .string(Name(Self.one))]
    #expect(try text(set("todoTimers", "todo", #"{"timer":"\#(Self.one)"}"#, todo)) == [])
    #expect(
      try text(set("todoTimers", "todo", #"{"timer":"\#(Self.two.lowercased())"}"#, todo)) == [
        "in timer 2"
      ])
    #expect(try text(set("todoTimers", "todo", #"{"text":"bread"}"#, todo)) == [#"text="bread""#])
  }

  /// Setting one of client and project moves the other along.
  @Test func clientAndProjectAgree() throws {
    func set(_ fields: String, _ client: String, _ project: String?) throws -> [String] {
      try text(
        self.set("timeTracker", "task", fields, ["owner": owner(client, project)]))
    }
    func written(_ client: String, _ project: String?, in number: Int?) -> [String] {
      ["owner=" + String(decoding: owner(client, project).canonical, as: UTF8.self)]
        + (number.map { ["in client \($0)"] } ?? [])
    }
    let (one, two, project, hidden) = (Self.one, Self.two, Self.project, Self.hidden)
    #expect(try set(#"{"project":"\#(project)"}"#, one, nil) == written(two, project, in: 2))
    #expect(try set(#"{"client":"\#(one)"}"#, two, project) == written(one, nil, in: 1))
    #expect(try set(#"{"client":"\#(two)"}"#, two, project) == [])
    // It is shown with its project's client, whatever its own says.
    #expect(try set(#"{"client":"\#(two)"}"#, one, project) == [])
    #expect(try set(#"{"project":null}"#, one, project) == written(two, nil, in: nil))
    // A hidden project must not take it back later.
    #expect(try set(#"{"client":"\#(two)"}"#, one, hidden) == written(two, nil, in: 2))
    #expect(try set(#"{"client":"\#(one)"}"#, one, hidden) == [])
    #expect(try set(#"{"name":"a"}"#, one, hidden) == [#"name="a""#])
    for fields in [
      #"{"project":"\#(hidden)"}"#, #"{"client":"\#(one)","project":"\#(project)"}"#,
    ] {
      let error = wireError { _ = try set(fields, one, nil) }
      #expect(error == WireError(.invalidProject, "Invalid project"))
    }
    let error = wireError { _ = try set(#"{"client":"\#(hidden)"}"#, one, nil) }
    #expect(error == WireError(.invalidClient, "Invalid client"))
  }

  @Test func whatACreateAloneWritesIsRefused() throws {
    let error = wireError {
      _ = try set("todoTimers", "timer", #"{"createdAt":0}"#, Self.timer)
    }
    #expect(
      error
        == WireError(
          .invalidField, "createdAt is written when a timer is created, and never changes"))
    let group = wireError { _ = try set("timeTracker", "task", #"{"interval":{}}"#, [:]) }
    #expect(
      group?.message == "interval is a group; set its fields, of which there are startTime, endTime"
    )
  }
}
