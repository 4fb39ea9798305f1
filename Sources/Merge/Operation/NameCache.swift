/// The names that were read lately, so that operations mostly have one copy of each: it takes less memory, and to compare
/// them less time.
///
/// Direct-mapped: each name has one slot, and the last that has come for it is in it.
package final class NameCache {
  private var slots = [Name?](repeating: nil, count: NameCache.size)
  /// Replicas, as they were written.
  private var replicas = [(text: Name, id: ReplicaID)?](
    repeating: nil, count: NameCache.replicaSlots)

  private static let size = 256
  /// A pair mostly has two replicas, and operations of one name the other.
  private static let replicaSlots = 16
  /// Longer ones are not names of kinds, fields and records.
  private static let longest = 64

  package init() {}

  /// A name of these bytes.
  func name(_ bytes: UnsafeRawBufferPointer) -> Name {
    guard bytes.count <= Self.longest else { return Name(utf8: Array(bytes)) }
    let slot = Self.slot(bytes) & (Self.size - 1)
    if let known = slots[slot], known.is(bytes) { return known }
    let name = Name(utf8: Array(bytes))
    slots[slot] = name
    return name
  }

  /// The replica that these bytes spell; nil where they spell none.
  func replica(_ bytes: UnsafeRawBufferPointer) -> ReplicaID? {
    let slot = Self.slot(bytes) & (Self.replicaSlots - 1)
    if let known = replicas[slot], known.text.is(bytes) { return known.id }
    guard let id = ReplicaID(bytes) else { return nil }
    replicas[slot] = (Name(utf8: Array(bytes)), id)
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
    return Int(truncatingIfNeeded: ends &* 0x9E37_79B9_7F4A_7C15 >> 40)
  }
}
