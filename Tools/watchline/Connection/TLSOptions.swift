internal import TLS
package import Usage

/// Whether a command speaks TLS to its server, and which certificates it believes.
package struct TLSOptions: Equatable {
  /// A file in PEM; nil for the system's certificates.
  package var authorities: String?

  package static let options = [
    Option(
      "tls", "speak TLS 1.3 to the server, and believe the certificates that this machine does"),
    Option(
      "tls-ca", value: "FILE",
      "speak TLS 1.3, and believe the certificates in FILE (PEM), and those that they have signed"),
  ]

  /// nil where neither option is given.
  init?(_ arguments: Arguments) throws(UsageError) {
    authorities = arguments.string("tls-ca")
    if authorities == "" { throw UsageError("--tls-ca needs a file's name") }
    if authorities == nil, !arguments.has("tls") { return nil }
  }

  func context() throws(UsageError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext(authorities: authorities)
    } catch {
      throw UsageError("--tls-ca: \(error.message)")
    }
  }
}
