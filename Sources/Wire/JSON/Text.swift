/// The text that a scanned string value spells.
///
/// - Precondition: `value` is a string of `line`.
package func decodeString(_ value: Value, _ line: UnsafeRawBufferPointer) -> String {
  let text = contents(value, line)
  guard value.flags.contains(.hasEscape) else { return String(decoding: text, as: UTF8.self) }
  var plain: [UInt8] = []
  unescape(text, into: &plain)
  return String(decoding: plain, as: UTF8.self)
}

/// The exact value of a scanned number, or nil where it is not an integer of 64 bits. A number
/// with a fraction or an exponent is not an integer, whatever it amounts to.
package func decodeInteger(_ value: Value, _ line: UnsafeRawBufferPointer) -> Int64? {
  guard value.kind == .number else { return nil }
  var result: Int64 = 0
  var at = value.start
  let negative = line[at] == 0x2D
  if negative { at += 1 }
  while at < value.end {
    guard case 0x30...0x39 = line[at] else { return nil }
    let (tens, high) = result.multipliedReportingOverflow(by: 10)
    let digit = Int64(line[at] - 0x30)
    // Built downwards where negative, for the lowest number has no positive counterpart.
    let (sum, low) =
      negative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
    if high || low { return nil }
    result = sum
    at += 1
  }
  return result
}

/// The text between a string's quotes, as it is written.
func contents(_ value: Value, _ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(rebasing: line[value.start + 1..<value.end - 1])
}

/// Appends what escaped text spells. `text` is the valid contents of a JSON string.
func unescape(_ text: UnsafeRawBufferPointer, into plain: inout [UInt8]) {
  plain.reserveCapacity(plain.count + text.count)
  var at = 0
  while at < text.count {
    guard text[at] == 0x5C else {
      plain.append(text[at])
      at += 1
      continue
    }
    let scalar: UnicodeScalar
    (scalar, at) = escapedScalar(text, at: at)
    plain.append(contentsOf: UTF8.encode(scalar)!)
  }
}

/// The character that the escape at `at` spells, and the offset after it.
func escapedScalar(
  _ text: UnsafeRawBufferPointer, at: Int
) -> (scalar: UnicodeScalar, next: Int) {
  switch text[at + 1] {
  case 0x62: return ("\u{08}", at + 2)
  case 0x66: return ("\u{0C}", at + 2)
  case 0x6E: return ("\n", at + 2)
  case 0x72: return ("\r", at + 2)
  case 0x74: return ("\t", at + 2)
  case 0x75:
    let unit = escapedUnit(text, at: at)
    guard unit & 0xFC00 == 0xD800 else { return (UnicodeScalar(unit)!, at + 6) }
    let low = escapedUnit(text, at: at + 6)
    return (UnicodeScalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)!, at + 12)
  default: return (UnicodeScalar(text[at + 1]), at + 2)
  }
}

private func escapedUnit(_ text: UnsafeRawBufferPointer, at: Int) -> UInt32 {
  var unit: UInt32 = 0
  for place in at + 2..<at + 6 { unit = unit << 4 | hexadecimalDigit(text[place])! }
  return unit
}

/// FNV-1a over eight bytes a step, with a final mix: enough to spread names over a table.
func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
  var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
  var at = 0
  while at + 8 <= bytes.count {
    let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    hash = (hash ^ UInt64(littleEndian: word)) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
    at += 8
  }
  while at < bytes.count {
    hash = (hash ^ UInt64(bytes[at])) &* 0x0000_0100_0000_01B3
    at += 1
  }
  hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
  return hash ^ hash >> 32
}
