import Wire

/// Text as its UTF-8 bytes: compared, ordered and hashed by them, never normalised.
///
/// Swift's `String` equates canonically equivalent texts, which would take two records for one.
package struct Name: Hashable, Comparable, Sendable {
  package let utf8: [UInt8]

  package init(utf8: [UInt8]) { self.utf8 = utf8 }
  package init(_ text: some StringProtocol) { utf8 = Array(text.utf8) }

  package var text: String { String(decoding: utf8, as: UTF8.self) }

  package static func == (left: Name, right: Name) -> Bool {
    left.utf8.withUnsafeBytes { one in right.utf8.withUnsafeBytes { one.equals($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package static func < (left: Name, right: Name) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension Name: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.init(text) }
  package var description: String { text }
}

extension [UInt8] {
  /// Appends a name as a JSON string with its quotes.
  mutating func append(quoted name: Name) {
    guard name.isPlain else { return name.utf8.withUnsafeBytes { append(jsonBytes: $0) } }
    append(0x22)
    append(contentsOf: name.utf8)
    append(0x22)
  }
}

extension Name {
  /// Whether nothing in it is escaped in JSON.
  fileprivate var isPlain: Bool {
    utf8.withUnsafeBytes { $0.firstEscaped(in: 0..<$0.count) == $0.count }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are the same bytes. Block by block, the last of which may overlap the one before it, and at once where
  /// both are in the same place.
  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    if baseAddress == other.baseAddress { return true }
    guard count >= 8 else { return equalsShort(other) }
    var index = 0
    while index + 8 < count {
      guard isSame(UInt64.self, other, at: index) else { return false }
      index += 8
    }
    return isSame(UInt64.self, other, at: count - 8)
  }

  @inline(__always)
  private func equalsShort(_ other: UnsafeRawBufferPointer) -> Bool {
    if count >= 4 {
      return isSame(UInt32.self, other, at: 0) && isSame(UInt32.self, other, at: count - 4)
    }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  @inline(__always)
  private func isSame<Block: FixedWidthInteger & BitwiseCopyable>(
    _ block: Block.Type, _ other: UnsafeRawBufferPointer, at place: Int
  ) -> Bool {
    loadUnaligned(fromByteOffset: place, as: block)
      == other.loadUnaligned(fromByteOffset: place, as: block)
  }
}
