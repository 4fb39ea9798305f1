/// The names that were read lately, so that operations mostly have one copy of each: it takes less memory, and to compare
/// them less time.
///
/// Direct-mapped: each name has one slot, and the last that has come for it is in it.
package final class NameCache {
  /// The replica that was read last, as it was written.
  private var replica: (text: Name, id: ReplicaID)?
  private var slots = [Name?](repeating: nil, count: NameCache.size)

  private static let size = 256
  /// Longer ones are not names of kinds, fields and records.
  private static let longest = 64

  package init() {}

  /// A name of these bytes.
  func name(_ bytes: UnsafeRawBufferPointer) -> Name {
    guard bytes.count <= Self.longest else { return Name(utf8: Array(bytes)) }
    let slot = Self.slot(bytes)
    if let known = slots[slot], known.is(bytes) { return known }
    let name = Name(utf8: Array(bytes))
    slots[slot] = name
    return name
  }

  /// The replica that these bytes spell; nil where they spell none.
  func replica(_ bytes: UnsafeRawBufferPointer) -> ReplicaID? {
    if let replica, replica.text.is(bytes) { return replica.id }
    guard let id = ReplicaID(bytes) else { return nil }
    replica = (Name(utf8: Array(bytes)), id)
    return id
  }

  /// By the ends, where names differ.
  private static func slot(_ bytes: UnsafeRawBufferPointer) -> Int {
    var ends = UInt64(bytes.count)
    if bytes.count >= 8 {
      let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      ends ^= bytes.loadUnaligned(as: UInt64.self) &* 31 ^ last
    } else {
      for byte in bytes { ends = ends << 8 ^ UInt64(byte) }
    }
    return Int(truncatingIfNeeded: ends &* 0x9E37_79B9_7F4A_7C15 >> 40) & (size - 1)
  }
}
