import AppModels
import Merge

/// A device that sends and is sent whole records, as a hub knows it.
final class BridgedDevice {
  let device: UInt16

  // Durable.
  /// The one that it last used.
  var envelope = TodoTimersEnvelope()
  /// The life of its storage that the windows are of, by its index.
  var incarnation: UInt16 = 0
  /// `syncTimestamp` of the newest full sync that it sent.
  var lastFullSync: Double?
  /// The most that its clock was seen to be ahead of the hub's, in milliseconds.
  var ahead: UInt64 = 0
  /// The last delivery of the hub's that it has acknowledged.
  var processed: UInt64 = 0
  /// The last of them that it acknowledged by a line of its own, behind what it had done before. What
  /// an activation says it has processed proves less: transfers from before may have been lost with
  /// the acknowledge, and are about to come again; and an automatic one proves nothing.
  var proven: UInt64 = 0
  /// When it was last heard, in milliseconds since 1970.
  var heard: UInt64 = 0
  /// The number that the next record's row gets; from 1.
  var nextNumber: UInt32 = 1
  private(set) var records: [Identifier: Record] = [:]

  /// Everything is to be sent to it with the open batch.
  var isOwedFullSync = false
  /// Records of which it is to be sent the present state whatever it is taken to hold.
  var isOwed: Set<Identifier> = []

  // The present session.
  var session = Session()

  // Rows to write.
  private(set) var changed: Set<Identifier> = []

  struct Record {
    /// That of its row.
    var number: UInt32
    var window: RecordWindow
  }

  struct Session {
    /// When it began, in milliseconds since 1970; nil where there is none.
    var start: UInt64?
    /// `proven` as it was then.
    var proven: UInt64 = 0
    /// The activation's own acknowledges are being noted.
    var isBeginning = true
    /// A payload of its was refused, and comes again: until then an acknowledge does not prove that
    /// what it had done before is here.
    var hasRefused = false
    /// Whether what a full sync of it lacks has been deleted.
    var deletesByAbsence = false
  }

  /// How much further ahead than its dates have shown a clock is taken to be at most, where it has acted
  /// by a word without a date, in milliseconds. What is sent then is dated above that, and what the
  /// device does upon it counts as done when it comes for as long: so it is no more than a minute.
  static let margin: UInt64 = 60_000
  /// The same where a session begins and what was sent before may have been refused: two hours.
  static let wideMargin: UInt64 = 7_200_000

  /// Most records whose windows are kept: as many as a row's number has room for.
  static let recordLimit: UInt32 = 1 << 20

  init(device: UInt16) { self.device = device }

  /// The window of a record; setting nil is no use.
  subscript(id: Identifier) -> RecordWindow? {
    get { records[id]?.window }
    set {
      guard let newValue, records[id]?.window != newValue else { return }
      if records[id] == nil {
        guard nextNumber < Self.recordLimit else { return }
        records[id] = Record(number: nextNumber, window: newValue)
        nextNumber += 1
      } else {
        records[id]!.window = newValue
      }
      changed.insert(id)
    }
  }

  /// Nothing is known any more of what it holds.
  func forget() {
    for id in records.keys {
      records[id]!.window.forget { $0.seq > processed }
      changed.insert(id)
    }
    lastFullSync = nil
    processed = 0
    proven = 0
    isOwedFullSync = true
  }

  /// Notes a time that the device has told by its clock.
  func tell(_ date: Double, now: UInt64) {
    let time = PayloadDate.milliseconds(date)
    guard time > now, time - now > ahead else { return }
    let isFarther = time - now > ahead + Self.margin
    ahead = time - now
    if isFarther { doubtUndated(above: latest(at: now)) }
  }

  /// The latest date that its clock can show.
  func latest(at now: UInt64, margin: UInt64 = margin) -> Double {
    PayloadDate.date(milliseconds: now + ahead + margin)
  }

  /// What was sent since the device acted by a word may have been refused: it is sent once more.
  ///
  /// - Parameter date: the latest that the device can have dated its copies with.
  func doubtUndated(above date: Double) {
    for (id, record) in records.sorted(by: { $0.key < $1.key }) where record.window.isUndated {
      var window = record.window
      guard window.start.seq > 0 || window.entries.count > 1 else { continue }
      window.sent = max(window.sent ?? date, date)
      // Of a copy from before it came here an acknowledge proves nothing still.
      if window.start.state != .unknown { window.isUndated = false }
      self[id] = window
      isOwed.insert(id)
    }
  }

  /// Records whose rows are to be written.
  func takeChanged() -> [(id: Identifier, record: Record)] {
    let taken = changed.sorted().map { ($0, records[$0]!) }
    changed = []
    return taken
  }

  func restore(_ id: Identifier, _ record: Record) { records[id] = record }

  /// The lowest position that an edit of the device may yet begin at; nil where there is none.
  var oldestPosition: UInt64? { records.values.lazy.compactMap(\.window.oldestPosition).min() }

  /// A delivery that it refused has not reached it.
  func drop(_ seq: UInt64) {
    for id in records.keys {
      var window = records[id]!.window
      let kept = window.entries.enumerated().filter { $0.offset == 0 || $0.element.seq != seq }
      window.entries = kept.map(\.element)
      self[id] = window
    }
  }
}

extension Hub {
  func bridge(_ device: Device) -> BridgedDevice? { bridges.first { $0.device == device.index } }

  /// The hub's own replica for what a bridged device does.
  func bridgeReplica(for device: Device, store: String) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "bridge", store, pair.app, pair.name, schema.name.text, device.name),
      incarnation: 0)
  }

  /// What had been taken in at a window's start, as far as that is still known.
  func vector(at position: UInt64?) -> VersionVector {
    replica.vector(at: max(position ?? 0, oldest)) ?? replica.vector
  }
}

extension BridgedDevice {
  /// Whether the device had certainly processed a delivery, and had sent by then whatever it did
  /// before: it was sent while the device was here, or was acknowledged in an earlier session. What
  /// waited for its return may have met edits that were waiting as well.
  func hasProcessed(_ entry: RecordWindow.Entry) -> Bool {
    guard entry.seq > 0, entry.seq <= proven else { return false }
    if entry.seq <= session.proven { return true }
    return session.start.map { entry.sentAt >= $0 } ?? false
  }
}
