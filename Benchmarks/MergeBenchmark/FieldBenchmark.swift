import AppModels
import Merge
import Wire

/// Merges the field writes of two replicas that were apart, beside Loro in the same run; then the
/// whole path of a hub, from bytes to chains.
struct FieldBenchmark {
  static let records = 5_000
  static let fields: [Name] = ["name", "durationInSeconds", "icon", "colorHex"]
  static let writes = 200_000
  static let rounds = 5
  /// How many operations a device pushes at once.
  static let push = 500

  private let names = (0..<records).map {
    Target("timer", Name(Identifier(high: UInt64($0), low: 1).description))
  }
  private let first = ReplicaID(device: Identifier(high: 1, low: 1), incarnation: 1)
  private let other = ReplicaID(device: Identifier(high: 2, low: 2), incarnation: 2)

  func run() throws {
    let start = [creates()]
    let mine = history(of: first, after: start, rank: 2)
    let theirs = history(of: other, after: start, rank: 1)
    try merge(start + mine, with: theirs)
    try admit(start + mine, then: theirs)
  }

  // MARK: What is merged

  private func creates() -> [UInt8] {
    Operation(
      dot: Dot(first, 1), stamp: Stamp(ms: 1_790_000_000_000, rank: 2, counter: 0, replica: first),
      context: Context(own: 0), wall: 1_790_000_000_000,
      actions: names.map { Action($0, .create) }
    ).datum(after: nil).canonical
  }

  /// Writes one by one, a millisecond apart, none of which has seen one of another replica's.
  private func history(of replica: ReplicaID, after start: [[UInt8]], rank: UInt8) -> [[UInt8]] {
    var chance = Chance(seed: replica.incarnation)
    let before: UInt64 = replica == first ? 1 : 0
    var context = Context(own: 0)
    if replica != first { context.others[first] = 1 }
    var previous = before == 1 ? Context(own: 0) : nil
    return (1...UInt64(Self.writes)).map { number in
      context.own = before + number - 1
      let ms = 1_790_000_000_000 + number
      let field = Self.fields[chance.below(Self.fields.count)]
      let operation = Operation(
        dot: Dot(replica, before + number),
        stamp: Stamp(ms: ms, rank: rank, counter: 0, replica: replica), context: context,
        wall: Int64(ms),
        actions: [
          Action(
            names[chance.below(Self.records)],
            .write(field: field, value: .string(Name("\(number)"))), revives: true)
        ])
      defer { previous = context }
      return operation.datum(after: previous).canonical
    }
  }

  private func decoded(_ items: [[UInt8]], for fold: Fold) throws -> [Operation] {
    var contexts: [ReplicaID: Context] = [:]
    let names = NameCache()
    return try items.map { bytes in
      let operation = try OperationText(json: bytes).read(names: names) { contexts[$0] }.operation
      contexts[operation.dot.replica] = operation.context
      return operation
    }
  }

  // MARK: Measurements

  private func merge(_ mine: [[UInt8]], with theirs: [[UInt8]]) throws {
    var best = Double.infinity
    var growth = 0
    for _ in 0..<Self.rounds {
      let before = residentBytes()
      let fold = Fold()
      for operation in try decoded(mine, for: fold) { try fold.apply(operation) }
      let operations = try decoded(theirs, for: fold)
      best = min(best, try processorSeconds { for next in operations { try fold.apply(next) } })
      if growth == 0 { growth = residentBytes() - before }
    }
    printRow(["merge", "operations", "s", "/s", "bytes each"])
    report("decoded operations, folded", best, growth)
    let words = python(
      "merge_loro.py",
      [Self.rounds, Self.records, Self.fields.count, Self.writes].map(\.description))
    if words.count == 2, let seconds = Double(words[0]), let bytes = Int(words[1]) {
      report("Loro, import of an update", seconds, bytes)
      print("Loro's time over ours: \(decimal(seconds / best, 2))")
    }
  }

  /// - Parameter bytes: by which the resident memory grew, with both replicas' writes; 0 where that
  ///   was not measured.
  private func report(_ name: String, _ seconds: Double, _ bytes: Int) {
    var words = [
      name, "\(Self.writes)", decimal(seconds, 3), "\(Int(Double(Self.writes) / seconds))",
    ]
    if bytes > 0 { words.append("\(bytes / (2 * Self.writes))") }
    printRow(words)
  }

  /// As a hub takes a push in: canonical bytes are parsed, checked, folded and chained.
  private func admit(_ mine: [[UInt8]], then theirs: [[UInt8]]) throws {
    let schema = ShippedSchemas.named("todoTimers")!
    var best = Double.infinity
    for _ in 0..<2 {
      let hub = Replica()
      for item in mine { try push([item], to: hub, schema, from: first, rank: 2) }
      let taken = try processorSeconds {
        for start in stride(from: 0, to: theirs.count, by: Self.push) {
          let items = theirs[start..<min(start + Self.push, theirs.count)]
          try push(Array(items), to: hub, schema, from: other, rank: 1)
        }
      }
      best = min(best, taken)
    }
    report("bytes, parsed, admitted, folded, chained", best, 0)
  }

  private func push(
    _ items: [[UInt8]], to hub: Replica, _ schema: Schema, from replica: ReplicaID, rank: UInt8
  ) throws {
    let admission = try hub.admit(
      items.map { try OperationText(json: $0) }, from: replica, rank: rank, now: 1_800_000_000_000,
      schema: schema)
    for written in admission.operations { try hub.append(written) }
  }
}

/// Multiply-with-carry, so that every run writes the same.
private struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func below(_ limit: Int) -> Int {
    state = (state & 0xFFFF_FFFF) &* 4_294_957_665 &+ (state >> 32)
    return Int(((state & 0xFFFF_FFFF) * UInt64(limit)) >> 32)
  }
}
