/// The first LF or 0xFF at or after `from`: where a line ends, or where telnet negotiation starts.
///
/// 0xFF is in no UTF-8 text, so both are looked for in the one pass that framing needs anyway.
///
/// - Parameter from: 0...bytes.count.
/// - Returns: its offset and which of the two it is, or nil.
package func endOfLine(
  _ bytes: UnsafeRawBufferPointer, from: Int
) -> (index: Int, byte: UInt8)? {
  precondition(0...bytes.count ~= from)
  guard let start = bytes.baseAddress else { return nil }
  let base = start.assumingMemoryBound(to: UInt8.self)
  let count = bytes.count
  var at = from
  while at &+ 32 <= count {
    let first = word(base, at: at)
    let second = word(base, at: at &+ 8)
    let third = word(base, at: at &+ 16)
    let fourth = word(base, at: at &+ 24)
    if ends(first) | ends(second) | ends(third) | ends(fourth) != 0 { break }
    at &+= 32
  }
  while at &+ 8 <= count {
    let marks = ends(word(base, at: at))
    if marks != 0 {
      at &+= lowestByte(marks)
      return (at, base[at])
    }
    at &+= 8
  }
  while at < count {
    if base[at] == 0x0A || base[at] == 0xFF { return (at, base[at]) }
    at &+= 1
  }
  return nil
}

/// Marks the bytes that are LF or 0xFF; the lowest mark is exact.
@inline(always)
private func ends(_ word: UInt64) -> UInt64 { zeroBytes(word ^ eight(0x0A)) | zeroBytes(~word) }
