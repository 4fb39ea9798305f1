import JetStream
import Journal
import PostgreSQL
import Storage
import Wire

/// This server's part in a shard: it follows it, or owns it.
final class ShardPart {
  let number: Int
  private let logs: SharedLogs
  private let directory: String
  private let contact: String
  private let options: StoreOptions
  /// The log has it that the shared log is silent.
  private var isSilenceTold = false
  private let onNews: @Sendable () -> Void
  private(set) var state: State
  /// Until when it is left to others, since it was given away; of `Server.now`.
  private(set) var givenUntil: Int64 = 0
  /// The thread that follows it, or has followed it.
  private(set) var thread: ShardThread!

  enum State {
    case following
    case owning(Site)
    /// It has failed, or has ended with the server.
    case ended
  }

  /// Opens the copy, and begins to follow.
  ///
  /// - Throws: what `Standby` does.
  init(
    _ number: Int, _ logs: SharedLogs, directory: String, contact: String, _ options: StoreOptions,
    _ maker: RelayMaker, onNews: @escaping @Sendable () -> Void
  ) throws(StoreError) {
    (self.number, self.logs, self.directory) = (number, logs, directory)
    (self.contact, self.options, self.onNews) = (contact, options, onNews)
    state = .following
    let standby = try open()
    thread = ShardThread({ () throws(StoreError) in standby }, maker, onNews: onNews)
  }

  private func open() throws(StoreError) -> Standby {
    try Standby(logs, contact: contact, directory: directory, options: options)
  }

  /// The log's name, and the last entry that the copy has.
  var description: String { "log=\(logs.log.name.quoted) entry=\(thread.view.entry)" }

  /// The site that it is served by; nil while another server serves it, or nobody.
  var site: Site? {
    if case .owning(let site) = state { site } else { nil }
  }

  func own(_ site: Site) { state = .owning(site) }

  /// The shard is this server's no longer, or not for long: the store gives it back, and it is followed again.
  func follow(after site: Site, _ maker: RelayMaker) {
    state = .following
    site.works.stop()
    let store = site.store!
    thread = ShardThread(
      { [self] () throws(StoreError) in
        store.close()
        return try open()
      }, maker, onNews: onNews)
  }

  /// From now on its relay is made otherwise.
  func use(_ maker: RelayMaker) { thread.set(maker: maker) }

  /// What is new of it, for the log.
  func tell(_ view: ShardThread.View, _ log: Log) {
    switch (view.state, isSilenceTold) {
    case (.silent(let reason), false):
      isSilenceTold = true
      log.write(.error, "event=sharedLogSilent shard=\(number) reason=\(reason.quoted)")
    case (.following, true), (.behind, true):
      isSilenceTold = false
      log.write(.info, "event=sharedLogAnswers shard=\(number)")
    default: break
    }
  }

  /// It was given to another server, and is left to others for so long, of `Server.now`.
  func leaveToOthers(until end: Int64) {
    givenUntil = end
    thread.set(reluctance: .max / 2)
  }

  func end() { state = .ended }

  /// How to reach the server that owns it, as far as is known; nil for this one and nobody.
  var holder: (owner: UInt64, contact: Contact)? {
    guard let holder = thread.view.holder, holder.contact != contact,
      let contact = Contact(holder.contact)
    else { return nil }
    return (holder.owner, contact)
  }
}

extension Options.Cluster {
  /// The log of a shard and that of its snapshots.
  ///
  /// - Throws: where there is none, or it is not as it has to be.
  func open(shard: Int, of shards: Int) throws(StoreError) -> SharedLogs {
    switch self {
    case .jetStream(var settings):
      (settings.shard, settings.shards) = (shard, shards)
      return SharedLogs(
        log: try JetStream(settings), snapshots: try JetStream(settings.snapshots))
    case .postgreSQL(var settings):
      (settings.shard, settings.shards) = (shard, shards)
      return SharedLogs(
        log: try PostgreSQL(settings), snapshots: try PostgreSQL(settings.snapshots))
    }
  }
}
