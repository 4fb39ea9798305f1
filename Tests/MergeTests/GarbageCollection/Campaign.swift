import Seeded
import Testing

@testable import Merge

/// Devices and a hub that keeps the log, with purges as the protocol has them: devices acknowledge behind their own
/// operations, and the hub purges what all have acknowledged.
///
/// Everyone also keeps a plain fold, which never purges.
struct Campaign {
  enum Entry {
    case operation(Merge.Operation)
    case purge(VersionVector, UInt64)
  }

  /// What a device sends, in order.
  enum Message {
    case operation(Merge.Operation)
    case acknowledge(VersionVector, horizon: UInt64)
  }

  struct Member {
    var replica: ReplicaID
    var rank: UInt8
    var fold = Fold()
    var plain = Fold()
    var outbox: [Message] = []
    /// How much of the log it has read.
    var position = 0
    /// What the hub knows that it will always have seen.
    var acknowledged = VersionVector()
    /// What was deleted before it, it leaves alone.
    var horizon: UInt64 = 0
    /// The state that an open form was opened on.
    var form: VersionVector?
    /// Reads and acknowledges nothing, and is not waited for.
    var isAway = false

    init(_ number: Int) {
      replica = ReplicaID(
        device: Identifier(high: UInt64(100 - number), low: 7), incarnation: UInt64(number))
      rank = number == 0 ? 2 : 1
    }
  }

  var chance: SplitMix64
  var time: UInt64 = 1_790_000_000_000
  var log: [Entry] = []
  var hub = Member(99)
  var members: [Member]
  var records = 0
  /// The newest horizon of a purge.
  var horizon: UInt64 = 0
  var purges = 0

  /// What a random campaign may do.
  var options: Options

  struct Options {
    var members = 3
    /// Records that were purged are created anew.
    var recreates = false
    /// A device is away, and its operations come after purges that they know nothing of.
    var expires = false
    /// How far behind the clock horizons are, at most.
    var retention = 800
    /// Folds are written down and read back, one time in so many.
    var snapshots = 40
    /// How many records a device keeps to.
    var hot = 4
  }

  init(_ seed: Int, _ options: Options = Options()) {
    chance = SplitMix64(seed: UInt64(seed))
    self.options = options
    if seed % 2 == 0 { self.options.retention = 60 }
    members = (0..<options.members).map { Member($0) }
    if options.expires { members[options.members - 1].isAway = true }
  }

  mutating func run(_ steps: Int) throws {
    for _ in 0..<steps { try step() }
  }

  mutating func step() throws {
    time += UInt64(chance.below(40) * chance.below(2))
    let member = chance.below(members.count)
    switch chance.below(100) {
    case ..<45: try write(member)
    case ..<62: try push(member, 1 + chance.below(12))
    case ..<79: try pull(member, 1 + chance.below(30))
    case ..<83: members[member].form = chance.below(4) == 0 ? members[member].fold.vector : nil
    default: try collect()
    }
    if chance.below(options.snapshots) == 0 {
      let again = chance.below(members.count)
      let horizon = members[again].fold.promisedHorizon
      members[again].fold = try Self.rewritten(
        members[again].fold, beside: log.count.isMultiple(of: 2) ? known : nil)
      members[again].fold.promisedHorizon = horizon
    }
  }

  /// Everybody gets everything, and what is stable is purged.
  mutating func settle() throws {
    for index in members.indices where members[index].isAway { try retire(index) }
    for _ in 0..<3 {
      for index in members.indices {
        members[index].form = nil
        try pull(index, .max)
        try push(index, .max)
      }
      try collect()
    }
    for index in members.indices { try pull(index, .max) }
  }

  // MARK: The hub

  mutating func push(_ index: Int, _ count: Int) throws {
    guard !members[index].isAway else { return }
    for message in members[index].outbox.prefix(count) {
      switch message {
      case .operation(let operation): try append(.operation(operation))
      case .acknowledge(let vector, let horizon):
        members[index].acknowledged = vector
        members[index].horizon = horizon
      }
    }
    members[index].outbox.removeFirst(min(count, members[index].outbox.count))
  }

  private mutating func append(_ entry: Entry) throws {
    log.append(entry)
    try hub.read(entry)
    hub.position = log.count
  }

  /// Purges what all have acknowledged.
  mutating func collect() throws {
    let present = members.filter { !$0.isAway }
    var (frontier, horizon) = (present[0].acknowledged, present[0].horizon)
    for member in present {
      frontier.intersect(member.acknowledged)
      horizon = min(horizon, member.horizon)
    }
    guard frontier != hub.fold.base || horizon > self.horizon else { return }
    try append(.purge(frontier, horizon))
    self.horizon = max(self.horizon, horizon)
    purges += 1
  }

  // MARK: Devices

  mutating func pull(_ index: Int, _ count: Int) throws {
    guard !members[index].isAway else { return }
    for entry in log[members[index].position...].prefix(count) {
      try members[index].read(entry)
    }
    members[index].position = min(log.count, members[index].position &+ min(count, log.count))
    let horizon = max(
      members[index].fold.promisedHorizon, time - UInt64(chance.below(options.retention)))
    members[index].fold.promisedHorizon = horizon
    members[index].outbox.append(
      .acknowledge(members[index].form ?? members[index].fold.vector, horizon: horizon))
  }

  /// A device that was away comes back: its operations come late, and it begins anew with what the hub has.
  private mutating func retire(_ index: Int) throws {
    members[index].isAway = false
    try push(index, .max)
    members[index].fold = try Self.rewritten(hub.fold)
    members[index].plain = try Self.rewritten(hub.plain)
    members[index].position = log.count
  }

  /// Applies an operation of a device at its origin.
  mutating func commit(_ actions: [Action], by index: Int) throws {
    guard !actions.isEmpty else { return }
    let replica = members[index].replica
    let fold = members[index].fold
    let shown = members[index].form ?? fold.vector
    let operation = Merge.Operation(
      dot: Dot(replica, fold.vector[replica] + 1),
      stamp: Stamp.mint(
        time: time, rank: members[index].rank, replica: replica, after: fold.latest),
      context: Context(shown, of: replica), wall: Int64(time), actions: actions)
    try fold.apply(operation)
    try members[index].plain.apply(operation)
    members[index].outbox.append(.operation(operation))
  }

  /// All operations that there are, without what they had seen.
  private var known: [Dot: Merge.Operation] {
    var known: [Dot: Merge.Operation] = [:]
    func add(_ operation: Merge.Operation) {
      known[operation.dot] = operation
      known[operation.dot]!.context = Context(own: 0)
    }
    for case .operation(let operation) in log { add(operation) }
    for case .operation(let operation) in members.flatMap(\.outbox) { add(operation) }
    return known
  }

  /// A fold, written down and read back.
  ///
  /// - Parameter log: what a log beside it has; nil where there is none.
  static func rewritten(_ fold: Fold, beside log: [Dot: Merge.Operation]? = nil) throws -> Fold {
    let pieces = fold.snapshot(besideLog: log != nil)
    var reader = SnapshotReader(logged: log ?? [:])
    for piece in pieces {
      let datum = try Datum(json: piece)
      #expect(datum.canonical == piece)
      try reader.add(datum)
    }
    let result = try reader.finish()
    #expect(result.snapshot(besideLog: log != nil) == pieces)
    #expect(result.snapshot() == fold.snapshot())
    return result
  }
}

extension Campaign.Member {
  mutating func read(_ entry: Campaign.Entry) throws {
    switch entry {
    case .operation(let operation):
      if operation.dot.replica == replica { return }
      try fold.apply(operation)
      try plain.apply(operation)
    case .purge(let frontier, let horizon):
      fold.purge(frontier: frontier, horizon: horizon)
    }
  }

  /// The feed without what a purge may have taken.
  static func feed(_ fold: Fold, since horizon: UInt64, _ base: VersionVector) -> [FeedEntry] {
    fold.feed().filter { $0.stamp.ms >= horizon || !base.contains($0.dot) }
  }
}

extension VersionVector {
  /// Intersection: the pointwise minimum.
  mutating func intersect(_ other: VersionVector) {
    for entry in entries { self[entry.replica] = min(entry.seq, other[entry.replica]) }
  }
}
