/// Reads strict JSON (RFC 8259) byte by byte and word by word, without allocating or recursing.
///
/// It proves that the text is well formed, and tells where values start and end; it decodes
/// nothing. A reading method returns false at the first byte that could not stand where it does,
/// with `at` on that byte and `fault` set. (Throwing costs more here than reading: every throwing
/// call brings its own landing, and the compiler then stops inlining.)
struct Scanner {
  let bytes: UnsafePointer<UInt8>
  /// No byte at or after it is read.
  let count: Int
  /// The next byte to read.
  var at: Int
  /// What has been met since the caller last cleared it.
  var flags: Value.Flags = []
  /// What `value` has read.
  var kind = Value.Kind.null
  var fault = Fault.none
  /// Where the string at fault starts.
  var start = 0

  @inline(always)
  init(_ bytes: UnsafePointer<UInt8>, count: Int, at: Int = 0) {
    self.bytes = bytes
    self.count = count
    self.at = at
  }

  /// - Precondition: `line` is not empty.
  init(_ line: UnsafeRawBufferPointer, at: Int = 0) {
    self.init(line.baseAddress!.assumingMemoryBound(to: UInt8.self), count: line.count, at: at)
  }

  @inline(always)
  mutating func fail(_ fault: Fault) -> Bool {
    self.fault = fault
    return false
  }

  // MARK: Values

  /// Reads the value that starts at `at` and stops after it; sets `kind`.
  ///
  /// - Parameter outside: how many objects and arrays are open around it.
  @inline(always)
  mutating func value(outside: Int) -> Bool {
    guard at < count else { return fail(.value) }
    let byte = bytes[at]
    if byte == 0x22 {
      kind = .string
      return string()
    }
    if byte | 0x20 == 0x7B {
      kind = byte == 0x7B ? .object : .array
      self = pastContainer(outside: outside)
      return fault == .none
    }
    return scalar()
  }

  /// A number or a literal.
  @inline(always)
  mutating func scalar() -> Bool {
    let byte = bytes[at]
    if byte &- 0x30 < 10 || byte == 0x2D {
      kind = .number
      return number()
    }
    return literal()
  }

  /// A scanner after the object or array that starts at `at`. It goes in and out by value, so that
  /// it can stay in registers.
  @inline(never)
  private func pastContainer(outside: Int) -> Scanner {
    var scanner = self
    let kind = scanner.kind
    _ = scanner.container(outside: outside)
    scanner.kind = kind
    return scanner
  }

  /// Reads the object or array that starts at `at`, with all that it holds.
  ///
  /// `nesting` is the stack: a bit for each open container, set for an object.
  @inline(always)
  private mutating func container(outside: Int) -> Bool {
    var nesting: UInt64 = 0
    var depth = outside
    var names = NameFilter()
    values: while true {
      guard at < count else { return fail(.value) }
      let byte = bytes[at]
      if byte == 0x22 {
        guard string() else { return false }
      } else if byte | 0x20 == 0x7B {
        guard depth < Envelope.maximumDepth else { return fail(.tooDeep) }
        depth &+= 1
        at &+= 1
        skipBlanks()
        nesting <<= 1
        if byte == 0x7B {
          nesting |= 1
          guard next(is: 0x7D) else {
            names.begin(depth &- outside)
            guard name(.memberNameOrBrace, depth &- outside, &names) else { return false }
            continue values
          }
        } else {
          guard next(is: 0x5D) else { continue values }
        }
        at &+= 1
        depth &-= 1
        nesting >>= 1
      } else {
        guard scalar() else { return false }
      }

      // After a value: the next one, or the end of what is open.
      while depth > outside {
        skipBlanks()
        let isObject = nesting & 1 == 1
        if next(is: 0x2C) {
          at &+= 1
          skipBlanks()
          if isObject {
            guard name(.memberName, depth &- outside, &names) else { return false }
          }
          continue values
        }
        guard next(is: isObject ? 0x7D : 0x5D) else {
          return fail(isObject ? .commaOrBrace : .commaOrBracket)
        }
        at &+= 1
        depth &-= 1
        nesting >>= 1
      }
      return true
    }
  }

  /// Reads a member's name and the colon, and stops where its value starts.
  @inline(always)
  private mutating func name(_ expected: Fault, _ level: Int, _ names: inout NameFilter) -> Bool {
    guard next(is: 0x22) else { return fail(expected) }
    let start = at &+ 1
    let before = flags
    flags = []
    guard string() else { return false }
    // A name that is written with an escape may be another one, written without.
    if flags.contains(.hasEscape)
      || !names.insert(bytes, from: start, to: at &- 1, level)
    {
      flags.insert(.mayRepeatName)
    }
    flags.formUnion(before)
    // Both spellings of `$`; the string is known to be whole, so its quote bounds the reading.
    if bytes[start] == 0x24 || bytes[start] == 0x5C && isEscapedDollar(start) {
      flags.insert(.hasDollarKey)
    }
    return colon()
  }

  @inline(never)
  private func isEscapedDollar(_ start: Int) -> Bool {
    guard start &+ 6 < count else { return false }
    return bytes[start &+ 1] == 0x75 && bytes[start &+ 2] == 0x30 && bytes[start &+ 3] == 0x30
      && bytes[start &+ 4] == 0x32 && bytes[start &+ 5] == 0x34
  }

  // MARK: Between values

  @inline(always)
  mutating func colon() -> Bool {
    skipBlanks()
    guard next(is: 0x3A) else { return fail(.colon) }
    at &+= 1
    skipBlanks()
    return true
  }

  /// JSON's white space: space, tab, CR and LF (RFC 8259 section 2).
  @inline(always)
  mutating func skipBlanks() {
    while at < count, bytes[at] <= 0x20 {
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: bytes[at])
      guard bit & (1 << 0x20 | 1 << 0x09 | 1 << 0x0D | 1 << 0x0A) != 0 else { return }
      at &+= 1
    }
  }

  @inline(always)
  func next(is byte: UInt8) -> Bool { at < count && bytes[at] == byte }
}
