internal import CTLS

/// One side of a TLS connection: records in, bytes out, and the other way. It does no I/O.
///
/// ```
///  records ──► receive ──► bytes          bytes ──► send ──► takeRecords ──► records
///                 └────── handshake, alerts ──────────────────►┘
/// ```
package final class TLSChannel {
  private let tls: OpaquePointer

  /// What becomes of a connection with what it has received.
  package enum State: Equatable {
    case open
    /// The peer has said that nothing more comes from it.
    case ended
    /// Nothing can be read or written any more; the alert for the peer is among the records.
    case failed(String)
  }

  /// A record has 16 KiB at most (RFC 8446, section 5.1).
  private static let recordSize = 16 << 10

  init(_ tls: OpaquePointer) { self.tls = tls }

  deinit { watchline_tls_free(tls) }

  /// Whether the handshake is done, so that bytes can be sent.
  package var isReady: Bool { watchline_tls_is_ready(tls) != 0 }

  /// The names in the certificate that the peer has shown, once the handshake is done; none where it has shown none.
  package var peerNames: [String] {
    withUnsafeTemporaryAllocation(byteCount: Self.namesSize, alignment: 1) { buffer in
      let names = buffer.assumingMemoryBound(to: CChar.self)
      let count = watchline_tls_peer_names(tls, names.baseAddress, names.count)
      return buffer[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Bytes of names that are looked at.
  private static let namesSize = 8 << 10

  /// Begins the handshake, as a client does: what is to be sent is among the records.
  package func begin() { _ = receive(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in } }

  /// Takes records, and hands over what they hold, in pieces.
  package func receive(
    _ records: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> State {
    watchline_tls_feed(tls, records.baseAddress, records.count)
    // What an end or a failure leaves is nobody's.
    defer { watchline_tls_feed(tls, nil, 0) }
    return withUnsafeTemporaryAllocation(byteCount: Self.recordSize, alignment: 1) { buffer in
      while true {
        let count = watchline_tls_read(tls, buffer.baseAddress, buffer.count)
        switch count {
        case 1...: body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case 0: return .open
        case Int(watchline_tls_ended): return .ended
        default:
          var reason = [CChar](repeating: 0, count: 256)
          watchline_tls_explain(tls, &reason, reason.count)
          return .failed(TLSError(reason).message)
        }
      }
    }
  }

  /// Encrypts bytes, once it is ready. Returns false where that fails.
  package func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }

  package func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.isEmpty || watchline_tls_write(tls, bytes.baseAddress, bytes.count) != 0
  }

  /// Says that nothing more is sent.
  package func end() { watchline_tls_end(tls) }

  /// What is to be written to the peer.
  package func takeRecords() -> [UInt8] {
    let count = watchline_tls_waiting(tls)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      watchline_tls_take(tls, buffer.baseAddress)
      taken = count
    }
  }
}
