import CBytes
import Seeded
import Testing
import Wire

@Suite struct SHA256Tests {
  /// FIPS 180-4 examples, and a million of `a`.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]) func vectors(text: String, count: Int, hex: String) {
    var digest = SHA256()
    let bytes = Array(String(repeating: text, count: count).utf8)
    bytes.withUnsafeBytes { digest.update($0) }
    #expect(digest.hex == hex)
    #expect(digest.finalize().count == 32)
    #expect(digest.hex == hex)
  }

  @Test func survivesBeingStoredAnywhere() throws {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var whole = SHA256()
    bytes.withUnsafeBytes { whole.update($0) }
    for split in 0...bytes.count {
      var first = SHA256()
      bytes[..<split].withUnsafeBytes { first.update($0) }
      var second = try #require(SHA256(saved: first.saved))
      bytes[split...].withUnsafeBytes { second.update($0) }
      #expect(second.finalize() == whole.finalize())
      #expect(second.saved == whole.saved)
    }
  }

  /// What the processor has of its own, and plain C, are one function.
  @Test func theProcessorsRoundsArePlainOnes() {
    var random = SplitMix64(seed: 1)
    for count in 0...9 {
      let bytes = (0..<count * 64).map { _ in UInt8.random(in: 0...255, using: &random) }
      let start = (0..<8).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
      var (plain, fast) = (start, start)
      bytes.withUnsafeBufferPointer { bytes in
        let empty: [UInt8] = [0]
        empty.withUnsafeBufferPointer { empty in
          let start = bytes.baseAddress ?? empty.baseAddress!
          watchline_sha256_blocks_plain(&plain, start, count)
          watchline_sha256_blocks(&fast, start, count)
        }
      }
      #expect(plain == fast)
      #expect(count == 0 || plain != start)
    }
  }

  @Test func refusesWhatItDidNotSave() {
    let saved = SHA256().saved
    #expect(SHA256(saved: []) == nil)
    #expect(SHA256(saved: saved + [0]) == nil)
    #expect(SHA256(saved: [2] + saved.dropFirst()) == nil)
    #expect(SHA256(saved: saved.dropLast() + [1]) == nil)
    #expect(SHA256(saved: saved.dropLast() + [64]) == nil)
  }
}
