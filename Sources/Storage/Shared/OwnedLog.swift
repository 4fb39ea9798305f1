import CSQLite
import Cluster
import Glibc

/// The log of a shard that this server owns, for the store's writer.
final class OwnedLog: Log {
  private let shard: Shard
  /// Since the database was brought up to it.
  private(set) var byteCount = 0
  /// Why the log cannot be what it was.
  private var broken: String?
  /// How long an entry may be under way before its commit is said to fail, in microseconds.
  private let patience: Int64 = 1_000_000

  private let snapshots: any SharedLog
  /// Bytes of the shard's log, as of an entry, and of what was committed since; without what each entry takes beside.
  private var bytes: Int
  private var counted: UInt64
  /// About what an entry takes beside its bytes.
  private static let overhead = 150
  /// What that has to be before a snapshot takes its place.
  private let snapshotBytes: Int

  init(_ shard: Shard, _ snapshots: any SharedLog, snapshotBytes: Int) {
    (self.shard, self.snapshots, self.snapshotBytes) = (shard, snapshots, snapshotBytes)
    bytes = shard.log.byteCount ?? 0
    counted = shard.owner.follower.sequence
  }

  var last: UInt64 { shard.owner.follower.lastBatch }

  /// The last entry.
  var entry: UInt64 { shard.owner.follower.sequence }

  /// Where the log stands, for the database to keep beside what it has of it.
  var position: [UInt8] { shard.owner.follower.position }

  /// As long as an earlier entry is under way its bytes stay what they are, and it goes before this one. `last` says which
  /// of them came through.
  func append(
    _ entry: [UInt8], sequence: UInt64, behind previous: UInt64
  ) throws(StoreError) {
    guard previous == last else {
      throw .conflict(behind: previous, last: last, path: shard.log.name)
    }
    try settle()
    guard last == previous else { return }
    byteCount += entry.count
    bytes += entry.count
    tell(shard.perform { owner, now in owner.commit(entry, through: sequence, now: now) })
    try settle()
  }

  /// When `keepUp` is to be called, of `monotonicNanoseconds`.
  var nextDue: UInt64? { shard.owner.nextDue.map { UInt64($0) * 1_000 } }

  /// Tells the others that this server is there, or sends once more what was not answered.
  ///
  /// - Throws: `conflict` where another one has taken its place.
  func keepUp() throws(StoreError) {
    tell(shard.perform { owner, now in owner.tick(now: now) })
    if shard.owner.state == .fenced { throw fenced }
  }

  /// Nothing more will be appended: another server may go on.
  func release() {
    guard shard.owner.isFree else { return }
    tell(shard.perform { owner, now in owner.release(now: now) })
    // Where that fails, whoever wants the shard waits for a while.
    try? settle()
  }

  func trim(through sequence: UInt64) { byteCount = 0 }

  /// Waits until nothing is under way.
  private func settle() throws(StoreError) {
    let began = Shard.now
    while isUnderWay {
      if shard.owner.state == .fenced { throw fenced }
      guard Shard.now - began < patience else {
        let reason = shard.silence?.reason ?? "it shows neither the entry nor another one"
        throw StoreError(
          .io, function: "append", path: shard.log.name, "the log does not answer: \(reason)")
      }
      usleep(Self.pause)
      tell(shard.perform { owner, now in owner.tick(now: now) })
    }
  }

  private var isUnderWay: Bool {
    switch shard.owner.state {
    case .owner: !shard.owner.isFree
    case .releasing, .fenced: true
    case .following, .catchingUp, .opening: false
    }
  }

  /// Microseconds between two looks whether an entry is to be sent again.
  private static let pause: UInt32 = 10_000

  private func tell(_ effects: [ShardOwner.Effect]) {
    for case .broken(let reason) in effects { broken = reason }
  }

  private var fenced: StoreError {
    StoreError(
      .conflict, code: SQLITE_BUSY, function: "append", path: shard.log.name,
      broken ?? "another server owns the shard now")
  }

  // MARK: Snapshots

  /// Whether a snapshot is due: the log is long, be it by signs of life, and longer than what comes of it.
  func wantsSnapshot(of databaseBytes: Int) -> Bool {
    let size = bytes + Self.overhead * Int(entry - counted)
    return size >= max(snapshotBytes, 2 * databaseBytes)
  }

  /// - Parameter files: the copy's.
  func snapshot(
    of database: Database, _ files: StoreFiles, vfs: String?
  ) throws(StoreError) -> SnapshotWriter {
    try SnapshotWriter(of: database, in: snapshots, path: files.snapshot, vfs: vfs)
  }

  /// A snapshot has what the entries up to that one have.
  func forget(through sequence: UInt64) {
    shard.log.trim(through: sequence)
    (bytes, counted) = (0, entry)
  }
}
