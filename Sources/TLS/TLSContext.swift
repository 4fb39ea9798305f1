internal import CTLS

/// What connections are accepted with: a certificate and its key, for TLS 1.3 alone (RFC 8446).
///
/// Belongs to one thread, as its channels do.
package final class TLSContext {
  private let context: OpaquePointer

  /// - Parameters:
  ///   - certificate: a file in PEM, with the chain behind the certificate.
  ///   - key: a file in PEM, without a password.
  /// - Throws: the file's name and what is wrong with it.
  package init(certificate: String, key: String) throws(TLSError) {
    var error = [CChar](repeating: 0, count: 512)
    guard let context = watchline_tls_context_new(certificate, key, &error, error.count) else {
      throw TLSError(error)
    }
    self.context = context
  }

  deinit { watchline_tls_context_free(context) }

  /// The server's side of a new connection; nil where there is no memory.
  package func accept() -> TLSChannel? { watchline_tls_new(context).map(TLSChannel.init) }
}

/// Why there is no TLS: one sentence.
package struct TLSError: Error {
  package let message: String

  init(_ text: [CChar]) {
    message = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
