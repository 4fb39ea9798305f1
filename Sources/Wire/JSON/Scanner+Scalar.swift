extension Scanner {
  /// Reads the number at `at` (RFC 8259 section 6) up to the first byte that cannot belong to it.
  @inline(always)
  mutating func number() -> Bool {
    if bytes[at] == 0x2D { at &+= 1 }
    let first = at
    guard digits() else { return false }
    if bytes[first] == 0x30, at &- first > 1 {
      at = first &+ 1
      return fail(.leadingZero)
    }
    if at &- first > 300 { flags.insert(.hasLongNumber) }
    guard at < count, bytes[at] == 0x2E || bytes[at] | 0x20 == 0x65 else { return true }
    return fractionAndExponent()
  }

  @inline(always)
  private mutating func fractionAndExponent() -> Bool {
    if bytes[at] == 0x2E {
      at &+= 1
      guard digits() else { return false }
      guard at < count, bytes[at] | 0x20 == 0x65 else { return true }
    }
    at &+= 1
    if at < count, bytes[at] == 0x2B || bytes[at] == 0x2D { at &+= 1 }
    let first = at
    guard digits() else { return false }
    if at &- first > 2 { flags.insert(.hasLongNumber) }
    return true
  }

  /// One digit or more.
  @inline(always)
  private mutating func digits() -> Bool {
    let first = at
    while at < count, bytes[at] &- 0x30 < 10 { at &+= 1 }
    return at > first || fail(.digit)
  }

  /// Reads `true`, `false` or `null`.
  @inline(always)
  mutating func literal() -> Bool {
    // All but the first letter of `false`, and the others whole, fit a word of four bytes.
    if at &+ 5 <= count {
      switch UInt32(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt32.self)) {
      case 0x6575_7274:
        kind = .bool
        at &+= 4
        return true
      case 0x736C_6166 where bytes[at &+ 4] == 0x65:
        kind = .bool
        at &+= 5
        return true
      default: break
      }
    }
    self = pastRareLiteral()
    return fault == .none
  }

  /// A scanner after the literal at `at`: null, one at the line's end, or a wrong one.
  @inline(never)
  private func pastRareLiteral() -> Scanner {
    var scanner = self
    switch bytes[at] {
    case 0x74:
      scanner.kind = .bool
      scanner.letters("true", .wordTrue)
    case 0x66:
      scanner.kind = .bool
      scanner.letters("false", .wordFalse)
    case 0x6E:
      scanner.kind = .null
      scanner.flags.insert(.hasNull)
      scanner.letters("null", .wordNull)
    default: scanner.fault = .value
    }
    return scanner
  }

  private mutating func letters(_ text: StaticString, _ fault: Fault) {
    let letters = text.utf8Start
    var matched = 0
    while matched < text.utf8CodeUnitCount {
      guard at < count, bytes[at] == letters[matched] else {
        self.fault = fault
        return
      }
      at &+= 1
      matched &+= 1
    }
  }
}
