import Wire

/// What an object of an operation is called in errors.
enum DatumPlace: CustomStringConvertible {
  case named(String)
  /// The index of an action, and the operation's number.
  case action(Int, of: UInt64)
  /// What a list in something has, and its index.
  indirect case item(String, Int, in: DatumPlace)

  var description: String {
    switch self {
    case .named(let name): name
    case .action(let index, let seq): "action \(index + 1) of operation \(seq)"
    case .item(let name, let index, let place): "\(name) \(index + 1) of \(place)"
    }
  }
}

/// Reads the members of an object of an operation, with errors that name them.
struct MemberReader<Source: DatumSource> {
  let source: Source
  let place: DatumPlace
  /// Where names are looked for before they are made.
  let names: NameCache?

  init(_ source: Source, _ place: DatumPlace, _ names: NameCache? = nil) {
    self.source = source
    self.place = place
    self.names = names
  }

  init(_ source: Source, _ place: String) { self.init(source, .named(place)) }

  func missing(_ name: StaticString, _ wanted: @autoclosure () -> String) -> WireError {
    WireError(.missingField, "\(name) is missing in \(place); it must be \(wanted())")
  }

  func invalid(_ name: StaticString, _ wanted: @autoclosure () -> String) -> WireError {
    WireError(.invalidField, "\(name) in \(place) must be \(wanted())")
  }

  func text(_ name: StaticString, _ wanted: @autoclosure () -> String) throws(WireError) -> Name {
    try value(name, wanted()) { Name(utf8: Array($0)) }
  }

  /// A member that is the name of a kind, a field or a record.
  func name(
    _ member: Source?, _ name: StaticString, _ wanted: @autoclosure () -> String
  ) throws(WireError) -> Name {
    try value(member, name, wanted()) { known($0) }
  }

  func replica(_ bytes: UnsafeRawBufferPointer) -> ReplicaID? {
    if let names { names.replica(bytes) } else { ReplicaID(bytes) }
  }

  private func known(_ bytes: UnsafeRawBufferPointer) -> Name {
    names?.name(bytes) ?? Name(utf8: Array(bytes))
  }

  /// A member that is a string, in a stricter form.
  func value<Result>(
    _ name: StaticString, _ wanted: @autoclosure () -> String,
    _ read: (UnsafeRawBufferPointer) -> Result?
  ) throws(WireError) -> Result {
    try value(source.member(name), name, wanted(), read)
  }

  /// - Parameter member: what the source has of that name.
  func value<Result>(
    _ member: Source?, _ name: StaticString, _ wanted: @autoclosure () -> String,
    _ read: (UnsafeRawBufferPointer) -> Result?
  ) throws(WireError) -> Result {
    guard let member else { throw missing(name, wanted()) }
    guard let result = member.read(read) else { throw invalid(name, wanted()) }
    return result
  }

  func field() throws(WireError) -> Name { try field(source.member("field")) }

  func field(_ member: Source?) throws(WireError) -> Name {
    try name(member, "field", "the field's name")
  }

  func target(_ name: StaticString) throws(WireError) -> Target? {
    try target(source.member(name), name)
  }

  func target(_ member: Source?, _ name: StaticString) throws(WireError) -> Target? {
    guard let member else { return nil }
    var place = member.firstMember
    guard let kind = member.member("kind", from: &place)?.read(known),
      let record = member.member("record", from: &place)?.read(known)
    else {
      throw invalid(name, "an object with kind and record")
    }
    return Target(kind, record)
  }

  func anchor(_ parent: Source?, _ side: Source?) throws(WireError) -> Anchor {
    var anchor = Anchor(nil, .right)
    if let parent {
      anchor.parent = try value(parent, "parent", "<replica>/<seq>/<index>") { ElementID($0) }
    }
    if let side {
      guard let isLeft = side.read({ $0.is("left") ? true : $0.is("right") ? false : nil }) else {
        throw invalid("side", "left or right")
      }
      if isLeft { anchor.side = .left }
    }
    return anchor
  }

  func runs(_ member: Source?) throws(WireError) -> [ElementRun] {
    let wanted = "a list of [\"<replica>/<seq>/<index>\", \"<count>\"]"
    var runs: [ElementRun] = []
    let isList = try member?.readElements { item throws(WireError) in
      guard let pair = item.elements, pair.count == 2,
        let first = pair[0].read({ ElementID($0) }),
        let count = pair[1].read({ UInt64(decimal: $0) }), count > 0,
        count <= UInt64(ElementID.indexLimit - first.index)
      else { throw invalid("elements", wanted) }
      runs.append(ElementRun(first, count: UInt32(count)))
    }
    guard isList == true, !runs.isEmpty else { throw invalid("elements", wanted) }
    return runs
  }
}

typealias DatumReader = MemberReader<Datum>
