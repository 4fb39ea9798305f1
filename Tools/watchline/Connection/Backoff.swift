/// How long to wait before the next attempt to connect: 1 s, doubled each time, at most 30 s.
package struct Backoff {
  private static let first = 1
  private static let most = 30

  private var following = Backoff.first

  package init() {}

  /// Seconds to wait now.
  package mutating func next() -> Int {
    defer { following = min(following * 2, Self.most) }
    return following
  }

  /// There is a connection again.
  package mutating func reset() {
    following = Self.first
  }
}
