package import Journal

/// The durable store: batches go in, are committed in order by a thread of its own, and events come out.
///
///     loop thread                    writer thread
///     submit ──► requests ─────────► one transaction for all that waits, synced
///     read   ──►    "     ─────────► at most 256 KiB between two transactions
///     takeEvents ◄── events ◄─────── and onWake
///
/// Every method may be called from any thread; `takeEvents` and `close` belong to the loop thread.
/// A commit that fails is tried again for ever, after the database was closed and opened anew: only what
/// is synced is ever reported.
package final class Store: Sendable {
  package enum Event: Sendable, Equatable {
    /// All batches up to this number are on the disk.
    case committed(through: UInt64)
    /// A commit, a read or the housekeeping has failed and is being retried; told once for each of the
    /// three and each kind of failure until `recovered`. Batches from `firstUncommitted` on may or may not be on the disk. When it
    /// is not a commit that fails, that number has not been submitted yet.
    case failing(StoreError, firstUncommitted: UInt64)
    /// The disk is full, and commits go into room that was kept for that, which lasts for the little that
    /// drains a backlog; or the store is as large as it may become. It is told again where the one becomes the other.
    case full(StoreError)
    /// There is room again.
    case hasRoom
    /// Nothing fails any more.
    case recovered
    /// The bytes of each reference, in order; nil: a segment is gone, is shorter than that, or
    /// the first one is damaged. Fewer than were asked for: the next one is damaged.
    case read(token: Int, [[UInt8]]?)
    /// Something that was asked for is not as it was written; its answer, which follows, is nil. It is
    /// not tried again.
    case damaged(StoreError)
    /// nil: the segment is gone, or damaged.
    case segment(token: Int, Segment?)
    /// nil: the rows cannot be read at present; why is told by `failing`.
    case pair(PairRead, [Row]?)
  }

  let shared: Monitor<Shared>
  private let thread: WriterThread

  /// Opens or creates the store and makes a higher epoch durable.
  ///
  /// Blocks: reads all headers, 0.1 s for a million items; a small store, or one not closed cleanly,
  /// is checked page by page as well. A store that is refused is left byte for byte as it was.
  ///
  /// - Parameters:
  ///   - newIdentity: names the store when it is created; not empty.
  ///   - onWake: called on the writer thread when `takeEvents` has something after it had nothing.
  ///     Not called any more when `close` has returned.
  /// - Throws: `locked`, `corrupt`, `lost`, `notOurs`, `newerVersion`, `full`, `io`, `cannotOpen`.
  package static func open(
    _ location: StoreLocation, newIdentity: String, options: StoreOptions = StoreOptions(),
    onWake: @escaping @Sendable () -> Void
  ) throws(StoreError) -> (Store, Contents) {
    precondition(!newIdentity.isEmpty, "a store needs a name")
    let (source, database, contents) = try DatabaseSource.open(
      location, newIdentity: newIdentity, options: options)
    let store = Store(source, database, contents, options: options, onWake: onWake)
    return (store, contents)
  }

  /// The source and the database are the writer thread's from now on.
  convenience init(
    _ source: DatabaseSource, _ database: Database, _ contents: Contents, options: StoreOptions,
    onWake: @escaping @Sendable () -> Void
  ) {
    let shared = Monitor(Shared(lastSubmitted: contents.lastBatch))
    nonisolated(unsafe) let writer = Writer(
      source: source, database: database, lastBatch: contents.lastBatch, options: options,
      shared: shared, onWake: onWake)
    self.init(shared, WriterThread(writer))
  }

  private init(_ shared: Monitor<Shared>, _ thread: WriterThread) {
    self.shared = shared
    self.thread = thread
  }

  /// Queues a batch. Its number follows that of the batch before, the first one `Contents.lastBatch`.
  package func submit(_ batch: consuming Batch) {
    let batch = batch
    shared.with { state in
      precondition(!state.closing, "batch \(batch.number) after close")
      precondition(
        batch.number == state.lastSubmitted + 1,
        "batch \(batch.number) after batch \(state.lastSubmitted)")
      state.lastSubmitted = batch.number
      state.batches.append(batch)
    }
    shared.signal()
  }

  /// Asks for payloads. Reads are answered in the order in which they were asked for, and see at least
  /// the batches submitted before, committed or not.
  package func read(_ token: Int, _ references: [Reference]) {
    shared.with { $0.reads.append(.references(token, references)) }
    shared.signal()
  }

  /// Asks for a whole segment, in order with the other reads.
  package func readSegment(_ token: Int, _ number: UInt64) {
    shared.with { $0.reads.append(.segment(token, number)) }
    shared.signal()
  }

  /// Asks for rows of a pair, in order with the other reads. Unlike them it is not tried again when it
  /// fails: somebody waits for it who can be told.
  package func readPair(_ read: PairRead) {
    shared.with { $0.reads.append(.pair(read)) }
    shared.signal()
  }

  /// What has happened since the last call, in order.
  package func takeEvents() -> [Event] {
    shared.with { state in
      let events = state.events
      state.events = []
      return events
    }
  }

  /// What the store takes, as of the last commit.
  package var sizes: StoreSizes { shared.with { $0.sizes } }

  /// Commits all that was submitted, moves the WAL into the database, and ends the thread. While commits
  /// fail, there is one more try. Reads without an answer get none; `takeEvents` still works.
  ///
  /// Blocks. A second call answers as the first one did.
  ///
  /// - Returns: whether everything that was submitted is on the disk, under the store's name.
  @discardableResult
  package func close() -> Bool {
    shared.with { $0.closing = true }
    shared.signal()
    thread.join()
    return shared.with { $0.allCommitted }
  }
}

/// What a store takes on the disk and in memory, in bytes.
package struct StoreSizes: Sendable, Equatable {
  /// Of the log, up to the end of its last entry; 0 when it starts over.
  package var log = 0
  /// What the log has and the database does not.
  package var memTable = 0
  /// Of the database's file and its WAL.
  package var database = 0
  /// Of that, pages that hold nothing, as of the last time that the database was written to.
  package var free = 0
  /// What is used of all of it.
  package var used = 0
  /// How much that may become; `Int.max` for any number.
  package var quota = Int.max
  /// The last entry of a log that several servers share; 0 where it is this server's alone.
  package var entry: UInt64 = 0
}

/// What the two threads exchange.
struct Shared {
  enum Read {
    case references(Int, [Reference])
    case segment(Int, UInt64)
    case pair(PairRead)
  }

  var batches: [Batch] = []
  var reads: [Read] = []
  var events: [Store.Event] = []
  var lastSubmitted: UInt64
  var sizes = StoreSizes()
  var closing = false
  /// Valid after the thread has ended.
  var allCommitted = false
}
