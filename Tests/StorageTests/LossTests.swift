import CFaultVFS
import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// A store that has lost commits is refused, or served under a new name where that is wanted.
@Suite struct LossTests {
  let directory = TemporaryDirectory(inMemory: true)

  /// The files that a kill leaves: all commits are in the log, or all but the last in the database and its WAL.
  private func killed(copying: Bool = false) throws -> [String: [UInt8]] {
    let made = TemporaryDirectory(inMemory: true)
    var options = StoreOptions()
    if copying { options.memTableBytes = 0 }
    let harness = try Harness(.directory(made.path), options: options)
    for number: UInt64 in 1...30 {
      harness.commit(Chronicle.batch(number))
      if copying { harness.waitForCopy() }
    }
    let contents = made.contents
    harness.store.close()
    #expect(
      contents.keys.sorted() == [
        "watchline.log", "watchline.mark", "watchline.sqlite", "watchline.sqlite-wal",
      ])
    return contents
  }

  private func open(
    acceptsLoss: Bool = false, _ options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Contents {
    var options = options
    options.acceptsLoss = acceptsLoss
    let harness = try Harness(.directory(directory.path), identity: "store-2", options: options)
    harness.store.close()
    return harness.contents
  }

  private func expectLoss(
    _ words: String, _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let before = directory.contents
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try open() }
    #expect(error?.kind == .lost, "\(error as Any)", sourceLocation: sourceLocation)
    let sentence = error?.description ?? ""
    #expect(sentence.contains(words), "\(sentence)", sourceLocation: sourceLocation)
    #expect(sentence.contains("--accept-loss"), sourceLocation: sourceLocation)
    #expect(same(directory.contents, before), "touched", sourceLocation: sourceLocation)
  }

  /// What is served then has a new name, and keeps it; commits go on from what there is.
  private func expectAcceptance(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let contents = try open(acceptsLoss: true)
    #expect(contents.identity == "store-2", sourceLocation: sourceLocation)
    #expect(contents.loss != nil, sourceLocation: sourceLocation)
    #expect(contents.lossEpoch == contents.epoch, sourceLocation: sourceLocation)
    let harness = try Harness(.directory(directory.path), identity: "store-3")
    #expect(harness.contents.identity == "store-2", sourceLocation: sourceLocation)
    #expect(harness.contents.loss == nil, sourceLocation: sourceLocation)
    #expect(harness.contents.lossEpoch == contents.epoch, sourceLocation: sourceLocation)
    harness.commit(Chronicle.batch(harness.contents.lastBatch + 1))
    #expect(harness.store.close(), sourceLocation: sourceLocation)
  }

  @Test func missingLog() throws {
    directory.replace(with: try killed())
    directory.remove("watchline.log")
    expectLoss("30 was reported")
    // The database itself says so, too.
    directory.remove("watchline.mark")
    expectLoss("log \(directory.log) is missing")
    try expectAcceptance()
  }

  @Test func emptyLog() throws {
    directory.replace(with: try killed())
    writeFile(directory.log, [])
    directory.remove("watchline.mark")
    expectLoss("log")
  }

  @Test func logThatIsCutOrDamaged() throws {
    let files = try killed()
    let log = try #require(files["watchline.log"])
    let end = try #require(log.lastIndex { $0 != 0 })
    for length in [512, 600, end / 2, end - 20_000, end - 1] {
      directory.replace(with: files)
      writeFile(directory.log, Array(log[..<length]))
      expectLoss("30 was reported")
    }
    directory.replace(with: files)
    var damaged = log
    damaged[end - 5] ^= 4
    writeFile(directory.log, damaged)
    expectLoss("30 was reported")
    try expectAcceptance()
  }

  /// What the WAL had is in the log as well, until that starts over: then what is between the two is missing.
  @Test func missingWAL() throws {
    directory.replace(with: try killed())
    directory.remove("watchline.sqlite-wal")
    Chronicle.verify(directory, reported: 30, submitted: 30, "all is in the log")

    let files = try killed(copying: true)
    for isMarked in [true, false] {
      directory.replace(with: files)
      directory.remove("watchline.sqlite-wal")
      if !isMarked { directory.remove("watchline.mark") }
      expectLoss("its log goes on behind")
    }
    try expectAcceptance()
  }

  @Test func logOfAnotherStore() throws {
    directory.replace(with: try killed())
    let log = readFile(directory.log)
    let other = TemporaryDirectory(inMemory: true)
    let harness = try Harness(.directory(other.path), identity: "store-7")
    harness.commit(Chronicle.batch(1))
    harness.store.close()
    writeFile(other.log, log)
    let before = other.contents
    let error = #expect(throws: StoreError.self) { try Harness(.directory(other.path)) }
    #expect(error?.kind == .notOurs && error?.message.contains("another store") == true)
    #expect(same(other.contents, before))
  }

  /// Whether a log is whole is not known without the mark.
  @Test func missingMark() throws {
    directory.replace(with: try killed())
    directory.remove("watchline.mark")
    expectLoss("mark")
    try expectAcceptance()
  }

  @Test func missingDatabase() throws {
    directory.replace(with: try killed())
    directory.remove("watchline.sqlite")
    #expect(throws: StoreError.self) { try open() }
    directory.remove("watchline.sqlite-wal")
    expectLoss("missing")
    let contents = try open(acceptsLoss: true)
    #expect(contents.identity == "store-2" && contents.lastBatch == 0)
  }

  /// The database of a stopped store after batch 1; eight more were committed since.
  private func backup() throws -> [UInt8] {
    let first = try Harness(.directory(directory.path))
    first.commit(Chronicle.batch(1))
    first.store.close()
    let backup = readFile(directory.database)
    let second = try Harness(.directory(directory.path))
    for number: UInt64 in 2...9 { second.commit(Chronicle.batch(number)) }
    second.store.close()
    return backup
  }

  /// A backup of the database of a server that was stopped is all of it, and needs no mark.
  @Test func backupOfAStoppedStore() throws {
    directory.replace(with: ["watchline.sqlite": try backup()])
    let contents = try open()
    #expect(contents.identity == "store-1" && contents.lastBatch == 1 && contents.loss == nil)
  }

  /// Beside the mark of the store that it is put in the place of it is known to be older.
  @Test func olderDatabase() throws {
    writeFile(directory.database, try backup())
    expectLoss("older database")
    try expectAcceptance()
  }

  /// The flag changes nothing where nothing is lost.
  @Test func nothingLostNothingRenamed() throws {
    directory.replace(with: try killed())
    let contents = try open(acceptsLoss: true)
    #expect(contents.identity == "store-1" && contents.lastBatch == 30 && contents.lossEpoch == 0)
    #expect(try open(acceptsLoss: true).identity == "store-1")
  }

  /// A start that accepts a loss fails at each of its writes: the next one without the flag is refused,
  /// or finds the new name; it never serves the rest under the old one.
  @Test func acceptanceIsAllOrNothing() throws {
    var files = try killed()
    files["watchline.log"] = nil
    var first = 1
    var isAccepted = false
    while true {
      directory.replace(with: files)
      let after = TemporaryDirectory(inMemory: true)
      let vfs = FaultVFS()
      vfs.fail(FAULT_WRITE, first: first, count: .max, code: SQLITE_IOERR_WRITE, torn: true)
      _ = try? open(acceptsLoss: true, vfs.options)
      vfs.stop(into: after, seed: first)
      if vfs.fired == 0 { break }
      for (name, bytes) in directory.contents where !after.names.contains(name) {
        writeFile(after.path + "/" + name, bytes)
      }
      directory.replace(with: after.contents)
      do {
        #expect(try open().identity == "store-2", "write \(first)")
        isAccepted = true
      } catch {
        #expect(error.kind == .lost, "write \(first): \(error)")
      }
      first += 1
      try #require(first < 500)
    }
    #expect(first > 3 && isAccepted)
  }

  /// To a device: the name is another one, what waits counts as handed out, and what was lost and is sent
  /// again under its number is taken.
  @Test func devicesAfterALoss() throws {
    let world = try StoreWorld(directory)
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    world.close("watch")
    world.send("transferUserInfo n=1 payload={\"i\":1}", on: "phone")
    world.close("phone")
    world.stop()
    let backup = readFile(directory.database)
    let second = try StoreWorld(directory)
    for role in ["phone", "watch"] { second.send("activate pair=p role=\(role)", on: role) }
    second.send("transferUserInfo n=2 payload={\"i\":2}", on: "phone")
    second.stop()
    writeFile(directory.database, backup)
    #expect(throws: StoreError.self) { try StoreWorld(directory) }

    var options = StoreOptions()
    options.acceptsLoss = true
    for isFirst in [true, false] {
      // Also in later runs, as long as nobody has come for it.
      let world = try StoreWorld(directory, identity: "store-2", options: options)
      if isFirst {
        world.stop()
        continue
      }
      world.send(
        "activate pair=p role=phone", "cancelTransfer transfer=phone:0.1",
        "transferUserInfo n=2 payload={\"i\":2}", on: "phone")
      let told = world.heard["phone"] ?? []
      #expect(told.contains { $0.contains("\"store\":\"store-2\"") && $0.contains("\"n\":1,") })
      #expect(told.contains { $0.contains("\"code\":4009") }, "\(told)")
      world.send("activate pair=p role=watch received=2 store=store-1", on: "watch")
      let heard = (world.heard["watch"] ?? []).filter { $0.contains("didReceiveUserInfo") }
      #expect(heard.count == 2)
      #expect(heard.first?.contains("{\"i\":1},\"seq\":1,\"redelivered\":true") == true, "\(heard)")
      #expect(heard.last?.contains("{\"i\":2},\"seq\":2}") == true, "\(heard)")
      world.stop()
    }
  }

  /// An edit that was lost may have been read: none that the hub makes afterwards may have its number.
  @Test func editsAfterALossAreOfANewReplica() throws {
    func edit(_ name: String, identity: String, acceptsLoss: Bool = false) throws -> String {
      var options = StoreOptions()
      options.acceptsLoss = acceptsLoss
      let world = try StoreWorld(directory, identity: identity, options: options)
      defer { world.stop() }
      world.send(
        "activate pair=p role=phone", "sync.open schema=todoTimers",
        "sync.edit kind=timer set={\"name\":\"\(name)\",\"durationInSeconds\":60}", on: "phone")
      world.close("phone")
      world.send("activate pair=p role=phone", "sync.open schema=todoTimers", on: "phone")
      let opened = world.heard["phone"]!.last { $0.contains("\"sync.opened\"") }
      let vector = try #require(opened).components(after: "\"vector\":{", before: "}")
      return vector
    }
    let first = try edit("kept", identity: "store-1")
    let backup = readFile(directory.database)
    let second = try edit("lost", identity: "store-1")
    writeFile(directory.database, backup)
    let third = try edit("after", identity: "store-2", acceptsLoss: true)
    // "<replica>":"<how many>"
    #expect(first.hasSuffix(":\"1\"") && second == first.dropLast(3) + "\"2\"", "\(second)")
    #expect(third.contains(first) && third.count > first.count, "\(third)")
  }
}

extension String {
  /// What stands between two texts; empty where they are not there.
  fileprivate func components(after start: String, before end: String) -> String {
    let parts = split(separator: start, maxSplits: 1)
    return parts.count == 2 ? String(parts[1].split(separator: end, maxSplits: 1).first ?? "") : ""
  }
}
