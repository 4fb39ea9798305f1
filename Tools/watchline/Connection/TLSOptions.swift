package import TLS
package import Usage

/// Whether a command speaks TLS to its server, and which certificates it believes.
package struct TLSOptions: Equatable {
  /// A file in PEM; nil for the system's certificates.
  package var authorities: String?
  /// The certificate to show; nil for none.
  package var own: OwnCertificate?

  package static let options = [
    Option(
      "tls", "speak TLS 1.3 to the server, and believe the certificates that this machine does"),
    Option(
      "tls-ca", value: "FILE",
      "speak TLS 1.3, and believe the certificates in FILE (PEM), and those that they have signed"),
    Option("tls-cert", value: "FILE", "with either: show this certificate (PEM, with its chain)"),
    Option("tls-key", value: "FILE", "the key of that certificate (PEM)"),
  ]

  /// nil where neither option is given.
  init?(_ arguments: Arguments) throws(UsageError) {
    authorities = arguments.string("tls-ca")
    if authorities == "" { throw UsageError("--tls-ca needs a file's name") }
    switch (arguments.string("tls-cert"), arguments.string("tls-key")) {
    case (let certificate?, let key?): own = OwnCertificate(certificate: certificate, key: key)
    case (nil, nil): break
    default: throw UsageError("--tls-cert and --tls-key go together")
    }
    guard authorities == nil, !arguments.has("tls") else { return }
    if own != nil { throw UsageError("--tls-cert goes with --tls or --tls-ca FILE") }
    return nil
  }

  func context() throws(UsageError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext(authorities: authorities, own: own)
    } catch {
      throw UsageError("--tls-…: \(error.message)")
    }
  }
}
