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
  ///   - clientAuthorities: a file in PEM with the certificates that sign those that clients may show; nil where they
  ///     are not asked.
  /// - Throws: the file's name and what is wrong with it.
  package init(certificate: String, key: String, clientAuthorities: String?) throws(TLSError) {
    var error = [CChar](repeating: 0, count: 512)
    guard
      let context = watchline_tls_context_new(
        certificate, key, clientAuthorities, &error, error.count)
    else {
      throw TLSError(error)
    }
    self.context = context
  }

  /// For connections that are made.
  ///
  /// - Throws: the file's name and what is wrong with it.
  package init(_ client: ClientSettings) throws(TLSError) {
    var error = [CChar](repeating: 0, count: 512)
    guard
      let context = watchline_tls_client_context_new(
        client.authorities, client.own?.certificate, client.own?.key, &error, error.count)
    else {
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

/// What a client believes of a server, and shows to it. Files are in PEM.
package struct ClientSettings: Equatable, Sendable {
  /// The certificates that are believed, and sign others; nil for the system's.
  package let authorities: String?
  /// The certificate to show, with its chain, and its key; nil for none.
  package let own: Own?

  package struct Own: Equatable, Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  package init(authorities: String?, own: Own?) {
    self.authorities = authorities
    self.own = own
  }
}

/// Why there is no TLS: one sentence.
package struct TLSError: Error {
  package let message: String

  init(_ text: [CChar]) {
    message = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
