package import Bridge
package import Journal
package import Merge
package import Relay

/// The hubs of all pairs of a relay: the records that it keeps, merged from all who write them.
package final class Hubs: HubKeeper {
  /// It has this one, and lives longer.
  unowned(unsafe) let relay: Relay
  /// What hubs can be opened for.
  var schemas: [Schema]
  /// How apps of their own say whole records.
  let codecs: [any WholeRecordCodec]

  /// Who waits for hubs that are being read back or are in use aside, by the pair's number.
  var waiting: [UInt32: [Connection]] = [:]

  // Batches.
  /// What the open batch changes.
  var open = Changes()
  /// What those on their way to the disk do, in order.
  var inFlight: [(batch: UInt64, hubs: [(hub: Hub, position: UInt64)], opened: [Opening])] = []

  struct Changes {
    var hubs: [Hub] = []
    /// Those that are told with it; the log follows.
    var opened: [Opening] = []
    /// Hubs with more to compare than this batch may: they go on in the next.
    var unfinished: [Hub] = []
  }

  /// A device that has opened a hub, and the session in which it did.
  typealias Opening = (device: Device, session: UInt64)

  private init(_ relay: Relay, _ schemas: [Schema], _ codecs: [any WholeRecordCodec]) {
    self.relay = relay
    self.schemas = schemas
    self.codecs = codecs
  }

  /// What makes them for a relay: its option `hubs`.
  ///
  /// - Parameters:
  ///   - schemas: what hubs can be opened for.
  ///   - codecs: how apps of their own say whole records; of other schemas they are said as the schema has them.
  package static func keeping(
    _ schemas: [Schema], codecs: [any WholeRecordCodec] = []
  ) -> @Sendable (Relay) -> any HubKeeper {
    { Hubs($0, schemas, codecs) }
  }

  /// Those of a relay that was made with `keeping`.
  package static func of(_ relay: Relay) -> Hubs? { relay.hubs as? Hubs }

  var limits: Limits { relay.limits }
  /// Milliseconds since 1970, as stamps have them.
  var nowMS: UInt64 { UInt64(max(0, relay.wall / 1000)) }
}

// MARK: - A pair's

/// What a pair has of merged records.
final class PairHubs: PairRecords {
  /// A schema each.
  var hubs: [Hub]
  /// Numbers of those that stay in the store, for their schemas are not here.
  let absent: Set<UInt8>
  /// The merged replica that a device has opened, by the device's index.
  var sessions: [UInt16: SyncSession] = [:]
  /// The hub that takes and sends a device's whole records, by the same.
  var bridged: [UInt16: Hub] = [:]
  /// Whether they are in use aside: nobody else touches a replica then.
  var isLent = false

  init(_ hubs: [Hub] = [], absent: Set<UInt8> = []) {
    self.hubs = hubs
    self.absent = absent
  }

  var isEmpty: Bool { hubs.isEmpty && absent.isEmpty }
  var bytes: Int { hubs.reduce(0) { $0 + $1.chunks.reduce(0) { $0 + $1.bytes } } }
  var entries: Int { hubs.reduce(0) { $0 + $1.replica.log.count } }
}

extension Pair {
  /// Its hubs, where they are in memory and it has some.
  var here: PairHubs? { if case .read = records { merged } else { nil } }

  /// Its hubs; nil until the first request for one has them read.
  var merged: PairHubs? {
    switch records {
    case .unread: return nil
    case .none:
      let new = PairHubs()
      records = .read(new)
      return new
    case .read(let records): return unsafeDowncast(records, to: PairHubs.self)
    }
  }
}

extension Device {
  /// The merged replica that it has opened.
  var sync: SyncSession? {
    get { pair.here?.sessions[index] }
    set {
      pair.here?.sessions[index] = newValue
      connection?.yetToSend = newValue?.snapshot?.bytes ?? 0
    }
  }

  /// The hub that takes and sends its whole records.
  var bridge: Hub? {
    get { isBridged ? pair.here?.bridged[index] : nil }
    set {
      pair.here?.bridged[index] = newValue
      isBridged = newValue != nil
    }
  }

  /// The rank that its stamps have.
  var rank: UInt8 { isPhone ? 2 : 1 }
}

// MARK: - Batches

extension Hubs {
  /// Puts what has changed of a hub into the open batch.
  func changed(_ hub: Hub) {
    guard hub.dirtyBatch != relay.openBatch else { return }
    hub.dirtyBatch = relay.openBatch
    relay.changedHubs(of: hub.pair)
    open.hubs.append(hub)
  }

  package func takeRows(_ batch: UInt64) -> [Row] {
    let taken = open
    open = Changes()
    for hub in taken.unfinished { changed(hub) }
    guard !taken.hubs.isEmpty || !taken.opened.isEmpty else { return [] }
    let rows = taken.hubs.flatMap { $0.takeRows() }
    inFlight.append((batch, taken.hubs.map { ($0, $0.written) }, taken.opened))
    for hub in taken.hubs { collectAside(hub) }
    return rows
  }

  package func committed(_ batch: UInt64) {
    guard let done = inFlight.first, done.batch <= batch else { return }
    inFlight.removeFirst()
    for opened in done.opened
    where opened.device.session == opened.session && opened.device.sync?.openBatch == batch {
      opened.device.sync!.isOpen = true
      sendLog(opened.device)
    }
    for (hub, position) in done.hubs { finish(hub, through: position) }
  }

  /// The log is synced up to a position: it may be told.
  private func finish(_ hub: Hub, through position: UInt64) {
    let from = hub.committed
    hub.committed = max(hub.committed, position)
    guard from < hub.committed else { return }
    for device in hub.pair.devices where device.sync?.hub === hub { sendLog(device) }
  }

  /// Openings under way have been answered as uncertain, and no log may come without an answer
  /// before it: who wants it opens again.
  package func storeFailed() {
    let dropped = open.opened + inFlight.flatMap(\.opened)
    open.opened = []
    for index in inFlight.indices { inFlight[index].opened = [] }
    for (device, session) in dropped where device.session == session && device.sync?.isOpen == false
    {
      device.sync = nil
    }
  }

  package func erase(_ pair: Pair) { open.hubs.removeAll { $0.pair === pair } }
}
