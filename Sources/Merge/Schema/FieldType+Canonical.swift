package import Wire

/// What people type becomes a canonical form here, and what devices push is compared with it.
extension FieldType {
  /// Most digits of a decimal: those of Foundation's `Decimal`.
  package static let decimalDigits = 38

  /// The canonical form of a value as people write it in JSON.
  ///
  /// Beyond the type's own JSON a number may stand in quotes, an int may be spelled `1500.0` or
  /// `15e2`, a date may be ISO 8601 (`PropertyListDate`), and a uuid lower case. A double keeps the
  /// number nearest to what is written; no other type rounds.
  ///
  /// - Parameter name: what the value is called in the error.
  /// - Throws: 4004 with what it must be and what was found.
  package func canonical(
    _ value: Value, _ line: UnsafeRawBufferPointer, as name: String = "the value"
  ) throws(WireError) -> Datum {
    if let datum = read(value, line) { return datum }
    throw WireError(.invalidField, "\(name) must be \(wanted), found \(excerpt(value, line))")
  }

  /// The canonical form, nil where the value is not of this type.
  func read(_ value: Value, _ line: UnsafeRawBufferPointer) -> Datum? {
    switch (self, value.kind) {
    case (.bool, .bool): .bool(line[value.start] == 0x74)
    case (.string, .string), (.text, .string): .string(Name(decodeString(value, line)))
    case (.bool, _), (.string, _), (.text, _): nil
    case (.uuid, .number): nil
    case (_, .number): spelling(Array(line[value.start..<value.end])).map(Datum.string)
    case (_, .string): spelling(Array(decodeString(value, line).utf8)).map(Datum.string)
    default: nil
    }
  }

  /// Whether this is exactly the canonical form of a value of this type.
  package func isCanonical(_ datum: Datum) -> Bool {
    switch (self, datum) {
    case (.bool, .bool), (.string, .string), (.text, .string): true
    // No canonical spelling is longer; a longer text need not be read.
    case (.int, .string(let text)), (.decimal, .string(let text)), (.double, .string(let text)),
      (.date, .string(let text)):
      text.utf8.count <= Self.longestSpelling
        && (isPlain(text.utf8) || respelled(text.utf8) == text)
    case (.uuid, .string(let text)):
      Identifier(text.utf8) != nil && !text.utf8.contains { 0x61...0x66 ~= $0 }
    default: false
    }
  }

  /// Whether a text is a positive number of at most 15 digits, of which neither the first nor the
  /// last of a fraction is 0. That is its canonical form: a double, and so a date, tells all
  /// decimals of 15 digits apart.
  private func isPlain(_ text: [UInt8]) -> Bool {
    guard self != .uuid, text.count <= 16, let first = text.first, 0x31...0x39 ~= first else {
      return false
    }
    var digits = 0
    var point: Int?
    for (index, byte) in text.enumerated() {
      if 0x30...0x39 ~= byte {
        digits += 1
      } else if byte == 0x2E, point == nil, self != .int {
        point = index
      } else {
        return false
      }
    }
    return digits <= 15 && (point.map { $0 < text.count - 1 && text.last != 0x30 } ?? true)
  }

  /// Of "-0." and 38 digits.
  private static let longestSpelling = 41

  /// The one spelling of what a text spells.
  private func spelling(_ text: [UInt8]) -> Name? {
    isPlain(text) ? Name(utf8: text) : respelled(text)
  }

  /// The same of a text that is not plain.
  private func respelled(_ text: [UInt8]) -> Name? {
    switch self {
    case .int: ExactDecimal(text)?.integer.map { Name(String($0)) }
    case .decimal: ExactDecimal(text)?.plain(limit: Self.decimalDigits).map(Name.init(utf8:))
    case .double: Self.double(text).map(Self.spelling)
    case .date:
      (Self.double(text) ?? PropertyListDate.seconds(String(decoding: text, as: UTF8.self)))
        .map(Self.spelling)
    case .uuid: Identifier(text).map { Name($0.description) }
    case .bool, .string, .text: Name(utf8: text)
    }
  }

  private static func double(_ text: [UInt8]) -> Double? {
    // Swift reads more than JSON: hexadecimal, "inf", "nan".
    guard ExactDecimal(text) != nil, let number = Double(String(decoding: text, as: UTF8.self)),
      number.isFinite
    else { return nil }
    return number
  }

  /// A finite number as ECMAScript has it (RFC 8785 section 3.2.2.3): the fewest digits that read as
  /// the same number, no exponent from 1e-6 to below 1e21, and 0 for -0.
  private static func spelling(_ number: Double) -> Name {
    // Swift's description has the same digits (the fewest, of those the nearest) and writes the
    // point and the exponent otherwise.
    Name(utf8: ExactDecimal(number.description.utf8)!.scripted)
  }
}

extension FieldType {
  /// The canonical form of a double, or of a date that is so many seconds after 2001-01-01 UTC.
  ///
  /// - Precondition: `number` is finite.
  package static func datum(_ number: Double) -> Datum { .string(spelling(number)) }

  /// The canonical form of a date.
  ///
  /// - Parameter milliseconds: since 1970-01-01 UTC, as stamps have them.
  package static func date(milliseconds: Int64) -> Datum {
    datum((Double(milliseconds) - millisecondsTo2001) / 1000)
  }

  // 31 years, 8 of them leap years: (31 × 365 + 8) × 86,400,000.
  private static let millisecondsTo2001 = 978_307_200_000.0
}

extension FieldType {
  /// What a person has to write, after "must be".
  package var wanted: String {
    switch self {
    case .int: "a whole number from \(Int64.min) to \(Int64.max)"
    case .decimal: "a number of at most \(Self.decimalDigits) digits"
    case .double: "a number"
    case .date: "seconds since 2001-01-01 UTC or a date as \"2025-11-21T10:00:00Z\""
    case .uuid: "a UUID as \"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\""
    case .bool: "true or false"
    case .string, .text: "a string"
    }
  }

  /// What an operation has to hold, after "must be".
  package var wantedForm: String {
    switch self {
    case .int: "a whole number of 64 bits in quotes, as \"-42\""
    case .decimal:
      "a number of at most \(Self.decimalDigits) digits in quotes, without exponent or needless"
        + " zeros, as \"112.5\""
    case .double: "a number in quotes, spelled as in RFC 8785 3.2.2.3, as \"0.25\""
    case .date:
      "seconds since 2001-01-01 UTC in quotes, spelled as in RFC 8785 3.2.2.3, as \"785412000.25\""
    case .uuid: "an upper-case UUID as \"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\""
    case .bool: "true or false"
    case .string, .text: "a string"
    }
  }

  /// Appends a value as people read it: numbers and dates as JSON numbers, the rest as it is. What
  /// is not canonical stays as it is too.
  package func append(readable datum: Datum, to bytes: inout [UInt8]) {
    switch self {
    case .int, .decimal, .double, .date:
      guard let text = datum.text, isCanonical(datum) else { fallthrough }
      bytes += text.utf8
    case .uuid, .bool, .string, .text: datum.append(to: &bytes)
    }
  }
}

/// A value as errors show it: its text, or where that is long its start.
func excerpt(_ value: Value, _ line: UnsafeRawBufferPointer) -> String {
  excerpt(line[value.start..<value.end])
}

func excerpt(_ datum: Datum) -> String { excerpt(datum.canonical) }

private func excerpt(_ text: some Collection<UInt8>) -> String {
  guard text.count > 48 else { return String(decoding: text, as: UTF8.self) }
  var start = Array(text.prefix(40))
  // Not within a character.
  while let last = start.last, last >= 0x80 {
    start.removeLast()
    if last >= 0xC0 { break }
  }
  return String(decoding: start, as: UTF8.self) + "…"
}
