package import Merge
package import Wire

/// The members of one object of a payload, each of which is known.
///
/// An unknown member is an error: absent notes mean that there are none, so a misspelt name must not
/// pass for absence. A member that is null counts as absent.
package struct PayloadReader {
  let line: UnsafeRawBufferPointer
  /// What the object is called in errors, such as `timers[3]`; empty for the payload itself.
  let path: String
  private var members: [(name: String, value: Value)] = []

  /// - Throws: 4004 where the value is no object, or has a member twice or one that is not in `keys`.
  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String, keys: [String]
  ) throws(WireError) {
    self.line = line
    self.path = path
    guard value.kind == .object else {
      throw WireError(
        .invalidField,
        "\(path.isEmpty ? "the payload" : path) must be an object; it is \(value.kind.readable)")
    }
    var reader = ObjectReader(value, line)
    while let (name, value) = reader.next() {
      guard keys.contains(name) else {
        let advice = Nearest.advice(
          for: name, among: keys, else: "there are \(keys.joined(separator: ", "))")
        throw WireError(.invalidField, "\(place(name)) is not known here; \(advice)")
      }
      guard !members.contains(where: { $0.name == name }) else {
        throw WireError(.invalidField, "\(place(name)) is given twice")
      }
      members.append((name, value))
    }
  }

  package func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// nil where the member is absent or null.
  package func value(_ name: String) -> Value? {
    members.first { $0.name == name }.flatMap { $0.value.kind == .null ? nil : $0.value }
  }

  // MARK: Types

  package func text(_ name: String) throws(WireError) -> Name {
    guard let text = try optionalText(name) else { throw missing(name, "a string") }
    return text
  }

  package func optionalText(_ name: String) throws(WireError) -> Name? {
    guard let value = value(name) else { return nil }
    guard value.kind == .string else { throw invalid(name, value, "a string") }
    return Name(decodeString(value, line))
  }

  package func bool(_ name: String) throws(WireError) -> Bool {
    guard let flag = try optionalBool(name) else { throw missing(name, "true or false") }
    return flag
  }

  package func optionalBool(_ name: String) throws(WireError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard value.kind == .bool else { throw invalid(name, value, "true or false") }
    return line[value.start] == 0x74
  }

  package func integer(_ name: String) throws(WireError) -> Int64 {
    guard let number = try optionalInteger(name) else { throw missing(name, Self.wholeNumber) }
    return number
  }

  /// `1500.0` and `15e2` are 1500; what is not whole, or not of 64 bits, is refused.
  package func optionalInteger(_ name: String) throws(WireError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard value.kind == .number else { throw invalid(name, value, Self.wholeNumber) }
    guard let text = (try? FieldType.int.canonical(value, line))?.text,
      let number = Int64(text.text)
    else { throw invalid(name, value, Self.wholeNumber, was: excerpt(value)) }
    return number
  }

  private static let wholeNumber = "a whole number of 64 bits"

  /// Seconds since 2001-01-01 UTC.
  package func date(_ name: String) throws(WireError) -> Double {
    guard let value = value(name) else { throw missing(name, Self.seconds) }
    guard value.kind == .number else { throw invalid(name, value, Self.seconds) }
    guard let number = Double(excerpt(value, limit: .max)), number.isFinite else {
      throw invalid(name, value, Self.seconds, was: excerpt(value))
    }
    // Minus zero is spelled 0 and must read back as the same.
    return number == 0 ? 0 : number
  }

  private static let seconds = "a number of seconds since 2001-01-01 UTC"

  package func identifier(_ name: String) throws(WireError) -> Identifier {
    guard let id = try optionalIdentifier(name) else { throw missing(name, Self.uuid) }
    return id
  }

  package func optionalIdentifier(_ name: String) throws(WireError) -> Identifier? {
    guard let value = value(name) else { return nil }
    guard value.kind == .string else { throw invalid(name, value, Self.uuid) }
    guard let id = Identifier(decodeString(value, line).utf8) else {
      throw invalid(name, value, Self.uuid, was: excerpt(value))
    }
    return id
  }

  private static let uuid = "a UUID such as 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"

  /// The elements of a list, each with what it is called in errors.
  package func elements(_ name: String) throws(WireError) -> [(value: Value, path: String)] {
    guard let value = value(name) else { throw missing(name, "a list") }
    guard value.kind == .array else { throw invalid(name, value, "a list") }
    var elements: [(value: Value, path: String)] = []
    var reader = ArrayReader(value, line)
    while let element = reader.next() {
      elements.append((element, "\(place(name))[\(elements.count)]"))
    }
    return elements
  }

  /// One of a type's words.
  package func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(WireError) -> Word {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    guard let value = value(name) else { throw missing(name, "one of \(words)") }
    guard value.kind == .string else { throw invalid(name, value, "one of \(words)") }
    guard let word = Word(rawValue: decodeString(value, line)) else {
      throw invalid(name, value, "one of \(words)", was: excerpt(value))
    }
    return word
  }

  // MARK: Errors

  package func missing(_ name: String, _ wanted: String) -> WireError {
    WireError(.missingField, "\(place(name)) is missing; it must be \(wanted)")
  }

  package func invalid(
    _ name: String, _ value: Value, _ wanted: String, was: String? = nil
  ) -> WireError {
    WireError(
      .invalidField, "\(place(name)) must be \(wanted); it is \(was ?? value.kind.readable)")
  }

  package func excerpt(_ value: Value, limit: Int = 40) -> String {
    let text = UnsafeRawBufferPointer(rebasing: line[value.start..<value.end])
    guard text.count > limit else { return String(decoding: text, as: UTF8.self) }
    return String(decoding: text.prefix(limit), as: UTF8.self) + "…"
  }
}
