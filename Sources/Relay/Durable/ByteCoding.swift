package import Journal

/// Something in the store cannot be understood: it was written by a later version, or is damaged.
package struct JournalError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// Appends numbers and bytes in the store's own format: LEB128 numbers, length-prefixed bytes.
package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init(bytes: [UInt8] = []) { self.bytes = bytes }

  package mutating func number(_ value: some BinaryInteger) {
    bytes.append(number: UInt64(truncatingIfNeeded: value))
  }

  package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  package mutating func text(_ value: String) {
    number(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  package mutating func blob(_ value: some Collection<UInt8>) {
    number(value.count)
    // Of a slice the library would make a copy first.
    let isWritten: Void? = value.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
    if isWritten == nil { bytes.append(contentsOf: value) }
  }
}

extension [UInt8] {
  /// Unsigned LEB128 (DWARF 5, section 7.6).
  mutating func append(number value: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MemoryWriter.longestNumber) { room in
      var writer = MemoryWriter(room)
      writer.number(value)
      append(contentsOf: writer.written)
    }
  }
}

/// The same as `ByteWriter`, to memory that has room: for what is written with nearly every commit. Traps
/// where there is less room than was said.
struct MemoryWriter {
  /// Bytes of a number at most.
  static let longestNumber = 10

  private let memory: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private(set) var count = 0

  init(_ room: UnsafeMutableBufferPointer<UInt8>) {
    memory = room.baseAddress!
    capacity = room.count
  }

  /// What has been written.
  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: memory, count: count) }

  /// Takes the room of the longest number, however short this one is: one comparison.
  mutating func number(_ value: some BinaryInteger) {
    precondition(
      capacity &- count >= Self.longestNumber, "no room for a number in \(capacity) bytes")
    var rest = UInt64(truncatingIfNeeded: value)
    while rest >= 0x80 {
      memory[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count &+= 1
      rest >>= 7
    }
    memory[count] = UInt8(truncatingIfNeeded: rest)
    count &+= 1
  }

  mutating func flag(_ value: Bool) { number(value ? 1 : 0) }

  mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { bytes in
      number(bytes.count)
      guard let start = bytes.baseAddress else { return }
      precondition(bytes.count <= capacity &- count, "no room for a text in \(capacity) bytes")
      (memory + count).initialize(from: start, count: bytes.count)
      count += bytes.count
    }
  }
}

/// Reads what `ByteWriter` wrote.
package struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var isAtEnd: Bool { position >= bytes.count }

  package mutating func number() throws(JournalError) -> UInt64 {
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

  package mutating func integer<Number: FixedWidthInteger>() throws(JournalError) -> Number {
    let value = try number()
    guard let number = Number(exactly: value) ?? Number(exactly: Int64(bitPattern: value)) else {
      throw Self.torn
    }
    return number
  }

  package mutating func flag() throws(JournalError) -> Bool { try number() != 0 }

  package mutating func text() throws(JournalError) -> String {
    String(decoding: try slice(), as: UTF8.self)
  }

  package mutating func blob() throws(JournalError) -> [UInt8] { Array(try slice()) }

  private mutating func slice() throws(JournalError) -> UnsafeRawBufferPointer {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw Self.torn }
    let start = position
    position += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  static let torn = JournalError(description: "a record of the store ends in the middle")
}

extension Row {
  /// Reads the value behind its version.
  ///
  /// - Throws: `JournalError` where that is another one, or `body` does.
  package func read<Result>(
    version: UInt8, _ body: (inout ByteReader) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try read(versions: version...version) { (reader, _) throws(JournalError) in try body(&reader) }
  }

  /// Reads the value behind its version, which `body` is told.
  ///
  /// - Throws: `JournalError` where the version is not known, or `body` does.
  package func read<Result>(
    versions known: ClosedRange<UInt8>,
    _ body: (inout ByteReader, UInt8) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    // A typed throw does not pass through `withUnsafeBytes`' closure.
    let result: Swift.Result<Result, JournalError> = (value ?? []).withUnsafeBytes { bytes in
      do throws(JournalError) {
        var reader = ByteReader(bytes)
        let number = try reader.number()
        guard let version = UInt8(exactly: number), known.contains(version) else {
          throw JournalError(
            description: "a row of \(key.table) has version \(number); this server knows version "
              + (known.count == 1
                ? "\(known.lowerBound)" : "\(known.lowerBound) to \(known.upperBound)"))
        }
        return .success(try body(&reader, version))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
