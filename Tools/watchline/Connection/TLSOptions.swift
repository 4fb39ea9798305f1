internal import TLS
package import Usage

/// Whether a command speaks TLS to its server, and how.
package struct TLSOptions: Equatable {
  let client: ClientSettings

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
    let authorities = arguments.string("tls-ca")
    if authorities == "" { throw UsageError("--tls-ca needs a file's name") }
    let own: ClientSettings.Own?
    switch (arguments.string("tls-cert"), arguments.string("tls-key")) {
    case (let certificate?, let key?): own = .init(certificate: certificate, key: key)
    case (nil, nil): own = nil
    default: throw UsageError("--tls-cert and --tls-key go together")
    }
    guard authorities != nil || arguments.has("tls") else {
      if own != nil { throw UsageError("--tls-cert goes with --tls or --tls-ca FILE") }
      return nil
    }
    client = ClientSettings(authorities: authorities, own: own)
  }

  func context() throws(UsageError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext(client)
    } catch {
      throw UsageError("--tls-…: \(error.message)")
    }
  }
}
