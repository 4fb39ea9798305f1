/// Payloads as the property lists that WatchConnectivity sends: which JSON is one, and how large it
/// would be.
///
/// | JSON | property list |
/// | --- | --- |
/// | number without fraction and exponent | integer; real where it needs more than 64 bits |
/// | other number | real of eight bytes |
/// | `{"$data": "<base64>"}` | data |
/// | `{"$date": "2026-03-01T12:00:00Z"}`, `{"$date": 794059200.5}` | date; a number is seconds since 2001-01-01 UTC |
/// | `{"$dictionary": {…}}` | the dictionary `{…}`, whatever its names are |
/// | object with several members, or one whose name does not start with `$` | dictionary |
/// | null, any other object whose one member's name starts with `$` | error 7010 |
///
/// So a user's dictionary with one `$…` name is written inside `$dictionary`:
/// `{"$dictionary": {"$data": "not base64"}}` is a dictionary of one string.
package enum PropertyList {
  /// Bytes of the binary property list (`bplist00`) that this JSON dictionary would be.
  ///
  /// Equal strings, integers, reals, dates and data count once, as Apple's writer has it
  /// (CFBinaryPList.c, `_flattenPlist` and `__plistNumberEqual`); booleans, arrays and
  /// dictionaries each time. An integer never equals a real. A name that occurs twice in one
  /// object counts as two members.
  ///
  /// - Throws: 7010 payloadUnsupportedTypes with the key path.
  /// - Complexity: the text's length times its depth.
  package static func size(
    of value: Value, in line: UnsafeRawBufferPointer
  ) throws(WireError) -> Int {
    try check(value, in: line, field: "payload")
    var measure = PropertyListMeasure(line)
    try measure.add(value)
    return measure.size
  }

  /// Throws what `size` would throw, with `field` at the head of the key path.
  ///
  /// - Complexity: constant where the value's flags show neither null nor a `$` name.
  package static func check(
    _ value: Value, in line: UnsafeRawBufferPointer, field: String
  ) throws(WireError) {
    if value.kind == .object, value.flags.isDisjoint(with: [.hasNull, .hasDollarKey]) { return }
    try requireDictionary(value, in: line, field: field)
    try walk(value, in: line, PropertyListPath(field))
  }

  /// Names the kind that stands where a dictionary must.
  private static func requireDictionary(
    _ value: Value, in line: UnsafeRawBufferPointer, field: String
  ) throws(WireError) {
    let path = PropertyListPath(field)
    let kind: String
    switch try shape(of: value, in: line, path) {
    case .dictionary: return
    case .data: kind = "data"
    case .date: kind = "a date"
    default: kind = value.kind.readable
    }
    throw path.unsupported("is \(kind); it must be a dictionary", at: value)
  }

  private static func walk(
    _ value: Value, in line: UnsafeRawBufferPointer, _ path: PropertyListPath
  ) throws(WireError) {
    switch try shape(of: value, in: line, path) {
    case .dictionary(let object):
      var reader = ObjectReader(object, line)
      while let (name, member) = reader.nextMember() {
        if member.kind == .null || !member.flags.isDisjoint(with: [.hasNull, .hasDollarKey]) {
          try walk(member, in: line, path.member(decodeString(name, line)))
        }
      }
    case .array:
      var reader = ArrayReader(value, line)
      var index = 0
      while let element = reader.next() {
        if !element.flags.isDisjoint(with: [.hasNull, .hasDollarKey]) {
          try walk(element, in: line, path.element(index))
        }
        index += 1
      }
    default: return
    }
  }

  /// What a JSON value stands for.
  enum Shape {
    case string, number, bool, array
    case dictionary(Value)
    /// The base64 string.
    case data(Value)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
  }

  /// - Throws: 7010 for null and for a tag that is wrong; it does not look into containers.
  static func shape(
    of value: Value, in line: UnsafeRawBufferPointer, _ path: PropertyListPath
  ) throws(WireError) -> Shape {
    switch value.kind {
    case .string: return .string
    case .number: return .number
    case .bool: return .bool
    case .array: return .array
    case .null:
      throw path.unsupported("is null, which is not a property list value", at: value)
    case .object:
      guard value.flags.contains(.hasDollarKey) else { return .dictionary(value) }
      var reader = ObjectReader(value, line)
      guard let (name, member) = reader.next(), name.hasPrefix("$"), reader.nextMember() == nil
      else { return .dictionary(value) }
      return try tagged(name, member, value, in: line, path)
    }
  }

  private static func tagged(
    _ name: String, _ member: Value, _ value: Value, in line: UnsafeRawBufferPointer,
    _ path: PropertyListPath
  ) throws(WireError) -> Shape {
    switch name {
    case "$data":
      guard member.kind == .string else {
        throw path.unsupported(
          "is {\"$data\": …} with \(member.kind.readable); it must be a base64 string", at: member)
      }
      var length = 0
      if let fault = Base64Text(member, line).decode({ Base64.validate($0, length: &length) }) {
        throw path.unsupported(
          "is {\"$data\": …} that is not base64: at byte \(fault.offset) \(fault.reason)",
          at: member)
      }
      return .data(member)
    case "$date":
      guard let seconds = PropertyListDate.seconds(member, in: line) else {
        throw path.unsupported(
          "is {\"$date\": …} that is no date; it must be a string such as "
            + "\"2026-03-01T12:00:00Z\" or a number of seconds since 2001-01-01", at: member)
      }
      return .date(seconds)
    case "$dictionary":
      guard member.kind == .object else {
        throw path.unsupported(
          "is {\"$dictionary\": …} with \(member.kind.readable); it must be an object", at: member)
      }
      return .dictionary(member)
    default:
      throw path.unsupported(
        "has \"\(name)\" as its only name, which is reserved; "
          + "write it as {\"$dictionary\": {\"\(name)\": …}}", at: value)
    }
  }
}

/// Where in a payload a value lies: `payload.steps[3].day`.
struct PropertyListPath {
  /// For a value that has been checked.
  static let none = PropertyListPath("")

  let text: String

  init(_ text: String) { self.text = text }

  func member(_ name: String) -> PropertyListPath { PropertyListPath("\(text).\(name)") }
  func element(_ index: Int) -> PropertyListPath { PropertyListPath("\(text)[\(index)]") }

  func unsupported(_ what: String, at value: Value) -> WireError {
    WireError(.payloadUnsupportedTypes, "\(text) \(what) (byte \(value.start)).")
  }
}
