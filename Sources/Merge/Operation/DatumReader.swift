import Wire

/// Reads the members of an object of an operation, with errors that name them.
struct DatumReader {
  let datum: Datum
  /// What the object is called in errors.
  let place: Place

  indirect enum Place: CustomStringConvertible {
    case named(String)
    /// The index of an action, and the operation's number.
    case action(Int, of: UInt64)
    /// What a list in something has, and its index.
    case item(String, Int, in: Place)

    var description: String {
      switch self {
      case .named(let name): name
      case .action(let index, let seq): "action \(index + 1) of operation \(seq)"
      case .item(let name, let index, let place): "\(name) \(index + 1) of \(place)"
      }
    }
  }

  init(_ datum: Datum, _ place: Place) {
    self.datum = datum
    self.place = place
  }

  init(_ datum: Datum, _ place: String) { self.init(datum, .named(place)) }

  func missing(_ name: String, _ wanted: String) -> WireError {
    WireError(.missingField, "\(name) is missing in \(place); it must be \(wanted)")
  }

  func invalid(_ name: String, _ wanted: String) -> WireError {
    WireError(.invalidField, "\(name) in \(place) must be \(wanted)")
  }

  func text(_ name: String, _ wanted: String) throws(WireError) -> Name {
    try value(name, wanted) { $0 }
  }

  /// A member that is a string, in a stricter form.
  func value<Result>(
    _ name: String, _ wanted: String, _ read: (Name) -> Result?
  ) throws(WireError) -> Result {
    guard let member = datum.member(name) else { throw missing(name, wanted) }
    guard let text = member.text, let result = read(text) else { throw invalid(name, wanted) }
    return result
  }

  func field() throws(WireError) -> Name { try text("field", "the field's name") }

  func target(_ name: String) throws(WireError) -> Target? {
    guard let member = datum.member(name) else { return nil }
    guard let kind = member.member("kind")?.text, let record = member.member("record")?.text else {
      throw invalid(name, "an object with kind and record")
    }
    return Target(kind, record)
  }

  func anchor() throws(WireError) -> Anchor {
    var anchor = Anchor(nil, .right)
    if datum.member("parent") != nil { anchor.parent = try element("parent") }
    if let side = datum.member("side") {
      switch side.text {
      case "left": anchor.side = .left
      case "right": break
      default: throw invalid("side", "left or right")
      }
    }
    return anchor
  }

  private func element(_ name: String) throws(WireError) -> ElementID {
    try value(name, "<replica>/<seq>/<index>") { ElementID($0.utf8) }
  }

  func runs() throws(WireError) -> [ElementRun] {
    let wanted = "a list of [\"<replica>/<seq>/<index>\", \"<count>\"]"
    guard case .array(let items)? = datum["elements"], !items.isEmpty else {
      throw invalid("elements", wanted)
    }
    var runs: [ElementRun] = []
    for item in items {
      guard case .array(let pair) = item, pair.count == 2,
        let first = pair[0].text.flatMap({ ElementID($0.utf8) }),
        let count = pair[1].text.flatMap({ UInt64(decimal: $0.utf8) }), count > 0,
        count <= UInt64(ElementID.indexLimit - first.index)
      else { throw invalid("elements", wanted) }
      runs.append(ElementRun(first, count: UInt32(count)))
    }
    return runs
  }
}
