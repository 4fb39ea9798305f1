import CFaultVFS
import CSQLite
import Glibc
import Journal
import Seeded
import Testing

@testable import Storage

/// Every call of the file system fails once, or some times in a row, at every place of a store's life.
@Suite struct FaultTests {
  struct Fault: CustomTestStringConvertible, Sendable {
    var operation: fault_operation
    var code: Int32
    var count = 1
    var torn = false
    var testDescription: String { "operation \(operation.rawValue), \(code) ×\(count), \(torn)" }
  }

  static let faults: [Fault] = [
    Fault(operation: FAULT_WRITE, code: SQLITE_FULL, torn: true),
    Fault(operation: FAULT_WRITE, code: SQLITE_IOERR_WRITE, count: 5),
    Fault(operation: FAULT_SYNC, code: SQLITE_IOERR_FSYNC),
    Fault(operation: FAULT_SYNC, code: SQLITE_IOERR_FSYNC, count: 4),
    Fault(operation: FAULT_SYNC, code: SQLITE_IOERR_FSYNC, torn: true),
    Fault(operation: FAULT_TRUNCATE, code: SQLITE_IOERR_TRUNCATE),
    Fault(operation: FAULT_OPEN, code: SQLITE_CANTOPEN, count: 3),
    Fault(operation: FAULT_READ, code: SQLITE_IOERR_READ),
    Fault(operation: FAULT_READ, code: SQLITE_IOERR_READ, count: 6),
    Fault(operation: FAULT_DELETE, code: SQLITE_IOERR_DELETE),
  ]

  /// From an empty directory, and from one that a killed process has left with a log.
  @Test(arguments: faults, [false, true])
  func survives(fault: Fault, afterKill: Bool) throws {
    let start = afterKill ? try Self.killed(batches: 9) : [:]
    let known: UInt64 = afterKill ? 9 : 0
    var first = 1
    while true {
      let directory = TemporaryDirectory(inMemory: true)
      directory.replace(with: start)
      let vfs = FaultVFS()
      let context = "\(fault.testDescription), call \(first), after kill \(afterKill)"
      vfs.fail(
        fault.operation, first: first, count: fault.count, code: fault.code, torn: fault.torn)
      let (reported, submitted) = live(directory, vfs, known: known, seed: first, context)
      if vfs.fired == 0 { break }

      let after = TemporaryDirectory(inMemory: true)
      if reported != nil {
        // Power may go as soon as close has returned.
        vfs.stop(into: after, seed: first)
        Chronicle.verify(
          after, reported: reported ?? 0, submitted: submitted, context + ", no power")
      }
      Chronicle.verify(directory, reported: reported ?? known, submitted: submitted, context)
      first += 1
      try #require(first < 2_000, "\(context): no end")
    }
    // A fault that never struck has tested nothing. A truncation is rare: it may not occur.
    #expect(first > 1 || fault.operation == FAULT_TRUNCATE || fault.operation == FAULT_DELETE)
  }

  /// A life of some batches, reads and checkpoints.
  ///
  /// - Returns: the last batch reported, nil when the store did not open; and the last submitted.
  private func live(
    _ directory: TemporaryDirectory, _ vfs: FaultVFS, known: UInt64, seed: Int, _ context: String
  ) -> (UInt64?, UInt64) {
    // What is in one commit, and what comes between two, is a matter of time.
    var random = SplitMix64(seed: UInt64(seed))
    var options = vfs.options
    options.tidyDelay = [0, 20_000, 50_000, 100_000, 200_000, 500_000][random.below(6)]
    guard let harness = try? Harness(.directory(directory.path), options: options) else {
      return (nil, known)
    }
    #expect(harness.contents.lastBatch == known, "\(context)")
    let last = known + 14
    for number in known + 1...last {
      harness.store.submit(Chronicle.batch(number))
      if random.below(3) == 0 { usleep(UInt32(random.below(400))) }
      if number % 4 == 0 { harness.wait { $0.committed == number } }
    }
    // Fails for some time, not for ever.
    harness.wait { $0.committed == last }
    #expect(same(harness.segment(last - 1), Chronicle.batch(last - 1).segment), "\(context)")
    harness.store.submit(Chronicle.batch(last + 1))
    let complete = harness.store.close()
    harness.take()
    if complete { #expect(harness.committed == last + 1, "\(context)") }
    return (harness.committed, last + 1)
  }

  /// The files of a store whose process ends now.
  static func killed(batches: UInt64) throws -> [String: [UInt8]] {
    let directory = TemporaryDirectory(inMemory: true)
    let harness = try Harness(.directory(directory.path))
    for number in 1...batches { harness.commit(Chronicle.batch(number)) }
    let contents = directory.contents
    harness.store.close()
    #expect(contents["watchline.sqlite-wal"]?.isEmpty == false)
    return contents
  }

  @Test func tellsOfFailureAndRecovery() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    var options = vfs.options
    options.tidyDelay = 3_600_000_000_000  // Tidying would fail and tell of it, too.
    let harness = try Harness(.directory(directory.path), options: options)
    harness.commit(Chronicle.batch(1))
    harness.take()
    vfs.fail(FAULT_SYNC, first: 1, count: .max, code: SQLITE_IOERR_FSYNC)
    for number: UInt64 in 2...6 { harness.store.submit(Chronicle.batch(number)) }
    harness.wait { $0.events.contains { $0.isFailing } }
    guard case .failing(let error, firstUncommitted: 2) = harness.events.last(where: \.isFailing)
    else {
      Issue.record("\(harness.events)")
      return
    }
    #expect(error.kind == .io)
    #expect(error.description.contains(directory.path))
    // Reads go on: what is committed, and what is not.
    let references = [Reference(segment: 1, offset: 5, length: 20)]
    #expect(harness.read(references) == [Array(Chronicle.batch(1).segment!.body[5..<25])])
    #expect(same(harness.segment(6), Chronicle.batch(6).segment))
    #expect(harness.committed == 1)

    vfs.heal(FAULT_SYNC)
    harness.wait { $0.events.contains(.recovered) }
    harness.wait { $0.committed == 6 }
    #expect(harness.events.count { $0.isFailing } == 1)
    #expect(harness.store.close())
  }

  /// A commit of the database fails, be it that it reached the disk, and what it had is not needed any more by the next
  /// try: nothing of it stays.
  @Test(arguments: [false, true]) func whatFailedAndIsRemovedStaysAway(torn: Bool) throws {
    let directory = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    var options = vfs.options
    options.memTableBytes = 40_000
    options.logBytes = .max
    options.reserveBytes = 0
    options.tidyDelay = 3_600_000_000_000
    options.retryDelays = 400_000_000...400_000_000
    let harness = try Harness(.directory(directory.path), options: options)
    let row = Row.Key(.device, pair: 1)
    // The first sync is that of the log, the second that of the database.
    vfs.fail(FAULT_SYNC, first: 2, code: SQLITE_IOERR_FSYNC, torn: torn)
    harness.commit(
      Batch(
        number: 1, rows: [Row(row, [1])],
        segment: Segment(body: .init(repeating: 1, count: 50_000))))
    harness.wait { $0.events.contains { $0.isFailing } }
    harness.commit(Batch(number: 2, rows: [Row(row, nil)], removedSegments: [1]))
    harness.wait { $0.events.contains(.recovered) }
    #expect(harness.store.close())
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.segments.isEmpty && second.contents.rows.isEmpty)
    #expect(second.contents.lastBatch == 2)
    #expect(second.store.close())
  }

  @Test func closeGivesUpWhileCommitsFail() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    harness.commit(Chronicle.batch(1))
    vfs.fail(FAULT_WRITE, first: 1, count: .max, code: SQLITE_IOERR_WRITE)
    harness.store.submit(Chronicle.batch(2))
    harness.wait { $0.events.contains { $0.isFailing } }
    harness.store.submit(Chronicle.batch(3))
    #expect(!harness.store.close())
    harness.take()
    #expect(harness.committed == 1)
    Chronicle.verify(directory, reported: 1, submitted: 3, "after giving up")
  }

  @Test func waitsOnAFullDisk() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    vfs.limit(300_000)
    for number: UInt64 in 1...40 {
      harness.store.submit(
        Batch(number: number, segment: Segment(body: .init(repeating: 7, count: 20_000))))
    }
    harness.wait { $0.events.contains { $0.isFailing } }
    guard case .failing(let error, _) = harness.events.last(where: \.isFailing) else { return }
    #expect(error.kind == .full)
    vfs.limit(nil)
    harness.wait { $0.committed == 40 && $0.events.contains(.recovered) }
    #expect(harness.store.close())
  }
}

extension Store.Event {
  var isFailing: Bool { if case .failing = self { true } else { false } }
}
