package import Wire

/// Reads the pieces of a snapshot, in order.
///
/// Every piece is checked: what does not come from `Fold.snapshot` is refused, or gives a fold that
/// is wrong and works.
package struct SnapshotReader {
  var fold = Fold()
  /// The replicas of the header, in order; their places are also their numbers in the fold.
  var replicas: [(id: ReplicaID, seq: UInt64)] = []
  private var expected = 0
  var count = 0
  private var part = Snapshot.Part.header
  /// What the latest operation of the replica in hand was.
  var place = 0
  var previous: Operation?
  /// Characters to erase again, once their texts are there.
  var erased: [(action: Action, dot: Dot)] = []
  /// The sequence in hand and its runs so far.
  var sequence: SequenceName?
  var runs: [FugueRun] = []
  /// What a log beside it has; their contexts are the snapshot's.
  let logged: [Dot: Operation]

  package init(logged: [Dot: Operation] = [:]) { self.logged = logged }

  /// Reads the next piece.
  ///
  /// - Throws: 4003 or 4004 with what is wrong in which piece.
  package mutating func add(_ piece: Datum) throws(WireError) {
    let reader = DatumReader(piece, "piece \(count + 1) of the snapshot")
    let next = try reader.value("part", Self.partNames) { name in
      Snapshot.Part.allCases.first { $0.name.utf8.elementsEqual(name) }
    }
    guard (count == 0) == (next == .header), next.rawValue >= part.rawValue,
      count == 0 || count < expected
    else {
      throw reader.invalid("part", "in order: \(Self.partNames)")
    }
    if next != part { try finishSequence() }
    part = next
    count += 1
    switch next {
    case .header: try readHeader(reader)
    case .records: try reader.items("records") { item throws(WireError) in try readRecord(item) }
    case .operations: try readOperations(reader)
    case .text:
      let field = try reader.field()
      try readRuns(.text(try reader.ownTarget(), field), reader)
    case .list:
      let kind = try reader.text("kind", "the records' kind")
      let into = try reader.target("into")
      try readRuns(.list(Fold.ListName(kind: kind, container: into)), reader)
    case .graves: try reader.items("graves") { item throws(WireError) in try readTombstone(item) }
    }
  }

  /// The fold, once all pieces have been read.
  ///
  /// - Throws: 4003 where some are missing, 4004 where they do not fit together.
  package mutating func finish() throws(WireError) -> Fold {
    guard count > 0, count == expected else {
      throw WireError(
        .missingField, "the snapshot ends after \(count) pieces; its header says \(expected)")
    }
    try finishSequence()
    try checkReplicas()
    try finishRecords()
    try erase()
    return fold
  }

  private static let partNames = Snapshot.Part.allCases.map { "\($0)" }.joined(separator: ", ")

  // MARK: Header

  private mutating func readHeader(_ reader: DatumReader) throws(WireError) {
    guard try reader.text("format", "a snapshot's format") == Snapshot.format else {
      throw reader.invalid("format", "\(Snapshot.format), the only one so far")
    }
    expected = Int(try reader.number("pieces", below: 1 << 32))
    fold.horizon = try reader.number("horizon", below: .max)
    fold.unknownActions = Int(try reader.number("unknown", below: 1 << 44))
    try reader.items("replicas") { item throws(WireError) in try readReplica(item) }
  }

  private mutating func readReplica(_ reader: DatumReader) throws(WireError) {
    let id = try reader.value("replica", "<UUID>.<incarnation>") { ReplicaID($0) }
    let seq = try reader.number("seq", below: Dot.seqLimit)
    let base = reader.has("base") ? try reader.number("base", below: Dot.seqLimit) : 0
    var stamp: Stamp?
    if base > 0 {
      stamp = try reader.value("stamp", "<ms>.<rank>.<counter>") { Stamp($0, replica: id) }
    }
    guard seq > 0, base <= seq, replicas.last.map({ $0.id < id }) ?? true else {
      throw reader.invalid("seq", "from 1, and base <= seq; replicas rise")
    }
    replicas.append((id, seq))
    fold.replicas.restore(id, base: base, baseStamp: stamp)
    fold.vector[id] = seq
    fold.base[id] = base
  }

  private func checkReplicas() throws(WireError) {
    for (place, replica) in replicas.enumerated() {
      let entry = fold.replicas[UInt32(place)]
      guard entry.seq == replica.seq else {
        throw WireError(
          .missingField,
          "the snapshot lacks operation \(entry.seq + 1) of \(replica.id), whose last is \(replica.seq)"
        )
      }
      if let stamp = entry.stamp, fold.latest.map({ $0 < stamp }) ?? true { fold.latest = stamp }
    }
  }

  // MARK: Records

  private mutating func readRecord(_ reader: DatumReader) throws(WireError) {
    var target = try reader.ownTarget()
    target.kind = fold.shared(target.kind)
    guard fold.records.last.map({ $0.target < target }) ?? true else {
      throw reader.invalid("record", "above the one before it")
    }
    var record = Record(target)
    record.isCreated = try reader.flag("created")
    record.touch = try mark("touch", reader)
    record.touchInside = try mark("inside", reader)
    for dot in try dots("changes", reader) { record.changes.insert(dot) }
    record.recreations = try dots("exhumed", reader)
    fold.recordIndices[target] = fold.records.count
    fold.records.append(record)
  }

  private mutating func readTombstone(_ reader: DatumReader) throws(WireError) {
    let target = try reader.ownTarget()
    guard let mark = try mark("mark", reader) else {
      throw reader.missing("mark", "the delete's mark")
    }
    guard fold.tombstones.updateValue(mark, forKey: target) == nil else {
      throw reader.invalid("record", "there once")
    }
  }
}
