extension Scanner {
  /// Reads the number at `at` (RFC 8259 section 6) up to the first byte that cannot belong to it.
  @inline(__always)
  mutating func number() throws(WireError) {
    if bytes[at] == 0x2D { at &+= 1 }
    if next(is: 0x30) {
      at &+= 1
      if at < count, isDigit(bytes[at]) {
        throw failure("A number must not start with 0", then: "write it without leading zeros")
      }
    } else {
      try digits()
    }
    guard at < count else { return }
    if bytes[at] == 0x2E {
      at &+= 1
      try digits()
      guard at < count else { return }
    }
    if bytes[at] | 0x20 == 0x65 {
      at &+= 1
      if at < count, bytes[at] == 0x2B || bytes[at] == 0x2D { at &+= 1 }
      try digits()
    }
  }

  /// One digit or more.
  @inline(__always)
  private mutating func digits() throws(WireError) {
    let start = at
    while at < count, isDigit(bytes[at]) { at &+= 1 }
    guard at > start else { throw expected("a digit") }
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Reads `true`, `false` or `null`.
  @inline(__always)
  mutating func literal(_ text: StaticString) throws(WireError) {
    let letters = text.utf8Start
    var matched = 0
    while matched < text.utf8CodeUnitCount {
      guard at < count, bytes[at] == letters[matched] else { throw expected("the word \(text)") }
      at &+= 1
      matched &+= 1
    }
  }
}
