import Wire

/// What an `activate` line asks for.
struct ActivationRequest {
  var app: String
  var pair: String
  var role: Role
  var device: String
  var incarnation: String
  var isAutomatic: Bool
  var received: [(lane: LaneName, seq: UInt64)] = []
  var offsets: [String: Int] = [:]
  /// The schema that it has whole records of.
  var bridge: String?
  /// The store whose numbers it has.
  private let store: String?
  private(set) var isOfOtherStore = false

  /// What it says that it has processed of user info; nil where it does not say.
  var receivedUserInfo: UInt64? { received.first { $0.lane == .userInfo }?.seq }

  init(_ fields: Fields) throws(WireError) {
    app = try Self.name(fields, .app) ?? "default"
    guard let pair = try Self.name(fields, .pair) else {
      throw fields.missing(.pair, "a name for the phone and its watches, such as pair=demo")
    }
    self.pair = pair
    let role = try fields.string(.role)
    guard let role = Role(rawValue: role) else {
      throw WireError(.invalidField, "role is phone or watch, not \(role)")
    }
    self.role = role
    device = try Self.name(fields, .device) ?? role.rawValue
    incarnation = try fields.optionalString(.incarnation) ?? ""
    guard incarnation.utf8.count <= 64 else {
      throw WireError(
        .invalidField, "incarnation has at most 64 bytes; this has \(incarnation.utf8.count)")
    }
    let mode = try fields.optionalString(.acknowledge) ?? "manual"
    guard ["manual", "automatic"].contains(mode) else {
      throw WireError(.invalidField, "acknowledge is manual or automatic, not \(mode)")
    }
    isAutomatic = mode == "automatic"
    if let version = try fields.optionalInteger(.protocol, in: 0...Int64.max), version != 1 {
      throw WireError(.invalidField, "this server speaks protocol 1, not \(version)")
    }
    received = try Self.received(fields)
    store = try fields.optionalString(.store)
    bridge = try fields.optionalString(.bridge)
    if let files = try fields.optionalObject(.files) {
      for (transfer, offset) in fields.members(of: files) {
        guard let bytes = fields.integer(offset), bytes >= 0 else {
          throw WireError(.invalidField, "files.\(transfer) is the number of bytes already stored")
        }
        offsets[transfer] = Int(bytes)
      }
    }
  }

  /// Numbers of another store mean nothing in this one, which the answer names.
  mutating func compare(with store: String) {
    guard let own = self.store, own != store else { return }
    isOfOtherStore = true
    received = []
  }

  /// A name of a pair, app or device: 1 to 64 bytes without control characters.
  private static func name(_ fields: Fields, _ key: Key) throws(WireError) -> String? {
    guard let name = try fields.optionalString(key) else { return nil }
    guard (1...64).contains(name.utf8.count),
      name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else {
      throw WireError(
        .invalidField,
        "\(key.rawValue) is a name of 1 to 64 bytes without control characters")
    }
    return name
  }

  private static func received(_ fields: Fields) throws(WireError) -> [(LaneName, UInt64)] {
    guard let value = fields[.received] else { return [] }
    if value.kind == .number {
      return [(.userInfo, UInt64(try fields.integer(.received, in: 0...Int64.max)))]
    }
    var received: [(LaneName, UInt64)] = []
    for (name, number) in fields.members(of: try fields.object(.received)) {
      guard let lane = LaneName.delivered.first(where: { "\($0)" == name }),
        let seq = fields.integer(number), seq >= 0
      else {
        let lanes = LaneName.delivered.map { "\($0)" }.joined(separator: ", ")
        throw WireError(
          .invalidField,
          "received has the last seq processed in each of \(lanes); see received.\(name)")
      }
      received.append((lane, UInt64(seq)))
    }
    return received
  }
}
