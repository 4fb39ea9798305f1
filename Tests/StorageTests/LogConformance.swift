import Seeded
import Testing

@testable import Storage

/// A log that its own server reads, when it starts.
protocol ReadableLog: Log {
  func read(
    behind sequence: UInt64,
    _ body: (_ sequence: UInt64, _ entry: UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError)
}

extension FileLog: ReadableLog {}
extension MemoryLog: ReadableLog {}

/// What every log has to do, whatever it is kept in.
struct LogConformance {
  /// A log without entries.
  var make: () throws -> any ReadableLog
  /// The same log, as the next process finds it.
  var reopen: (any ReadableLog) throws -> any ReadableLog

  func check(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    try checkOrder(sourceLocation)
    try checkConflicts(sourceLocation)
    for seed: UInt64 in 1...40 { try checkHistory(seed, sourceLocation) }
  }

  static func entries(
    _ log: any ReadableLog, behind sequence: UInt64 = 0
  ) throws -> [(sequence: UInt64, bytes: [UInt8])] {
    var entries: [(sequence: UInt64, bytes: [UInt8])] = []
    try log.read(behind: sequence) { entries.append(($0, Array($1))) }
    return entries
  }

  private func checkOrder(_ sourceLocation: SourceLocation) throws {
    var log = try make()
    #expect(log.last == 0, sourceLocation: sourceLocation)
    #expect(try Self.entries(log).isEmpty, sourceLocation: sourceLocation)
    // None is too short, and numbers may be left out.
    for (sequence, size) in [(2, 0), (3, 1), (9, 511), (10, 512), (11, 513), (500, 300_000)] {
      try log.append(
        [UInt8](repeating: UInt8(sequence % 256), count: size), sequence: UInt64(sequence),
        behind: log.last)
    }
    for _ in 0..<2 {
      let entries = try Self.entries(log)
      #expect(entries.map(\.sequence) == [2, 3, 9, 10, 11, 500], sourceLocation: sourceLocation)
      #expect(
        entries.map(\.bytes.count) == [0, 1, 511, 512, 513, 300_000],
        sourceLocation: sourceLocation)
      #expect(
        entries.allSatisfy { entry in
          entry.bytes.allSatisfy { $0 == UInt8(entry.sequence % 256) }
        }, sourceLocation: sourceLocation)
      #expect(
        try Self.entries(log, behind: 9).map(\.sequence) == [10, 11, 500],
        sourceLocation: sourceLocation)
      #expect(log.last == 500, sourceLocation: sourceLocation)
      log = try reopen(log)
    }
  }

  /// Who knows another last entry appends nothing.
  private func checkConflicts(_ sourceLocation: SourceLocation) throws {
    let log = try make()
    try log.append([1], sequence: 4, behind: 0)
    for previous: UInt64 in [0, 3, 5] {
      let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try log.append([2], sequence: 9, behind: previous)
      }
      #expect(error?.kind == .conflict, sourceLocation: sourceLocation)
    }
    #expect(try Self.entries(log).map(\.bytes) == [[1]], sourceLocation: sourceLocation)
    try log.append([3], sequence: 5, behind: 4)
    #expect(
      try Self.entries(try reopen(log)).map(\.bytes) == [[1], [3]], sourceLocation: sourceLocation)
  }

  /// Appends, trims and reopens, beside an array that does the same.
  private func checkHistory(_ seed: UInt64, _ sourceLocation: SourceLocation) throws {
    var random = SplitMix64(seed: seed)
    var log = try make()
    var model: [(sequence: UInt64, bytes: [UInt8])] = []
    var trimmed: UInt64 = 0
    for step in 1...60 {
      switch random.below(8) {
      case 0:
        trimmed = log.last
        log.trim(through: trimmed)
      case 1 where !model.isEmpty:
        trimmed = max(trimmed, model[random.below(model.count)].sequence)
        log.trim(through: trimmed)
      case 2: log = try reopen(log)
      default:
        let bytes = (0..<random.below(3_000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let sequence = log.last + 1 + UInt64(random.below(3))
        try log.append(bytes, sequence: sequence, behind: log.last)
        model.append((sequence, bytes))
      }
      let context = "seed \(seed), step \(step)"
      #expect(log.last == model.last?.sequence ?? 0, "\(context)", sourceLocation: sourceLocation)
      // What was trimmed may be there for a while.
      let found = try Self.entries(log, behind: trimmed)
      let expected = model.filter { $0.sequence > trimmed }
      #expect(
        found.map(\.sequence) == expected.map(\.sequence)
          && same(found.map(\.bytes), expected.map(\.bytes)), "\(context)",
        sourceLocation: sourceLocation)
    }
  }
}
