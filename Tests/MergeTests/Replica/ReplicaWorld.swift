import Seeded
import AppModels
import Merge
import Oracle
import Wire

/// A hub and devices with wrong clocks, that lose answers, push twice, are set back to older copies
/// of themselves and reset. In process, without a server.
struct ReplicaWorld {
  struct Member {
    var replica: DeviceReplica
    /// Of its clock, in milliseconds.
    var error: Int64 = 0
    /// What an open form was opened on.
    var form: VersionVector?
    /// What a copy of the device holds that somebody made.
    var copy: [OperationText] = []
    var isConnected = false

    var device: Identifier { replica.id.device }
  }

  /// An edit, whatever becomes of its dot and stamp.
  struct Edit: Hashable {
    var device: Identifier
    var wall: Int64
  }

  static let schema = ShippedSchemas.named("todoTimers")!

  var random: SplitMix64
  var hub = Replica()
  var now: UInt64 = 1_790_000_000_000
  /// How far the hub's clock was set back.
  private var hubError: UInt64 = 0
  var hubNow: UInt64 { now - hubError }
  var members: [Member] = []
  var written: Set<Edit> = []
  /// What was only on a device that was reset or set back.
  var destroyed: Set<Edit> = []
  private(set) var counts: [String: Int] = [:]
  private var incarnations: UInt64 = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    for number in 0..<(2 + below(3)) {
      members.append(Member(replica: newReplica(Identifier(high: 7, low: UInt64(number)))))
      if below(3) == 0 { members[number].error = Int64(below(14_400_000)) - 7_200_000 }
    }
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func count(_ event: String) { counts[event, default: 0] += 1 }

  private mutating func newReplica(_ device: Identifier) -> DeviceReplica {
    incarnations += 1
    return DeviceReplica(
      id: ReplicaID(device: device, incarnation: incarnations), rank: device.low == 0 ? 2 : 1)
  }

  // MARK: Steps

  mutating func run(_ steps: Int) throws {
    for _ in 0..<steps { try step(below(members.count)) }
  }

  private mutating func step(_ index: Int) throws {
    now += UInt64(below(3) == 0 ? below(2_000) : 0)
    switch below(100) {
    case ..<40: try edit(index)
    case ..<60: try push(index, 1 + below(6))
    case ..<78: try pull(index, 1 + below(8))
    case ..<86: members[index].form = below(2) == 0 ? members[index].replica.fold.vector : nil
    case ..<90: members[index].isConnected = false
    case ..<92: jump(index)
    case ..<93: hubError = below(4) == 0 ? UInt64(below(200_000)) : 0
    case ..<96: members[index].copy = held(by: index)
    case ..<98: try setBack(index)
    default: try reset(index)
    }
  }

  private mutating func jump(_ index: Int) {
    let hour: Int64 = 3_600_000
    let errors = [0, hour, -hour, 30_000, 100 * 24 * hour, -20 * 365 * 24 * hour]
    members[index].error = errors[below(errors.count)]
    count("jump")
  }

  func clock(_ index: Int) -> Int64 { Int64(now) + members[index].error }

  // MARK: Exchange

  private mutating func connect(_ index: Int) throws {
    guard !members[index].isConnected else { return }
    members[index].isConnected = true
    let replica = members[index].replica
    if replica.opened(hub.chain(replica.id).head) == .setBack { try takeOver(index) }
  }

  private mutating func takeOver(_ index: Int) throws {
    count("take-over")
    let old = members[index].replica
    let new = newReplica(members[index].device)
    try new.receive(items(0, .max), through: hub.position)
    let left = try new.takeOver(from: old)
    if !left.isEmpty { throw Fault.left(left.count) }
    members[index].replica = new
    members[index].form = nil
  }

  func items(_ from: Int, _ count: Int) throws -> [OperationText] {
    try hub.log.dropFirst(from).prefix(count).compactMap(\.operation).map {
      try OperationText(json: $0.bytes)
    }
  }

  mutating func push(_ index: Int, _ limit: Int) throws {
    try connect(index)
    let device = members[index].replica
    var batch = Array(device.pending.prefix(limit))
    if below(8) == 0 {
      // What was accepted comes again before the rest.
      count("repeat")
      let repeated = hub.operations(of: device.id, after: device.accepted / 2)
      batch = repeated.prefix(3).filter { $0.operation.dot.seq <= device.accepted } + batch
      guard isContiguous(batch) else { return }
    }
    guard !batch.isEmpty, below(10) > 0 else { return }
    do throws(PushRefusal) {
      let admission = try hub.admit(
        try batch.map { item throws(PushRefusal) in
          do throws(WireError) { return try OperationText(json: item.bytes) } catch {
            throw .error(error)
          }
        }, from: device.id, rank: device.rank, now: hubNow, schema: Self.schema)
      for written in admission.operations {
        do throws(WireError) { try hub.append(written) } catch { throw .error(error) }
      }
    } catch {
      guard case .retime = error else { throw Fault.refused("\(error)") }
      count("retime")
      if case .wait(let wait) = try device.retime(now: hubNow, clock: clock(index)) {
        count("wait")
        if below(3) == 0 { now += wait }
      }
      return
    }
    guard below(8) > 0 else { return members[index].isConnected = false }
    guard device.accepted(hub.chain(device.id).head) == .inStep else { throw Fault.chains }
  }

  private func isContiguous(_ batch: [Replica.Written]) -> Bool {
    zip(batch, batch.dropFirst()).allSatisfy {
      $0.operation.dot.seq + 1 == $1.operation.dot.seq
    }
  }

  mutating func pull(_ index: Int, _ limit: Int) throws {
    try connect(index)
    let device = members[index].replica
    // Some of it comes twice.
    let start = max(0, Int(device.position) - below(3))
    let count = min(limit, Int(hub.position) - start)
    guard count > 0 else { return }
    try device.receive(items(start, count), through: UInt64(start + count))
    for id in device.replica.replicas where id != device.id {
      guard device.replica.chain(id).seq == hub.chain(id).seq else { continue }
      if device.replica.chain(id) != hub.chain(id) { throw Fault.chains }
    }
  }

  // MARK: Misfortunes

  func held(by index: Int) -> [OperationText] {
    members[index].replica.replica.log.compactMap(\.operation).compactMap {
      try? OperationText(json: $0.bytes)
    }
  }

  func edits(_ operations: some Sequence<Replica.Written>) -> Set<Edit> {
    Set(operations.map { Edit(device: $0.operation.dot.replica.device, wall: $0.operation.wall) })
  }

  /// The device goes on as the copy, and does not know.
  private mutating func setBack(_ index: Int) throws {
    guard !members[index].copy.isEmpty else { return }
    let old = members[index].replica
    let copy = DeviceReplica(id: old.id, rank: old.rank)
    do {
      try copy.receive(members[index].copy, through: 0)
    } catch {
      throw Fault.refused("a copy: \(error)")
    }
    // A copy of an incarnation before is a copy of another device.
    guard copy.replica.chain(old.id).seq > 0 else { return }
    count("set back")
    let mine = edits(copy.replica.log.compactMap(\.operation))
    destroyed.formUnion(edits(old.pending).subtracting(mine))
    members[index].replica = copy
    members[index].isConnected = false
    members[index].form = nil
  }

  private mutating func reset(_ index: Int) throws {
    count("reset")
    destroyed.formUnion(edits(members[index].replica.pending))
    members[index] = Member(
      replica: newReplica(members[index].device), error: members[index].error)
  }

  enum Fault: Error {
    case left(Int)
    case refused(String)
    case chains
    case restless
  }

  // MARK: The end

  mutating func settle() throws {
    for _ in 0..<40 {
      var isQuiet = true
      for index in members.indices {
        for _ in 0..<10 where !members[index].replica.pending.isEmpty {
          try push(index, .max)
        }
        try pull(index, .max)
        isQuiet = isQuiet && members[index].replica.pending.isEmpty
      }
      if isQuiet, members.allSatisfy({ $0.replica.fold.vector == hub.vector }) { return }
    }
    throw Fault.restless
  }
}
