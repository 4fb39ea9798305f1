/// Building lines: raw bytes appended to a connection's buffer.
extension [UInt8] {
  /// Appends the text as UTF-8, as it is.
  @inlinable package mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the text as UTF-8, as it is.
  @inlinable package mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Appends the bytes.
  @inlinable package mutating func append(bytes: UnsafeRawBufferPointer) {
    append(contentsOf: bytes)
  }

  /// Appends the integer in decimal.
  @inlinable package mutating func append(decimal number: some FixedWidthInteger) {
    if number < 0 { append(0x2D) }
    var rest = UInt64(number.magnitude)
    if rest < 10 {
      append(0x30 &+ UInt8(truncatingIfNeeded: rest))
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      while rest > 0 {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        start &-= 1
        digits[start] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
        rest = quotient
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Appends a duration in decimal seconds, without needless digits: 1.5, 2, 0.000001.
  package mutating func append(seconds microseconds: Int64) {
    if microseconds < 0 { append(0x2D) }
    let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    append(decimal: whole)
    guard fraction > 0 else { return }
    append(0x2E)
    var rest = fraction
    var place: UInt64 = 100_000
    while rest > 0 {
      append(0x30 + UInt8(rest / place))
      rest %= place
      place /= 10
    }
  }

  /// Appends the text as a JSON string with its quotes. Only what must be is escaped: the quote,
  /// the backslash and the control characters (RFC 8259 section 7).
  package mutating func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonBytes: UnsafeRawBufferPointer($0)) }
  }

  /// The same for text that is UTF-8 already.
  package mutating func append(jsonBytes text: UnsafeRawBufferPointer) {
    reserveCapacity(count + text.count + 2)
    append(0x22)
    var plain = 0
    for (at, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      append(contentsOf: text[plain..<at])
      plain = at + 1
      append(0x5C)
      switch byte {
      case 0x22, 0x5C: append(byte)
      case 0x08: append(0x62)
      case 0x0C: append(0x66)
      case 0x0A: append(0x6E)
      case 0x0D: append(0x72)
      case 0x09: append(0x74)
      default:
        append("u00" as StaticString)
        append(byte < 0x10 ? 0x30 : 0x31)
        append(byte & 15 < 10 ? 0x30 + byte & 15 : 0x57 + byte & 15)
      }
    }
    append(contentsOf: text[plain...])
    append(0x22)
  }

  /// Appends the bytes as base64 (RFC 4648 section 4, padded), without quotes.
  package mutating func append(base64 bytes: UnsafeRawBufferPointer) {
    Base64.encode(bytes, into: &self)
  }

  /// Appends the bytes as base64 (RFC 4648 section 4, padded), without quotes.
  package mutating func append(base64 bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { Base64.encode($0, into: &self) }
  }
}

extension [UInt8] {
  package mutating func append(bool: Bool) {
    append(bool ? "true" : "false")
  }

  /// Appends a literal and then a JSON string.
  package mutating func append(_ literal: StaticString, quoted text: String) {
    append(literal)
    append(jsonString: text)
  }
}
