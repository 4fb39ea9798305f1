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
    try self.init(reading: datum, previous: previous)
  }

  init<Source: DatumSource>(
    reading source: Source, _ names: NameCache? = nil, previous: (ReplicaID) -> Context?
  ) throws(WireError) {
    let reader = MemberReader(source, .named("an operation"), names)
    var place = source.firstMember
    func next(_ name: StaticString) -> Source? { source.member(name, from: &place) }
    let list = next("actions")
    // Read as one comes past them. What is wrong with them is found again below, and named.
    let read = try? Self.actions(list, of: 0, names)
    let difference = next("context")
    let replica = try reader.value(next("replica"), "replica", "<UUID>.<incarnation>") {
      reader.replica($0)
    }
    let seq = try reader.value(next("seq"), "seq", "a whole number from 1") {
      UInt64(decimal: $0)
    }
    guard seq > 0, seq < Dot.seqLimit else { throw reader.invalid("seq", "a whole number from 1") }
    dot = Dot(replica, seq)
    stamp = try reader.value(next("stamp"), "stamp", "<ms>.<rank>.<counter>") {
      Stamp($0, replica: replica)
    }
    wall = try reader.value(next("wall"), "wall", "milliseconds since 1970") { Int64(spelled: $0) }
    context = try Self.context(difference, reader, dot, previous(replica))
    if let read { actions = read } else { actions = try Self.actions(list, of: seq, names) }
    guard !actions.isEmpty else {
      throw reader.invalid("actions", "a list of at least one action")
    }
    guard actions.reduce(0, { $0 + $1.elements }) < Int(ElementID.indexLimit) else {
      throw reader.invalid(
        "actions", "less than \(ElementID.indexLimit) characters and moves together")
    }
  }

  /// - Parameter seq: the operation's number, for errors.
  private static func actions<Source: DatumSource>(
    _ list: Source?, of seq: UInt64, _ names: NameCache?
  ) throws(WireError) -> [Action] {
    var actions: [Action] = []
    _ = try list?.readElements { item throws(WireError) in
      actions.append(try Action(item, .action(actions.count, of: seq), names))
    }
    return actions
  }

  /// - Parameter difference: what an object has as its context.
  static func context<Source: DatumSource>(
    _ difference: Source?, _ reader: MemberReader<Source>, _ dot: Dot, _ previous: Context?
  ) throws(WireError) -> Context {
    var context = Context(own: dot.seq - 1, others: previous?.others ?? VersionVector())
    guard let difference else { return context }
    var wanted = "an object of replicas and numbers"
    var others: [VersionVector.Entry] = []
    let isRight = difference.readMembers { name, value in
      wanted = "an object of replicas and numbers in quotes"
      guard let replica = reader.replica(name), let seq = value.read({ UInt64(decimal: $0) })
      else { return false }
      if replica != dot.replica {
        others.append(VersionVector.Entry(replica, seq))
      } else if seq < dot.seq {
        context.own = seq
      } else {
        wanted = "below the operation's own seq \(dot.seq)"
        return false
      }
      return true
    }
    guard isRight else { throw reader.invalid("context", wanted) }
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
  init<Source: DatumSource>(
    _ source: Source, _ place: DatumPlace, _ names: NameCache? = nil
  ) throws(WireError) {
    let reader = MemberReader(source, place, names)
    var next = source.firstMember
    func member(_ name: StaticString) -> Source? { source.member(name, from: &next) }
    let word = try reader.value(member("action"), "action", "the action's name") { .some(Word($0)) }
    guard let word else {
      let datum = source.datum
      self.init(
        Target(datum.member("kind")?.text ?? "", datum.member("record")?.text ?? ""),
        .unknown(datum))
      return
    }
    let (elements, field) = (member("elements"), member("field"))
    let home = try reader.target(member("home"), "home")
    let into = try reader.target(member("into"), "into")
    let (kind, parent, record) = (member("kind"), member("parent"), member("record"))
    let (flag, side, text) = (member("revives"), member("side"), member("text"))
    let value = member("value")
    let via = try reader.target(member("via"), "via")
    let target = Target(
      try reader.name(kind, "kind", "the record's kind"),
      try reader.name(record, "record", "the record's id"))
    let body: Body
    switch word {
    case .create: body = .create
    case .delete: body = .delete
    case .restore: body = .restore
    case .write:
      guard let value else { throw reader.missing("value", "the new value") }
      body = .write(field: try reader.field(field), value: value.datum)
    case .move:
      body = .move(field: try reader.field(field), to: try reader.anchor(parent, side))
    case .insert:
      body = .insert(
        field: try reader.field(field), at: try reader.anchor(parent, side),
        text: try reader.value(text, "text", "the characters") { Name(utf8: Array($0)) })
    case .erase: body = .erase(field: try reader.field(field), try reader.runs(elements))
    }
    var revives = false
    if let flag {
      guard let value = flag.flag else { throw reader.invalid("revives", "true or false") }
      revives = value
    }
    self.init(target, body, revives: revives, home: home, into: into, via: via)
  }

  /// The actions of this version.
  private enum Word: CaseIterable {
    case write, create, delete, restore, move, insert, erase

    init?(_ name: UnsafeRawBufferPointer) {
      guard let word = Self.allCases.first(where: { name.is($0.name) }) else { return nil }
      self = word
    }

    private var name: StaticString {
      switch self {
      case .write: "write"
      case .create: "create"
      case .delete: "delete"
      case .restore: "restore"
      case .move: "move"
      case .insert: "insert"
      case .erase: "erase"
      }
    }
  }
}

extension Target {
  package var datum: Datum {
    .object([
      Datum.Member(Key.kind, .string(kind)), Datum.Member(Key.record, .string(record)),
    ])
  }
}
