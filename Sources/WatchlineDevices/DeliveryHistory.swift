/// What was sent on a link, and what became of each.
package struct DeliveryHistory {
  package enum Kind: String, Sendable {
    case message, context = "application context", userInfo = "user info", complication, file
  }

  package enum Fate: Equatable, Sendable {
    case waiting
    case delivered
    /// A newer context took its place.
    case replaced
    case cancelled
    case failed(DeviceError)
    /// A fault of the test's took it away.
    case dropped
  }

  package struct Item: Sendable {
    package var from: String
    package var kind: Kind
    /// What a report shows of it: JSON, or a file's name.
    package var payload: [UInt8]
    package var fate = Fate.waiting
  }

  /// Whether anybody will ask: an app that runs for weeks has nobody who does.
  var isKept = true
  package private(set) var items: [Item] = []

  /// Where an item stands; nil for one that is not kept.
  typealias Place = Int?

  mutating func add(_ item: Item) -> Place {
    guard isKept else { return nil }
    items.append(item)
    return items.count - 1
  }

  /// Of an item the first end counts.
  mutating func end(_ place: Place, _ fate: Fate) {
    guard let place, items[place].fate == .waiting else { return }
    items[place].fate = fate
  }

  /// A message never came. Where nobody waits for its reply it was taken for delivered once it had been sent.
  mutating func drop(message payload: [UInt8], from: String) {
    let place = items.lastIndex {
      $0.kind == .message && $0.from == from && $0.payload == payload
        && ($0.fate == .waiting || $0.fate == .delivered)
    }
    if let place { items[place].fate = .dropped }
  }
}
