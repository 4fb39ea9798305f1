package import Wire

/// What whoever keeps the server asks of it (PROTOCOL.md clause 15).
extension Relay {
  /// Carries a request of the operator's out. Returns false where it has to wait and nothing has changed.
  func performForOperator(_ call: Call) throws(WireError) -> Bool {
    try check(.admin, call)
    if let shard = try shard(of: call), try leaves(call, for: shard) { return false }
    switch call.request {
    case .stats: stats(call)
    case .listPairs: try listPairs(call)
    case .tail: try tail(call)
    case .listDevices: return try listDevices(call)
    default: try kick(call)
    }
    return true
  }

  /// The shard that a request is about; nil where that does not matter.
  private func shard(of call: Call) throws(WireError) -> Int? {
    let count = options.place.shards
    switch call.request {
    case .listDevices, .kick: return shard(of: try pairName(call))
    case .tail:
      guard let pair = try call.fields.optionalString(.pair) else { return nil }
      let app = try call.fields.optionalString(.app)
      guard count > 1 else { return 0 }
      guard let app, !app.contains("*"), !pair.contains("*") else {
        throw WireError(
          .invalidField,
          "this server is one of several, and pairs are in \(count) shards: name one pair and its app"
        )
      }
      return shard(of: PairName(app: app, name: pair))
    default:
      guard count > 1 else { return 0 }
      guard let shard = try call.fields.optionalInteger(.shard, in: 0...Int64(count - 1)) else {
        throw WireError(
          .missingField,
          "this server is one of several, and pairs are in \(count) shards: say of which, such as shard=0"
        )
      }
      return Int(shard)
    }
  }

  private func stats(_ call: Call) {
    var figures = figures
    // However the request came, in one piece or in several.
    figures.bufferedBytes -= call.connection.buffered
    answer(call.connection) { output in
      Self.begin(&output, "stats", re: call.id, of: call.request)
      output.append(",\"now\":")
      output.append(seconds: wall)
      var json = JSONWriter()
      json.object { figures.write(&$0) }
      output.append(0x2C)
      output += json.bytes.dropFirst()
    }
  }

  // MARK: Pairs

  /// Numbers of pairs that one request looks at: some 0.5 ms where none of them is in memory.
  private static let lookedAtOnce = 20_000

  private func listPairs(_ call: Call) throws(WireError) {
    var wish = PairsWish()
    wish.pair = try call.fields.optionalString(.pair) ?? wish.pair
    wish.app = try call.fields.optionalString(.app) ?? wish.app
    wish.limit =
      try call.fields.optionalInteger(.limit, in: PairsWish.limits).map { Int($0) } ?? wish.limit
    wish.after = try call.fields.optionalInteger(.after, in: PairsWish.numbers) ?? wish.after
    let found = find(wish)
    call.connection.allowance -= found.looked + found.pairs.count * Work.line
    answer(call.connection) { output in
      Self.begin(&output, "pairs", re: call.id, of: call.request)
      output.append(0x2C)
      found.append(to: &output)
      output.append("}")
    }
  }

  /// The members of `pairs`, for whoever has shown a token by other means than the protocol.
  ///
  /// - Throws: 4010 where the server asks for a token with the grant `admin` and this is none.
  package func pairs(_ wish: PairsWish, token text: String, now time: Int64) throws(WireError)
    -> [UInt8]
  {
    setTime(time)
    if let access = options.access {
      guard let token = access.token(text, at: wall), token.grants.contains(.admin) else {
        logRefusal(of: Token.id(in: text), "at=admin")
        throw WireError(.unauthorized, "this asks for a token with the grant admin")
      }
    }
    var output = Array("{".utf8)
    find(wish).append(to: &output)
    output.append(0x7D)
    return output
  }

  /// Pairs that a wish is about, and where the next one goes on.
  private struct FoundPairs {
    var pairs: [Pair] = []
    /// How many numbers were looked at.
    var looked = 0
    /// nil at the end.
    var next: Int64?

    /// As members of an object.
    func append(to output: inout [UInt8]) {
      output.append("\"pairs\":[")
      for (index, pair) in pairs.enumerated() {
        if index > 0 { output.append(0x2C) }
        Relay.describe(pair, &output)
      }
      output.append("]")
      guard let next else { return }
      output.append(",\"next\":")
      output.append(decimal: next)
    }
  }

  private func find(_ wish: PairsWish) -> FoundPairs {
    let (name, app) = (NamePattern(wish.pair), NamePattern(wish.app))
    var found = FoundPairs()
    var number = wish.after
    let end = min(Int64(nextPair), number + Int64(Self.lookedAtOnce))
    while number + 1 < end, found.pairs.count < wish.limit {
      number += 1
      guard let pair = pairs[UInt32(number)], name.matches(pair.name), app.matches(pair.app)
      else { continue }
      found.pairs.append(pair)
    }
    found.looked = Int(number - wish.after)
    found.next = number + 1 >= Int64(nextPair) ? nil : number
    return found
  }

  private static func describe(_ pair: Pair, _ output: inout [UInt8]) {
    var json = JSONWriter()
    json.object { json in
      json.member("pair", pair.name)
      json.member("app", pair.app)
      json.member("devices", pair.devices.count)
      json.member("connected", pair.devices.count { $0.connection != nil })
      let lanes = pair.devices.flatMap(\.lanes)
      json.member("waiting", lanes.reduce(0) { $0 + $1.count })
      json.member("bytes", lanes.reduce(0) { $0 + $1.bytes })
      json.member("numbered", lanes.reduce(0) { $0 + $1.next - 1 })
    }
    output += json.bytes
  }

  // MARK: Devices

  private func listDevices(_ call: Call) throws(WireError) -> Bool {
    guard let pair = try pairInMemory(call) else { return false }
    answer(call.connection) { output in
      Self.begin(&output, "devices", re: call.id, of: call.request)
      output.append(",\"pair\":", quoted: pair.name)
      output.append(",\"app\":", quoted: pair.app)
      output.append(",\"devices\":[")
      for (index, device) in pair.devices.enumerated() {
        output.append(index == 0 ? "{\"device\":" : ",{\"device\":")
        output.append(jsonString: device.name)
        output.append(",\"role\":", quoted: device.role.rawValue)
        output.append(",\"isConnected\":")
        output.append(bool: device.connection != nil)
        if let connection = device.connection {
          if !connection.peer.isEmpty { output.append(",\"peer\":", quoted: connection.peer) }
          if let token = connection.token { output.append(",\"token\":", quoted: token.id) }
          output.append(",\"appState\":", quoted: device.appState.rawValue)
        }
        describeLanes(device, &output)
        output.append("}")
      }
      output.append("]}")
    }
    return true
  }

  /// The pair that a request names; nil while it is being read back.
  ///
  /// - Throws: 4004 where there is none, 4008 where it cannot be read.
  private func pairInMemory(_ call: Call) throws(WireError) -> Pair? {
    let name = try pairName(call)
    let failure = call.connection.pairFailure
    call.connection.pairFailure = nil
    guard let number = numbers[name] else {
      throw WireError(.invalidField, "there is no such pair of that app")
    }
    if let pair = pairs[number] { return pair }
    if let failure { throw WireError(.overloaded, failure) }
    load(number, for: call.connection)
    return nil
  }

  private func pairName(_ call: Call) throws(WireError) -> PairName {
    let name = try call.fields.string(.pair)
    return PairName(app: try call.fields.optionalString(.app) ?? "default", name: name)
  }

  // MARK: Kicking

  private func kick(_ call: Call) throws(WireError) {
    let name = try pairName(call)
    let device = try call.fields.optionalString(.device)
    let pair = numbers[name].flatMap { pairs[$0] }
    let kicked = (pair?.devices ?? []).filter {
      $0.connection != nil && (device == nil || $0.name == device)
    }
    guard !kicked.isEmpty else {
      throw WireError(
        .invalidField,
        device == nil
          ? "nobody of this pair has a session"
          : "this device has no session; listDevices shows who has")
    }
    acceptNow(call)
    for device in kicked {
      audit("kicked", device, call.connection)
      withdraw(device.connection!, "kicked")
    }
  }
}

/// Which pairs an operator wants to see (PROTOCOL.md clause 15.2).
package struct PairsWish: Sendable, Equatable {
  package static let limits: ClosedRange<Int64> = 1...1000
  package static let numbers: ClosedRange<Int64> = 0...Int64(UInt32.max)

  /// What their names and their apps' are like; `*` stands for any characters.
  package var pair = "*"
  package var app = "*"
  /// How many at most.
  package var limit = 100
  /// `next` of the answer before.
  package var after: Int64 = 0

  package init() {}
}
