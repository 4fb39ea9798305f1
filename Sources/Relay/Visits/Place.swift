import Wire

/// Which pairs a relay has, of those of a server that is one of several.
///
/// The pairs are in shards. A shard is one server's at a time, and has a relay there. Each server has a lobby as well,
/// which takes connections and says `hello`; the first request for a pair shows where a connection goes.
package enum Place: Sendable, Equatable {
  /// All of them: the server is alone.
  case whole
  /// None.
  case lobby(shards: Int)
  /// Those of one shard, the first of which is 0.
  case shard(Int, of: Int)

  package var shards: Int {
    switch self {
    case .whole: 1
    case .lobby(let count), .shard(_, let count): count
    }
  }

  /// Whether what is asked for is here.
  func has(_ shard: Int) -> Bool {
    switch self {
    case .whole: true
    case .lobby: false
    case .shard(let number, _): number == shard
    }
  }
}

extension Place {
  /// The shard of a pair: the first 8 bytes of the SHA-256 of the app's name, a 0 and the pair's name, as a number, modulo
  /// the number of shards. That number never changes, so neither does the pair's shard.
  package static func shard(ofApp app: String, pair: String, of count: Int) -> Int {
    guard count > 1 else { return 0 }
    var digest = SHA256()
    (Array(app.utf8) + [0] + Array(pair.utf8)).withUnsafeBytes { digest.update($0) }
    let number = digest.finalize().prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
