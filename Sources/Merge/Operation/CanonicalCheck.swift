import Wire

/// Whether a text is JSON in its canonical form, as `Datum` has it: no blanks, no numbers, names in order and once,
/// nothing escaped that need not be.
///
/// Says no where it would take longer to find out: of what is escaped at all, of names beyond the BMP, and of text that
/// is nested deeper than operations are.
struct CanonicalCheck {
  private let text: Slice<UnsafeRawBufferPointer>
  /// As far as it has looked.
  private(set) var at: Int

  /// Levels of objects and arrays at most.
  private static let deepest = 8

  init(_ text: Slice<UnsafeRawBufferPointer>) {
    self.text = text
    at = text.startIndex
  }

  /// Whether such a value stands at the start; `at` is behind it then.
  mutating func startsRight() -> Bool { value(Self.deepest) }

  mutating func passes() -> Bool { startsRight() && at == text.endIndex }

  private var byte: UInt8? { at < text.endIndex ? text.base[at] : nil }

  private mutating func skip(_ wanted: UInt8) -> Bool {
    guard byte == wanted else { return false }
    at += 1
    return true
  }

  private mutating func skip(_ literal: StaticString) -> Bool {
    let end = at + literal.utf8CodeUnitCount
    guard end <= text.endIndex else { return false }
    for index in at..<end where text.base[index] != literal.utf8Start[index - at] { return false }
    at = end
    return true
  }

  private mutating func value(_ levels: Int) -> Bool {
    switch byte {
    case 0x22: return string()
    case 0x7B: return levels > 0 && object(levels - 1)
    case 0x5B: return levels > 0 && array(levels - 1)
    case 0x74: return skip("true")
    case 0x66: return skip("false")
    case 0x6E: return skip("null")
    default: return false
    }
  }

  private mutating func array(_ levels: Int) -> Bool {
    at += 1
    if skip(0x5D) { return true }
    repeat {
      guard value(levels) else { return false }
    } while skip(0x2C)
    return skip(0x5D)
  }

  private mutating func object(_ levels: Int) -> Bool {
    at += 1
    if skip(0x7D) { return true }
    var last: Range<Int>?
    repeat {
      guard byte == 0x22 else { return false }
      let start = at + 1
      guard string(), skip(0x3A) else { return false }
      let name = start..<at - 2
      if let last, !precedes(last, name) { return false }
      last = name
      guard value(levels) else { return false }
    } while skip(0x2C)
    return skip(0x7D)
  }

  /// As `Datum.precedes`; false as well where it is not the bytes alone that decide.
  private func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    for place in 0..<min(left.count, right.count) {
      let (one, other) = (text.base[left.lowerBound + place], text.base[right.lowerBound + place])
      if one != other { return one < other && other < 0xEE }
    }
    return left.count < right.count
  }

  /// A string without escapes.
  private mutating func string() -> Bool {
    let end = text.base.firstEscaped(in: at + 1..<text.endIndex)
    at = end + 1
    return end < text.endIndex && text.base[end] == 0x22
  }
}
