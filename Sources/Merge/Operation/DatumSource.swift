import Wire

/// What an operation is read from: the tree of its values, or their text.
protocol DatumSource {
  /// Where an object's members begin.
  var firstMember: Int { get }

  /// The member of a name; nil where this is no object, or has no such member from `place` on.
  ///
  /// - Parameter place: moves on, so that those that are asked for in the order of their names are all found on one way.
  func member(_ name: StaticString, from place: inout Int) -> Self?

  /// What a string is read as; nil where this is none.
  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result?

  /// nil where this is neither true nor false.
  var flag: Bool? { get }

  /// Goes through an array's elements. Returns false where this is none.
  func readElements(_ body: (Self) throws(WireError) -> Void) throws(WireError) -> Bool

  /// Goes through an object's members while `body` returns true. Returns false where this is no object, or where `body`
  /// has.
  func readMembers(_ body: (UnsafeRawBufferPointer, Self) -> Bool) -> Bool

  var datum: Datum { get }
}

extension DatumSource {
  /// nil where this is no object, or has no such member.
  func member(_ name: StaticString) -> Self? {
    var place = firstMember
    return member(name, from: &place)
  }

  /// nil where this is no array.
  var elements: [Self]? {
    var elements: [Self] = []
    // What it does with them throws nothing.
    let isArray = try? readElements { elements.append($0) }
    return isArray == true ? elements : nil
  }

  /// A string; nil where this is none.
  var text: Name? { read { Name(utf8: Array($0)) } }
}

extension Datum: DatumSource {
  var firstMember: Int { 0 }

  func member(_ name: StaticString, from place: inout Int) -> Datum? {
    guard case .object(let members) = self else { return nil }
    while place < members.count {
      if members[place].name.is(name) {
        place += 1
        return members[place - 1].value
      }
      guard members[place].name.utf8.lexicographicallyPrecedes(name.bytes) else { return nil }
      place += 1
    }
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

  func readElements(_ body: (Datum) throws(WireError) -> Void) throws(WireError) -> Bool {
    guard case .array(let elements) = self else { return false }
    for element in elements { try body(element) }
    return true
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
  func `is`(_ text: StaticString) -> Bool { utf8.withUnsafeBytes { $0.is(text) } }

  func `is`(_ bytes: UnsafeRawBufferPointer) -> Bool { utf8.withUnsafeBytes { $0.equals(bytes) } }
}

extension UnsafeRawBufferPointer {
  /// Whether it is a text that is written here.
  @inline(__always)
  func `is`(_ text: StaticString) -> Bool { equals(text.bytes) }
}

extension StaticString {
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
