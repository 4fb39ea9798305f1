/// What an operation is read from: the tree of its values, or their text.
protocol DatumSource {
  /// nil where this is no object, or has no such member.
  func member(_ name: StaticString) -> Self?

  /// What a string is read as; nil where this is none.
  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result?

  /// nil where this is neither true nor false.
  var flag: Bool? { get }

  /// nil where this is no array.
  var elements: [Self]? { get }

  /// Goes through an object's members while `body` returns true. Returns false where this is no object, or where `body`
  /// has.
  func readMembers(_ body: (UnsafeRawBufferPointer, Self) -> Bool) -> Bool

  var datum: Datum { get }
}

extension DatumSource {
  /// A string; nil where this is none.
  var text: Name? { read { Name(utf8: Array($0)) } }
}

extension Datum: DatumSource {
  /// The member of a name that is written here: one that is looked for without an array of its own.
  func member(_ name: StaticString) -> Datum? {
    guard case .object(let members) = self else { return nil }
    for index in members.indices where members[index].name.is(name) { return members[index].value }
    return nil
  }

  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    guard case .string(let text) = self else { return nil }
    return text.utf8.withUnsafeBytes(body)
  }

  var flag: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  var elements: [Datum]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  func readMembers(_ body: (UnsafeRawBufferPointer, Datum) -> Bool) -> Bool {
    guard case .object(let members) = self else { return false }
    return members.allSatisfy { member in
      member.name.utf8.withUnsafeBytes { body($0, member.value) }
    }
  }

  var datum: Datum { self }
}

extension Name {
  /// Whether it is a text that is written here.
  func `is`(_ text: StaticString) -> Bool {
    utf8.withUnsafeBytes { $0.is(text) }
  }

  func `is`(_ bytes: UnsafeRawBufferPointer) -> Bool {
    utf8.withUnsafeBytes { $0.count == bytes.count && $0.elementsEqual(bytes) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether it is a text that is written here.
  func `is`(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
  }
}
