import Cluster
import Glibc
import Journal
import Testing

@testable import Storage

/// Servers that share a log in memory: who serves, what it has then, and what becomes of the one before.
@Suite struct StandbyTests {
  let entries = MemoryEntries()

  static var settings: Standby.Settings {
    var settings = Standby.Settings()
    settings.keepalive = 60_000
    settings.silence = 300_000
    settings.patience = 300_000
    return settings
  }

  static func standby(
    _ log: any SharedLog, _ directory: TemporaryDirectory,
    snapshots: any SharedLog = MemorySharedLog(MemoryEntries()), snapshotBytes: Int = .max / 4,
    patience: Int64 = settings.patience
  ) throws(StoreError) -> Standby {
    var settings = settings
    settings.snapshotBytes = snapshotBytes
    settings.patience = patience
    return try Standby(
      SharedLogs(log: log, snapshots: snapshots), directory: directory.path,
      options: StoreOptions(), settings: settings)
  }

  /// Waits until it owns the shard, and serves it.
  static func serve(_ standby: Standby) throws -> Harness {
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while try standby.step() != .owner {
      try #require(monotonicNanoseconds() < deadline, "it does not come to own the shard")
      usleep(1_000)
    }
    return try Harness { (onWake) throws(StoreError) in try standby.serve(onWake: onWake) }
  }

  /// Steps until that is what it says.
  static func wait(_ standby: Standby, for state: Standby.State) throws {
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while try standby.step() != state {
      try #require(monotonicNanoseconds() < deadline)
      usleep(1_000)
    }
  }

  private func commit(_ numbers: ClosedRange<UInt64>, _ harness: Harness) {
    for number in numbers { harness.commit(Chronicle.batch(number)) }
  }

  /// Whoever comes next has all that was committed, at once where the shard was released.
  @Test func takesOverWhatWasReleased() throws {
    let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
    let old = try Self.serve(try Self.standby(MemorySharedLog(entries), first))
    #expect(old.contents.epoch == 1 && old.contents.lastBatch == 0)
    commit(1...9, old)
    let waiting = try Self.standby(MemorySharedLog(entries), second)
    try Self.wait(waiting, for: .following)
    commit(10...30, old)
    #expect(old.store.close())
    let released = monotonicNanoseconds()
    let new = try Self.serve(waiting)
    // Not after the silence of one that has died.
    #expect(monotonicNanoseconds() - released < UInt64(Self.settings.silence) * 1_000)
    #expect(new.contents.epoch == 2 && new.contents.lastBatch == 30)
    #expect(new.contents.identity == old.contents.identity)
    Chronicle.expect(new.contents, new.store)
    commit(31...40, new)
    #expect(new.store.close())
    // And the first one again, from its own copy.
    let third = try Self.serve(try Self.standby(MemorySharedLog(entries), first))
    #expect(third.contents.epoch == 3 && third.contents.lastBatch == 40)
    Chronicle.expect(third.contents, third.store)
    #expect(third.store.close())
  }

  /// An owner that cannot reach the log is taken over; what it had under way it never reports, and it hears of it.
  @Test func fencesOneThatWasCutOff() throws {
    let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
    let log = MemorySharedLog(entries)
    let old = try Self.serve(try Self.standby(log, first))
    commit(1...5, old)
    log.faults.with { $0.isSilent = true }
    old.store.submit(Chronicle.batch(6))
    old.wait { $0.has(.io) }
    let new = try Self.serve(try Self.standby(MemorySharedLog(entries), second))
    #expect(new.contents.lastBatch == 5)
    commit(6...8, new)
    log.faults.with { $0.isSilent = false }
    old.wait { $0.has(.conflict) }
    #expect(old.committed == 5)
    #expect(!old.store.close())
    #expect(old.committed == 5)
    commit(9...10, new)
    #expect(new.store.close())
  }

  /// Of several that wait one takes over, and the others go on waiting, though all want to at the same time.
  @Test(arguments: [true, false]) func oneTakesOver(isReleased: Bool) throws {
    let directories = (0..<4).map { _ in TemporaryDirectory() }
    let log = MemorySharedLog(entries)
    let old = try Self.serve(try Self.standby(log, directories[0]))
    let faults = MemorySharedLog.Faults(delay: 20_000)
    nonisolated(unsafe) let waiting = try (1..<4).map { number in
      try Self.standby(
        MemorySharedLog(entries, seed: UInt64(number), faults: faults), directories[number])
    }
    for standby in waiting { try Self.wait(standby, for: .following) }
    if isReleased { #expect(old.store.close()) } else { log.faults.with { $0.isSilent = true } }
    let owners = Monitor(0)
    runAtOnce(waiting.count) { number in
      let standby = waiting[number]
      let end = monotonicNanoseconds() + UInt64(Self.settings.silence) * 2_500
      while monotonicNanoseconds() < end {
        guard let state = try? standby.step() else { return }
        guard state == .owner else { continue }
        owners.with { $0 += 1 }
        // It lives.
        let harness = try? Harness { (onWake) throws(StoreError) in
          try standby.serve(onWake: onWake)
        }
        while monotonicNanoseconds() < end { usleep(1_000) }
        harness?.store.close()
      }
    }
    #expect(owners.with { $0 } == 1)
    if !isReleased { old.store.close() }
  }

  /// One that has nothing to say hears of it too.
  @Test func fencesOneThatIsIdle() throws {
    let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
    let log = MemorySharedLog(entries)
    let old = try Self.serve(try Self.standby(log, first))
    log.faults.with { $0.isSilent = true }
    let new = try Self.serve(try Self.standby(MemorySharedLog(entries), second))
    log.faults.with { $0.isSilent = false }
    old.wait { $0.has(.conflict) }
    #expect(!old.store.close() || old.committed == 0)
    #expect(new.store.close())
  }

  /// An owner that lives is not taken over, though nobody asks it for anything.
  @Test func leavesOneThatLives() throws {
    let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
    let old = try Self.serve(try Self.standby(MemorySharedLog(entries), first))
    let waiting = try Self.standby(MemorySharedLog(entries), second)
    let end = monotonicNanoseconds() + UInt64(Self.settings.silence) * 4_000
    while monotonicNanoseconds() < end { #expect(try waiting.step() != .owner) }
    #expect(entries.count >= 5)
    waiting.close()
    #expect(old.store.close())
  }

  /// One that stood still for longer than any silence does not take that for one.
  @Test func leavesOneThatLivesWhenItWasPaused() throws {
    let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
    let old = try Self.serve(try Self.standby(MemorySharedLog(entries), first))
    let waiting = try Self.standby(MemorySharedLog(entries), second)
    for _ in 0..<3 {
      try Self.wait(waiting, for: .following)
      usleep(UInt32(Self.settings.silence) * 2)
      for _ in 0..<3 { #expect(try waiting.step() != .owner) }
    }
    waiting.close()
    #expect(old.store.close())
  }

  /// What the log takes without an answer is committed once, and reported when that is known.
  @Test func reportsWhatCameThroughLater() throws {
    let directory = TemporaryDirectory()
    let log = MemorySharedLog(entries)
    let owner = try Self.serve(try Self.standby(log, directory))
    commit(1...3, owner)
    log.faults.with { $0.lost.answers = 100 }
    for number: UInt64 in 4...8 { owner.store.submit(Chronicle.batch(number)) }
    owner.wait { $0.has(.io) }
    #expect(owner.committed == 3)
    log.faults.with { $0.lost.answers = 0 }
    owner.wait { $0.committed == 8 && $0.events.contains(.recovered) }
    #expect(owner.store.close())
    let other = TemporaryDirectory()
    let next = try Self.serve(try Self.standby(MemorySharedLog(entries), other))
    #expect(next.contents.lastBatch == 8)
    Chronicle.expect(next.contents, next.store)
    #expect(next.store.close())
  }

  /// A batch that no entry holds goes in parts; a copy that was left between two of them goes on with the first.
  @Test func commitsInParts() throws {
    let (first, second, left) = (TemporaryDirectory(), TemporaryDirectory(), TemporaryDirectory())
    let log = MemorySharedLog(entries)
    log.entryBytes = 1_000
    let owner = try Self.serve(try Self.standby(log, first))
    let batch = Batch(
      number: 1,
      segment: Segment(header: [1], body: (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }))
    let reader = MemorySharedLog(entries)
    let waiting = try Self.standby(reader, second)
    try Self.wait(waiting, for: .following)
    owner.store.submit(batch)
    while waiting.sequence < 20 { _ = try waiting.step() }
    // As a kill leaves it: its copy stands behind a whole commit.
    left.replace(with: second.contents)
    waiting.close()
    owner.wait { $0.committed == 1 }
    let again = try Self.standby(MemorySharedLog(entries), left)
    #expect(again.sequence < 20)
    #expect(owner.store.close())
    let next = try Self.serve(again)
    #expect(next.segment(1)?.body == batch.segment?.body)
    #expect(next.store.close())
  }
}

extension Harness {
  /// Whether a failure of a kind was told.
  func has(_ kind: StoreError.Kind) -> Bool {
    events.contains { if case .failing(let error, _) = $0 { error.kind == kind } else { false } }
  }
}
