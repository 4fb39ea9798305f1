// Eight bytes at a time in a machine word: the hot paths of the scanner are short strings, where
// a vector register costs more to test than it saves.

/// The eight bytes at `at`, the first one lowest.
@inline(always)
func word(_ bytes: UnsafePointer<UInt8>, at: Int) -> UInt64 {
  UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self))
}

/// `byte` in each of the eight places.
@inline(always)
func eight(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

/// Marks, by its top bit, each byte that ends a run of plain string text: a quote, a backslash, a
/// control character, or a byte of 0x80 and above.
///
/// Only the lowest mark is exact: above it a borrow may mark more.
@inline(always)
func notPlain(_ word: UInt64) -> UInt64 {
  let quote = (word ^ eight(0x22)) &- eight(1)
  let backslash = (word ^ eight(0x5C)) &- eight(1)
  let control = word &- eight(0x20)
  return (quote | backslash | control | word) & eight(0x80)
}

/// Marks, by its top bit, each byte that is zero. Only the lowest mark is exact.
@inline(always)
func zeroBytes(_ word: UInt64) -> UInt64 { (word &- eight(1)) & ~word & eight(0x80) }

/// Which byte the lowest mark stands in. `marks` is not zero.
@inline(always)
func lowestByte(_ marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }
