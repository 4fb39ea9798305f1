/// Adds up a binary property list without building it.
///
/// ```
/// bplist00 │ objects │ offsets: one per object │ trailer
///    8     │         │ 1, 2, 4 or 8 bytes each │   32
/// ```
struct PropertyListMeasure {
  private let line: UnsafeRawBufferPointer
  private var seen = UniqueScalars()
  /// What a string or data stands for, where the text spells it otherwise.
  private var plain: [UInt8] = []

  private var objects = 0
  /// Bytes of all objects without the references in them.
  private var bytes = 0
  /// How often a container names another object; their width depends on the number of objects.
  private var references = 0

  /// Steps of reading the text and of finding equal scalars: what the tests hold to its length.
  private(set) var work = 0

  /// Measures a value of `line`, which must be a dictionary.
  ///
  /// - Throws: 7010 payloadUnsupportedTypes with the key path.
  init(_ value: Value, in line: UnsafeRawBufferPointer) throws(WireError) {
    self.line = line
    var reader = try PropertyListReader(value, in: line, field: "payload")
    while let item = try reader.next() { add(item) }
    work = reader.bytesRead + seen.probes
  }

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

  private mutating func add(_ item: PropertyListReader.Item) {
    switch item {
    case .name(let name): string(name)
    case .string(let value): string(value)
    case .number(let value): number(value)
    case .bool: object(1)
    case .data(let text): data(text)
    case .real(let number): real(number, .real)
    case .date(let seconds): real(seconds, .date)
    case .array(let count):
      object(Self.header(count))
      references += count
    case .dictionary(let count):
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
    plain.removeAll(keepingCapacity: true)
    unescape(contents(value, line), into: &plain)
    let text = plain
    text.withUnsafeBytes { string($0) }
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
    plain.removeAll(keepingCapacity: true)
    _ = Base64Text(value, line).decode { Base64.decode($0, into: &plain) }
    guard plain.withUnsafeBytes({ seen.insert(.data, $0) }) else { return }
    object(Self.header(plain.count) + plain.count)
  }
}
