/// Whether a name may have come before in its object: a Bloom filter of 128 bits with one hash for each
/// object that is open. It never misses a repetition. Of eight names that differ, two are taken for alike in a
/// fifth of all objects, and whoever needs to know then reads them.
///
/// Objects within more than `levels` others have none, and their second name counts as repeated.
struct NameFilter {
  private static let levels = 4

  /// Two words a level.
  private var words = InlineArray<8, UInt64>(repeating: 0)
  /// By level beyond, whether an object there has a name already.
  private var hasDeepName: UInt64 = 0

  @inline(always)
  init() {}

  /// An object begins.
  ///
  /// - Parameter level: how many objects and arrays are open, with itself: 1 to 64.
  @inline(always)
  mutating func begin(_ level: Int) {
    guard level <= Self.levels else {
      hasDeepName &= ~(1 &<< UInt64(truncatingIfNeeded: level))
      return
    }
    words[unchecked: 2 &* level &- 2] = 0
    words[unchecked: 2 &* level &- 1] = 0
  }

  /// - Returns: false where the object of this level may have the name already.
  @inline(always)
  mutating func insert(
    _ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, _ level: Int
  ) -> Bool {
    guard level <= Self.levels else {
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: level)
      defer { hasDeepName |= bit }
      return hasDeepName & bit == 0
    }
    let hash = Self.hash(bytes, start, end)
    let word = 2 &* level &- 2 &+ Int(truncatingIfNeeded: hash >> 63)
    let bit: UInt64 = 1 &<< (hash >> 57 & 63)
    let isNew = words[unchecked: word] & bit == 0
    words[unchecked: word] |= bit
    return isNew
  }

  /// Of the length, and of the first byte, the middle one and the last. Of an empty name these are its quotes.
  @inline(always)
  private static func hash(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
    let length = end &- start
    let sample =
      UInt64(truncatingIfNeeded: length) &<< 24 | UInt64(bytes[start &+ length &>> 1]) &<< 16
      | UInt64(bytes[end &- 1]) &<< 8 | UInt64(bytes[start])
    return sample &* 0x9E37_79B9_7F4A_7C15
  }
}
