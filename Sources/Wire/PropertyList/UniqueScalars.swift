/// A set of scalars by kind and bytes: open addressing over one arena.
///
/// A sender chooses what is in it, so the hash must not be one whose collisions can be computed:
/// Swift's `Hasher` is SipHash with a key of the process's own. Nothing depends on its order.
struct UniqueScalars {
  enum Kind: UInt8 {
    case string, integer, largeInteger, real, date, data
  }

  private struct Entry {
    var hash: Int
    var start: Int
    var count: Int
    var kind: Kind
  }

  private var entries: [Entry] = []
  private var arena: [UInt8] = []
  /// Index into `entries`, or -1; a power of two of them, at most half full.
  private var slots = [Int32](repeating: -1, count: 128)

  /// How many slots `insert` has looked at: with a good hash, fewer than three a call (Knuth, The
  /// Art of Computer Programming 6.4, algorithm L: 2.5 in a table half full).
  private(set) var probes = 0

  /// False where it is in the set already.
  ///
  /// - Complexity: the number of bytes, on average over the hash's keys.
  mutating func insert(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(bytes: bytes)
    let hash = hasher.finalize()
    var slot = hash & (slots.count - 1)
    probes += 1
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash, entry.kind == kind, entry.count == bytes.count,
        arena[entry.start..<entry.start + entry.count].elementsEqual(bytes)
      {
        return false
      }
      slot = (slot + 1) & (slots.count - 1)
      probes += 1
    }
    slots[slot] = Int32(entries.count)
    entries.append(Entry(hash: hash, start: arena.count, count: bytes.count, kind: kind))
    arena.append(contentsOf: bytes)
    if entries.count * 2 > slots.count { grow() }
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for (index, entry) in entries.enumerated() {
      var slot = entry.hash & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(index)
    }
  }
}
