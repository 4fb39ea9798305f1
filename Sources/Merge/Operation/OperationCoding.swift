package import Wire

/// Operations as canonical JSON.
///
/// ```
/// {"actions":[…],"context":{"<replica>":"7"},"replica":"<replica>","seq":"12",
///  "stamp":"1790000000000.2.0","wall":"1790000000000"}
/// ```
/// `context` has only what differs from the context of the replica's operation before it, with
/// that operation added; "0" takes an entry out. Where nothing differs it is left out.
extension Operation {
  /// The canonical form.
  ///
  /// - Parameter previous: the context of the replica's operation before this one.
  package func datum(after previous: Context?) -> Datum {
    var members = [
      Datum.Member(Key.actions, .array(actions.map(\.datum))),
      Datum.Member(Key.replica, .string(Name(dot.replica.description))),
      Datum.Member(Key.seq, .string(Name(String(dot.seq)))),
      Datum.Member(Key.stamp, .string(Name(stamp.spelled))),
      Datum.Member(Key.wall, .string(Name(String(wall)))),
    ]
    let difference = contextDifference(previous)
    if !difference.isEmpty { members.append(Datum.Member(Key.context, .sorted(difference))) }
    return .sorted(members)
  }

  /// What a context differs in from the one before.
  func contextDifference(_ previous: Context?) -> [Datum.Member] {
    func member(_ replica: ReplicaID, _ seq: UInt64) -> Datum.Member {
      Datum.Member(Name(replica.description), .string(Name(String(seq))))
    }
    var difference: [Datum.Member] = []
    if context.own != dot.seq - 1 { difference.append(member(dot.replica, context.own)) }
    let before = previous?.others ?? VersionVector()
    guard context.others != before else { return difference }
    for entry in context.others.entries where before[entry.replica] != entry.seq {
      difference.append(member(entry.replica, entry.seq))
    }
    for entry in before.entries where context.others[entry.replica] == 0 {
      difference.append(member(entry.replica, 0))
    }
    return difference
  }

  /// Reads an operation.
  ///
  /// - Parameter previous: the context of the operation before it of the replica named, nil where
  ///   it is the first.
  /// - Throws: 4003 or 4004 with what is wrong where.
  package init(
    _ datum: Datum, previous: (ReplicaID) -> Context?
  ) throws(WireError) {
    let reader = DatumReader(datum, "an operation")
    let replica = try reader.value("replica", "<UUID>.<incarnation>") { ReplicaID($0.utf8) }
    let seq = try reader.value("seq", "a whole number from 1") { UInt64(decimal: $0.utf8) }
    guard seq > 0, seq < Dot.seqLimit else { throw reader.invalid("seq", "a whole number from 1") }
    dot = Dot(replica, seq)
    stamp = try reader.value("stamp", "<ms>.<rank>.<counter>") {
      Stamp($0.utf8, replica: replica)
    }
    wall = try reader.value("wall", "milliseconds since 1970") { Int64($0.text) }
    context = try Self.context(reader, dot, previous(replica))
    guard case .array(let items)? = datum.member("actions"), !items.isEmpty else {
      throw reader.invalid("actions", "a list of at least one action")
    }
    actions = []
    actions.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      actions.append(try Action(item, .action(index, of: seq)))
    }
    guard actions.reduce(0, { $0 + $1.elements }) < Int(ElementID.indexLimit) else {
      throw reader.invalid(
        "actions", "less than \(ElementID.indexLimit) characters and moves together")
    }
  }

  static func context(
    _ reader: DatumReader, _ dot: Dot, _ previous: Context?
  ) throws(WireError) -> Context {
    var context = Context(own: dot.seq - 1, others: previous?.others ?? VersionVector())
    guard let difference = reader.datum.member("context") else { return context }
    guard case .object(let members) = difference else {
      throw reader.invalid("context", "an object of replicas and numbers")
    }
    var others: [VersionVector.Entry] = []
    for member in members {
      guard let replica = ReplicaID(member.name.utf8),
        let seq = member.value.text.flatMap({ UInt64(decimal: $0.utf8) })
      else { throw reader.invalid("context", "an object of replicas and numbers in quotes") }
      if replica != dot.replica {
        others.append(VersionVector.Entry(replica, seq))
      } else if seq < dot.seq {
        context.own = seq
      } else {
        throw reader.invalid("context", "below the operation's own seq \(dot.seq)")
      }
    }
    context.others.set(others)
    return context
  }
}

extension Action {
  package var datum: Datum {
    if case .unknown(let datum) = body { return datum }
    var members = [
      Datum.Member(Key.kind, .string(target.kind)),
      Datum.Member(Key.record, .string(target.record)),
    ]
    if let home { members.append(Datum.Member(Key.home, home.datum)) }
    if let into { members.append(Datum.Member(Key.into, into.datum)) }
    if let via { members.append(Datum.Member(Key.via, via.datum)) }
    if revives { members.append(Datum.Member(Key.revives, .bool(true))) }
    func add(_ name: Name, _ value: Datum) { members.append(Datum.Member(name, value)) }
    func add(_ anchor: Anchor) {
      if let parent = anchor.parent { add(Key.parent, .string(Name(parent.description))) }
      if anchor.side == .left { add(Key.side, .string(Key.left)) }
    }
    switch body {
    case .create: add(Key.action, .string(Key.create))
    case .delete: add(Key.action, .string(Key.delete))
    case .restore: add(Key.action, .string(Key.restore))
    case .write(let field, let value):
      add(Key.action, .string(Key.write))
      add(Key.field, .string(field))
      add(Key.value, value)
    case .move(let field, let anchor):
      add(Key.action, .string(Key.move))
      add(Key.field, .string(field))
      add(anchor)
    case .insert(let field, let anchor, let text):
      add(Key.action, .string(Key.insert))
      add(Key.field, .string(field))
      add(Key.text, .string(text))
      add(anchor)
    case .erase(let field, let runs):
      add(Key.action, .string(Key.erase))
      add(Key.field, .string(field))
      add(
        "elements",
        .array(
          runs.map { run in
            .array([
              .string(Name(run.first.description)), .string(Name(String(run.count))),
            ])
          }))
    case .unknown: break
    }
    return .sorted(members)
  }

  /// - Parameter place: what it is called in errors.
  init(_ datum: Datum, _ place: DatumReader.Place) throws(WireError) {
    let reader = DatumReader(datum, place)
    let action = try reader.text("action", "the action's name").text
    let known = ["create", "delete", "restore", "write", "move", "insert", "erase"]
    // Texts are compared scalar by scalar, as names are.
    guard known.contains(where: { $0.utf8.elementsEqual(action.utf8) }) else {
      let target = Target(datum["kind"]?.text ?? "", datum["record"]?.text ?? "")
      self.init(target, .unknown(datum))
      return
    }
    let target = Target(
      try reader.text("kind", "the record's kind"), try reader.text("record", "the record's id"))
    let body: Body
    switch action {
    case "create": body = .create
    case "delete": body = .delete
    case "restore": body = .restore
    case "write":
      guard let value = datum["value"] else { throw reader.missing("value", "the new value") }
      body = .write(field: try reader.field(), value: value)
    case "move": body = .move(field: try reader.field(), to: try reader.anchor())
    case "insert":
      body = .insert(
        field: try reader.field(), at: try reader.anchor(),
        text: try reader.text("text", "the characters"))
    default: body = .erase(field: try reader.field(), try reader.runs())
    }
    var revives = false
    if let flag = datum.member("revives") {
      guard case .bool(let value) = flag else { throw reader.invalid("revives", "true or false") }
      revives = value
    }
    self.init(
      target, body, revives: revives, home: try reader.target("home"),
      into: try reader.target("into"), via: try reader.target("via"))
  }
}

extension Target {
  package var datum: Datum {
    .object([
      Datum.Member(Key.kind, .string(kind)), Datum.Member(Key.record, .string(record)),
    ])
  }
}
