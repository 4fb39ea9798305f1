import Glibc
import Journal
import Testing

@testable import Storage

/// Copies of a store, with a server on it or without.
@Suite struct BackupTests {
  let directory = TemporaryDirectory(inMemory: true)
  let target = TemporaryDirectory(inMemory: true)

  private func open(_ path: String, acceptsLoss: Bool = false) throws -> Harness {
    var options = StoreOptions()
    options.acceptsLoss = acceptsLoss
    return try Harness(.directory(path), identity: "store-2", options: options)
  }

  /// What was committed before is in the copy, and of what is committed meanwhile all up to some batch.
  @Test func underLoad() throws {
    var options = StoreOptions()
    options.logBytes = 3_000_000
    options.memTableBytes = 300_000
    options.idleCheckpointBytes = 1_000_000
    options.tidyDelay = 1_000_000
    let harness = try Harness(.directory(directory.path), options: options)
    var submitted: UInt64 = 0
    func submit(_ count: Int) {
      for _ in 0..<count {
        submitted += 1
        harness.store.submit(Chronicle.batch(submitted))
      }
    }
    for round in 1...25 {
      submit(round * 3)
      harness.wait { $0.committed == submitted }
      let before = submitted
      var isFirst = true
      for name in target.names { target.remove(name) }
      let summary = try Backup.make(of: directory.path, in: target.path) { _, _ in
        // In the middle of it, too.
        if isFirst { submit(40) } else { submit(2) }
        isFirst = false
      }
      #expect(
        (before...submitted).contains(summary.lastBatch),
        "round \(round): \(summary) of \(before)...\(submitted)")
      #expect(try StoreReader(target.path).faults() == [])
      let error = #expect(throws: StoreError.self) { try open(target.path) }
      #expect(error?.message.contains("it is a backup") == true, "\(error as Any)")
      let copy = try open(target.path, acceptsLoss: true)
      #expect(copy.contents.identity == "store-2" && copy.contents.loss != nil)
      copy.store.close()
      Chronicle.verify(
        target, reported: summary.lastBatch, submitted: summary.lastBatch, "round \(round)")
    }
    harness.wait { $0.committed == submitted }
    #expect(harness.store.close())
    Chronicle.verify(directory, reported: submitted, submitted: submitted, "the store itself")
  }

  /// For as long as somebody copies, the database stays byte for byte what it is, and commits go on.
  @Test func theDatabaseIsHeld() throws {
    var options = StoreOptions()
    options.memTableBytes = 100_000
    options.tidyDelay = 1_000_000
    let harness = try Harness(.directory(directory.path), options: options)
    for number: UInt64 in 1...30 { harness.commit(Chronicle.batch(number)) }
    let hold = try #require(Hold(directory.path + "/watchline.mark"))
    hold.wait()
    usleep(50_000)
    func database() -> [[UInt8]] { [readFile(directory.database), readFile(directory.wal)] }
    let before = database()
    // 9,000 bytes each: three times what goes to the database else, and less than four times.
    for number: UInt64 in 31...60 {
      harness.commit(
        Batch(number: number, segment: Segment(body: .init(repeating: 1, count: 9_000))))
    }
    usleep(50_000)
    #expect(same(database(), before))
    #expect(harness.segment(40)?.body.count == 9_000)
    // Memory has a bound.
    for number: UInt64 in 61...100 {
      harness.commit(
        Batch(number: number, segment: Segment(body: .init(repeating: 1, count: 9_000))))
    }
    for _ in 0..<1_000 where same(database(), before) { usleep(10_000) }
    #expect(!same(database(), before))
    hold.giveBack()
    #expect(harness.store.close())
  }

  @Test func ofAStoppedStore() throws {
    let harness = try open(directory.path)
    for number: UInt64 in 1...9 { harness.commit(Chronicle.batch(number)) }
    harness.store.close()
    let before = directory.contents
    let summary = try Backup.make(of: directory.path, in: target.path + "/new")
    #expect(summary.lastBatch == 9 && same(directory.contents, before))
    #expect(try StoreReader(target.path + "/new").contents().lastBatch == 9)
    for name in ["sqlite", "sqlite-wal", "log", "mark", "reserve"] {
      unlink(target.path + "/new/watchline.\(name)")
    }
    rmdir(target.path + "/new")
  }

  @Test func whatCannotBeCopied() throws {
    let error = #expect(throws: StoreError.self) {
      try Backup.make(of: directory.path, in: target.path)
    }
    #expect(error?.kind == .cannotOpen)
    let harness = try open(directory.path)
    harness.commit(Chronicle.batch(1))
    harness.store.close()
    writeFile(target.path + "/mine", [1])
    let full = #expect(throws: StoreError.self) {
      try Backup.make(of: directory.path, in: target.path)
    }
    #expect(full?.message.contains("not empty") == true)
    #expect(target.names == ["mine"])
    target.remove("mine")
    // Damage is said, and nothing is left.
    var bytes = readFile(directory.database)
    let place = try #require(bytes.indices.last { bytes[$0] != 0 })
    for offset in place - 3_000..<place { bytes[offset] ^= 1 }
    writeFile(directory.database, bytes)
    let damaged = #expect(throws: StoreError.self) {
      try Backup.make(of: directory.path, in: target.path)
    }
    #expect(damaged?.kind == .corrupt && target.names == [], "\(damaged as Any)")
  }
}
