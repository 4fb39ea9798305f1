package import Merge

/// Schemas that between them have everything that a schema can have: an ordered kind at the root
/// and one in a container, owners by reference and through another record, groups, texts, fixed ids
/// and derived fields.
package enum HistorySchemas {
  package static let everything = Schema(
    name: "everything", kinds: [timer, todo, step, client, project, task, settings])

  /// What the alphabets of small histories write.
  package static let timers = Schema(name: "timers", kinds: [timer, todo])

  package static let timer = Schema.Kind(
    name: "timer",
    registers: [
      single("name", .string), single("icon", .string, isOptional: true),
      single("createdAt", .date, revives: false), text("notes"),
    ],
    order: "place", derived: [.init(name: "updatedAt", source: .touched)])

  package static let todo = Schema.Kind(
    name: "todo",
    registers: [
      single("text", .string), single("isCompleted", .bool),
    ],
    container: .init(kind: "timer", register: "place", field: "timer"), order: "place",
    derived: [.init(name: "updatedAt", source: .touched)])

  /// In a container that is in one.
  package static let step = Schema.Kind(
    name: "step", registers: [single("isDone", .bool)],
    container: .init(kind: "todo", register: "spot", field: "todo"), order: "spot")

  package static let client = Schema.Kind(
    name: "client",
    registers: [
      single("name", .string), single("hourlyRate", .decimal, isOptional: true), text("notes"),
    ],
    derived: [.init(name: "modifiedAt", source: .touched)])

  package static let project = Schema.Kind(
    name: "project",
    registers: [
      single("name", .string), single("isActive", .bool),
      single("client", .uuid, revives: false, reference: "client"),
    ],
    container: .init(kind: "client", register: "client", field: "client"))

  package static let task = Schema.Kind(
    name: "task",
    registers: [
      single("name", .string), text("notes"),
      group(
        "owner", revives: false,
        [
          field("client", .uuid, reference: "client"),
          field("project", .uuid, isOptional: true, reference: "project"),
        ]),
      group("interval", [field("startTime", .date), field("endTime", .date, isOptional: true)]),
    ],
    container: .init(kind: "client", register: "owner", field: "client", through: "project"),
    derived: [
      .init(name: "duration", source: .seconds(from: "startTime", to: "endTime")),
      .init(name: "modifiedAt", source: .touched),
    ])

  package static let settings = Schema.Kind(
    name: "settings",
    registers: [
      single("sound", .string, isOptional: true), single("limit", .int),
      single("favourite", .uuid, isOptional: true, reference: "timer"),
    ],
    fixedID: "settings")

  private static func field(
    _ name: Name, _ type: FieldType, isOptional: Bool = false, reference: Name? = nil
  ) -> Schema.Field {
    Schema.Field(name: name, type: type, isOptional: isOptional, reference: reference)
  }

  private static func single(
    _ name: Name, _ type: FieldType, isOptional: Bool = false, revives: Bool = true,
    reference: Name? = nil
  ) -> Schema.Register {
    Schema.Register(
      name: name, form: .single,
      fields: [field(name, type, isOptional: isOptional, reference: reference)], revives: revives)
  }

  private static func text(_ name: Name) -> Schema.Register {
    Schema.Register(name: name, form: .text, fields: [field(name, .text)])
  }

  private static func group(
    _ name: Name, revives: Bool = true, _ fields: [Schema.Field]
  ) -> Schema.Register {
    Schema.Register(name: name, form: .group, fields: fields, revives: revives)
  }
}
