/// Arbitrary text as it can be shown: in one line, with nothing in it that acts on a terminal, on
/// the order of what stands beside it, or that cannot be seen.
enum Visible {
  static func text(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var hasBase = false
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        shown.append(contentsOf: spelled(scalar).unicodeScalars)
        hasBase = false
        continue
      }
      let isMark = scalar.properties.isMark
      // A mark without a letter would be put onto the quotation mark before it.
      if isMark, !hasBase { shown.append("\u{25CC}") }
      if !isMark { hasBase = !(scalar.isASCII && !scalar.properties.isAlphabetic) }
      shown.append(scalar)
    }
    return String(shown)
  }

  /// A value without the quotation marks of a JSON string, where it is still seen what it is.
  ///
  /// - Parameter json: JSON, or a word such as `deleted`.
  static func value(_ json: String) -> String {
    let bare = json.dropFirst().dropLast()
    let isPlain =
      json.utf8.count >= 3 && json.utf8.first == 0x22 && json.utf8.last == 0x22
      && bare.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    let first = bare.utf8.first ?? 0
    let isWord = ["true", "false", "null", "deleted", "none"].contains(bare)
    guard isPlain, !isWord, first > 0x39, first != 0x5B, first != 0x7B else { return text(json) }
    return String(bare)
  }

  /// By its number, or as Swift spells it.
  static func spelled(_ scalar: UnicodeScalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  /// Controls, line ends, and what directs or hides text. The joiner of emoji is left.
  static func isHidden(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xFFFE, 0xFFFF, 0xE0000...0xE0FFF:
      return true
    default: return scalar.value & 0xFFFE == 0xFFFE
    }
  }
}

extension UnicodeScalar.Properties {
  fileprivate var isMark: Bool {
    switch generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}

extension String {
  /// Equality of the bytes; `==` takes different spellings of a letter for the same.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
