package import Wire

extension Schema.Rule {
  /// What an edit that breaks the rule is answered.
  package var error: WireError {
    WireError(ErrorCode(rawValue: code) ?? .invalidRecord, message.text)
  }
}

extension Schema.Rule.Test {
  /// Whether a value that is not null passes a test that looks at nothing else.
  ///
  /// - Precondition: the value is canonical.
  func holds(_ value: Datum, _ type: FieldType) -> Bool {
    switch self {
    case .notBlank: value.text.map { !$0.isBlank } ?? false
    case .above(let limit): type.precedes(limit, value)
    case .atLeast(let limit): !type.precedes(value, limit)
    case .atMost(let limit): !type.precedes(limit, value)
    case .oneOf(let values): values.contains(value)
    case .notBefore, .needs, .exists: true
    }
  }
}

extension FieldType {
  /// Whether one canonical value is below another; never where they have no order.
  func precedes(_ left: Datum, _ right: Datum) -> Bool {
    // Exact, and the same for dates and doubles: their spellings are in the order of their numbers.
    guard isOrdered, let left = left.text, let right = right.text,
      let left = ExactDecimal(left.utf8), let right = ExactDecimal(right.utf8)
    else { return false }
    return left < right
  }
}

extension Name {
  /// Whether nothing of it is shown: each of its characters is white space, a control character, or one
  /// that Unicode lets programs ignore (White_Space, Cc, Default_Ignorable_Code_Point). A text of them
  /// alone could not be told from none.
  package var isBlank: Bool {
    text.unicodeScalars.allSatisfy {
      let properties = $0.properties
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
        || properties.generalCategory == .control
    }
  }

  /// Without blanks at both ends: those of Foundation's `.whitespaces`, as swift-corelibs-foundation
  /// has it. That is space, tab, the other space separators (Unicode Zs) and U+200B, and no line
  /// ends.
  package var trimmed: Name {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !Self.isTrimmed($0) }),
      let last = scalars.lastIndex(where: { !Self.isTrimmed($0) })
    else { return "" }
    return Name(String(scalars[first...last]))
  }

  private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
