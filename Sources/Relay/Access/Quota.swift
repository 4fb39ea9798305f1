/// What the holders of a token may use. Of what is nil, the server's limits alone count.
package struct Quota: Sendable, Equatable {
  /// Connections that may hold the token at once.
  package var connections: Int?
  /// Pairs that may have been made with it.
  package var pairs: Int?
  /// Bytes that those pairs may hold together.
  package var bytes: Int?
  /// Lines and bytes of each of its connections; see `Pace`.
  package var linesPerSecond: Int?
  package var bytesPerSecond: Int?

  package init() {}

  /// The members of `quota` in a file of tokens, whole numbers from 1 to `most`.
  package static let names: [(name: String, path: any WritableKeyPath<Quota, Int?> & Sendable)] = [
    ("connections", \.connections), ("pairs", \.pairs), ("bytes", \.bytes),
    ("linesPerSecond", \.linesPerSecond),
    ("bytesPerSecond", \.bytesPerSecond),
  ]
  package static let most = 1_000_000_000_000

  /// Those that are set, with their names.
  package var all: [(name: String, value: Int)] {
    Self.names.compactMap { name, path in self[keyPath: path].map { (name, $0) } }
  }
}
