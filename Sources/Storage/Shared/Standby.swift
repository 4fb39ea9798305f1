import Cluster
package import Journal

/// A server that does not own its shard: it keeps a copy that is brought up to the shard's log, and takes the shard over
/// when its owner has released it or has not been heard of for a while.
///
/// A wrong suspicion costs a take-over and nothing else: who was taken over finds out before it tells anything.
package final class Standby {
  package enum State: Sendable, Equatable {
    /// It has what the owner has, or had a moment ago.
    case following
    /// It is reading what the log has more.
    case behind
    /// The log does not answer.
    case silent(String)
    /// The shard is this server's: `serve` comes next.
    case owner
  }

  package struct Settings: Sendable {
    /// After how long without an entry of its own an owner says that it is there, in microseconds.
    package var keepalive: Int64 = 1_000_000
    /// After how long without an entry of an owner its shard is taken over.
    package var silence: Int64 = 3_000_000
    /// For how long the log may have less than the copy: a server of it that was left behind shows what it had.
    package var patience: Int64 = 10_000_000
    /// Bytes of the log at which a snapshot takes its place, where it is also twice as long as the copy.
    package var snapshotBytes = 64 << 20

    package init() {}
  }

  private let shard: Shard
  private let snapshots: any SharedLog
  private let settings: Settings
  private var options: StoreOptions
  private var source: DatabaseSource
  private var database: Database
  /// The snapshot that is to take the copy's place.
  private var restoring: SnapshotReader?
  /// Since when the log is known to lack what the copy needs next.
  private var gapSince: Int64?
  /// What the log has, up to where the copy stands, and the database does not.
  private var memTable: MemTable
  private var lastSave = Shard.now
  /// When the owner was heard of last, as far as the log could be asked.
  private var lastNews = Shard.now
  private var lastStep = Shard.now
  /// When the log was last seen to have all that the copy has.
  private var lastWhole = Shard.now
  private var isOwner = false

  /// How long it leaves a shard that is free to others, in microseconds.
  package var reluctance: Int64 = 0

  /// - Parameter contact: how the other servers reach this one once the shard is its own.
  /// - Throws: what `Store.open` does.
  package init(
    _ logs: SharedLogs, contact: String = "", directory: String, options: StoreOptions,
    settings: Settings = Settings()
  ) throws(StoreError) {
    let (source, database, follower) = try DatabaseSource.openCopy(directory, options: options)
    var owner = ShardOwner.Settings()
    owner.keepalive = settings.keepalive
    owner.follow = min(owner.follow, settings.silence / 6)
    shard = Shard(logs.log, contact: contact, at: follower, settings: owner)
    snapshots = logs.snapshots
    (self.source, self.database, self.options) = (source, database, options)
    self.settings = settings
    memTable = MemTable(behind: follower.lastBatch)
  }

  /// The number of the last entry that the copy has.
  package var sequence: UInt64 { shard.owner.follower.sequence }

  /// Who owns the shard, as far as the copy goes, and how it is reached; nil for nobody.
  package var holder: (owner: UInt64, contact: String)? {
    let follower = shard.owner.follower
    return follower.owner.map { ($0, follower.contact) }
  }

  /// Does what is due; blocks as long as the log needs for an answer.
  ///
  /// - Throws: where the log cannot be followed, or the copy takes nothing. This server has to end then.
  package func step() throws(StoreError) -> State {
    if let restoring {
      guard try restoring.step() else {
        return restoring.silence.map { .silent($0.reason) } ?? .behind
      }
      self.restoring = nil
      try restore(upTo: restoring.found)
    }
    let before = sequence
    let hasAll = hasAll
    // One that stood still has heard nothing, whatever was said.
    if Shard.now - lastStep > settings.silence / 3 { lastNews = Shard.now }
    try carryOut(shard.perform { owner, now in next(&owner, hasAll: hasAll, now) })
    if restoring != nil { return .behind }
    let now = Shard.now
    lastStep = now
    if sequence != before || shard.silence != nil { lastNews = now }
    if isOwner { return .owner }
    try saveSometimes(now)
    if let silence = shard.silence { return .silent(silence.reason) }
    guard let piece = shard.piece, piece.entries.isEmpty else { return .behind }
    if piece.last >= sequence {
      lastWhole = now
    } else if now - lastWhole >= settings.patience {
      throw shard.log.shorter(than: sequence, last: piece.last)
    }
    return .following
  }

  private func carryOut(_ effects: [ShardOwner.Effect]) throws(StoreError) {
    for effect in effects {
      switch effect {
      case .follow(let batch): memTable.apply(batch)
      case .opened: isOwner = true
      case .needsSnapshot:
        gapSince = gapSince ?? Shard.now
        restoring = SnapshotReader(snapshots, path: source.files!.snapshot, vfs: options.vfs)
      case .broken(let reason): throw shard.log.unfit(reason)
      default: break
      }
    }
  }

  /// What it wants of the shard now.
  private func next(
    _ owner: inout ShardOwner, hasAll: Bool, _ now: Int64
  ) -> [ShardOwner.Effect] {
    let wait = (owner.follower.owner == nil ? 0 : settings.silence) + reluctance
    let isFree = now - lastNews >= wait
    switch owner.state {
    case .following where isFree && hasAll: return owner.claim(now: now)
    case .catchingUp where !isFree:
      owner.withdraw()
      return []
    default: return owner.tick(now: now)
    }
  }

  /// Whether nothing new came when the log was asked last, and it had all that the copy has.
  private var hasAll: Bool {
    guard shard.silence == nil, let piece = shard.piece else { return false }
    return piece.entries.isEmpty && piece.last >= sequence
  }

  // MARK: The copy

  private func saveSometimes(_ now: Int64) throws(StoreError) {
    let isFull = memTable.byteCount >= options.memTableBytes
    guard isFull || now - lastSave >= Self.saveDelay && !memTable.isEmpty else { return }
    try save()
    lastSave = now
  }

  private static let saveDelay: Int64 = 1_000_000

  /// Puts the snapshot that was read into the copy's place.
  ///
  /// - Parameter found: the last entry that it has.
  private func restore(upTo found: UInt64) throws(StoreError) {
    guard found > sequence else {
      // There is one, as the log was trimmed: what was read may be old.
      guard Shard.now - gapSince! < settings.patience else {
        throw shard.log.gap(behind: sequence, first: shard.piece!.first)
      }
      return
    }
    gapSince = nil
    database.closeToTheEnd()
    (source, database) = try source.replaceCopy()
    let follower = try database.follower()
    memTable = MemTable(behind: follower.lastBatch)
    try carryOut(shard.perform { owner, now in owner.restored(follower, now: now) })
  }

  private func save() throws(StoreError) {
    let follower = shard.owner.follower
    try source.open?.check()
    try database.put(memTable, position: follower.position, identity: follower.identity)
    memTable = MemTable(behind: memTable.lastBatch)
    try database.checkpoint()
    try source.open?.measure()
  }

  /// Leaves the copy in order. It is as good after a kill.
  package func close() {
    try? save()
    database.closeToTheEnd()
  }

  /// Serves the shard, once it is this server's.
  ///
  /// - Parameter onWake: see `Store.open`.
  package func serve(
    onWake: @escaping @Sendable () -> Void
  ) throws(StoreError) -> (Store, Contents) {
    let follower = shard.owner.follower
    precondition(isOwner)
    let log = OwnedLog(shard, snapshots, snapshotBytes: settings.snapshotBytes)
    try save()
    var contents = try database.load(database.state, thoroughly: true)
    contents.identity = follower.identity!
    contents.epoch = follower.epoch
    // A group is one entry, where that can be.
    options.groupBytes = min(options.groupBytes, shard.log.entryBytes / 2)
    var source = source
    source.log = log
    source.ownedLog = log
    return (Store(source, database, contents, options: options, onWake: onWake), contents)
  }
}

extension SharedLog {
  fileprivate func error(
    _ kind: StoreError.Kind, _ function: String, _ message: String
  ) -> StoreError {
    StoreError(kind, function: function, path: name, message)
  }

  fileprivate func gap(behind sequence: UInt64, first: UInt64) -> StoreError {
    error(
      .lost, "read",
      "the log begins with entry \(first), and the copy ends with entry \(sequence): what is between them was trimmed; "
        + "start with a copy of the folder of a server that has it")
  }

  fileprivate func unfit(_ reason: String) -> StoreError {
    error(
      .corrupt, "read",
      "the log is not the one of this copy, or somebody else has written to it: \(reason)")
  }

  fileprivate func shorter(than sequence: UInt64, last: UInt64) -> StoreError {
    error(
      .lost, "read",
      "the log ends with entry \(last), and the copy has entry \(sequence): the log has lost what it had, or it is "
        + "another one's; do not start an empty one in its place before you know which")
  }
}
