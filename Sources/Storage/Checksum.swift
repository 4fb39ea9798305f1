import CXXHash
import Journal

/// The checksums of a store: XXH3 with 64 bits, seeded with what the bytes are filed under, so that a
/// value that turns up in another place is noticed as well.
enum Checksum {
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    watchline_xxh3(bytes.baseAddress, bytes.count, seed)
  }

  /// Of a row: its table, pair and item, and its value.
  static func row(_ key: Row.Key, _ value: UnsafeRawBufferPointer) -> UInt64 {
    let place = UInt64(key.pair) << 32 | UInt64(key.item)
    return of(value, seed: place &+ mixed(UInt64(key.table.rawValue) + 1))
  }

  /// Of what a start reads of a segment: its number, its header and the length of its body.
  static func segment(
    _ number: UInt64, _ header: UnsafeRawBufferPointer, bodyLength: Int
  ) -> UInt64 {
    of(header, seed: mixed(number) &+ UInt64(bodyLength))
  }

  /// Spreads small numbers over 64 bits: the golden ratio's fraction (Knuth, TAOCP 3, 6.4).
  static func mixed(_ number: UInt64) -> UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }
}

extension [UInt8] {
  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }
}
