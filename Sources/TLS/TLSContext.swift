internal import CTLS

/// What connections are accepted or made with, for TLS 1.3 alone (RFC 8446).
///
/// Belongs to one thread, as its channels do.
package final class TLSContext {
  private let context: OpaquePointer

  /// For connections that are accepted.
  ///
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

  /// For connections that are made.
  ///
  /// - Parameter authorities: a file in PEM with the certificates that are believed, and sign others; nil for the
  ///   system's.
  /// - Throws: the file's name and what is wrong with it.
  package init(authorities: String?) throws(TLSError) {
    var error = [CChar](repeating: 0, count: 512)
    guard let context = watchline_tls_client_context_new(authorities, &error, error.count) else {
      throw TLSError(error)
    }
    self.context = context
  }

  deinit { watchline_tls_context_free(context) }

  /// The server's side of a new connection; nil where there is no memory.
  package func accept() -> TLSChannel? { watchline_tls_accept(context).map(TLSChannel.init) }

  /// The client's side of a new connection; nil where there is no memory.
  ///
  /// - Parameter host: the name or the address that the server's certificate has to be for.
  package func connect(host: String) -> TLSChannel? {
    watchline_tls_connect(context, host).map(TLSChannel.init)
  }
}

/// Why there is no TLS: one sentence.
package struct TLSError: Error {
  package let message: String

  init(_ text: [CChar]) {
    message = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
