package import Merge
import Wire

extension View {
  /// What `sync.digest` calls the view's digest: SHA-256 in hexadecimal.
  package var digest: String {
    var hash = SHA256()
    canonical.canonical.withUnsafeBytes { hash.update($0) }
    return hash.hex
  }
}
