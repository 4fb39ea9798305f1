internal import CBytes

/// SHA-256 (FIPS 180-4), with a state that can be stored half way.
package struct SHA256 {
  private var hash = watchline_sha256()

  package init() { watchline_sha256_init(&hash) }

  /// Digests more bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    watchline_sha256_update(&hash, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The 32 bytes of the digest of everything so far. More may be added after it.
  package func finalize() -> [UInt8] {
    var digest: [UInt8] = []
    finalize(into: &digest)
    return digest
  }

  /// The same into an array that is there.
  package func finalize(into digest: inout [UInt8]) {
    if digest.count != 32 { digest = Array(repeating: 0, count: 32) }
    var copy = hash
    digest.withUnsafeMutableBufferPointer { watchline_sha256_final(&copy, $0.baseAddress!) }
  }

  /// The digest in 64 lower-case hexadecimal digits.
  package var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in finalize() { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: Storing

  private static let version: UInt8 = 1
  // Version, eight words of state, the length in bits as two words, and a block of 64 bytes that
  // may be partly filled, with how far: 1 + 32 + 8 + 64 + 1.
  private static let savedLength = 106

  /// The state as 106 bytes, the same on every machine.
  package var saved: [UInt8] {
    var copy = hash
    var bytes: [UInt8] = [Self.version]
    bytes.reserveCapacity(Self.savedLength)
    let state = withUnsafeBytes(of: &copy.state) { Array($0.bindMemory(to: UInt32.self)) }
    let bits = hash.length << 3
    for word in state + [UInt32(truncatingIfNeeded: bits), UInt32(bits >> 32)] {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    // What is behind the filled part is left from an earlier block.
    let filled = Int(hash.length & 63)
    withUnsafeBytes(of: &copy.block) { bytes.append(contentsOf: $0[..<filled]) }
    bytes += Array(repeating: 0, count: 64 - filled)
    bytes.append(UInt8(filled))
    return bytes
  }

  /// A state from `saved`, or nil where the bytes are not one.
  package init?(saved: [UInt8]) {
    self.init()
    guard saved.count == Self.savedLength, saved[0] == Self.version, saved[105] < 64 else {
      return nil
    }
    func word(_ index: Int) -> UInt32 {
      saved.withUnsafeBytes {
        UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 1 + 4 * index, as: UInt32.self))
      }
    }
    // The length in bits says how far the block is filled.
    guard word(8) & 7 == 0, word(8) >> 3 & 63 == UInt32(saved[105]) else { return nil }
    withUnsafeMutableBytes(of: &hash.state) { state in
      for index in 0..<8 {
        state.storeBytes(of: word(index), toByteOffset: 4 * index, as: UInt32.self)
      }
    }
    hash.length = UInt64(word(9)) << 29 | UInt64(word(8)) >> 3
    withUnsafeMutableBytes(of: &hash.block) { $0.copyBytes(from: saved[41..<105]) }
  }
}
