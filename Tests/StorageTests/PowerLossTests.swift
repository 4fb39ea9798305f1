import CFaultVFS
import CSQLite
import Glibc
import Journal
import Seeded
import Testing

@testable import Storage

/// Whatever moment a busy store is stopped at, it has what it reported.
@Suite struct PowerLossTests {
  /// With a seed of 0 the process is killed, else the power goes: unsynced writes are lost whole, in
  /// part, or sector by sector.
  @Test(arguments: [true, false]) func keepsWhatItReported(killed: Bool) throws {
    let directory = TemporaryDirectory(inMemory: true)
    let after = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    var random = SplitMix64(seed: 1)
    var submitted: UInt64 = 0
    for seed in 1...(killed ? 60 : 250) {
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        submitted += 1
        harness.store.submit(Chronicle.batch(submitted))
      }
      usleep(UInt32.random(in: 0...300, using: &random))
      harness.take()
      let reported = harness.committed
      vfs.stop(into: after, seed: killed ? 0 : seed)
      Chronicle.verify(after, reported: reported, submitted: submitted, "seed \(seed)")
    }
    #expect(harness.store.close())
  }

  /// The same while syncs fail now and then, which forgets writes that the files still show.
  @Test func keepsWhatItReportedAfterFailedSyncs() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let after = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    var random = SplitMix64(seed: 1)
    var submitted: UInt64 = 0
    for seed in 1...250 {
      vfs.fail(
        FAULT_SYNC, first: Int.random(in: 1...4, using: &random),
        count: Int.random(in: 1...2, using: &random), code: SQLITE_IOERR_FSYNC)
      for _ in 0..<3 {
        submitted += 1
        harness.store.submit(Chronicle.batch(submitted))
        // Reads open the database even while its log cannot be made durable.
        harness.store.readSegment(seed, 1)
        usleep(UInt32.random(in: 0...400, using: &random))
      }
      harness.take()
      let reported = harness.committed
      vfs.stop(into: after, seed: seed)
      Chronicle.verify(after, reported: reported, submitted: submitted, "seed \(seed)")
    }
    vfs.heal(FAULT_SYNC)
    #expect(harness.events.contains { $0.isFailing })
    // Closing has one more try only, and the disk has just come back.
    harness.wait { $0.committed == submitted }
    #expect(harness.store.close())
    harness.take()
    #expect(harness.committed == submitted)
  }
}
