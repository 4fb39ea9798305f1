import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// Older versions are brought forward, all the way or not at all.
@Suite struct MigrationTests {
  let directory = TemporaryDirectory()

  /// A store of version 0: as it is today, without the tables that came later.
  private func makeVersion0() throws {
    let harness = try Harness(.directory(directory.path))
    harness.commit(Batch(number: 1, rows: [Row(.init(.pair, pair: 4), [1, 2])]))
    harness.store.close()
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    try connection.execute(
      "DROP TABLE file; DROP TABLE queue; DROP TABLE hub; DROP TABLE operation; "
        + "PRAGMA user_version = 0")
    connection.close()
  }

  private var storedVersion: UInt8 { readFile(directory.database)[63] }

  @Test func addsWhatIsMissing() throws {
    try makeVersion0()
    #expect(storedVersion == 0)
    let harness = try Harness(.directory(directory.path))
    // The header says so at once, so that an older program sees it even after a kill.
    #expect(storedVersion == 1)
    #expect(harness.contents.rows == [Row(.init(.pair, pair: 4), [1, 2])])
    #expect(harness.contents.epoch == 2)
    let row = Row(.init(.file, pair: 4, item: 1), [3])
    harness.commit(Batch(number: 2, rows: [row]))
    #expect(harness.store.close())
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.rows.last == row)
    #expect(second.store.close())
  }

  @Test func takesSeveralSteps() throws {
    try makeVersion0()
    var options = StoreOptions()
    options.schema.version = 3
    options.schema.steps[1] = "ALTER TABLE segment ADD COLUMN note TEXT;"
    options.schema.steps[2] = "UPDATE segment SET note = 'new';"
    let harness = try Harness(.directory(directory.path), options: options)
    #expect(harness.store.close())
    #expect(storedVersion == 3)
    let error = #expect(throws: StoreError.self) {
      try Harness(.directory(directory.path)).store.close()
    }
    #expect(error?.kind == .newerVersion(found: 3, known: 1))
  }

  @Test(arguments: ["", "CREATE TABLE more(x); INSERT INTO nowhere VALUES(1);"])
  func leavesAStoreThatItCannotBringForward(secondStep: String) throws {
    try makeVersion0()
    var options = StoreOptions()
    options.schema.version = 2
    options.schema.steps[1] = secondStep.isEmpty ? nil : secondStep
    let before = directory.contents
    let error = #expect(throws: StoreError.self) {
      try Harness(.directory(directory.path), options: options).store.close()
    }
    #expect(error?.kind == .other)
    #expect(same(directory.contents, before))
  }

  /// Root may write anywhere; the thread gives that up for a moment.
  @Test func refusesAReadOnlyDirectory() throws {
    let harness = try Harness(.directory(directory.path))
    harness.commit(Chronicle.batch(1))
    harness.store.close()
    let before = directory.contents
    chmod(directory.path, 0o555)
    chmod(directory.database, 0o444)
    defer { chmod(directory.path, 0o700) }
    let user = setfsuid(65534)
    defer { _ = setfsuid(uid_t(user)) }
    let error = #expect(throws: StoreError.self) {
      try Harness(.directory(directory.path)).store.close()
    }
    #expect(error?.kind == .cannotOpen, "\(error as Any)")
    let empty = directory.path + "/new"
    let second = #expect(throws: StoreError.self) {
      try Harness(.directory(empty)).store.close()
    }
    #expect(second?.kind == .cannotOpen)
    #expect(same(directory.contents, before))
  }
}

/// Of this thread alone; not in Swift's Glibc (<https://man7.org/linux/man-pages/man2/setfsuid.2.html>).
@_silgen_name("setfsuid") private func setfsuid(_ user: uid_t) -> Int32
