import Bridge
import Journal
import Merge
import Relay
import Wire

/// The merged replica of one schema of a pair: one log of operations, and how far each device has
/// read it.
final class Hub {
  unowned(unsafe) let pair: Pair
  /// Its number within the pair.
  let index: UInt8
  let schema: Schema

  // Durable.
  var replica = Replica()
  /// Who writes: devices' own replicas and the hub's stand-ins for them, in the order of their
  /// coming.
  var authors: [Author] = []
  /// By device index, rising.
  var members: [Member] = []
  /// Devices that send and are sent whole records, by device index, rising.
  var bridges: [BridgedDevice] = []
  /// How whole records are said.
  let codec: any WholeRecordCodec
  /// What is sent whole.
  let shape: RecordShape
  /// Which of it has changed since bridged devices were last sent something; not durable.
  var watch = RecordWatch()
  /// What `Replica.viewDigest` was at a position of the log; not durable.
  var digestThen: (position: UInt64, digest: String)?
  /// The horizon at which it was last looked whether deleted records can be collected; not durable.
  var looked: UInt64 = 0
  /// How often it was not looked how far all have read.
  private var skippedLooks = 0
  /// The rows that hold the log, in order.
  var chunks: [Chunk] = []
  var nextChunk: UInt32 = 0
  /// What its log is known from, as its rows have it.
  var logBase: (position: UInt64, vector: VersionVector) = (0, VersionVector())

  /// The position up to which the log is in chunks, committed or on their way.
  var written: UInt64 = 0
  /// The position up to which the log is synced. Nothing beyond it is told.
  var committed: UInt64 = 0
  /// It is to be collected aside once its log is in rows.
  var awaitsCollection = false
  /// That is under way: nobody else may look at the replica.
  var isCollecting = false
  /// What it has for bridged devices waits for the end of what is done aside.
  var owesExport = false
  /// Rows of tracks that were made aside, for the next batch.
  var tracksInRows: [Row] = []
  /// The snapshot that is to be written with the next batch, as values of rows, and the position that it stands for.
  var snapshot: (position: UInt64, values: [[UInt8]])?
  var dirtyBatch: UInt64 = 0

  /// Whether it is time to look how far all have read. That takes a step for each record that a bridged device
  /// knows, and is asked for with each edit: where they know thousands it is done once in dozens of times.
  func isLookDue() -> Bool {
    skippedLooks += 1
    let records = bridges.reduce(0) { $0 + $1.tracks.count }
    guard skippedLooks >= records / 64 else { return false }
    skippedLooks = 0
    return true
  }

  struct Author {
    var replica: ReplicaID
    var device: UInt16
  }

  /// A device that has opened the schema.
  struct Member {
    let device: UInt16
    /// Position last answered to it: what an edit typed later is taken to have seen.
    var shown: UInt64 = 0
    /// What a device with a replica of its own has acknowledged: a position, and the time before which a delete has to
    /// stand for it to leave the record alone, in milliseconds since 1970.
    var acknowledged: UInt64 = 0
    var horizon: UInt64 = 0
    /// When a replica of its own was last heard, in milliseconds since 1970; 0 where it has none.
    var replicaHeard: UInt64 = 0
    /// When it last looked or edited here; 0 where it never did.
    var editorHeard: UInt64 = 0
  }

  /// A row of operations, or a piece of a snapshot.
  struct Chunk {
    var number: UInt32
    /// The position after its last entry; for a snapshot's piece, of the snapshot.
    var end: UInt64
    var isSnapshot: Bool
    /// Of its row.
    var bytes: Int
  }

  /// - Parameter codecs: how apps of their own say whole records.
  init(pair: Pair, index: UInt8, schema: Schema, codecs: [any WholeRecordCodec] = []) {
    self.pair = pair
    self.index = index
    self.schema = schema
    codec = Self.codec(of: schema, among: codecs)
    shape = RecordShape(schema, carrying: codec.fields)
  }

  /// How whole records of a schema are said: as its app does, else as the schema itself has it.
  private static func codec(
    of schema: Schema, among codecs: [any WholeRecordCodec]
  ) -> any WholeRecordCodec {
    codecs.first { $0.schema == schema.name } ?? RecordCodec(schema)
  }

  func member(_ device: Device) -> Int {
    if let known = members.firstIndex(where: { $0.device == device.index }) { return known }
    let index = members.firstIndex { $0.device > device.index } ?? members.count
    // A device that was never answered is taken to see what is there.
    members.insert(Member(device: device.index, shown: replica.position), at: index)
    return index
  }

  // MARK: Authors

  /// The device that a replica writes for.
  func device(of replica: ReplicaID) -> Device? {
    authors.first { $0.replica == replica }.map { pair.devices[Int($0.device)] }
  }

  func addAuthor(_ replica: ReplicaID, _ device: Device) {
    guard !authors.contains(where: { $0.replica == replica }) else { return }
    authors.append(Author(replica: replica, device: device.index))
  }

  /// The hub's own replica for a device, which writes what is typed there.
  ///
  /// Its id is drawn from the store's identity, which no other store has, so it is as unique as a
  /// random one and the same whenever it is asked for.
  func standIn(for device: Device, store: String) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "stand-in", store, pair.app, pair.name, schema.name.text, device.name),
      incarnation: 0)
  }

  /// The replicas as people call them: by their device, and which of the device's replicas one is
  /// where that is not the first. In the order of their coming.
  private func shortNames() -> [(replica: ReplicaID, name: String)] {
    var count: [UInt16: Int] = [:]
    return authors.map { author in
      count[author.device, default: 0] += 1
      let name = pair.devices[Int(author.device)].name
      // A name that holds what short vectors are put together with could not be read back.
      if name.utf8.contains(where: { $0 == 0x2C || $0 == 0x3A || $0 == 0x7E }) {
        return (author.replica, author.replica.description)
      }
      let place = count[author.device]!
      return (author.replica, place == 1 ? name : "\(name)~\(place)")
    }
  }

  /// `phone:4,watch:2`.
  func short(_ vector: VersionVector) -> String {
    shortNames().compactMap { replica, name in
      let seq = vector[replica]
      return seq == 0 ? nil : "\(name):\(seq)"
    }.joined(separator: ",")
  }

  /// A vector in its short form; nil where it is none.
  func vector(short text: String) -> VersionVector? {
    guard !text.isEmpty else { return VersionVector() }
    let replicas = Dictionary(
      shortNames().map { (Name($0.name), $0.replica) }, uniquingKeysWith: { first, _ in first })
    var entries: [VersionVector.Entry] = []
    for part in Array(text.utf8).split(separator: 0x2C, omittingEmptySubsequences: false) {
      guard let colon = part.lastIndex(of: 0x3A),
        let seq = UInt64(decimal: part[(colon + 1)...]),
        let replica = replicas[Name(utf8: Array(part[..<colon]))]
      else { return nil }
      entries.append(VersionVector.Entry(replica, seq))
    }
    return VersionVector(entries)
  }
}

/// What a session has to do with a hub.
final class SyncSession {
  let hub: Hub
  /// The device's own replica; nil for one that edits here.
  let replica: ReplicaID?
  /// The batch that its opening is told with.
  let openBatch: UInt64
  /// Whether its opening was told; the log follows.
  var isOpen = false
  /// It may write no more, and reads on.
  var isRetired = false
  /// The position up to which the log was sent, or the changes that it made were told.
  var cursor: UInt64
  /// What the device held when it opened; it is not sent again.
  var held = VersionVector()
  /// Its own operations that were here when it opened; later ones come from itself.
  var ownHead: UInt64 = 0
  var snapshot: Snapshot?

  /// A snapshot on its way, piece by piece.
  struct Snapshot {
    let pieces: [[UInt8]]
    /// The position that it stands for.
    let position: UInt64
    var next = 0
    /// Of the pieces that are yet to be sent.
    private(set) var bytes: Int

    init(pieces: [[UInt8]], position: UInt64) {
      self.pieces = pieces
      self.position = position
      bytes = pieces.reduce(0) { $0 + $1.count }
    }

    /// The next piece has been sent.
    mutating func advance() {
      bytes -= pieces[next].count
      next += 1
    }
  }

  init(hub: Hub, replica: ReplicaID?, cursor: UInt64, openBatch: UInt64) {
    self.hub = hub
    self.replica = replica
    self.cursor = cursor
    self.openBatch = openBatch
  }
}
