extension Scanner {
  /// Reads the string at `at` with its quotes.
  @inline(__always)
  mutating func string() throws(WireError) {
    let start = at
    at = endOfPlainText(from: at &+ 1)
    if next(is: 0x22) {
      at &+= 1
    } else {
      self = try pastString(start)
    }
  }

  /// A scanner after the string opened at `start`, which goes on at `at` with something other than
  /// plain text.
  @inline(never)
  private func pastString(_ start: Int) throws(WireError) -> Scanner {
    var scanner = self
    try scanner.restOfString(start)
    return scanner
  }

  private mutating func restOfString(_ start: Int) throws(WireError) {
    while at < count {
      switch bytes[at] {
      case 0x22:
        at &+= 1
        return
      case 0x5C:
        flags.insert(.hasEscape)
        try escape()
      case 0..<0x20:
        throw failure(
          "Unescaped \(name(of: bytes[at])) in a string", then: "write it as \\n, \\t or \\u00XX")
      default:
        skipValidBlocks()
        try skipUTF8()
      }
      at = endOfPlainText(from: at)
    }
    throw failure(
      "A string that starts at byte \(start) has no end: expected '\"'",
      then: "found the line's end")
  }

  /// The first byte at or after `from` that is a quote, a backslash, a control character or not
  /// ASCII; `count` where there is none.
  @inline(__always)
  func endOfPlainText(from: Int) -> Int {
    var at = from
    if at &+ 8 <= count {
      let marks = notPlain(word(bytes, at: at))
      if marks != 0 { return at &+ lowestByte(marks) }
      at &+= 8
    }
    return endOfLongPlainText(from: at)
  }

  /// The same, for text that has already been seen not to be short: two words a step.
  @inline(__always)
  private func endOfLongPlainText(from: Int) -> Int {
    var at = from
    while at &+ 16 <= count {
      let first = notPlain(word(bytes, at: at))
      let second = notPlain(word(bytes, at: at &+ 8))
      if first | second != 0 {
        return first != 0 ? at &+ lowestByte(first) : at &+ 8 &+ lowestByte(second)
      }
      at &+= 16
    }
    while at < count, bytes[at] &- 0x20 < 0x60, bytes[at] != 0x22, bytes[at] != 0x5C { at &+= 1 }
    return at
  }

  /// Reads one escape; a `\u` escape of a high surrogate with its low half.
  private mutating func escape() throws(WireError) {
    let start = at
    at &+= 1
    guard at < count else { throw expected("an escaped character") }
    switch bytes[at] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: at &+= 1
    case 0x75:
      let unit = try hexadecimal()
      if unit & 0xFC00 == 0xDC00 { throw loneSurrogate(start) }
      guard unit & 0xFC00 == 0xD800 else { return }
      guard at &+ 1 < count, bytes[at] == 0x5C, bytes[at &+ 1] == 0x75 else {
        throw loneSurrogate(start)
      }
      at &+= 1
      guard try hexadecimal() & 0xFC00 == 0xDC00 else { throw loneSurrogate(start) }
    default: throw expected("one of \" \\ / b f n r t u after a backslash")
    }
  }

  private func loneSurrogate(_ start: Int) -> WireError {
    var copy = self
    copy.at = start
    return copy.failure(
      "Half of a surrogate pair", then: "expected \\uD800-\\uDBFF followed by \\uDC00-\\uDFFF")
  }

  /// The four digits after the `u` at `at`.
  private mutating func hexadecimal() throws(WireError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      at &+= 1
      guard at < count, let digit = hexadecimalDigit(bytes[at]) else {
        throw expected("four hexadecimal digits after \\u")
      }
      unit = unit << 4 | digit
    }
    at &+= 1
    return unit
  }
}

/// What a hexadecimal digit stands for, or nil for any other byte.
func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
  switch byte {
  case 0x30...0x39: UInt32(byte &- 0x30)
  case 0x41...0x46: UInt32(byte &- 0x37)
  case 0x61...0x66: UInt32(byte &- 0x57)
  default: nil
  }
}
