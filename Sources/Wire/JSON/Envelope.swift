/// The members of one line's object: where each known one lies. Made once and used for every line
/// of a connection; scanning a line without escapes in its members' names allocates nothing.
package struct Envelope: Sendable {
  /// Most members of the outermost object, known and unknown.
  package static let maximumMembers = 64
  /// Most objects and arrays inside one another, the outermost object counted.
  package static let maximumDepth = 64

  private var members = Members()
  private var present = Presence()
  private var unknown: [UnknownName] = []

  /// A value for each key, of which those in `present` belong to the line; shared between copies
  /// until one of them scans again. Plain memory, for an array's checks are felt here.
  private final class Members: @unchecked Sendable {
    let values: UnsafeMutablePointer<Value>

    init() {
      values = .allocate(capacity: Key.allCases.count)
      values.initialize(
        repeating: Value(kind: .null, start: 0, end: 0), count: Key.allCases.count)
    }

    deinit { values.deallocate() }
  }

  /// A bit for each key that the line has.
  private struct Presence {
    var low: UInt64 = 0
    var high: UInt64 = 0

    @inline(__always)
    func contains(_ index: Int) -> Bool {
      (index < 64 ? low : high) & (1 << UInt64(truncatingIfNeeded: index & 63)) != 0
    }

    @inline(__always)
    mutating func insert(_ index: Int) {
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: index & 63)
      if index < 64 { low |= bit } else { high |= bit }
    }
  }

  /// A name that is kept only to find it a second time.
  private struct UnknownName {
    var hash: UInt64
    var start: Int
    var end: Int
    var hasEscape: Bool
  }

  package init() {
    precondition(Key.allCases.count <= 128)
    unknown.reserveCapacity(Self.maximumMembers)
  }

  /// The member of that name in the line scanned last, or nil. Nothing after a scan that threw.
  package subscript(_ key: Key) -> Value? {
    let index = key.index
    return present.contains(index) ? members.values[index] : nil
  }

  /// Reads one line, which must be exactly one JSON object (RFC 8259), with blanks around it or
  /// not.
  ///
  /// Beyond RFC 8259: no more than `maximumMembers` members, no two of the same name after
  /// unescaping, and no more than `maximumDepth` levels. Names within members may repeat. No byte
  /// order mark.
  ///
  /// - Parameter line: the line without its LF.
  /// - Throws: 4001 malformedJSON, with the 0-based offset in the line of the byte at fault.
  /// - Complexity: one pass over the line.
  package mutating func scan(_ line: UnsafeRawBufferPointer) throws(WireError) {
    present = Presence()
    if !unknown.isEmpty { unknown.removeAll(keepingCapacity: true) }
    if !isKnownUniquelyReferenced(&members) { members = Members() }
    guard let base = line.baseAddress, !line.isEmpty else {
      throw WireError(.malformedJSON, "Expected '{' at byte 0, found the line's end.")
    }
    present = try object(base.assumingMemoryBound(to: UInt8.self), line.count, members.values)
  }

  @inline(__always)
  private mutating func object(
    _ line: UnsafePointer<UInt8>, _ count: Int, _ values: UnsafeMutablePointer<Value>
  ) throws(WireError) -> Presence {
    var scanner = Scanner(line, count: count)
    var present = Presence()
    let table = KeyTable.shared
    scanner.skipBlanks()
    guard scanner.next(is: 0x7B) else { throw Self.notAnObject(scanner) }
    scanner.at &+= 1
    scanner.skipBlanks()
    if scanner.next(is: 0x7D) {
      scanner.at &+= 1
    } else {
      var count = 0
      while true {
        guard scanner.next(is: 0x22) else {
          throw scanner.expected(
            count == 0 ? "a member's name in quotes or '}'" : "a member's name in quotes")
        }
        count &+= 1
        guard count <= Self.maximumMembers else {
          throw scanner.failure(
            "Too many members", then: "a line has at most \(Self.maximumMembers)")
        }
        let index = try name(&scanner, &present, table)
        try scanner.colon()
        scanner.flags = []
        let start = scanner.at
        let kind = try scanner.value(outside: 1)
        if index >= 0 {
          values[index] = Value(kind: kind, start: start, end: scanner.at, flags: scanner.flags)
        }
        scanner.skipBlanks()
        if scanner.next(is: 0x2C) {
          scanner.at &+= 1
          scanner.skipBlanks()
        } else if scanner.next(is: 0x7D) {
          scanner.at &+= 1
          break
        } else {
          throw scanner.expected("',' or '}'")
        }
      }
    }
    scanner.skipBlanks()
    guard scanner.at == scanner.count else {
      throw scanner.expected("the line's end after the object")
    }
    return present
  }

  /// Reads a name and marks it as present.
  ///
  /// - Returns: the key's index, or -1 for an unknown name.
  @inline(__always)
  private mutating func name(
    _ scanner: inout Scanner, _ present: inout Presence, _ table: KeyTable
  ) throws(WireError) -> Int {
    let quote = scanner.at
    scanner.flags = []
    try scanner.string()
    var index = -1
    if !scanner.flags.contains(.hasEscape),
      let known = table.find(
        scanner.bytes, from: quote &+ 1, to: scanner.at &- 1, limit: scanner.count)
    {
      index = Int(known)
    } else {
      index = try unusualName(scanner, quote)
      if index < 0 { return -1 }
    }
    if present.contains(index) { throw Self.duplicate(scanner, quote) }
    present.insert(index)
    return index
  }

  /// The index of a name that is written with escapes, or -1 for an unknown one.
  @inline(never)
  private mutating func unusualName(_ scanner: Scanner, _ quote: Int) throws(WireError) -> Int {
    var name = UnknownName(
      hash: 0, start: quote + 1, end: scanner.at - 1,
      hasEscape: scanner.flags.contains(.hasEscape))
    if name.hasEscape {
      let plain = Self.plain(name, scanner)
      if let key = plain.withUnsafeBytes({ Key($0) }) { return key.index }
      name.hash = plain.withUnsafeBytes { hash64($0) }
    } else {
      name.hash = hash64(
        UnsafeRawBufferPointer(start: scanner.bytes + name.start, count: name.end - name.start))
    }
    for other in unknown where other.hash == name.hash {
      if Self.plain(other, scanner) == Self.plain(name, scanner) {
        throw Self.duplicate(scanner, quote)
      }
    }
    unknown.append(name)
    return -1
  }

  private static func plain(_ name: UnknownName, _ scanner: Scanner) -> [UInt8] {
    let text = UnsafeRawBufferPointer(
      start: scanner.bytes + name.start, count: name.end - name.start)
    guard name.hasEscape else { return Array(text) }
    var plain: [UInt8] = []
    unescape(text, into: &plain)
    return plain
  }

  @inline(never)
  private static func notAnObject(_ scanner: Scanner) -> WireError {
    if scanner.at + 2 < scanner.count, scanner.bytes[scanner.at] == 0xEF,
      scanner.bytes[scanner.at + 1] == 0xBB, scanner.bytes[scanner.at + 2] == 0xBF
    {
      return scanner.failure("A byte order mark stands", then: "a line must start with '{'")
    }
    return scanner.expected("'{', for a line is one JSON object,")
  }

  @inline(never)
  private static func duplicate(_ scanner: Scanner, _ quote: Int) -> WireError {
    let value = Value(
      kind: .string, start: quote, end: scanner.at,
      flags: scanner.flags.contains(.hasEscape) ? .hasEscape : [])
    let line = UnsafeRawBufferPointer(start: scanner.bytes, count: scanner.count)
    return WireError(
      .malformedJSON,
      "Expected a new member's name at byte \(quote), found \"\(decodeString(value, line))\" again."
    )
  }
}
