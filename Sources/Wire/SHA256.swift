internal import CCrypto

/// SHA-256 (FIPS 180-4) by libcrypto, with a state that can be stored half way.
///
/// libcrypto's one-shot interface hides that state, so this uses its plain structure.
package struct SHA256 {
  private var context = SHA256_CTX()

  package init() { SHA256_Init(&context) }

  /// Digests more bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
  }

  /// The 32 bytes of the digest of everything so far. More may be added after it.
  package func finalize() -> [UInt8] {
    var copy = context
    return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      SHA256_Final(digest.baseAddress, &copy)
      count = 32
    }
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
    var copy = context
    var bytes: [UInt8] = [Self.version]
    bytes.reserveCapacity(Self.savedLength)
    let state = withUnsafeBytes(of: &copy.h) { Array($0.bindMemory(to: UInt32.self)) }
    for word in state + [copy.Nl, copy.Nh] {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    withUnsafeBytes(of: &copy.data) { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(copy.num))
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
    withUnsafeMutableBytes(of: &context.h) { state in
      for index in 0..<8 {
        state.storeBytes(of: word(index), toByteOffset: 4 * index, as: UInt32.self)
      }
    }
    context.Nl = word(8)
    context.Nh = word(9)
    withUnsafeMutableBytes(of: &context.data) { $0.copyBytes(from: saved[41..<105]) }
    context.num = UInt32(saved[105])
  }
}
