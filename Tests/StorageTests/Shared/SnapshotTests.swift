import Cluster
import JetStream
import Journal
import LoopbackSupport
import Testing

@testable import Storage

/// The log grows, a snapshot takes the place of what is in it, and whoever comes then begins with that.
@Suite struct SnapshotTests {
  let entries = MemoryEntries()
  let snapshots = MemoryEntries()

  private func standby(
    _ directory: TemporaryDirectory, snapshotBytes: Int = 200_000,
    faults: MemorySharedLog.Faults = MemorySharedLog.Faults(), seed: UInt64 = 1
  ) throws -> Standby {
    try StandbyTests.standby(
      MemorySharedLog(entries, seed: seed, faults: faults), directory,
      snapshots: MemorySharedLog(snapshots, seed: seed + 1, faults: faults),
      snapshotBytes: snapshotBytes, patience: 5_000_000)
  }

  /// Commits until the log was trimmed behind some batch; then a few more.
  private func commitUntilTrimmed(_ owner: Harness) {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    let before = entries.trimmed
    while entries.trimmed == before, monotonicNanoseconds() < deadline {
      owner.commit(Chronicle.batch(owner.committed + 1))
    }
    #expect(entries.trimmed > before)
    for _ in 0..<5 { owner.commit(Chronicle.batch(owner.committed + 1)) }
  }

  /// One that stands by, and ends.
  private func follow(_ directory: TemporaryDirectory) throws {
    let waiting = try standby(directory)
    try StandbyTests.wait(waiting, for: .following)
    waiting.close()
  }

  /// A new server, one that was away for long, and one that is just behind: each has everything.
  @Test func takesThePlaceOfTheLog() throws {
    let (first, away, new) = (TemporaryDirectory(), TemporaryDirectory(), TemporaryDirectory())
    let owner = try StandbyTests.serve(try standby(first))
    for number: UInt64 in 1...9 { owner.commit(Chronicle.batch(number)) }
    try follow(away)
    commitUntilTrimmed(owner)
    #expect(owner.store.close())
    #expect(!first.names.contains { $0.contains("snapshot") })
    for directory in [new, away, first] {
      let next = try StandbyTests.serve(try standby(directory, snapshotBytes: .max / 4))
      #expect(next.contents.lastBatch == owner.committed)
      #expect(next.contents.identity == owner.contents.identity)
      Chronicle.expect(next.contents, next.store)
      #expect(next.store.close())
      #expect(!directory.names.contains { $0.contains("snapshot") })
    }
  }

  /// The same in streams of a real node.
  @Test func inJetStream() throws {
    let nodes = try Nodes()
    var settings = JetStreamSettings(servers: nodes.servers)
    settings.replicas = 1
    func standby(_ directory: TemporaryDirectory) throws -> Standby {
      try StandbyTests.standby(
        try JetStream(settings), directory, snapshots: try JetStream(settings.snapshots),
        snapshotBytes: 2_000_000, patience: 5_000_000)
    }
    let (first, new) = (TemporaryDirectory(), TemporaryDirectory())
    let owner = try StandbyTests.serve(try standby(first))
    let log = try JetStream(settings)
    func isTrimmed() throws -> Bool { try log.read(behind: 0, patience: 2_000_000).first > 1 }
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !isTrimmed(), monotonicNanoseconds() < deadline {
      for _ in 0..<20 { owner.commit(Chronicle.batch(owner.committed + 1)) }
    }
    #expect(try isTrimmed())
    owner.commit(Chronicle.batch(owner.committed + 1))
    #expect(owner.store.close())
    let next = try StandbyTests.serve(try standby(new))
    #expect(next.contents.lastBatch == owner.committed)
    Chronicle.expect(next.contents, next.store)
    #expect(next.store.close())
  }

  /// One after the other, of a log that loses questions and answers; only the last one is kept.
  @Test func oneAfterTheOther() throws {
    let faults = MemorySharedLog.Faults(lost: (3, 5), stale: 10)
    for round in 0..<3 {
      let directory = TemporaryDirectory()
      let owner = try StandbyTests.serve(
        try standby(directory, faults: faults, seed: UInt64(round) * 2 + 1))
      Chronicle.expect(owner.contents, owner.store, "round \(round)")
      commitUntilTrimmed(owner)
      #expect(owner.store.close())
    }
    let manifests = snapshots.entries.dropFirst(snapshots.trimmed).filter {
      if case .manifest = SnapshotEntry($0) { true } else { false }
    }
    #expect(manifests.count == 1)
  }

  /// What was left by a server that died before its manifest, or that is damaged, is none.
  @Test func halfASnapshotIsNone() throws {
    let (directory, other) = (TemporaryDirectory(), TemporaryDirectory())
    let owner = try StandbyTests.serve(try standby(directory))
    commitUntilTrimmed(owner)
    #expect(owner.store.close())
    let log = MemorySharedLog(snapshots)
    func append(_ entry: SnapshotEntry) {
      #expect(snapshots.append(entry.bytes, behind: UInt64(snapshots.count)))
    }
    append(.chunk(offset: 0, bytes: [1, 2, 3]))
    append(.chunk(offset: 3, bytes: [4]))
    append(.chunk(offset: 0, bytes: [1, 2]))
    append(.chunk(offset: 3, bytes: [4]))
    append(.manifest(size: 4, sum: 7, sequence: 9_999))
    let path = directory.path + "/found"
    let reader = SnapshotReader(log, path: path, vfs: nil)
    while try !reader.step() {}
    #expect(reader.found > 0 && reader.found < 9_999)
    #expect(readFile(path).starts(with: Array("SQLite format 3".utf8)))
    let next = try StandbyTests.serve(try standby(other))
    #expect(next.contents.lastBatch == owner.committed)
    #expect(next.store.close())
    append(.chunk(offset: 0, bytes: [1, 2, 3]))
    #expect(snapshots.append(Array("hello there".utf8), behind: UInt64(snapshots.count)))
    let last = SnapshotReader(log, path: path, vfs: nil)
    let error = #expect(throws: StoreError.self) { while try !last.step() {} }
    #expect(error?.message.contains("was not made by a server of this version") == true)
  }

  /// An owner that has nothing to say for years fills the log as well.
  @Test func signsOfLifeCount() throws {
    var settings = ShardOwner.Settings()
    settings.keepalive = 1_000
    let shard = Shard(MemorySharedLog(entries), at: Follower(), settings: settings)
    var told = shard.perform { owner, now in owner.claim(now: now) }
    while !told.contains(.opened(epoch: 1)) {
      told += shard.perform { owner, now in owner.tick(now: now) }
    }
    let log = OwnedLog(shard, MemorySharedLog(snapshots), snapshotBytes: 3_000)
    #expect(!log.wantsSnapshot(of: 0))
    let deadline = monotonicNanoseconds() + 10_000_000_000
    while !log.wantsSnapshot(of: 0), monotonicNanoseconds() < deadline { try log.keepUp() }
    #expect(entries.count > 15 && entries.count < 30)
    #expect(!log.wantsSnapshot(of: 2_000))
    log.forget(through: 5)
    #expect(!log.wantsSnapshot(of: 0))
    #expect(entries.trimmed == 5)
  }

  /// Where the snapshots were lost and the log was trimmed, that is said.
  @Test func noSnapshot() throws {
    let (directory, other) = (TemporaryDirectory(), TemporaryDirectory())
    let owner = try StandbyTests.serve(try standby(directory))
    commitUntilTrimmed(owner)
    #expect(owner.store.close())
    snapshots.cut(to: 0)
    let new = try StandbyTests.standby(
      MemorySharedLog(entries), other, snapshots: MemorySharedLog(snapshots))
    let error = #expect(throws: StoreError.self) { while try new.step() != .owner {} }
    #expect(error?.kind == .lost && error?.message.contains("was trimmed") == true)
  }

  @Test func bytesAndBack() {
    for entry in [
      SnapshotEntry.chunk(offset: 0, bytes: []), .chunk(offset: .max, bytes: [1, 2]),
      .manifest(size: 5, sum: .max, sequence: 1),
    ] { #expect(SnapshotEntry(entry.bytes) == entry) }
    #expect(SnapshotEntry([]) == nil)
    #expect(SnapshotEntry([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(SnapshotEntry([1, 2, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(SnapshotEntry(SnapshotEntry.manifest(size: 1, sum: 2, sequence: 3).bytes + [0]) == nil)
  }
}
