import EventLoop
import Journal
import Relay
import Storage
import Wire

/// A relay with its store, and the thread for its long work.
///
/// ```
///   sockets ──bytes──► Relay ──batch──► Store
///      ▲                 │ ▲              │
///      └──────output─────┘ └──committed───┘
/// ```
/// A lobby has no store: nothing of it is committed.
final class Site {
  let relay: Relay
  let store: Store?
  let works: WorkThread
  /// How long commits took.
  private(set) var commits = Durations()
  /// Bytes of the segments that were submitted.
  private(set) var committedBytes = 0
  /// How long nothing new was taken, in nanoseconds, and since when it is so; nil where it is not.
  private var troubleTime: UInt64 = 0
  private var troubleSince: UInt64?
  private(set) var isCommitting = false
  private var lastSubmitted: UInt64 = 0
  private var submittedAt: UInt64 = 0
  /// `EventLoop.idleTime` then.
  private var idleAtSubmission: UInt64 = 0
  /// Why the store fails, or failed when it was closed.
  private(set) var failure: StoreError?
  /// `Relay.evictedSize` when freed memory was last given back.
  private var trimmedSize = 0
  /// The same of `Relay.releasedBytes`.
  private var trimmedBytes = 0
  /// Since when its shard is being given to another server; nil where it is not.
  var leavesSince: Int64?
  /// It takes nobody in.
  var isLeaving: Bool { leavesSince != nil }

  /// - Parameter onDone: called on another thread when long work is done.
  init(_ relay: Relay, _ store: Store?, onDone: @escaping @Sendable () -> Void) {
    self.relay = relay
    self.store = store
    works = WorkThread(onDone: onDone)
  }

  /// Has the relay's effects carried out, but for what touches connections.
  func carryOut(_ effects: Effects, _ log: Log) {
    for line in effects.logs { log.write(.info, line) }
    for read in effects.reads { store?.read(read.token, read.references) }
    for number in effects.segmentReads { store?.readSegment(Self.segmentToken, number) }
    for read in effects.pairReads { store?.readPair(read) }
    if !effects.works.isEmpty { works.submit(effects.works) }
  }

  /// Gives the store the next batch, once the one before is committed.
  func submitBatch(_ loop: EventLoop) {
    guard let store, !isCommitting, let batch = relay.takeBatch() else { return }
    isCommitting = true
    idleAtSubmission = loop.idleTime
    lastSubmitted = batch.number
    committedBytes += batch.segment.map { $0.header.count + $0.body.count } ?? 0
    submittedAt = monotonicNanoseconds()
    store.submit(batch)
  }

  /// Segments are read one at a time, so their answers need no telling apart.
  private static let segmentToken = 0

  /// Evicted transfers after which freed memory is given back: some 15 MB.
  private static let trimSize = 100_000

  /// What closed connections held after which freed memory is given back.
  private static let trimBytes = 32 << 20

  /// Whether so much memory was freed since the last time that it is worth giving back.
  func hasFreedMuch() -> Bool {
    guard
      relay.evictedSize - trimmedSize >= Self.trimSize
        || relay.releasedBytes - trimmedBytes >= Self.trimBytes
    else { return false }
    trimmedSize = relay.evictedSize
    trimmedBytes = relay.releasedBytes
    return true
  }

  /// What was done aside goes on here.
  func takeWorks(now: Int64) {
    for work in works.takeDone() { relay.done(work, now: now) }
  }

  /// What its store has to say.
  ///
  /// - Returns: that another server has taken its place, where it has.
  func takeStoreEvents(now: Int64, _ loop: EventLoop, _ log: Log) -> StoreError? {
    for event in store?.takeEvents() ?? [] {
      switch event {
      case .committed(let number):
        isCommitting = false
        let duration = monotonicNanoseconds() &- submittedAt
        commits.add(seconds: Double(duration) / 1e9)
        // A loop that has waited for the store lets it go on at once, while this batch is told. One that has not is what
        // limits them, and larger batches cost it less.
        if (loop.idleTime - idleAtSubmission) * 8 > duration { submitBatch(loop) }
        relay.committed(through: number, now: now)
      case .failing(let error, _) where error.kind == .conflict: return error
      case .failing(let error, let firstUncommitted):
        noteFailure(error, log)
        // A read or the housekeeping that fails holds no commit up.
        guard firstUncommitted <= lastSubmitted else { continue }
        relay.storeFailed(error.message, now: now)
      case .full(let error):
        let isDisk = error.kind == .full
        log.write(.error, "event=\(isDisk ? "disk" : "store")Full error=\("\(error)".quoted)")
        relay.storeIsFull(error.message, isDisk: isDisk, now: now)
      case .hasRoom:
        log.write(.info, "event=storeHasRoom")
        relay.storeHasRoom(now: now)
      case .damaged(let error):
        log.write(.error, "event=storeDamaged error=\("\(error)".quoted)")
      case .recovered:
        failure = nil
        relay.storeRecovered(now: now)
      case .read(let token, let payloads):
        relay.fetched(token: token, payloads, now: now)
      case .segment(_, let segment):
        relay.fetchedSegment(segment, now: now)
      case .pair(let read, let rows):
        relay.loaded(read, rows, now: now)
      }
    }
    noteTrouble()
    return nil
  }

  /// Seconds in which nothing new was taken.
  var secondsInTrouble: Double {
    let present = troubleSince.map { monotonicNanoseconds() - $0 } ?? 0
    return Double(troubleTime + present) / 1e9
  }

  /// Whether anything new is taken may have changed.
  private func noteTrouble() {
    if relay.isInTrouble {
      troubleSince = troubleSince ?? monotonicNanoseconds()
    } else if let since = troubleSince {
      troubleTime += monotonicNanoseconds() - since
      troubleSince = nil
    }
  }

  private func noteFailure(_ error: StoreError, _ log: Log) {
    failure = error
    log.write(.error, "event=storeFailing error=\("\(error)".quoted)")
  }

  /// Whether nothing waits to be committed.
  var isAllCommitted: Bool { store == nil || !isCommitting && !relay.hasBatch }

  /// A disk that fails may do so for ever. Closing the store tries once more, with all there is.
  func submitTheRest() {
    if let batch = relay.takeBatch() { store?.submit(batch) }
    works.stop()
  }

  /// - Returns: whether everything that was accepted is on the disk.
  func close(_ log: Log) -> Bool {
    let isComplete = store?.close() ?? true
    for case .failing(let error, _) in store?.takeEvents() ?? [] { noteFailure(error, log) }
    return isComplete
  }
}
