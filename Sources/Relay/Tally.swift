/// How many there are by something that some of them have, such as connections by their address.
struct Tally {
  private var counts: [String: Int] = [:]

  subscript(key: String) -> Int { counts[key, default: 0] }
  var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } }

  /// - Parameter key: nil of one that has none.
  mutating func add(_ key: String?, _ count: Int = 1) {
    if let key, count != 0 { counts[key, default: 0] += count }
  }

  /// What nobody has any more is forgotten.
  mutating func remove(_ key: String?, _ count: Int = 1) {
    guard let key, let before = counts[key] else { return }
    counts[key] = before == count ? nil : before - count
  }
}
