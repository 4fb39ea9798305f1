import Journal
import Seeded
import Testing

@testable import Storage

/// Servers that take over from each other again and again, on a log that loses questions and answers and shows what was.
@Suite struct TakeOverTests {
  private static let faults = MemorySharedLog.Faults(lost: (5, 10), stale: 20)

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func loseNothing(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let entries = MemoryEntries()
    var directories = (0..<3).map { _ in TemporaryDirectory(inMemory: true) }
    var reported: UInt64 = 0
    // Owners that were cut off, with what was theirs.
    var zombies: [(owner: Harness, log: MemorySharedLog, directory: TemporaryDirectory)] = []
    for round in 0..<8 {
      let log = MemorySharedLog(entries, seed: seed << 8 | UInt64(round), faults: Self.faults)
      let place = random.below(3)
      let directory = directories[place]
      let owner = try StandbyTests.serve(try StandbyTests.standby(log, directory))
      let last = owner.contents.lastBatch
      #expect(last >= reported, "round \(round)")
      Chronicle.expect(owner.contents, owner.store, "seed \(seed), round \(round)")
      let count = UInt64(random.below(12))
      for number in 0..<count { owner.store.submit(Chronicle.batch(last + number + 1)) }
      owner.wait { $0.committed >= last + count / 2 }
      if random.below(2) == 0 {
        #expect(owner.store.close())
        owner.take()
        #expect(owner.committed == last + count)
      } else {
        log.faults.with { $0.isSilent = true }
        owner.take()
        zombies.append((owner, log, directory))
        // Its directory is locked as long as it lives; its copy goes on elsewhere, as after a kill.
        directories[place] = TemporaryDirectory(inMemory: true)
        directories[place].replace(with: directory.contents)
      }
      reported = max(reported, owner.committed)
    }
    let log = MemorySharedLog(entries)
    let final = try StandbyTests.serve(try StandbyTests.standby(log, directories[0]))
    let last = final.contents.lastBatch
    #expect(last >= reported)
    Chronicle.expect(final.contents, final.store, "seed \(seed), at the end")
    for (owner, log, _) in zombies {
      log.faults.with { $0.isSilent = false }
      owner.wait { $0.has(.conflict) }
      owner.store.close()
      owner.take()
      // What it reports now came through before it was taken over.
      #expect(owner.committed <= last)
    }
    final.commit(Chronicle.batch(last + 1))
    #expect(final.store.close())
  }
}
