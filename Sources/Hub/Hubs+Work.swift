import Relay

/// What the keeping of records costs of a turn.
extension Work {
  /// An edit that the hub makes of it, beside its line, and a whole record in a payload for the hub: up to 0.1 ms
  /// where there are many records.
  static let edit = 4 << 10
  /// A record that is gone through to find what an order means: some 2 µs.
  static let looked = 128
  /// A record that is spelled out: some 5 to 10 µs.
  static let spelled = 512
}
