import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// What is not a good store of this version is refused and left as it is.
@Suite struct RefusalTests {
  let directory = TemporaryDirectory()

  /// Some batches, closed, or as a killed process leaves them.
  private func make(closed: Bool) throws {
    let made = TemporaryDirectory(inMemory: true)
    let harness = try Harness(.directory(made.path))
    for number: UInt64 in 1...20 { harness.commit(Chronicle.batch(number)) }
    if closed { harness.store.close() }
    directory.replace(with: made.contents)
    if !closed { harness.store.close() }
  }

  private func expectRefusal(
    _ kind: StoreError.Kind, _ words: String, options: StoreOptions = StoreOptions(),
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let before = directory.contents
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try Harness(.directory(directory.path), options: options).store.close()
    }
    #expect(error?.kind == kind, "\(error as Any)", sourceLocation: sourceLocation)
    let sentence = error?.description ?? ""
    #expect(sentence.contains(words), "\(sentence)", sourceLocation: sourceLocation)
    #expect(sentence.contains(directory.path), sourceLocation: sourceLocation)
    #expect(same(directory.contents, before), "touched", sourceLocation: sourceLocation)
  }

  private func run(_ sql: String, keepingLog: Bool = false) throws {
    let connection = try Connection(directory.database, creating: true, vfs: nil)
    connection.setCheckpointOnClose(!keepingLog)
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE;" + sql)
    connection.close()
  }

  private func damage(_ change: (inout [UInt8]) -> Void) {
    var bytes = readFile(directory.database)
    change(&bytes)
    writeFile(directory.database, bytes)
  }

  @Test(arguments: [true, false]) func newerVersion(closed: Bool) throws {
    try make(closed: closed)
    // With `closed` false, the newer version is in the log only.
    try run("PRAGMA user_version = 7", keepingLog: !closed)
    #expect(directory.names.count == (closed ? 3 : 4))
    expectRefusal(.newerVersion(found: 7, known: 4), "version 7")
  }

  @Test func newerLog() throws {
    try make(closed: false)
    var log = readFile(directory.log)
    log[6] = 9
    var head = Array(log[..<32])
    head.append(littleEndian: head.withUnsafeBytes { Checksum.of($0, seed: 2) })
    log.replaceSubrange(..<40, with: head)
    writeFile(directory.log, log)
    expectRefusal(.newerVersion(found: 9, known: 1), "watchline.log: has version 9")
  }

  @Test func noLog() throws {
    try make(closed: false)
    writeFile(directory.log, Array("shopping list\n".utf8) + [UInt8](repeating: 7, count: 4_096))
    expectRefusal(.corrupt, "does not begin as a log does")
  }

  /// Root may read anything; a folder in its place nobody can.
  @Test func unreadableLog() throws {
    try make(closed: false)
    directory.remove("watchline.log")
    #expect(mkdir(directory.log, 0o700) == 0)
    defer { rmdir(directory.log) }
    let error = #expect(throws: StoreError.self) {
      try Harness(.directory(directory.path)).store.close()
    }
    #expect(error?.kind == .cannotOpen && error?.path == directory.log, "\(error as Any)")
  }

  @Test func foreignDatabase() throws {
    try run("CREATE TABLE note(text); INSERT INTO note VALUES('mine')")
    expectRefusal(.notOurs, "another program")
  }

  @Test func notADatabase() {
    for bytes in [Array("shopping list\n".utf8), [], [UInt8](repeating: 0, count: 8192)] {
      writeFile(directory.database, bytes)
      expectRefusal(.corrupt, "no database")
    }
  }

  @Test func logWithoutDatabase() throws {
    try make(closed: false)
    directory.remove("watchline.sqlite")
    expectRefusal(.corrupt, "missing")
  }

  @Test(arguments: [true, false]) func damagedHeader(closed: Bool) throws {
    try make(closed: closed)
    damage { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0xAA, count: 16)) }
    expectRefusal(.corrupt, "damaged")
  }

  @Test func cutShort() throws {
    try make(closed: true)
    let whole = readFile(directory.database)
    for length in [whole.count - 1, whole.count - StoreOptions().pageSize, 4096, 5000, 100, 50] {
      writeFile(directory.database, Array(whole[..<length]))
      expectRefusal(.corrupt, "")
    }
  }

  /// Sixteen bytes at the start of each page: what a B-tree page says of itself, or where a chain of
  /// payload pages goes on. Only a page that nothing uses may go unnoticed.
  @Test func damagedPages() throws {
    try make(closed: true)
    let good = directory.contents
    let whole = readFile(directory.database)
    let size = StoreOptions().pageSize
    var refused = 0
    for page in 1..<whole.count / size {
      damage { bytes in
        let start = page * size
        bytes.replaceSubrange(start..<start + 16, with: [UInt8](repeating: 0xEE, count: 16))
      }
      let before = directory.contents
      do {
        try Harness(.directory(directory.path)).store.close()
        Chronicle.verify(directory, reported: 20, submitted: 20, "page \(page)")
      } catch {
        refused += 1
        #expect(error.kind == .corrupt, "\(error)")
        #expect(same(directory.contents, before))
      }
      directory.replace(with: good)
    }
    #expect(refused > 4, "\(refused) of \(whole.count / size) pages")
  }

  @Test func damagedMeta() throws {
    for sql in [
      "DELETE FROM meta", "UPDATE meta SET value = 'x'", "UPDATE meta SET value = x'00'",
      "UPDATE meta SET value = cast(substr(value, 1, 20) || x'01' || substr(value, 22) AS BLOB)",
      "UPDATE device SET value = 5",
      "UPDATE device SET key = key + (5 << 32)", "UPDATE device SET key = key + 5",
      "UPDATE device SET value = (SELECT value FROM pair)", "DELETE FROM device WHERE pair = 3",
      "DELETE FROM pair", "INSERT INTO hub VALUES(4294967298, 3, x'04')",
      "DELETE FROM segment WHERE number = 19",
      "UPDATE segment SET header = 'text'", "UPDATE segment SET number = number - 1",
      "UPDATE segment SET header = header || 'x'", "UPDATE segment SET body = body || 'x'",
      "DROP TABLE hub", "PRAGMA user_version = 0", "PRAGMA user_version = 1",
      "PRAGMA user_version = 0; DROP TABLE queue",
      "DROP TABLE hub; CREATE TABLE hub(pair, item, sum, value)",
    ] {
      try make(closed: true)
      try run(sql)
      expectRefusal(.corrupt, sql.contains("user_version = 0") ? "version 0" : "damaged")
    }
  }

  @Test func lockedByAnother() throws {
    let harness = try Harness(.directory(directory.path))
    harness.commit(Chronicle.batch(1))
    expectRefusal(.locked, directory.path)
    #expect(harness.store.close())
    let next = try Harness(.directory(directory.path))
    #expect(next.store.close())
  }

  /// A program that is being started has copies of all descriptors until it begins.
  @Test func lockedNoMoreByACopyOfTheDescriptor() throws {
    var lock: DirectoryLock? = try DirectoryLock(directory.path)
    let copy = dup(try #require(lock).descriptor)
    defer { close(copy) }
    #expect(throws: StoreError.self) { try DirectoryLock(directory.path) }
    lock = nil
    _ = try DirectoryLock(directory.path)
  }

  @Test func notAFile() {
    mkdir(directory.database, 0o700)
    defer { rmdir(directory.database) }
    expectRefusal(.cannotOpen, "not a regular file")
  }

  @Test func directoryThatCannotBe() {
    for path in ["/proc/watchline/data", "/dev/null/data", "/dev/null"] {
      let error = #expect(throws: StoreError.self) { try Harness(.directory(path)) }
      #expect(error?.kind == .cannotOpen)
      #expect(error?.description.contains("/") == true)
    }
  }

  @Test func makesDirectories() throws {
    let path = directory.path + "/one/two//three/"
    let harness = try Harness(.directory(path))
    #expect(harness.store.close())
    #expect(access(path + "watchline.sqlite", F_OK) == 0)
    unlink(path + "watchline.sqlite")
    unlink(path + "watchline.mark")
    for name in ["/one/two/three", "/one/two", "/one"] { rmdir(directory.path + name) }
  }

  /// A creation that was interrupted leaves a draft, which is not a store.
  @Test func startsOverAfterInterruptedCreation() throws {
    writeFile(directory.database + ".new", [1, 2, 3])
    writeFile(directory.database + ".new-journal", [1, 2, 3])
    let harness = try Harness(.directory(directory.path))
    #expect(harness.store.close())
    #expect(directory.names == ["watchline.log", "watchline.mark", "watchline.sqlite"])
  }
}
