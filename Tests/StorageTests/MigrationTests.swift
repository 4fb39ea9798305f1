import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// Older versions are brought forward, all the way or not at all.
@Suite struct MigrationTests {
  let directory = TemporaryDirectory()

  /// A store of this version.
  private func make() throws {
    let harness = try Harness(.directory(directory.path))
    harness.commit(Batch(number: 1, rows: [Row(.init(.pair, pair: 4), [1, 2])]))
    harness.store.close()
  }

  private var storedVersion: UInt8 { readFile(directory.database)[63] }

  /// Versions 5 and 6, that there are not yet.
  private func options(_ second: String?) -> StoreOptions {
    var options = StoreOptions()
    let first = "CREATE TABLE note(text);"
    options.schema.version = 6
    options.schema.creations[5] = Schema.current.creation + first
    options.schema.creations[6] = Schema.current.creation + first
    options.schema.steps[4] = .statements(first)
    options.schema.steps[5] = second.map { .statements($0) }
    return options
  }

  @Test func takesSeveralSteps() throws {
    try make()
    #expect(storedVersion == 4)
    let harness = try Harness(
      .directory(directory.path), options: options("INSERT INTO note VALUES('new');"))
    // The header says so at once, so that an older program sees it even after a kill.
    #expect(storedVersion == 6)
    #expect(harness.contents.rows == [Row(.init(.pair, pair: 4), [1, 2])])
    #expect(harness.store.close())
    let before = directory.contents
    let error = #expect(throws: StoreError.self) {
      try Harness(.directory(directory.path)).store.close()
    }
    #expect(error?.kind == .newerVersion(found: 6, known: 4))
    #expect(same(directory.contents, before))
  }

  @Test(arguments: ["", "CREATE TABLE more(x); INSERT INTO nowhere VALUES(1);"])
  func leavesAStoreThatItCannotBringForward(secondStep: String) throws {
    try make()
    let before = directory.contents
    let error = #expect(throws: StoreError.self) {
      try Harness(
        .directory(directory.path), options: options(secondStep.isEmpty ? nil : secondStep)
      ).store.close()
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
