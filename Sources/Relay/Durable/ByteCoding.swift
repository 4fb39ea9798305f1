/// Something in the store cannot be understood: it was written by a later version, or is damaged.
package struct JournalError: Error, CustomStringConvertible {
  package let description: String
}

/// Appends numbers and bytes in the store's own form: LEB128 numbers, length-prefixed bytes.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func number(_ value: some BinaryInteger) {
    bytes.append(number: UInt64(truncatingIfNeeded: value))
  }

  mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  mutating func text(_ value: String) {
    number(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func blob(_ value: [UInt8]) {
    number(value.count)
    bytes.append(contentsOf: value)
  }
}

extension [UInt8] {
  /// Unsigned LEB128 (DWARF 5, section 7.6).
  mutating func append(number value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Writes LEB128 numbers to memory that has room for them.
struct NumberWriter {
  /// Bytes of a number at most.
  static let longest = 10

  private let memory: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init(_ memory: UnsafeMutablePointer<UInt8>) { self.memory = memory }

  mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      memory[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count &+= 1
      rest >>= 7
    }
    memory[count] = UInt8(truncatingIfNeeded: rest)
    count &+= 1
  }
}

/// Reads what `ByteWriter` wrote.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func number() throws(JournalError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Self.torn
  }

  mutating func integer<Number: FixedWidthInteger>() throws(JournalError) -> Number {
    let value = try number()
    guard let number = Number(exactly: value) ?? Number(exactly: Int64(bitPattern: value)) else {
      throw Self.torn
    }
    return number
  }

  mutating func flag() throws(JournalError) -> Bool { try number() != 0 }

  mutating func text() throws(JournalError) -> String {
    String(decoding: try slice(), as: UTF8.self)
  }

  mutating func blob() throws(JournalError) -> [UInt8] { Array(try slice()) }

  private mutating func slice() throws(JournalError) -> UnsafeRawBufferPointer {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw Self.torn }
    let start = position
    position += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  static let torn = JournalError(description: "a record of the store ends in the middle")
}
