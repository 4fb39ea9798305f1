/// Adds up a binary property list without building it.
///
/// ```
/// bplist00 │ objects │ offsets: one per object │ trailer
///    8     │         │ 1, 2, 4 or 8 bytes each │   32
/// ```
struct PropertyListMeasure {
  private let line: UnsafeRawBufferPointer
  private var seen = UniqueScalars()

  private var objects = 0
  /// Bytes of all objects without the references in them.
  private var bytes = 0
  /// How often a container names another object; their width depends on the number of objects.
  private var references = 0

  init(_ line: UnsafeRawBufferPointer) { self.line = line }

  var size: Int {
    let offsetTable = 8 + bytes + references * Self.width(objects)
    return offsetTable + objects * Self.width(offsetTable) + 32
  }

  /// Bytes that hold `number`, rounded up to a power of two (`_byteCount` in CFBinaryPList.c).
  private static func width(_ number: Int) -> Int {
    switch number {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  /// Adds the value and what it holds, which has been checked. Nesting is bounded by
  /// `Envelope.maximumDepth`.
  mutating func add(_ value: Value) throws(WireError) {
    switch try PropertyList.shape(of: value, in: line, .none) {
    case .string: string(value)
    case .number: number(value)
    case .bool: object(1)
    case .data(let text): data(text)
    case .date(let seconds): real(seconds, .date)
    case .array:
      var reader = ArrayReader(value, line)
      var count = 0
      while let element = reader.next() {
        try add(element)
        count += 1
      }
      object(Self.header(count))
      references += count
    case .dictionary(let dictionary):
      var reader = ObjectReader(dictionary, line)
      var count = 0
      while let (name, member) = reader.nextMember() {
        string(name)
        try add(member)
        count += 1
      }
      object(Self.header(count))
      references += 2 * count
    }
  }

  // MARK: Objects

  private mutating func object(_ length: Int) {
    objects += 1
    bytes += length
  }

  /// The marker, with the count in it or, from 15 on, in an integer after it.
  private static func header(_ count: Int) -> Int { count < 15 ? 1 : 1 + integer(Int64(count)) }

  /// A marker and 1, 2, 4 or 8 bytes; a negative one always takes 8.
  private static func integer(_ number: Int64) -> Int {
    switch number {
    case ..<0: 9
    case ...0xFF: 2
    case ...0xFFFF: 3
    case ...0xFFFF_FFFF: 5
    default: 9
    }
  }

  private mutating func string(_ value: Value) {
    guard value.flags.contains(.hasEscape) else { return string(contents(value, line)) }
    var plain: [UInt8] = []
    unescape(contents(value, line), into: &plain)
    plain.withUnsafeBytes { string($0) }
  }

  private mutating func string(_ text: UnsafeRawBufferPointer) {
    guard seen.insert(.string, text) else { return }
    // UTF-16 units: one for each byte that starts a character, another for one of four bytes.
    var units = 0
    var isASCII = true
    for byte in text {
      if byte >= 0x80 { isASCII = false }
      if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    }
    object(Self.header(units) + (isASCII ? units : 2 * units))
  }

  private mutating func number(_ value: Value) {
    if let number = decodeInteger(value, line) {
      integer(number)
      return
    }
    let text = String(
      decoding: UnsafeRawBufferPointer(rebasing: line[value.start..<value.end]), as: UTF8.self)
    if let number = UInt64(text) {
      // Beyond Int64: 16 bytes.
      if withUnsafeBytes(of: number, { seen.insert(.largeInteger, $0) }) { object(17) }
    } else {
      real(Double(text) ?? .infinity, .real)
    }
  }

  private mutating func integer(_ number: Int64) {
    if withUnsafeBytes(of: number, { seen.insert(.integer, $0) }) { object(Self.integer(number)) }
  }

  private mutating func real(_ number: Double, _ kind: UniqueScalars.Kind) {
    if withUnsafeBytes(of: number.bitPattern, { seen.insert(kind, $0) }) { object(9) }
  }

  private mutating func data(_ value: Value) {
    var decoded: [UInt8] = []
    _ = Base64Text(value, line).decode { Base64.decode($0, into: &decoded) }
    guard decoded.withUnsafeBytes({ seen.insert(.data, $0) }) else { return }
    object(Self.header(decoded.count) + decoded.count)
  }
}

/// A set of scalars by kind and bytes: open addressing over one arena.
struct UniqueScalars {
  enum Kind: UInt8 {
    case string, integer, largeInteger, real, date, data
  }

  private struct Entry {
    var kind: Kind
    var hash: UInt64
    var start: Int
    var end: Int
  }

  private var entries: [Entry] = []
  private var arena: [UInt8] = []
  /// Index into `entries`, or -1; a power of two of them, at most half full.
  private var slots = [Int](repeating: -1, count: 256)

  /// False where it is in the set already.
  mutating func insert(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let hash = hash64(bytes, seed: UInt64(kind.rawValue))
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let entry = entries[slots[slot]]
      if entry.hash == hash, entry.kind == kind, entry.end - entry.start == bytes.count,
        arena[entry.start..<entry.end].elementsEqual(bytes)
      {
        return false
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = entries.count
    entries.append(
      Entry(kind: kind, hash: hash, start: arena.count, end: arena.count + bytes.count))
    arena.append(contentsOf: bytes)
    if entries.count * 2 > slots.count { grow() }
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for (index, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = index
    }
  }
}
