import Cluster
import Journal
import Testing

@testable import Storage

/// Logs and copies that do not go together: each is refused with a sentence, and left as it was.
@Suite struct StandbyRefusalTests {
  let entries = MemoryEntries()
  let directory = TemporaryDirectory()

  /// Has an owner commit so many batches, and end.
  private func commit(_ count: UInt64, in directory: TemporaryDirectory) throws {
    let harness = try StandbyTests.serve(
      try StandbyTests.standby(MemorySharedLog(entries), directory))
    for number in 0..<count {
      harness.commit(Chronicle.batch(harness.contents.lastBatch + number + 1))
    }
    #expect(harness.store.close())
  }

  /// What starting with the directory says in the end.
  private func refusal(_ log: MemorySharedLog) -> StoreError? {
    let deadline = monotonicNanoseconds() + 10_000_000_000
    do throws(StoreError) {
      let standby = try StandbyTests.standby(log, directory)
      while monotonicNanoseconds() < deadline {
        if try standby.step() == .owner { break }
      }
    } catch {
      return error
    }
    return nil
  }

  private func refusal() -> StoreError? { refusal(MemorySharedLog(entries)) }

  /// The log has lost what it had: whoever knows it does not go on as if nothing were.
  @Test func aLogThatIsShorter() throws {
    try commit(9, in: directory)
    entries.cut(to: 5)
    let before = directory.contents
    let error = try #require(refusal())
    #expect(
      error.kind == .lost && error.message.contains("the log ends with entry 5, and the copy has"))
    #expect(error.path == "memory")
    #expect(entries.count == 5)
    #expect(before["watchline.sqlite"]?.count == directory.contents["watchline.sqlite"]?.count)
  }

  /// A log that shows less for a while has lost nothing.
  @Test func aLogThatLags() throws {
    try commit(9, in: directory)
    let log = MemorySharedLog(entries)
    log.faults.with { $0.stale = 90 }
    #expect(refusal(log) == nil)
  }

  /// It began anew, and has got as far as the copy meanwhile.
  @Test func anotherLog() throws {
    try commit(9, in: directory)
    entries.cut(to: 0)
    let other = TemporaryDirectory()
    for _ in 0..<4 { try commit(9, in: other) }
    let error = try #require(refusal())
    #expect(
      error.kind == .corrupt && error.message.contains("is not the one of this copy"), "\(error)")
  }

  @Test func aLogThatSomebodyElseWroteTo() throws {
    try commit(2, in: directory)
    #expect(entries.append(Array("hello there".utf8), behind: UInt64(entries.count)))
    let error = try #require(refusal())
    #expect(error.message.contains("was not made by a server of this version"), "\(error)")
  }

  @Test func aLogThatWasTrimmed() throws {
    try commit(9, in: directory)
    let other = TemporaryDirectory()
    try commit(9, in: other)
    entries.trim(through: UInt64(entries.count) - 3)
    let error = try #require(refusal())
    #expect(
      error.kind == .lost && error.message.contains("what is between them was trimmed"), "\(error)")
  }

  /// A server alone does not serve a copy, nor a cluster the store of a server alone.
  @Test func theOtherKindOfStore() throws {
    try commit(2, in: directory)
    let alone = #expect(throws: StoreError.self) { try Harness(.directory(directory.path)) }
    #expect(alone?.kind == .notOurs && alone?.message.contains("start with --cluster") == true)
    let store = TemporaryDirectory()
    #expect(try Harness(.directory(store.path)).store.close())
    let before = store.contents
    let shared = #expect(throws: StoreError.self) {
      try StandbyTests.standby(MemorySharedLog(entries), store)
    }
    #expect(shared?.kind == .notOurs && shared?.message.contains("without --cluster") == true)
    #expect(before == store.contents)
    // And the copy is one still.
    #expect(refusal() == nil)
  }

  /// A copy of which bytes are wrong is not served; whoever removes it gets it anew.
  @Test func aDamagedCopy() throws {
    try commit(9, in: directory)
    var bytes = readFile(directory.database)
    let place = try #require(bytes.firstRange(of: Array("batch 9".utf8)))
    bytes[place.lowerBound] = 0x42
    writeFile(directory.database, bytes)
    let error = try #require(refusal())
    #expect(error.kind == .corrupt && error.message.contains("remove the directory"), "\(error)")
    for name in directory.names { directory.remove(name) }
    let harness = try StandbyTests.serve(
      try StandbyTests.standby(MemorySharedLog(entries), directory))
    Chronicle.expect(harness.contents, harness.store)
    #expect(harness.store.close())
  }

  /// What `watchline check` and `dump` read.
  @Test func aCopyIsLookedAt() throws {
    try commit(9, in: directory)
    let reader = try StoreReader(directory.path)
    #expect(reader.faults().isEmpty)
    #expect(try reader.contents().lastBatch == 9)
  }
}
