package import Journal
package import Relay

/// One relay on a store in memory, with clients by name and a clock that stands still.
///
/// Nothing happens by itself: `settle` takes the relay's effects and answers them until nothing
/// moves. What is held back (commits, a client's reading, a failing store) stays held until it is
/// let go. The same calls give the same bytes, always.
package final class World {
  package private(set) var relay: Relay
  package var store: MemoryStore
  /// The true time, in microseconds since 1970; only `advance` and the tests move it.
  package var now: Int64 = 978_307_200_000_000
  /// What the system's clock of the server's machine is ahead of it; also negative.
  private var systemAhead: Int64 = 0
  /// How long that machine has slept.
  private var asleep: Int64 = 0
  private var clock: ServerClock
  /// How many times the store has been opened.
  package private(set) var epoch: UInt64
  /// Whether clients opened from now on keep every line that they ever read.
  package var keepsHistory = true
  /// Everything that the relay has logged.
  package private(set) var logs: [String] = []

  /// The disk takes no batch: those that are taken wait in `uncommitted`.
  package var holdsCommits = false
  /// While commits are held, a second batch is taken beside the first.
  package var takesBatchesAhead = true
  /// Batches taken and not written.
  package private(set) var uncommitted: [Batch] = []
  package private(set) var isFailing = false
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

  private var options: Relay.Options
  private var clients: [String: Client] = [:]
  private var order: [Client] = []
  /// The process stands still, and notices nothing: `freeze`.
  private var isFrozen = false
  /// Clients that have left meanwhile.
  private var unnoticed: [Client] = []
  private var reads: [(token: Int, references: [Reference])] = []
  private var segmentReads: [UInt64] = []
  private var pairReads: [PairRead] = []

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
  }

  // MARK: Clients

  /// The client of that name that was opened last; opens one where there is none or it is closed.
  package func client(_ name: String) -> Client {
    if let client = clients[name], !client.isClosed { return client }
    return open(name)
  }

  /// The client of that name that was opened last, open or not.
  package func lastClient(_ name: String) -> Client? { clients[name] }

  /// A new connection. Its `hello` is among its lines after the next `settle`.
  ///
  /// - Parameter address: of its machine; nil for the relay's own.
  @discardableResult
  package func open(_ name: String, address: String? = nil) -> Client {
    let client = Client(name: name, connection: relay.opened(address: address, now: time))
    client.keepsHistory = keepsHistory
    clients[name] = client
    order.append(client)
    look(at: client)
    return client
  }

  /// Sends bytes and settles.
  package func send(_ bytes: [UInt8], on name: String) {
    give(bytes, to: client(name))
    settle()
  }

  /// Sends bytes, which the relay reads in the next turn.
  package func give(_ bytes: some Sequence<UInt8>, to client: Client) {
    client.input.append(contentsOf: bytes)
  }

  /// Sends a line, which the relay reads in the next turn.
  package func give(line: [UInt8], to client: Client) {
    client.input += line
    client.input.append(0x0A)
  }

  /// Sends a line and settles.
  package func send(_ line: String, on name: String) {
    give(line: Array(line.utf8), to: client(name))
    settle()
  }

  /// The relay is sent bytes by a client that is open, and settles.
  package func send(_ bytes: some Sequence<UInt8>, from client: Client) {
    give(bytes, to: client)
    settle()
  }

  /// A client that holds its output reads so many bytes of it.
  package func read(_ client: Client, _ count: Int) {
    client.read(count)
    look(at: client)
    settle()
  }

  /// A client is gone, with what was on its way.
  package func close(_ client: Client) {
    guard !client.isClosed else { return }
    drop(client)
    settle()
  }

  /// The client ends its input; it still reads.
  package func end(_ name: String) {
    client(name).hasEnded = true
    settle()
  }

  /// The client is gone.
  package func close(_ name: String) {
    guard let client = clients[name], !client.isClosed else { return }
    drop(client)
    settle()
  }

  /// The client is gone, and the relay has yet to do what follows.
  package func drop(_ name: String) {
    guard let client = clients[name], !client.isClosed else { return }
    drop(client)
  }

  private func drop(_ client: Client) {
    client.isClosed = true
    order.removeAll { $0 === client }
    if isFrozen { unnoticed.append(client) } else { relay.closed(client.connection, now: time) }
  }

  // MARK: The loop

  /// Answers the relay's effects until nothing moves.
  package func settle() {
    guard !isFrozen else { return }
    while turn() {}
  }

  /// One turn of the loop. Returns whether anything happened.
  package func turn() -> Bool {
    var hasMoved = relay.hasMore
    relay.nextTurn(now: time)
    for client in order where feed(client) { hasMoved = true }
    let effects = relay.takeEffects()
    logs.append(contentsOf: effects.logs)
    for connection in effects.touched {
      guard let client = order.first(where: { $0.connection === connection }) else { continue }
      hasMoved = true
      look(at: client)
    }
    reads.append(contentsOf: effects.reads)
    segmentReads.append(contentsOf: effects.segmentReads)
    pairReads.append(contentsOf: effects.pairReads)
    if answerPairReads() { hasMoved = true }
    if answerReads() { hasMoved = true }
    if write() { hasMoved = true }
    for client in order where confirm(client) { hasMoved = true }
    return hasMoved
  }

  /// Gives the relay what a client has sent, as far as it wants it.
  private func feed(_ client: Client) -> Bool {
    var hasMoved = false
    while !client.input.isEmpty, !client.isClosed, client.isRead,
      relay.wantsInput(client.connection)
    {
      let chunk = Array(client.input.prefix(Self.readSize))
      client.input.removeFirst(chunk.count)
      chunk.withUnsafeBytes { relay.received($0, on: client.connection, now: time) }
      hasMoved = true
    }
    if client.hasEnded, !client.hasToldEnd, client.input.isEmpty, !client.isClosed {
      client.hasToldEnd = true
      relay.ended(client.connection, now: time)
      hasMoved = true
    }
    return hasMoved
  }

  /// Writes what there is to write, and sets whether a connection is read or closed.
  package func look(at client: Client) {
    guard !client.isClosed, !isFrozen else { return }
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
    }
  }

  /// A client whose bytes the relay would take, and nobody gives it: it was not said that it wants them.
  package var neglected: String? {
    order.first { !$0.isRead && relay.wantsInput($0.connection) }?.name
  }

  /// A client that did not read reads again.
  package func read(_ name: String) {
    let client = client(name)
    client.holdsOutput = false
    look(at: client)
    settle()
  }

  private func confirm(_ client: Client) -> Bool {
    guard !client.holdsConfirmation, !client.isClosed, client.unread.isEmpty,
      !client.connection.hasOutput, relay.unconfirmedPosition(client.connection) != nil
    else { return false }
    relay.confirmed(client.connection, through: relay.writtenPosition(client.connection), now: time)
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

  private func commitNext() {
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

  // MARK: The clock

  /// What the system's clock of the server's machine shows.
  package var systemTime: Int64 { now + systemAhead }

  /// The server's time for deadlines.
  private var time: Int64 {
    clock.read(steady: now - asleep, system: systemTime)
    relay.wallOffset = clock.offset
    return clock.elapsed
  }

  /// From now on the system's clock is so far ahead of the true time.
  package func stepClock(ahead: Int64) {
    systemAhead = ahead
    relay.tick(now: time)
    settle()
  }

  /// The server's machine sleeps until a time, in microseconds since 1970.
  package func sleep(until time: Int64) {
    guard time > now else { return }
    asleep += time - now
    now = time
    relay.tick(now: self.time)
    settle()
  }

  /// The clock goes on to a time, in microseconds since 1970; never back.
  package func advance(to time: Int64) {
    guard time > now else { return }
    now = time
    relay.tick(now: self.time)
    settle()
  }

  /// Time passes.
  package func pass(seconds: Double) {
    now += Int64(seconds * 1_000_000)
    relay.tick(now: time)
    settle()
  }

  // MARK: Trouble

  /// Writes begin to fail; the batches stay unwritten.
  package func failStore(_ reason: String = "disk full") {
    isFailing = true
    relay.storeFailed(reason, now: time)
    settle()
  }

  /// The disk is full, and commits go into what is kept for that.
  package func fillDisk(_ reason: String = "disk full") {
    relay.storeIsFull(reason, now: now)
    settle()
  }

  package func makeRoom() {
    relay.storeHasRoom(now: now)
    settle()
  }

  /// Writes succeed again.
  ///
  /// - Parameter written: those that failed are written first; else they wait for `commitOne`.
  package func recoverStore(written: Bool = true) {
    isFailing = false
    while written, !uncommitted.isEmpty { commitNext() }
    relay.storeRecovered(now: time)
    settle()
  }

  /// The relay stops, as at SIGTERM.
  package func stop() {
    relay.stop(now: time)
    settle()
  }

  /// The process is gone, with all its connections.
  package func end() {
    for client in order { client.isClosed = true }
    order = []
  }

  /// The process stands still: what it has written can be read, and it takes in nothing.
  package func freeze() { isFrozen = true }

  /// It goes on where it stood, at a time in microseconds since 1970.
  package func thaw(at time: Int64) {
    guard isFrozen else { return }
    isFrozen = false
    for client in unnoticed { relay.closed(client.connection, now: self.time) }
    unnoticed = []
    for client in order { look(at: client) }
    settle()
    advance(to: time)
  }

  /// Stops the relay as SIGTERM does, and starts another one on the store.
  ///
  /// - Parameter change: makes the options those of the other one.
  package func restart(_ change: (inout Relay.Options) -> Void = { _ in }) throws {
    stop()
    for client in order { drop(client) }
    settle()
    change(&options)
    try start()
  }

  /// Ends the relay as SIGKILL does: what was not committed never was.
  ///
  /// - Parameter written: so many of the batches that wait were on the disk all the same, and
  ///   nobody was told.
  package func kill(written: Int = 0) throws {
    for batch in uncommitted.prefix(written) { store.commit(batch) }
    end()
    try start()
  }

  private func start() throws {
    uncommitted = []
    reads = []
    segmentReads = []
    pairReads = []
    isFailing = false
    epoch += 1
    clock = ServerClock(steady: now - asleep, system: systemTime)
    relay = try Relay(store.contents(epoch: epoch), options: options, now: clock.elapsed)
  }
}
