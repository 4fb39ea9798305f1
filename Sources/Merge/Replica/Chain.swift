import Wire

/// The hash chain of one replica's operations: h_n is the digest of h_(n-1) and the canonical
/// bytes of operation n. Two stores whose heads agree hold the same operations of it, byte for
/// byte.
package struct Chain: Hashable, Sendable {
  /// The last operation; 0 where there is none.
  package var seq: UInt64 = 0
  /// SHA-256, 32 bytes; empty where there is none.
  package var hash: [UInt8] = []
  /// The context of the last operation, from which that of the next one differs.
  package var context: Context?

  package init(seq: UInt64 = 0, hash: [UInt8] = [], context: Context? = nil) {
    self.seq = seq
    self.hash = hash
    self.context = context
  }

  package mutating func append(_ operation: Operation, _ bytes: ArraySlice<UInt8>) {
    extend(by: bytes)
    end(with: operation)
  }

  fileprivate mutating func end(with operation: Operation) {
    seq = operation.dot.seq
    context = operation.context
  }

  fileprivate mutating func extend(by bytes: ArraySlice<UInt8>) {
    var digest = SHA256()
    hash.withUnsafeBytes { digest.update($0) }
    bytes.withUnsafeBytes { digest.update($0) }
    digest.finalize(into: &hash)
  }

  package var head: Head { Head(seq: seq, hash: hash) }
}

/// A chain whose hash is worked out when somebody asks for it: most operations are followed by
/// others before that.
struct GrowingChain {
  /// Its hash lacks the operations of `rest`.
  private var chain: Chain
  private var rest: [ArraySlice<UInt8>] = []

  /// So many operations are kept waiting at most, so that their bytes do not outlive the log.
  private static let limit = 64

  init(_ chain: Chain = Chain()) { self.chain = chain }

  var seq: UInt64 { chain.seq }
  var context: Context? { chain.context }

  mutating func append(_ operation: Operation, _ bytes: ArraySlice<UInt8>) {
    rest.append(bytes)
    chain.end(with: operation)
    if rest.count >= Self.limit { _ = settled() }
  }

  /// The chain with its hash.
  mutating func settled() -> Chain {
    if !rest.isEmpty {
      for bytes in rest { chain.extend(by: bytes) }
      rest = []
    }
    return chain
  }
}

/// Where a replica's chain ends, as two stores compare it.
package struct Head: Hashable, Sendable {
  package var seq: UInt64
  package var hash: [UInt8]

  package init(seq: UInt64, hash: [UInt8]) {
    self.seq = seq
    self.hash = hash
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits.
  package var hexadecimal: String {
    String(unsafeUninitializedCapacity: 2 * count) { text in
      func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }
      for (index, byte) in enumerated() {
        text[2 * index] = digit(byte >> 4)
        text[2 * index + 1] = digit(byte & 15)
      }
      return 2 * count
    }
  }
}
