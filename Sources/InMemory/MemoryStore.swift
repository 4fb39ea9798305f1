package import Journal

/// The journal's contract in memory: rows by key, segments by number, a batch at once or not at
/// all. It stands in for the disk, so it outlives the relay that uses it.
///
/// As on a disk there are a log and a database behind it, and a start makes what it finds from the two.
package struct MemoryStore: Sendable {
  package var identity: String
  package private(set) var lastBatch: UInt64 = 0
  package private(set) var rows: [Row.Key: [UInt8]] = [:]
  package private(set) var segments: [UInt64: Segment] = [:]
  /// What is committed and not in the database yet, an entry a batch.
  private var log: [[UInt8]] = []
  private var database = Database()
  /// Entries of the log after which the database is brought up to it.
  private static let longestLog = 16
  private var lost: Set<UInt64> = []
  private var damage: [UInt64: [Range<Int>]] = [:]

  package init(identity: String = "memory") { self.identity = identity }

  /// Applies a batch. Traps on one that a real store would be right to choke on.
  package mutating func commit(_ batch: Batch) {
    precondition(batch.number == lastBatch + 1, "batch \(batch.number) after \(lastBatch)")
    lastBatch = batch.number
    rows.remove(pairs: batch.removedPairs)
    var keys: Set<Row.Key> = []
    for row in batch.rows {
      precondition(keys.insert(row.key).inserted, "row \(row.key) twice in batch \(batch.number)")
      rows[row.key] = row.value
    }
    if let segment = batch.segment { segments[batch.number] = segment }
    for number in batch.removedSegments {
      precondition(
        segments.removeValue(forKey: number) != nil, "segment \(number) is removed twice")
    }
    var entry: [UInt8] = []
    BatchCoding.append(CollectionOfOne(batch), to: &entry)
    log.append(entry)
    if log.count == Self.longestLog { bringUp() }
  }

  private mutating func bringUp() {
    database.apply(log)
    log = []
  }

  /// What a log has been written into.
  private struct Database {
    var rows: [Row.Key: [UInt8]] = [:]
    var segments: [UInt64: Segment] = [:]
    var lastBatch: UInt64 = 0

    mutating func apply(_ log: [[UInt8]]) {
      var table = MemTable(behind: lastBatch)
      for entry in log {
        for batch in entry.withUnsafeBytes({ BatchCoding.batches($0)! }) { table.apply(batch) }
      }
      rows.remove(pairs: table.removedPairs)
      for (key, value) in table.rows { rows[key] = value }
      for (number, segment) in table.segments { segments[number] = segment }
      for number in table.removedSegments { segments[number] = nil }
      lastBatch = table.lastBatch
    }
  }

  /// Loses a segment's body, as a damaged disk does.
  package mutating func lose(_ segment: UInt64) { lost.insert(segment) }

  /// Damages the one place of the segments' bodies that has this text.
  package mutating func damage(_ text: String) {
    let bytes = Array(text.utf8)
    for (number, segment) in segments {
      guard segment.body.count >= bytes.count,
        let start = (0...(segment.body.count - bytes.count)).first(where: {
          segment.body[$0...].starts(with: bytes)
        })
      else { continue }
      damage[number, default: []].append(start..<start + bytes.count)
      return
    }
    preconditionFailure("no segment has \(text)")
  }

  /// A whole segment, as a compaction reads it.
  package func segment(_ number: UInt64) -> Segment? {
    var segment = segments[number]
    segment?.damage = damage[number] ?? []
    return segment
  }

  /// What a store that is opened for the `epoch`th time holds.
  package mutating func contents(epoch: UInt64) -> Contents {
    bringUp()
    (rows, segments, lastBatch) = (database.rows, database.segments, database.lastBatch)
    let read = rows.keys.filter { key in
      switch key.table.start {
      case .all: true
      case .ofPairsWithoutQueue: rows[Row.Key(.queue, pair: key.pair)] == nil
      case .none: false
      }
    }
    return Contents(
      identity: identity, epoch: epoch, lastBatch: lastBatch,
      rows: read.sorted { $0.isBefore($1) }.map { Row($0, rows[$0]) },
      segments: segments.keys.sorted().map {
        StoredSegment(
          number: $0, header: segments[$0]!.header, bodyLength: segments[$0]!.body.count)
      })
  }

  /// The rows of a pair, as of the batches committed and those submitted after them.
  package func rows(_ read: PairRead, _ submitted: [Batch]) -> [Row] {
    var rows = rows
    for batch in submitted {
      rows.remove(pairs: batch.removedPairs)
      for row in batch.rows { rows[row.key] = row.value }
    }
    return read.tables.flatMap { table in
      rows.keys.filter { $0.table == table && $0.pair == read.pair }.sorted { $0.isBefore($1) }
        .map { Row($0, rows[$0]) }
    }
  }

  /// The payloads up to one that is damaged; nil where a segment is gone, or the first is damaged.
  package func read(_ references: [Reference]) -> [[UInt8]]? {
    var payloads: [[UInt8]] = []
    for reference in references {
      guard let segment = segment(reference.segment), !lost.contains(reference.segment) else {
        return nil
      }
      guard segment.isWhole(reference) else { return payloads.isEmpty ? nil : payloads }
      let start = Int(reference.offset)
      payloads.append(Array(segment.body[start..<(start + Int(reference.length))]))
    }
    return payloads
  }
}

extension [Row.Key: [UInt8]] {
  fileprivate mutating func remove(pairs: some Collection<UInt32>) {
    guard !pairs.isEmpty else { return }
    for key in keys where pairs.contains(key.pair) { self[key] = nil }
  }
}
