/// Reads strict JSON (RFC 8259) byte by byte and word by word, without allocating or recursing.
///
/// It proves that the text is well formed, and tells where values start and end; it decodes
/// nothing. Every error names the byte that could not stand where it does.
struct Scanner {
  let bytes: UnsafePointer<UInt8>
  /// No byte at or after it is read.
  let count: Int
  /// The next byte to read.
  var at: Int
  /// What has been met since the caller last cleared it.
  var flags: Value.Flags = []

  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, count: Int, at: Int = 0) {
    self.bytes = bytes
    self.count = count
    self.at = at
  }

  /// - Precondition: `line` is not empty.
  init(_ line: UnsafeRawBufferPointer, at: Int = 0) {
    self.init(line.baseAddress!.assumingMemoryBound(to: UInt8.self), count: line.count, at: at)
  }

  // MARK: Values

  /// Reads the value that starts at `at` and stops after it.
  ///
  /// - Parameter outside: how many objects and arrays are open around it.
  /// - Throws: 4001.
  @inline(__always)
  mutating func value(outside: Int) throws(WireError) -> Value.Kind {
    guard at < count else { throw expected("a value") }
    switch bytes[at] {
    case 0x22:
      try string()
      return .string
    case 0x7B:
      try container(outside: outside)
      return .object
    case 0x5B:
      try container(outside: outside)
      return .array
    default: return try scalar()
    }
  }

  /// Reads the object or array that starts at `at`, with all that it holds.
  @inline(__always)
  mutating func container(outside: Int) throws(WireError) {
    self = try pastContainer(outside: outside)
  }

  /// A number or a literal.
  @inline(__always)
  mutating func scalar() throws(WireError) -> Value.Kind {
    switch bytes[at] {
    case 0x30...0x39, 0x2D:
      try number()
      return .number
    case 0x74:
      try literal("true")
      return .bool
    case 0x66:
      try literal("false")
      return .bool
    case 0x6E:
      try literal("null")
      flags.insert(.hasNull)
      return .null
    default: throw expected("a value")
    }
  }

  /// A scanner after the object or array that starts at `at`.
  ///
  /// `nesting` is the stack: a bit for each open container, set for an object. The scanner goes in
  /// and out by value, so that it can stay in registers.
  @inline(never)
  private func pastContainer(outside: Int) throws(WireError) -> Scanner {
    var scanner = self
    try scanner.readContainer(outside: outside)
    return scanner
  }

  @inline(__always)
  private mutating func readContainer(outside: Int) throws(WireError) {
    var nesting: UInt64 = 0
    var depth = outside
    values: while true {
      guard at < count else { throw expected("a value") }
      let byte = bytes[at]
      if byte == 0x22 {
        try string()
      } else if byte | 0x20 == 0x7B {
        guard depth < Envelope.maximumDepth else { throw tooDeep() }
        depth &+= 1
        at &+= 1
        skipBlanks()
        if byte == 0x7B {
          nesting = nesting << 1 | 1
          guard next(is: 0x7D) else {
            try name()
            continue values
          }
        } else {
          nesting = nesting << 1
          guard next(is: 0x5D) else { continue values }
        }
        at &+= 1
        depth &-= 1
        nesting >>= 1
      } else {
        _ = try scalar()
      }

      // After a value: the next one, or the end of what is open.
      while depth > outside {
        skipBlanks()
        let isObject = nesting & 1 == 1
        guard at < count else { throw expected(isObject ? "',' or '}'" : "',' or ']'") }
        if bytes[at] == 0x2C {
          at &+= 1
          skipBlanks()
          if isObject { try name() }
          continue values
        }
        guard bytes[at] == (isObject ? 0x7D : 0x5D) else {
          throw expected(isObject ? "',' or '}'" : "',' or ']'")
        }
        at &+= 1
        depth &-= 1
        nesting >>= 1
      }
      return
    }
  }

  /// Reads a member's name and the colon, and stops where its value starts.
  @inline(__always)
  private mutating func name() throws(WireError) {
    guard next(is: 0x22) else { throw expected("a member's name in quotes") }
    let start = at
    try string()
    // Both spellings of `$`; the string is known to be whole, so its end bounds the reading.
    if bytes[start &+ 1] == 0x24 {
      flags.insert(.hasDollarKey)
    } else if bytes[start &+ 1] == 0x5C, isEscapedDollar(start &+ 1) {
      flags.insert(.hasDollarKey)
    }
    try colon()
  }

  private func isEscapedDollar(_ start: Int) -> Bool {
    guard start &+ 6 < count else { return false }
    return bytes[start &+ 1] == 0x75 && bytes[start &+ 2] == 0x30 && bytes[start &+ 3] == 0x30
      && bytes[start &+ 4] == 0x32 && bytes[start &+ 5] == 0x34
  }

  // MARK: Between values

  @inline(__always)
  mutating func colon() throws(WireError) {
    skipBlanks()
    guard next(is: 0x3A) else { throw expected("':' after a member's name") }
    at &+= 1
    skipBlanks()
  }

  /// JSON's white space: space, tab, CR and LF (RFC 8259 section 2).
  @inline(__always)
  mutating func skipBlanks() {
    while at < count, bytes[at] <= 0x20 {
      switch bytes[at] {
      case 0x20, 0x09, 0x0D, 0x0A: at &+= 1
      default: return
      }
    }
  }

  @inline(__always)
  func next(is byte: UInt8) -> Bool { at < count && bytes[at] == byte }
}
