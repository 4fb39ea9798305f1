/// What was sent on a link, and what became of each.
package struct Ledger {
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
  private var places: [Key: Int] = [:]

  private struct Key: Hashable {
    var from: String
    /// nil for transfers, which are counted together.
    var kind: Kind?
    var number: UInt64

    init(_ from: String, _ kind: Kind, _ number: UInt64) {
      self.from = from
      self.kind = kind == .message || kind == .context ? kind : nil
      self.number = number
    }
  }

  /// - Parameter number: of its sender's, among those of its kind.
  mutating func add(_ item: Item, _ number: UInt64) {
    guard isKept else { return }
    places[Key(item.from, item.kind, number)] = items.count
    items.append(item)
  }

  mutating func end(_ from: String, _ kind: Kind, _ number: UInt64, _ fate: Fate) {
    guard let place = places[Key(from, kind, number)], items[place].fate == .waiting else { return }
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
