/// Where one JSON value lies in a line that has been scanned, and what is in it.
///
/// ```
/// {"type":"ping","id":12}
///         ^start ^end            a string's range includes its quotes
/// ```
package struct Value: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    case object, array, string, number, bool, null
  }

  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A string or a name in the value is written with a backslash escape.
    package static let hasEscape = Flags(rawValue: 1)
    /// The value is null, or null occurs anywhere within.
    package static let hasNull = Flags(rawValue: 2)
    /// An object in the value has a name that starts with `$`, also where it is written `\u0024`.
    package static let hasDollarKey = Flags(rawValue: 4)

    /// A number in the value has an exponent of three digits or more, or more than 300 digits: it may be
    /// beyond all doubles.
    package static let hasLongNumber = Flags(rawValue: 8)

    /// An object in the value may have a name twice: two of its names are alike in what `NameFilter` looks at.
    package static let mayRepeatName = Flags(rawValue: 16)

    /// Nothing that a property list takes otherwise than JSON does: no null, no `$` name, no such number,
    /// no name twice.
    @inlinable package var isPlain: Bool { rawValue & 30 == 0 }
  }

  package var kind: Kind
  /// Offset of the value's first byte in the line.
  package var start: Int
  /// Offset after the value's last byte in the line.
  package var end: Int
  package var flags: Flags

  @inlinable package init(kind: Kind, start: Int, end: Int, flags: Flags = []) {
    self.kind = kind
    self.start = start
    self.end = end
    self.flags = flags
  }

  /// Length of the value's text in bytes.
  @inlinable package var count: Int { end &- start }
}

extension Value.Kind {
  /// The kind as a person calls it, with its article.
  package var readable: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "a boolean"
    case .null: "null"
    }
  }
}
