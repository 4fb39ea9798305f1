/// The members of one line's object: where each known one lies. Made once and used for every line
/// of a connection; scanning a line without escapes in its members' names allocates nothing.
package struct Envelope: ~Copyable {
  /// Most members of the outermost object, known and unknown.
  package static let maximumMembers = 64
  /// Most objects and arrays inside one another, the outermost object counted.
  package static let maximumDepth = 64

  /// A value for each key, of which those in `present` belong to the line. Plain memory, for an array's
  /// checks are felt here.
  private let values: UnsafeMutablePointer<Value>
  private var present = Presence()
  private var unknown: [UnknownName] = []

  /// The members found, in the envelope's own memory.
  struct Found {
    fileprivate let values: UnsafePointer<Value>
    fileprivate let present: Presence

    @inline(always)
    subscript(_ key: Key) -> Value? {
      let index = key.index
      return present.contains(index) ? values[index] : nil
    }
  }

  /// The line's members as Swift values.
  ///
  /// Nothing in them is counted, for they are made for every line: they are valid until the
  /// envelope's next scan, and only as long as the envelope is there. Where that is not plain,
  /// `withFields` sees to it.
  ///
  /// - Parameter line: the line that was scanned last.
  package func fields(of line: UnsafeRawBufferPointer) -> Fields {
    Fields(Found(values: values, present: present), line)
  }

  /// Lends the members of the line that was scanned last.
  package func withFields<Result, Failure: Error>(
    of line: UnsafeRawBufferPointer, _ body: (Fields) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(fields(of: line))
  }

  /// A bit for each key that the line has.
  fileprivate struct Presence {
    var low: UInt64 = 0
    var high: UInt64 = 0

    @inline(always)
    func contains(_ index: Int) -> Bool {
      (index < 64 ? low : high) & (1 << UInt64(truncatingIfNeeded: index & 63)) != 0
    }

    @inline(always)
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
    values = .allocate(capacity: Key.allCases.count)
    values.initialize(
      repeating: Value(kind: .null, start: 0, end: 0), count: Key.allCases.count)
    unknown.reserveCapacity(Self.maximumMembers)
  }

  deinit { values.deallocate() }

  /// The member of that name in the line scanned last, or nil. Nothing after a scan that threw.
  package subscript(_ key: Key) -> Value? {
    let index = key.index
    return present.contains(index) ? values[index] : nil
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
    guard let base = line.baseAddress, !line.isEmpty else {
      throw WireError(.malformedJSON, "expected '{' at byte 0, found the line's end")
    }
    var scanner = Scanner(base.assumingMemoryBound(to: UInt8.self), count: line.count)
    var found = Presence()
    guard object(&scanner, values, &found) else { throw scanner.wireError }
    present = found
  }

  @inline(always)
  private mutating func object(
    _ scanner: inout Scanner, _ values: UnsafeMutablePointer<Value>, _ found: inout Presence
  ) -> Bool {
    let table = NameTable.keys
    scanner.skipBlanks()
    guard scanner.next(is: 0x7B) else { return scanner.fail(.object) }
    scanner.at &+= 1
    scanner.skipBlanks()
    if scanner.next(is: 0x7D) {
      scanner.at &+= 1
    } else {
      var count = 0
      while true {
        guard scanner.next(is: 0x22) else {
          return scanner.fail(count == 0 ? .memberNameOrBrace : .memberName)
        }
        count &+= 1
        guard count <= Self.maximumMembers else { return scanner.fail(.tooManyMembers) }
        let index = name(&scanner, &found, table)
        scanner.flags = []
        guard scanner.fault == .none, scanner.colon() else { return false }
        let start = scanner.at
        guard scanner.value(outside: 1) else { return false }
        if index >= 0 {
          values[index] = Value(
            kind: scanner.kind, start: start, end: scanner.at, flags: scanner.flags)
        }
        scanner.skipBlanks()
        if scanner.next(is: 0x2C) {
          scanner.at &+= 1
          scanner.skipBlanks()
        } else if scanner.next(is: 0x7D) {
          scanner.at &+= 1
          break
        } else {
          return scanner.fail(.commaOrBrace)
        }
      }
    }
    scanner.skipBlanks()
    return scanner.at == scanner.count || scanner.fail(.end)
  }

  /// Reads a name and notes that it is there.
  ///
  /// - Returns: the key's index, or less than 0 for an unknown name or after a fault.
  @inline(always)
  private mutating func name(
    _ scanner: inout Scanner, _ found: inout Presence, _ table: NameTable
  ) -> Int {
    let quote = scanner.at
    scanner.flags = []
    guard scanner.string() else { return Self.unknownName }
    var index = Self.unknownName
    if !scanner.flags.contains(.hasEscape),
      let known = table.find(
        scanner.bytes, from: quote &+ 1, to: scanner.at &- 1, limit: scanner.count)
    {
      index = Int(known)
    } else {
      index = unusualName(scanner, quote)
      if index == Self.unknownName { return index }
    }
    if index == Self.duplicateName || found.contains(index) {
      scanner.start = quote
      scanner.fault = .duplicate
      return Self.duplicateName
    }
    found.insert(index)
    return index
  }

  private static let unknownName = -1
  private static let duplicateName = -2

  /// The key's index of a name that is written with escapes, or one of the two above.
  @inline(never)
  private mutating func unusualName(_ scanner: Scanner, _ quote: Int) -> Int {
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
        return Self.duplicateName
      }
    }
    unknown.append(name)
    return Self.unknownName
  }

  private static func plain(_ name: UnknownName, _ scanner: Scanner) -> [UInt8] {
    let text = UnsafeRawBufferPointer(
      start: scanner.bytes + name.start, count: name.end - name.start)
    guard name.hasEscape else { return Array(text) }
    var plain: [UInt8] = []
    unescape(text, into: &plain)
    return plain
  }

}
