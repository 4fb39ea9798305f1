internal import CBytes

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
  let at = watchline_line_end(base, from, bytes.count)
  return at < bytes.count ? (at, base[at]) : nil
}

/// Whether telnet negotiation starts anywhere: asked of all that is held, so by blocks.
package func holdsTelnet(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let start = bytes.baseAddress else { return false }
  return watchline_holds_ff(start.assumingMemoryBound(to: UInt8.self), bytes.count) != 0
}
