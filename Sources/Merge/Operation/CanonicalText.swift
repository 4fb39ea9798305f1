import Wire

/// A value in canonical text, read where it stands: a tree would cost an operation some forty allocations.
///
/// Whoever asks for members in the order of their names, and reads each before the next, goes over each byte once.
struct CanonicalText {
  private let text: UnsafeRawBufferPointer
  private let start: Int
  /// The closing quote of a string without escapes; else 0.
  private let quote: Int
  private let lastRead: UnsafeMutablePointer<Range<Int>>

  /// - Parameter lastRead: room for the object or array that was read to its end last. What it stands in goes on
  ///   behind it.
  /// - Precondition: a value in canonical form starts there, as `CanonicalCheck` or `Datum` has it.
  init(
    _ text: UnsafeRawBufferPointer, at start: Int, _ lastRead: UnsafeMutablePointer<Range<Int>>
  ) {
    self.text = text
    self.start = start
    self.lastRead = lastRead
    let end = text[start] == 0x22 ? text.firstEscaped(in: start + 1..<text.count) : start
    quote = text[end] == 0x22 && end > start ? end : 0
  }

  private func value(at start: Int) -> CanonicalText { CanonicalText(text, at: start, lastRead) }

  /// Behind it; of an object or an array where it starts, as it is mostly read now.
  private var next: Int {
    if quote > 0 { return quote + 1 }
    return text[start] == 0x7B || text[start] == 0x5B ? start : past(start)
  }

  /// Behind the value that starts at `at`.
  private func past(_ at: Int) -> Int {
    switch text[at] {
    case 0x22: return pastString(at)
    case 0x7B, 0x5B:
      if lastRead.pointee.lowerBound == at { return lastRead.pointee.upperBound }
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

  /// Behind the name that starts at `at`, where it is this one.
  private func past(_ name: StaticString, _ at: Int) -> Int? {
    let end = at + name.utf8CodeUnitCount
    guard end < text.count, text[end] == 0x22,
      UnsafeRawBufferPointer(rebasing: text[at..<end]).is(name)
    else { return nil }
    return end
  }
}

extension CanonicalText: DatumSource {
  var firstMember: Int { start + 1 }

  func member(_ name: StaticString, from place: inout Int) -> CanonicalText? {
    guard text[start] == 0x7B else { return nil }
    if text[place] == 0x7B || text[place] == 0x5B { place = past(place) }
    while text[place] != 0x7D {
      let first = text[place] == 0x2C ? place + 2 : place + 1
      if text[first] > name.utf8Start[0] { return nil }
      if text[first] == name.utf8Start[0], let quote = past(name, first) {
        let value = value(at: quote + 2)
        place = value.next
        if text[place] == 0x7D { lastRead.pointee = start..<place + 1 }
        return value
      }
      let colon = pastString(first - 1)
      let found = UnsafeRawBufferPointer(rebasing: text[first..<colon - 1])
      guard found.lexicographicallyPrecedes(name.bytes) else { return nil }
      place = past(colon + 1)
    }
    lastRead.pointee = start..<place + 1
    return nil
  }

  var datum: Datum {
    guard quote > 0 else { return Datum(canonical: text, at: start) }
    return .string(Name(utf8: Array(UnsafeRawBufferPointer(rebasing: text[start + 1..<quote]))))
  }

  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    guard text[start] == 0x22 else { return nil }
    guard quote > 0 else { return datum.read(body) }
    return body(UnsafeRawBufferPointer(rebasing: text[start + 1..<quote]))
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
      try body(value(at: at))
      at = past(at)
    }
    lastRead.pointee = start..<at + 1
    return true
  }

  func readMembers(_ body: (UnsafeRawBufferPointer, CanonicalText) -> Bool) -> Bool {
    guard text[start] == 0x7B else { return false }
    var at = start + 1
    while text[at] != 0x7D {
      if text[at] == 0x2C { at += 1 }
      let colon = pastString(at)
      let isRight = value(at: at).read { name in body(name, value(at: colon + 1)) ? true : nil }
      guard isRight == true else { return false }
      at = past(colon + 1)
    }
    return true
  }
}
