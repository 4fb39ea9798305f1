import Wire

/// A value in canonical text, read where it stands: a tree would cost an operation some forty allocations.
struct CanonicalText {
  private let text: UnsafeRawBufferPointer
  private let start: Int

  /// - Precondition: a value in canonical form starts there, as `CanonicalCheck` or `Datum` has it.
  init(_ text: UnsafeRawBufferPointer, at start: Int) {
    self.text = text
    self.start = start
  }

  /// Behind the value that starts at `at`.
  private func past(_ at: Int) -> Int {
    switch text[at] {
    case 0x22: return pastString(at)
    case 0x7B, 0x5B:
      var (at, levels) = (at, 0)
      repeat {
        switch text[at] {
        case 0x22:
          at = pastString(at)
          continue
        case 0x7B, 0x5B: levels += 1
        case 0x7D, 0x5D: levels -= 1
        default: break
        }
        at += 1
      } while levels > 0
      return at
    case 0x66: return at + 5
    default: return at + 4
    }
  }

  /// Behind the string that starts at `at`.
  private func pastString(_ at: Int) -> Int {
    var at = at + 1
    while true {
      at = text.firstEscaped(in: at..<text.count)
      if text[at] == 0x22 { return at + 1 }
      at += 2
    }
  }
}

extension CanonicalText: DatumSource {
  var firstMember: Int { start + 1 }

  func member(_ name: StaticString, from place: inout Int) -> CanonicalText? {
    guard text[start] == 0x7B else { return nil }
    while text[place] != 0x7D {
      let quote = text[place] == 0x2C ? place + 1 : place
      let colon = pastString(quote)
      let found = UnsafeRawBufferPointer(rebasing: text[quote + 1..<colon - 1])
      if found.is(name) {
        place = past(colon + 1)
        return CanonicalText(text, at: colon + 1)
      }
      guard found.lexicographicallyPrecedes(name.bytes) else { return nil }
      place = past(colon + 1)
    }
    return nil
  }

  var datum: Datum { Datum(canonical: text, at: start) }

  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    guard text[start] == 0x22 else { return nil }
    let end = text.firstEscaped(in: start + 1..<text.count)
    guard text[end] == 0x22 else { return datum.read(body) }
    return body(UnsafeRawBufferPointer(rebasing: text[start + 1..<end]))
  }

  var flag: Bool? {
    switch text[start] {
    case 0x74: true
    case 0x66: false
    default: nil
    }
  }

  func readElements(
    _ body: (CanonicalText) throws(WireError) -> Void
  ) throws(WireError) -> Bool {
    guard text[start] == 0x5B else { return false }
    var at = start + 1
    while text[at] != 0x5D {
      if text[at] == 0x2C { at += 1 }
      try body(CanonicalText(text, at: at))
      at = past(at)
    }
    return true
  }

  func readMembers(_ body: (UnsafeRawBufferPointer, CanonicalText) -> Bool) -> Bool {
    guard text[start] == 0x7B else { return false }
    var at = start + 1
    while text[at] != 0x7D {
      if text[at] == 0x2C { at += 1 }
      let colon = pastString(at)
      let isRight = CanonicalText(text, at: at).read { name in
        body(name, CanonicalText(text, at: colon + 1)) ? true : nil
      }
      guard isRight == true else { return false }
      at = past(colon + 1)
    }
    return true
  }
}
