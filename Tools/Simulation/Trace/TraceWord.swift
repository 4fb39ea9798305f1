/// A trace as one word that can be copied from a log: `wl1:` and its NDJSON in base64url without
/// padding (RFC 4648 section 5).
package enum TraceWord {
  package static let prefix = "wl1:"
  /// The longest trace, in bytes of NDJSON, that is told as a word.
  package static let limit = 2048

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The word; nil where the trace is longer than `limit`.
  package static func spell(_ trace: Trace, limit: Int = TraceWord.limit) -> String? {
    let bytes = trace.ndjson
    guard bytes.count <= limit else { return nil }
    var word = Array(prefix.utf8)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - group.count))
      for place in 0...group.count {
        word.append(alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)])
      }
    }
    return String(decoding: word, as: UTF8.self)
  }

  /// Reads a word.
  ///
  /// - Throws: where it is cut off or not a trace.
  package static func read(_ word: String) throws(TraceFault) -> Trace {
    guard word.hasPrefix(prefix) else { throw TraceFault("it does not start with \(prefix)") }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for letter in word.utf8.dropFirst(prefix.utf8.count) {
      guard let value = alphabet.firstIndex(of: letter) else {
        throw TraceFault("a trace's word has no \"\(Character(UnicodeScalar(letter)))\" in it")
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return try Trace(ndjson: bytes)
  }
}
