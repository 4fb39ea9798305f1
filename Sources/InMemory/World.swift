package import Journal
package import Relay

/// One relay on a store in memory, with clients by name and a clock that stands still.
///
/// Nothing happens by itself: `settle` takes the relay's effects and answers them until nothing
/// moves. What is held back (commits, a client's reading, a failing store) stays held until it is
/// let go. The same calls give the same bytes, always.
///
/// Where the relay has a shard (`Relay.Place`), clients come to a lobby first.
package final class World {
  package internal(set) var relay: Relay
  /// Where clients come that have not asked for a pair; nil where the relay has all.
  package internal(set) var lobby: Relay?
  package var store: MemoryStore
  /// The true time, in microseconds since 1970; only `advance` and the tests move it.
  package var now: Int64 = 978_307_200_000_000
  /// What the system's clock of the server's machine is ahead of it; also negative.
  var systemAhead: Int64 = 0
  /// How long that machine has slept.
  var asleep: Int64 = 0
  var clock: ServerClock
  /// How many times the store has been opened.
  package internal(set) var epoch: UInt64
  /// Whether clients opened from now on keep every line that they ever read.
  package var keepsHistory = true
  /// Everything that the relay has logged.
  package private(set) var logs: [String] = []

  /// The disk takes no batch: those that are taken wait in `uncommitted`.
  package var holdsCommits = false
  /// While commits are held, a second batch is taken beside the first.
  package var takesBatchesAhead = true
  /// Batches taken and not written.
  package internal(set) var uncommitted: [Batch] = []
  package internal(set) var isFailing = false
  /// The store's answers to reads of payloads wait; those of whole segments do not.
  package var holdsReads = false
  /// The store's answers to reads of pairs wait.
  package var holdsPairReads = false
  /// Reads of pairs fail.
  package var failsPairReads = false

  /// Segments read back for compaction, and payloads for delivery.
  package private(set) var segmentsRead = 0
  package private(set) var payloadsRead = 0
  /// Evicted pairs read back.
  package private(set) var pairsRead = 0
  /// What was done aside, in pieces of work.
  package private(set) var worksRun = 0

  var options: Relay.Options
  var clients: [String: Client] = [:]
  var order: [Client] = []
  /// The process stands still, and notices nothing: `freeze`.
  var isFrozen = false
  /// Clients that have left meanwhile.
  var unnoticed: [Client] = []
  var reads: [(token: Int, references: [Reference])] = []
  var segmentReads: [UInt64] = []
  var pairReads: [PairRead] = []
  /// What is to be done aside.
  var works: [LongWork] = []
  /// What has been, and the relay does not know yet.
  var worksDone: [LongWork] = []
  /// What is to be done aside waits for `runWorks`.
  package var holdsWorks = false

  /// Bytes given to the relay at once.
  package static let readSize = 64 << 10

  /// - Parameters:
  ///   - store: what the relay starts on.
  ///   - epoch: how many times that has been opened, this time included.
  ///   - now: microseconds since 1970; 2001-01-01 where nil.
  package init(
    _ options: Relay.Options, on store: MemoryStore = MemoryStore(), epoch: UInt64 = 1,
    now: Int64? = nil
  ) throws {
    self.options = options
    if let now { self.now = now }
    self.store = store
    self.epoch = epoch
    clock = ServerClock(steady: self.now, system: self.now)
    relay = try Relay(self.store.contents(epoch: epoch), options: options, now: self.now)
    lobby = try Self.lobby(options, now: self.now)
  }

  static func lobby(_ options: Relay.Options, now: Int64) throws -> Relay? {
    guard case .shard(_, let count) = options.place else { return nil }
    return try Relay.lobby(options, shards: count, now: now)
  }

  /// Answers the relay's effects until nothing moves.
  package func settle() {
    guard !isFrozen else { return }
    while turn() {}
  }

  /// One turn of the loop. Returns whether anything happened.
  package func turn() -> Bool {
    var hasMoved = relay.hasMore || lobby?.hasMore == true
    relay.nextTurn(now: time)
    lobby?.nextTurn(now: time)
    if tellWorks() { hasMoved = true }
    for client in order where feed(client) { hasMoved = true }
    let effects = relay.takeEffects()
    let others = lobby?.takeEffects()
    logs.append(contentsOf: effects.logs + (others?.logs ?? []))
    for connection in effects.scheduled + (others?.scheduled ?? []) {
      guard let client = order.first(where: { $0.connection === connection }) else { continue }
      hasMoved = true
      look(at: client)
    }
    reads.append(contentsOf: effects.reads)
    segmentReads.append(contentsOf: effects.segmentReads)
    pairReads.append(contentsOf: effects.pairReads)
    works.append(contentsOf: effects.works)
    if !holdsWorks, runWorks() { hasMoved = true }
    if answerPairReads() { hasMoved = true }
    if answerReads() { hasMoved = true }
    if write() { hasMoved = true }
    for client in order where confirm(client) { hasMoved = true }
    return hasMoved
  }

  /// Does what is to be done aside, as another thread would; the relay hears of it in the next turn. Returns whether
  /// there was something.
  @discardableResult
  package func runWorks() -> Bool {
    let due = takeWorks()
    for work in due { work.run() }
    finish(due)
    return !due.isEmpty
  }

  /// What is to be done aside, by a thread of the caller's: `finish` follows.
  package func takeWorks() -> [LongWork] {
    defer { works = [] }
    return works
  }

  package func finish(_ done: [LongWork]) {
    worksDone += done
    worksRun += done.count
  }

  private func tellWorks() -> Bool {
    let done = worksDone
    worksDone = []
    for work in done { relay.done(work, now: time) }
    return !done.isEmpty
  }

  /// Gives the relay what a client has sent, as far as it wants it.
  private func feed(_ client: Client) -> Bool {
    var hasMoved = false
    while !client.input.isEmpty, !client.isClosed, client.isRead,
      client.relay.wantsInput(client.connection)
    {
      let chunk = Array(client.input.prefix(Self.readSize))
      client.input.removeFirst(chunk.count)
      if client.relay === lobby { lobby!.keepTime(of: relay) }
      chunk.withUnsafeBytes { client.relay.received($0, on: client.connection, now: time) }
      hasMoved = true
    }
    if client.hasEnded, !client.hasToldEnd, client.input.isEmpty, !client.isClosed {
      client.hasToldEnd = true
      client.relay.ended(client.connection, now: time)
      hasMoved = true
    }
    return hasMoved
  }

  /// Writes what there is to write, and sets whether a connection is read or closed.
  package func look(at client: Client) {
    guard !client.isClosed, !isFrozen else { return }
    let relay = client.relay
    if client.connection.hasOutput {
      client.unread.append(contentsOf: relay.takeOutput(client.connection))
    }
    if !client.holdsOutput { client.read() }
    relay.wrote(client.connection, unsent: client.unsent, now: time)
    if client.connection.isAborted {
      drop(client)
    } else if client.connection.isFinished {
      _ = confirm(client)
      drop(client)
    } else {
      client.isRead = relay.decideReading(client.connection)
      if relay.destination(of: client.connection) != nil { bring(client) }
    }
  }

  /// A client goes from the lobby to the relay, as the bytes that go from one server to another say.
  private func bring(_ client: Client) {
    let bytes = client.relay.depart(client.connection, now: time).bytes
    guard let visit = try? bytes.withUnsafeBytes({ try Visit($0) }) else {
      preconditionFailure("a visit cannot be read back")
    }
    client.go(to: relay, relay.arrive(visit, now: time))
    look(at: client)
  }

  /// A client whose bytes the relay would take, and nobody gives it: it was not said that it wants them.
  package var neglected: String? {
    order.first { !$0.isRead && $0.relay.wantsInput($0.connection) }?.name
  }

  /// A client that did not read reads again.
  package func read(_ name: String) {
    let client = client(name)
    client.holdsOutput = false
    look(at: client)
    settle()
  }

  func confirm(_ client: Client) -> Bool {
    guard !client.holdsConfirmation, !client.isClosed, client.unread.isEmpty,
      !client.connection.hasOutput, client.relay.unconfirmedPosition(client.connection) != nil
    else { return false }
    let position = client.relay.writtenPosition(client.connection)
    client.relay.confirmed(client.connection, through: position, now: time)
    return true
  }

  private func answerReads() -> Bool {
    let payloads = holdsReads ? [] : reads
    let whole = segmentReads
    guard !payloads.isEmpty || !whole.isEmpty else { return false }
    if !holdsReads { reads = [] }
    segmentReads = []
    segmentsRead += whole.count
    for read in payloads {
      payloadsRead += read.references.count
      relay.fetched(token: read.token, store.read(read.references), now: time)
    }
    for number in whole { relay.fetchedSegment(store.segment(number), now: time) }
    return true
  }

  private func answerPairReads() -> Bool {
    guard !holdsPairReads, !pairReads.isEmpty else { return false }
    let answered = pairReads
    pairReads = []
    pairsRead += answered.count
    for read in answered {
      relay.loaded(read, failsPairReads ? nil : store.rows(read, uncommitted), now: time)
    }
    return true
  }

  /// Takes the batch that is due and commits what may be committed.
  private func write() -> Bool {
    var hasMoved = false
    if relay.hasBatch, uncommitted.isEmpty || takesBatchesAhead, let batch = relay.takeBatch() {
      uncommitted.append(batch)
      hasMoved = true
    }
    guard !holdsCommits, !isFailing, !uncommitted.isEmpty else { return hasMoved }
    commitNext()
    return true
  }

  func commitNext() {
    let batch = uncommitted.removeFirst()
    store.commit(batch)
    relay.committed(through: batch.number, now: time)
  }

  /// Commits the oldest batch that is held back, and settles. Returns whether there was one.
  @discardableResult
  package func commitOne() -> Bool {
    guard !uncommitted.isEmpty else { return false }
    commitNext()
    settle()
    return true
  }
}
