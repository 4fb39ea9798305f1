import Merge
package import Wire

/// A trace that cannot be read: one sentence that says why.
package struct TraceFault: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension Trace {
  /// Reads a trace.
  ///
  /// - Throws: where it is of a newer version, foreign, cut off or out of order.
  package init(ndjson text: some Collection<UInt8>) throws(TraceFault) {
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated().filter { !$0.element.allSatisfy { $0 == 0x20 || $0 == 0x0D } }
    guard let first = lines.first else { throw TraceFault("it is empty; it is not a trace") }
    let header = try Self.members(first.element, line: first.offset + 1, isFirst: true)
    guard let version = header.integer("trace") else {
      throw TraceFault("its first line has no \"trace\"; it is not a trace")
    }
    guard version == Self.version else {
      throw TraceFault(
        "it is a trace of version \(version), and this build reads version \(Self.version)")
    }
    self = try Self.begun(header)
    var names: Set<String> = []
    for (offset, bytes) in lines.dropFirst() {
      let number = offset + 1
      let event = try TraceEvent(
        try Self.members(bytes, line: number, isFirst: false), line: number)
      guard event.at >= (events.last?.at ?? 0) else {
        throw TraceFault("line \(number): its time \(event.at) is before that of the line before")
      }
      if let name = event.name, !names.insert(name).inserted {
        throw TraceFault("line \(number): there is an event \(name) before it")
      }
      guard event.device == "server" || devices.contains(where: { $0.name == event.device }) else {
        throw TraceFault("line \(number): the first line names no device \(event.device)")
      }
      events.append(event)
    }
    if let count = header.integer("events"), count != events.count {
      throw TraceFault("it has \(events.count) of its \(count) events; it is cut off")
    }
  }

  private static func members(
    _ bytes: some Collection<UInt8>, line: Int, isFirst: Bool
  ) throws(TraceFault) -> Members {
    do throws(WireError) {
      return try Members(bytes)
    } catch {
      let kind = isFirst ? "; it is not a trace" : "; it is cut off or damaged"
      throw TraceFault("line \(line) is not a JSON object: \(error.message)\(kind)")
    }
  }

  private static func begun(_ header: Members) throws(TraceFault) -> Trace {
    let world = header.string("world") ?? World.exchange.rawValue
    guard let world = World(rawValue: world) else {
      let known = World.allCases.map(\.rawValue).joined(separator: " and ")
      throw TraceFault("its world is \(world); this build knows \(known)")
    }
    var devices: [Device] = []
    for device in header.objects("devices") ?? [] {
      guard let name = device.string("device"), !name.isEmpty, name != "server" else {
        throw TraceFault("line 1: a device needs a name of its own in \"device\"")
      }
      devices.append(
        Device(
          name, isPhone: device.string("role") == "phone",
          isWholeRecord: device.string("records") == "whole",
          isTyped: device.string("records") == "typed"))
    }
    guard !devices.isEmpty else { throw TraceFault("line 1: it names no devices") }
    guard Set(devices.map(\.name)).count == devices.count else {
      throw TraceFault("line 1: two devices have the same name")
    }
    let options = header.object("options")
    let schema = header.string("schema") ?? "none"
    return Trace(
      world: world, seed: UInt64(clamping: header.integer("seed") ?? 0), schema: schema,
      own: try own(header, named: schema),
      start: header.integer("start") ?? 1_790_000_000_000,
      options: options?.all.map { Option($0.name, options?.string($0.value) ?? "") } ?? [],
      devices: devices)
  }
}

extension Trace {
  /// A schema of somebody's own, which the trace has with it.
  private static func own(_ header: Members, named name: String) throws(TraceFault) -> Schema? {
    guard let file = header.raw("definition") else { return nil }
    let schema: Schema
    do throws(SchemaError) {
      schema = try Schema(json: file)
    } catch {
      throw TraceFault("line 1: the \"definition\" of its schema is none: \(error)")
    }
    guard schema.name.text == name else {
      throw TraceFault("line 1: its schema is \(name), and the \"definition\" is of \(schema.name)")
    }
    return schema
  }
}

extension TraceEvent {
  fileprivate init(_ members: Members, line: Int) throws(TraceFault) {
    guard let at = members.integer("at"), at >= 0, at < 1 << 50 else {
      throw TraceFault("line \(line): \"at\" is the time in milliseconds since the start")
    }
    guard let device = members.string("device") else {
      throw TraceFault("line \(line): \"device\" says where it happens")
    }
    let word = members.string("do") ?? ""
    guard let verb = Verb(rawValue: word) else {
      throw TraceFault("line \(line): this build knows no \"do\":\"\(word)\"")
    }
    self.init(
      at: at, device, verb, name: members.string("event"),
      edit: verb == .edit ? try Edit(members, line: line) : nil, lane: members.string("lane"),
      of: members.string("of"), to: members.string("to"), count: members.integer("count"),
      flag: members.flag("flag"), payload: members.raw("payload"), now: members.integer("now"))
  }
}

extension Edit {
  /// - Parameter members: those of an event, or of a request to edit.
  package init(_ members: Members, line: Int) throws(TraceFault) {
    guard let kind = members.string("kind"), let record = members.string("record") else {
      throw TraceFault("line \(line): an edit is of a \"kind\" and a \"record\"")
    }
    self.init(
      Name(kind), Name(record), try Change(members, line: line), since: members.string("since"))
  }
}

extension Edit.Change {
  fileprivate init(_ members: Members, line: Int) throws(TraceFault) {
    if members.object("create") != nil, let fields = members.raw("create") {
      self = .create(fields: fields)
    } else if members.object("set") != nil, let fields = members.raw("set") {
      self = .set(fields: fields)
    } else if members.flag("delete") == true {
      self = .delete
    } else if members.flag("restore") == true {
      self = .restore
    } else if let move = members.object("move") {
      self = .move(
        after: move.string("after").map { Name($0) }, into: move.string("into").map { Name($0) })
    } else if let splice = members.object("splice"), let field = splice.string("field"),
      let at = splice.integer("at"), let remove = splice.integer("remove"),
      let insert = splice.string("insert"), at >= 0, remove >= 0
    {
      self = .splice(
        field: Name(field), at: Int(at), remove: Int(remove), insert: insert,
        result: splice.string("result") ?? "")
    } else {
      throw TraceFault(
        "line \(line): an edit has one of create, set, delete, restore, move and splice")
    }
  }
}
