/// How many there are by something that some of them have, such as connections by their address.
struct Tally {
  private var counts: [String: Int] = [:]

  subscript(key: String) -> Int { counts[key, default: 0] }

  /// - Parameter key: nil of one that has none.
  mutating func add(_ key: String?) {
    if let key { counts[key, default: 0] += 1 }
  }

  /// What nobody has any more is forgotten.
  mutating func remove(_ key: String?) {
    guard let key, let count = counts[key] else { return }
    counts[key] = count == 1 ? nil : count - 1
  }
}
