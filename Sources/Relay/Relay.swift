package import Journal
import Wire

/// The server's core, which decides: sessions, reachability, lanes and queues of all pairs.
///
/// Pure: each input is a call that takes the time, changes state and leaves effects behind:
/// bytes in the touched connections' outputs, reads for the store, and a batch that grows until
/// the caller takes it. Nothing that a batch covers is told or delivered before `committed`.
///
/// Not thread-safe; all calls come from one thread.
package final class Relay {
  package struct Options: Sendable {
    package var limits = Limits()
    /// Time comes from `advance` alone.
    package var hasManualClock = false
    /// What `hello` says after "watchline".
    package var version = "0.1.0"
    /// Makes what keeps merged records; nil where none are kept.
    package var hubs: (@Sendable (Relay) -> any HubKeeper)?
    /// The tokens that are taken; nil: nobody is asked for one.
    package var access: Access?
    /// Dead bytes that may stay in the store beside four times the live ones.
    package var deadAllowance = 64 << 20
    /// Other servers may own the store by now, without this one having heard of it: whoever activates is answered when a
    /// commit has shown that they do not.
    package var isShared = false
    /// Which pairs are here, of those of several servers.
    package var place = Place.whole
    /// Microseconds of service after which pairs that nobody uses are erased; nil for never.
    package var forgetAfter: Int64?

    package init() {}
  }

  var options: Options
  /// What keeps merged records; nil where none are kept.
  package private(set) var hubs: (any HubKeeper)?
  package var limits: Limits { options.limits }
  /// Names the store; devices keep it beside their numbers.
  let identity: String
  /// Makes ids of this run differ from those of every other run on the store.
  let epoch: UInt64
  /// The run in which a loss of commits was accepted, 0 for none: see `Contents`.
  let lossEpoch: UInt64

  /// Time for deadlines as of the input being processed: `ServerClock.elapsed`, or the manual clock.
  package internal(set) var now: Int64 = 0
  /// `ServerClock.offset`. The caller sets it before each input; a manual clock has none.
  package var wallOffset: Int64 = 0
  /// Time that is told and stamped, in microseconds since 1970.
  package var wall: Int64 { options.hasManualClock ? now : now + wallOffset }

  /// All pairs that there are: what an evicted one costs.
  var numbers: [PairName: UInt32] = [:]
  /// Those in memory, by number.
  package internal(set) var pairs: [UInt32: Pair] = [:]
  var nextPair: UInt32 = 1
  /// Those of which nothing is known but that one device has activated once: the ones that may be let go where there are
  /// as many pairs as there may be (PROTOCOL.md clause 4.1).
  var blankPairs = PairsByAge<KnownPair>()
  /// Where pairs are forgotten in the end: those that are not in memory, and since when.
  var unusedPairs = PairsByAge<Int64>()
  /// Unused for long enough, and being read back to be erased.
  var expired: Set<UInt32> = []
  /// The time for which the store was served, and since when it is known which pairs were used.
  var service = Service()
  /// How many pairs were made with a token, by its id.
  var makers = Tally()
  /// Bytes that those hold, by the same (`Relay+ByteQuota`), and the batch in which all were counted last.
  var makerBytes = Tally()
  var countedBatch: UInt64 = 0
  /// How many pairs were erased in this store, ever.
  var erasures: UInt64 = 0
  /// Pairs that were erased, and are not let go yet.
  var leaving: [Leaving] = []
  /// Pairs in memory to which nobody is connected, by when that began or was last looked at.
  var idle = Deque<(pair: Pair, since: Int64)>()
  /// Whether a deadline is set for the first of them.
  var isEvictionAwaited = false
  /// What has left the memory so far, about, in transfers.
  package internal(set) var evictedSize = 0
  /// Evicted pairs that are being read back, and the connections that wait for them.
  var loads: [UInt32: [Connection]] = [:]
  /// When the first unfinished upload of a pair is overdue, in memory or not.
  var uploadDeadlines: [UInt32: Int64] = [:]

  var connections: [Connection?] = []
  var freeConnections: [Int] = []
  var connectionCount = 0
  /// How many of them hold a token, by its id.
  var holders = Tally()
  /// How many of them other machines have, by the machine's address.
  var addresses = Tally()
  var uncommittedTotal = 0
  /// Bytes that connections hold: input that is not consumed and output that is not read.
  package internal(set) var buffered = 0
  /// What closed connections held that held much: memory that is worth giving back.
  package internal(set) var releasedBytes = 0
  /// Counts turns of the loop.
  var turn: UInt64 = 0
  /// What this one has left for what comes in, in units of `Work`.
  var atOnce = Work.turn
  /// Who has had its share of a turn and holds input back, in the order in which they go on.
  var held = Deque<Connection>()
  /// Whose reason to wait may be gone.
  var unblocked: [Connection] = []

  var refusalLog = LogLimit()
  var effects = Effects()
  var open: OpenBatch
  var inFlight: [CommittingBatch] = []
  var batchTimes = BatchTimes(last: 0, now: 0)
  /// The last batch known to be synced.
  package internal(set) var committed: UInt64
  /// Why the store cannot write at present.
  var storeFailure: String?
  /// Why nothing new is taken, while acknowledges and the like still are: the disk is full, or the store as large as
  /// it may become.
  var storeFullness: (reason: String, isDisk: Bool)?
  /// A store-wide row changed: the clock or the next pair's number.
  var isStoreRowDirty = false

  var segments = SegmentTable()
  var compaction: Compaction?
  var deadlines = DeadlineQueue()
  var replies: [UInt64: PendingReply] = [:]
  var nextReply: UInt64 = 1
  var nextSession: UInt64 = 1
  /// Payloads asked back from the store, by token.
  var fetches: [Int: (device: Device, wanted: [Reference])] = [:]
  var nextFetch = 1
  var isStopping = false
  /// Who is told the lines of pairs, and whose lines connections have brought meanwhile, by their numbers.
  var tails: [Tail] = []
  var origins: [Int: LineOrigin] = [:]
  var counts = Counts()

  // Reused from line to line.
  var envelope = Envelope()
  var spelled: [UInt8] = []

  struct PairName: Hashable {
    var app: String
    var name: String
  }

  /// A relay on what the store held.
  /// - Throws: `JournalError` where a row or header cannot be understood.
  package init(_ contents: Contents, options: Options, now: Int64) throws(JournalError) {
    self.options = options
    self.identity = contents.identity
    self.epoch = contents.epoch
    self.lossEpoch = contents.lossEpoch
    self.committed = contents.lastBatch
    self.open = OpenBatch(number: contents.lastBatch + 1)
    self.now = options.hasManualClock ? Self.manualEpoch : now
    hubs = options.hubs?(self)
    try restore(contents)
    batchTimes = BatchTimes(last: contents.lastBatch, now: self.now)
  }

  /// A device and a connection on which it was told the end of a transfer hold each other, and so do pairs and devices.
  deinit {
    for connection in connections { connection?.formerlyTold = [] }
    for pair in pairs.values { pair.dissolve() }
    for pair in leaving { pair.pair.dissolve() }
  }

  /// 2001-01-01, where a manual clock starts.
  static let manualEpoch: Int64 = 978_307_200_000_000

  /// Takes the caller's time, unless time comes from `advance` alone.
  func setTime(_ time: Int64) {
    if !options.hasManualClock, time > now { now = time }
  }
}

/// What the caller has to do after an input, the batch apart.
package struct Effects {
  /// Connections with output to write, with another wish to be read, or to be closed.
  package var scheduled: [Connection] = []
  /// Payloads wanted back from the store; answered by `Relay.fetched`.
  package var reads: [(token: Int, references: [Reference])] = []
  /// Whole segments wanted back; answered by `Relay.fetchedSegment`.
  package var segmentReads: [UInt64] = []
  /// Rows of pairs wanted back; answered by `Relay.loaded`.
  package var pairReads: [PairRead] = []
  /// To be done on another thread, in any order; answered by `Relay.done`.
  package var works: [LongWork] = []
  /// Something for the log: an event and its `key=value` pairs.
  package var logs: [String] = []
}

extension Relay {
  package func takeEffects() -> Effects {
    let taken = effects
    effects = Effects()
    for connection in taken.scheduled {
      connection.isScheduled = false
      account(connection)
    }
    return taken
  }

  /// When the next deadline is due, in microseconds since 1970; nil for never.
  package var nextDeadline: Int64? {
    options.hasManualClock ? nil : deadlines.next
  }

  /// How many pairs are in memory.
  package var pairsInMemory: Int { pairs.count }

  func scheduleOutput(_ connection: Connection) {
    guard !connection.isScheduled, !connection.isClosed else { return }
    connection.isScheduled = true
    effects.scheduled.append(connection)
  }

  package func log(_ line: String) { effects.logs.append(line) }
}
