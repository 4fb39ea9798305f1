import AppModels
package import Merge

/// A schedule, resolved: what was done where and when, in order, so that a player needs a loop and
/// a dictionary and draws nothing.
///
/// As NDJSON: the header, then one event a line (`Protocol/schema/trace.schema.json`).
package struct Trace: Equatable, Sendable {
  /// The version of the format that this build writes, and the newest that it reads.
  package static let version = 1

  /// What the events are about, which decides who can play them.
  package enum World: String, CaseIterable, Sendable {
    /// Devices that hand each other what they hold, over the lanes of WatchConnectivity.
    case exchange
    /// Devices and a server between them: connections, commits, crashes.
    case server
    /// The same, and several servers with one log, of which one owns what the devices have.
    case cluster
  }

  package struct Device: Equatable, Sendable {
    /// Its name, unique in the trace.
    package var name: String
    package var isPhone: Bool
    /// It knows whole records only (clause 13 of the specification).
    package var isWholeRecord: Bool
    /// A person types the edits, and the server makes the operations.
    package var isTyped: Bool

    package init(
      _ name: String, isPhone: Bool, isWholeRecord: Bool = false, isTyped: Bool = false
    ) {
      self.name = name
      self.isPhone = isPhone
      self.isWholeRecord = isWholeRecord
      self.isTyped = isTyped
    }
  }

  package var world: World
  package var seed: UInt64
  /// The schema's name; `none` where only payloads travel.
  package var schema: String
  /// The schema itself, where it is somebody's own.
  package var own: Schema?
  /// When it starts, in milliseconds since 1970; the events' times count from here.
  package var start: Int64
  /// What was drawn or asked for, as the options of a command line: name and value.
  package var options: [Option]
  package var devices: [Device]
  package var events: [TraceEvent]

  package struct Option: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(
    world: World, seed: UInt64, schema: String, own: Schema? = nil,
    start: Int64 = 1_790_000_000_000, options: [Option] = [], devices: [Device],
    events: [TraceEvent] = []
  ) {
    self.world = world
    self.seed = seed
    self.schema = schema
    self.own = own
    self.start = start
    self.options = options
    self.devices = devices
    self.events = events
  }

  /// What the records are made of; nil where only payloads travel, or where nobody knows the schema.
  package var recordSchema: Schema? { own ?? ShippedSchemas.named(Name(schema)) }

  /// The options, ready to be pasted behind a command.
  package var optionsLine: String {
    options.map { $0.value.isEmpty ? "--\($0.name)" : "--\($0.name) \($0.value)" }
      .joined(separator: " ")
  }
}

extension [Trace.Option] {
  /// Whether an option is there, whatever its value.
  func has(_ name: String) -> Bool { contains { $0.name == name } }
}
