import CFaultVFS
import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// The store's files are moved, replaced or cut while it is open.
@Suite struct GoneTests {
  let directory = TemporaryDirectory(inMemory: true)

  private func failure(_ harness: Harness) -> StoreError? {
    for case .failing(let error, _) in harness.events.reversed() { return error }
    return nil
  }

  private func open() throws -> Harness {
    var options = StoreOptions()
    options.retryDelays = 200_000...2_000_000
    // The WAL is needed for as long as the test lasts.
    options.idleCheckpointBytes = .max
    return try Harness(.directory(directory.path), options: options)
  }

  /// What was written to a file that had lost its name is told when it has the name again, and not
  /// before; reads go on all the while.
  @Test(arguments: ["watchline.log", "watchline.sqlite", "watchline.sqlite-wal"])
  func isTakenUpAgain(name: String) throws {
    let path = directory.path + "/" + name
    let harness = try open()
    for number: UInt64 in 1...3 { harness.commit(Chronicle.batch(number)) }
    #expect(rename(path, path + "-away") == 0)
    for number: UInt64 in 4...6 { harness.store.submit(Chronicle.batch(number)) }
    harness.wait { failure($0)?.kind == .gone }
    #expect(harness.committed == 3)
    #expect(same(harness.segment(2), Chronicle.batch(2).segment))
    #expect(same(harness.segment(5), Chronicle.batch(5).segment))
    // Another file in its place is not it.
    writeFile(path, [1, 2, 3])
    let events = harness.events.count
    harness.store.submit(Chronicle.batch(7))
    usleep(20_000)
    harness.take()
    #expect(harness.committed == 3 && harness.events.count == events)
    #expect(readFile(path) == [1, 2, 3])

    #expect(rename(path + "-away", path) == 0)
    harness.wait { $0.committed == 7 && $0.events.contains(.recovered) }
    #expect(harness.store.close())
    Chronicle.verify(directory, reported: 7, submitted: 7, "taken up again")
  }

  /// Where the files stay away, closing says so and leaves all files as they are.
  @Test(arguments: [false, true]) func isNotReplaced(hasBatch: Bool) throws {
    let harness = try open()
    for number: UInt64 in 1...3 { harness.commit(Chronicle.batch(number)) }
    #expect(rename(directory.database, directory.path + "/away") == 0)
    writeFile(directory.database, readFile(directory.path + "/away"))
    let before = directory.contents
    if hasBatch {
      harness.store.submit(Chronicle.batch(4))
      harness.wait { failure($0)?.kind == .gone }
    }
    #expect(!harness.store.close())
    harness.take()
    #expect(failure(harness)?.kind == .gone)
    #expect(harness.committed == 3)
    #expect(same(directory.contents, before))
  }

  /// A log that is cut between two commits would hide all later ones from the next start.
  @Test func cutLog() throws {
    let harness = try open()
    for number: UInt64 in 1...3 { harness.commit(Chronicle.batch(number)) }
    #expect(truncate(directory.log, 600) == 0)
    harness.store.submit(Chronicle.batch(4))
    harness.wait { failure($0)?.kind == .gone }
    #expect(failure(harness)?.message.contains("log was cut to 600 of its") == true)
    #expect(!harness.store.close())
    harness.take()
    #expect(harness.committed == 3)
  }

  /// A failing disk has had the store closed, and the log goes before it is opened again.
  @Test func logRemovedWhileClosed() throws {
    let vfs = FaultVFS()
    var options = vfs.options
    // The log is needed when it goes.
    options.idleCheckpointBytes = .max
    let harness = try Harness(.directory(directory.path), options: options)
    for number: UInt64 in 1...3 { harness.commit(Chronicle.batch(number)) }
    vfs.fail(FAULT_SYNC, first: 1, count: .max, code: SQLITE_IOERR_FSYNC)
    harness.store.submit(Chronicle.batch(4))
    harness.wait { failure($0)?.kind == .io }
    directory.remove("watchline.sqlite-wal")
    vfs.heal(FAULT_SYNC)
    harness.wait { failure($0)?.kind == .gone }
    #expect(harness.committed == 3)
    #expect(!harness.store.close())
  }
}
