import Journal
import Testing

@testable import Storage

/// Batches that tell their number, so that a store's contents tell which batches it has: all up to one,
/// none of the rest.
enum Chronicle {
  /// Batch `number`: rows that are written again, one that comes and goes, a pair that is removed three batches
  /// later, a segment in most batches of anything from no byte to many pages, and the removal of an old one.
  static func batch(_ number: UInt64) -> Batch {
    let value = Array("batch \(number)".utf8)
    var batch = Batch(number: number)
    let pair = UInt32(number) + 10
    if number > 3 { batch.removedPairs = [pair - 3] }
    batch.rows = [
      Row(.init(.pair, pair: pair), value), Row(.init(.operation, pair: pair, item: 7), value),
      Row(.init(.device, pair: pair, item: 1), number % 2 == 0 ? nil : value),
      Row(.init(.pair, pair: 1), value),
      Row(.init(.device, pair: UInt32(number % 5), item: UInt32(number % 3)), value),
      Row(.init(.file, pair: 2), number % 2 == 0 ? nil : value),
    ]
    if number % 4 != 0 {
      let length = [0, 100, 5_000, 30_000][Int(number % 7) % 4]
      batch.segment = Segment(header: value, body: body(number, length))
    }
    if number > 6 { batch.removedSegments = [number - 6] }
    return batch
  }

  private static func body(_ number: UInt64, _ length: Int) -> [UInt8] {
    let start = Int(number % 251) * 37
    return Array(pattern[start..<start + length])
  }

  private static let pattern = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 11 >> 2) }

  /// Opens the directory with SQLite's own VFS and checks that it holds the batches up to some number
  /// between `reported` and `submitted`, nothing of the others, and takes further ones.
  static func verify(
    _ directory: TemporaryDirectory, reported: UInt64, submitted: UInt64, _ context: String,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      let harness = try Harness(.directory(directory.path))
      let contents = harness.contents
      #expect(
        contents.lastBatch >= reported && contents.lastBatch <= submitted,
        "\(context): \(contents.lastBatch) of \(reported)...\(submitted)",
        sourceLocation: sourceLocation)
      expect(contents, harness.store, context, sourceLocation)
      harness.commit(batch(contents.lastBatch + 1))
      #expect(harness.store.close(), "\(context)", sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(context): \(error)", sourceLocation: sourceLocation)
    }
  }

  /// Checks everything against a replay of the batches.
  static func expect(
    _ contents: Contents, _ store: Store, _ context: String = "",
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var rows: [Row.Key: [UInt8]] = [:]
    var segments: [UInt64: Segment] = [:]
    // Nothing of a batch is left forty batches later.
    for number in max(40, contents.lastBatch) - 40..<contents.lastBatch {
      let batch = batch(number + 1)
      for key in rows.keys where batch.removedPairs.contains(key.pair) { rows[key] = nil }
      for row in batch.rows where row.key.table.start != .none { rows[row.key] = row.value }
      segments[batch.number] = batch.segment
      for removed in batch.removedSegments { segments[removed] = nil }
    }
    let stored = Dictionary(uniqueKeysWithValues: contents.rows.map { ($0.key, $0.value ?? []) })
    #expect(same(stored, rows), "\(context)", sourceLocation: sourceLocation)
    #expect(
      contents.segments.map(\.number) == segments.keys.sorted(), "\(context)",
      sourceLocation: sourceLocation)
    for segment in contents.segments { store.readSegment(Int(segment.number), segment.number) }
    var left = contents.segments.count
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while left > 0, monotonicNanoseconds() < deadline {
      for case .segment(let token, let segment) in store.takeEvents() {
        #expect(
          same(segment, segments[UInt64(token)]), "\(context)", sourceLocation: sourceLocation)
        left -= 1
      }
    }
    #expect(left == 0, "\(context)", sourceLocation: sourceLocation)
  }
}

/// `==` without printing two megabytes when it does not hold.
func same<Value: Equatable>(_ first: Value, _ second: Value) -> Bool { first == second }
