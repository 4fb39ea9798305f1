package import Journal
import Wire

/// What a store holds, told pair by pair as lines of JSON, without a server.
///
/// Whatever a start and a later read back of each pair would look at is looked at.
package final class StoreTelling {
  /// Rows of a pair.
  package typealias ReadRows = (PairRead) throws -> [Row]
  /// A payload; nil where its segment is gone.
  package typealias ReadPayload = (Reference) throws -> [UInt8]?

  private let relay: Relay
  private let contents: Contents
  private let rows: ReadRows
  private let payload: ReadPayload?
  private let tell: ([UInt8]) -> Void

  /// - Parameters:
  ///   - hubs: what can tell of merged records (`Relay.Options.hubs`).
  ///   - payload: nil for lines without payloads and records.
  ///   - tell: is given each line, without its LF.
  /// - Throws: `JournalError` where a start would be refused.
  package init(
    _ contents: Contents, hubs: @escaping @Sendable (Relay) -> any HubKeeper,
    rows: @escaping ReadRows, payload: ReadPayload?, tell: @escaping ([UInt8]) -> Void
  ) throws(JournalError) {
    self.contents = contents
    self.rows = rows
    self.payload = payload
    self.tell = tell
    var options = Relay.Options()
    options.hubs = hubs
    relay = try Relay(contents, options: options, now: 0)
  }

  /// Of all pairs.
  package var count: Int { relay.numbers.count }

  /// Tells the store, and all pairs by their names.
  ///
  /// - Parameter matches: whether a pair of that app and name is meant.
  /// - Returns: what cannot be understood, a sentence each.
  package func run(
    where matches: (_ app: String, _ name: String) -> Bool = { _, _ in true },
    progress: (Int, Int) -> Void = { _, _ in }
  ) -> [String] {
    line { json in
      json.member("store", contents.identity)
      json.member("epoch", contents.epoch)
      json.member("lastBatch", contents.lastBatch)
      json.member("pairs", count)
    }
    var faults: [String] = []
    let pairs = relay.numbers.sorted {
      ($0.key.app, $0.key.name) < ($1.key.app, $1.key.name)
    }
    for (index, (name, number)) in pairs.enumerated() {
      progress(index, pairs.count)
      guard matches(name.app, name.name) else { continue }
      do {
        let pair = try relay.pairs[number] ?? read(number)
        try tell(pair)
      } catch {
        let reason = (error as? JournalError)?.description ?? "\(error)"
        faults.append("pair \(name.name) of \(name.app): \(reason)")
      }
    }
    progress(pairs.count, pairs.count)
    return faults
  }

  private func read(_ number: UInt32) throws -> Pair {
    try Restoration(relay).pair(
      number, try rows(PairRead(pair: number, tables: Relay.pairTables)))
  }

  private func line(_ body: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    json.object(body)
    tell(json.bytes)
  }

  // MARK: A pair

  private func tell(_ pair: Pair) throws {
    line { json in
      json.member("pair", pair.name)
      json.member("app", pair.app)
      if let watch = pair.activeWatch { json.member("activeWatch", watch.name) }
      if let maker = pair.maker { json.member("token", maker) }
      if pair.knobs != Knobs() {
        var knobs: [UInt8] = []
        pair.knobs.write(to: &knobs)
        json.raw("knobs", String(decoding: knobs, as: UTF8.self))
      }
    }
    for device in pair.devices { tell(device) }
    for device in pair.devices {
      for name in LaneName.allCases where name != .context {
        let items = device[name].items
        for index in 0..<items.count where !items[index].flags.contains(.removed) {
          try tell(items[index], in: name, of: device)
        }
      }
      for sender in device.contexts.keys.sorted() {
        tell(device.contexts[sender]!, from: pair.devices[Int(sender)], to: device)
      }
    }
    for file in pair.files.values.sorted(by: { $0.number < $1.number }) { tell(file, pair) }
    try tellHubs(of: pair)
  }

  private func tell(_ device: Device) {
    line { json in
      json.member("pair", device.pair.name)
      json.member("device", device.name)
      json.member("role", device.role.rawValue)
      json.raw("isJoined", "\(device.hasJoined)")
      json.member("incarnations", device.incarnations.count)
      json.object("lanes") { json in
        for name in LaneName.allCases where device[name].next > 1 || device[name].count > 0 {
          let lane = device[name]
          json.object("\(name)") { json in
            json.member("acknowledged", lane.acknowledged)
            json.member("last", lane.next - 1)
            json.member("waiting", lane.count)
            json.member("bytes", lane.bytes)
          }
        }
      }
    }
  }

  private func tell(_ item: Item, in lane: LaneName, of device: Device) throws {
    let pair = device.pair
    var told: [UInt8]?
    if let payload, lane != .outcome, lane != .file, item.reference.length > 0 {
      guard let bytes = try payload(item.reference) else {
        throw JournalError(
          description: "\(device.name): the payload of \(lane) \(item.seq) is gone")
      }
      told = bytes
    }
    line { json in
      json.member("pair", pair.name)
      json.member("device", device.name)
      json.member("lane", "\(lane)")
      json.member("seq", item.seq)
      if item.transfer.isHub {
        json.member("from", "hub")
      } else {
        let sender = pair.devices[Int(item.transfer.sender)]
        json.member("from", sender.name)
        json.member("transfer", item.transfer.text(sender))
      }
      json.member("bytes", Int(item.reference.length))
      json.raw("mayBeHandedOut", "\(item.seq <= device[lane].highestHandedOut)")
      if let told { json.raw("payload", String(decoding: told, as: UTF8.self)) }
    }
  }

  private func tell(_ slot: ContextSlot, from sender: Device, to receiver: Device) {
    line { json in
      json.member("pair", receiver.pair.name)
      json.member("device", receiver.name)
      json.member("contextFrom", sender.name)
      json.member("bytes", slot.current.count)
      json.raw("isWaiting", "\(slot.seq > 0 || slot.isOwed)")
      if payload != nil { json.raw("payload", String(decoding: slot.current, as: UTF8.self)) }
    }
  }

  private func tell(_ file: FileTransfer, _ pair: Pair) {
    line { json in
      json.member("pair", pair.name)
      json.member("file", file.name)
      json.member("device", pair.devices[Int(file.receiver)].name)
      json.member("from", pair.devices[Int(file.transfer.sender)].name)
      json.member("size", file.size)
      json.member("received", file.received)
      json.member("sha256", file.digest)
      if file.seq > 0 { json.member("seq", file.seq) }
    }
  }

  private func tellHubs(of pair: Pair) throws {
    let stored = try rows(PairRead(pair: pair.number, tables: [.hub, .operation]))
    guard !stored.isEmpty else { return }
    for line in try relay.hubs!.tell(stored, of: pair, hasViews: payload != nil) { tell(line) }
  }
}
