import Relay

/// What the keeping of records costs of a turn.
extension Work {
  /// A piece of a snapshot or an operation that is read back from the store, beside its bytes: some 20 µs.
  static let entry = 1 << 10
  /// An edit that the hub makes of it, beside its line, and a whole record in a payload for the hub: up to 0.1 ms
  /// where there are many records.
  static let edit = 4 << 10
  /// A byte of a snapshot or of the view's canonical form, where it has to be made: some 50 ns.
  static let made = 4
  /// A conflict that is looked at, whether it is told or not: its sentence is made.
  static let conflict = 256
  /// A record that is gone through to find what an order means: some 2 µs.
  static let looked = 128
}
