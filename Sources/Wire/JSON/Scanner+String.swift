internal import CBytes

extension Scanner {
  /// Reads the string at `at` with its quotes.
  @inline(always)
  mutating func string() -> Bool {
    let quote = at
    at = endOfPlainText(from: at &+ 1)
    if next(is: 0x22) {
      at &+= 1
      return true
    }
    self = pastString(quote)
    return fault == .none
  }

  /// A scanner after the string opened at `quote`, which goes on at `at` with something other than
  /// plain text.
  @inline(never)
  private func pastString(_ quote: Int) -> Scanner {
    var scanner = self
    if !scanner.restOfString() { scanner.start = quote }
    return scanner
  }

  @inline(always)
  private mutating func restOfString() -> Bool {
    while at < count {
      let byte = bytes[at]
      if byte >= 0x80 {
        skipValidBlocks()
        guard skipUTF8() else { return false }
      } else if byte == 0x22 {
        at &+= 1
        return true
      } else if byte == 0x5C {
        flags.insert(.hasEscape)
        guard escape() else { return false }
      } else {
        return fail(.control)
      }
      at = endOfPlainText(from: at)
    }
    return fail(.noEnd)
  }

  /// The first byte at or after `from` that is a quote, a backslash, a control character or not
  /// ASCII; `count` where there is none.
  @inline(always)
  func endOfPlainText(from: Int) -> Int { watchline_plain_end(bytes, from, count) }

  /// Reads one escape; a `\u` escape of a high surrogate with its low half.
  @inline(always)
  private mutating func escape() -> Bool {
    let backslash = at
    at &+= 1
    guard at < count else { return fail(.escape) }
    switch bytes[at] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
      at &+= 1
      return true
    case 0x75: return unicodeEscape(backslash)
    default: return fail(.escape)
    }
  }

  @inline(always)
  private mutating func unicodeEscape(_ backslash: Int) -> Bool {
    guard let unit = hexadecimal() else { return fail(.hexadecimal) }
    guard unit & 0xF800 == 0xD800 else { return true }
    if unit & 0xFC00 == 0xD800, next(is: 0x5C), at &+ 1 < count, bytes[at &+ 1] == 0x75 {
      at &+= 1
      guard let low = hexadecimal() else { return fail(.hexadecimal) }
      if low & 0xFC00 == 0xDC00 { return true }
    }
    at = backslash
    return fail(.surrogate)
  }

  /// The four digits after the `u` at `at`; nil, with `at` on the byte at fault, if they are not.
  @inline(always)
  private mutating func hexadecimal() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      at &+= 1
      guard at < count, let digit = hexadecimalDigit(bytes[at]) else { return nil }
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

extension UnsafeRawBufferPointer {
  /// The first quote, backslash or control character; the range's end where there is none.
  package func firstEscaped(in range: Range<Int>) -> Int {
    guard let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return range.upperBound
    }
    return watchline_first_escaped(bytes, range.lowerBound, range.upperBound)
  }
}
