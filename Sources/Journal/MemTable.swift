/// What the log has and the database does not have yet, as it is after the last batch.
///
/// What has come to nothing meanwhile is in neither: of a row that was written ten times the last value is left, and
/// nothing of a segment that is not needed any more. So a transfer that is acknowledged soon never reaches the
/// database. The name is that of O'Neil et al., The Log-Structured Merge-Tree (1996), as databases use it today.
package struct MemTable: Sendable {
  /// Pairs in the database that go with all their rows.
  package private(set) var removedPairs: Set<UInt32> = []
  /// Also of pairs that are removed.
  private var changed: [Row.Key: [UInt8]?] = [:]
  package private(set) var segments: [UInt64: Segment] = [:]
  /// Segments in the database that go.
  package private(set) var removedSegments: [UInt64] = []
  /// The batch up to which the database has everything.
  package let base: UInt64
  /// The last one that is in here.
  package private(set) var lastBatch: UInt64
  /// About what it takes.
  package private(set) var byteCount = 0

  package init(behind base: UInt64) {
    self.base = base
    lastBatch = base
  }

  package var isEmpty: Bool { lastBatch == base }

  /// What is to be written; nil removes the row.
  package var rows: [Row.Key: [UInt8]?] {
    removedPairs.isEmpty ? changed : changed.filter { !removedPairs.contains($0.key.pair) }
  }

  /// The rows of a pair that are another than in the database; nil where all of them go.
  package func rows(of pair: UInt32) -> [Row.Key: [UInt8]?]? {
    removedPairs.contains(pair) ? nil : changed.filter { $0.key.pair == pair }
  }

  /// Takes in a batch; those that it has already are left out.
  package mutating func apply(_ batch: Batch) {
    guard batch.number > lastBatch else { return }
    lastBatch = batch.number
    for pair in batch.removedPairs where removedPairs.insert(pair).inserted { byteCount += 8 }
    for row in batch.rows {
      let before = changed.updateValue(row.value, forKey: row.key)
      byteCount += row.value?.count ?? 0
      if let before { byteCount -= before?.count ?? 0 } else { byteCount += Self.rowOverhead }
    }
    if let segment = batch.segment {
      segments[batch.number] = segment
      byteCount += Self.size(segment)
    }
    for number in batch.removedSegments {
      if let segment = segments.removeValue(forKey: number) {
        byteCount -= Self.size(segment)
      } else {
        removedSegments.append(number)
        byteCount += 8
      }
    }
  }

  private static let rowOverhead = 96

  private static func size(_ segment: Segment) -> Int {
    rowOverhead + segment.header.count + segment.body.count + segment.ends.count * 4
  }
}
