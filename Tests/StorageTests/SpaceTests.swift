import CFaultVFS
import CSQLite
import Glibc
import Journal
import Testing

@testable import Storage

/// Room on the disk: what is not needed is given back, and a full disk drains.
@Suite struct SpaceTests {
  let directory = TemporaryDirectory(inMemory: true)

  private var options: StoreOptions {
    var options = StoreOptions()
    options.tidyDelay = 1_000_000
    options.retryDelays = 200_000...2_000_000
    return options
  }

  private func eventually(_ what: String, _ isSo: () -> Bool) {
    for _ in 0..<5_000 {
      if isSo() { return }
      usleep(2_000)
    }
    Issue.record("\(what) did not come about")
  }

  /// 40 MB that nobody needs any more leave the database, and the log is short.
  @Test func givesBack() throws {
    let harness = try Harness(.directory(directory.path), options: options)
    for number: UInt64 in 1...40 { harness.commit(batch(number, bytes: 1_000_000)) }
    harness.commit(batch(41, bytes: 5_000, removing: Array(1...40)))
    eventually("a small database") { size(directory.database) < 2 << 20 }
    eventually("short files") {
      [directory.log, directory.wal].allSatisfy { size($0) <= options.idleWALBytes }
    }
    #expect(same(harness.segment(41), batch(41, bytes: 5_000).segment))
    // It is worth something still.
    for number: UInt64 in 42...45 { harness.commit(batch(number, bytes: 1_000_000)) }
    #expect(harness.store.close())
    let again = try Harness(.directory(directory.path), options: options)
    #expect(again.contents.segments.map(\.number) == Array(41...45))
    #expect(again.store.close())
  }

  /// While the database becomes smaller, each sync in turn fails once: the store has cut its file itself, and takes
  /// commits as before.
  @Test(arguments: 1...16) func givesBackWhileASyncFails(sync: Int) throws {
    let vfs = FaultVFS()
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    for number: UInt64 in 1...40 { harness.commit(batch(number, bytes: 20_000)) }
    eventually("a database with all of it") { size(directory.database) > 700_000 }
    vfs.fail(FAULT_SYNC, first: sync, code: SQLITE_IOERR_FSYNC)
    harness.commit(batch(41, bytes: 5_000, removing: Array(1...40)))
    var last: UInt64 = 41
    func trouble() -> [String] {
      harness.take()
      return harness.events.filter(\.isFailing).map { "\($0)" }
    }
    eventually("a small database") {
      last += 1
      harness.store.submit(batch(last, bytes: 0))
      return size(directory.database) < 300_000 && vfs.fired > 0
        || trouble().contains { !$0.contains("the disk failed") }
    }
    harness.wait { $0.committed == last }
    #expect(trouble().allSatisfy { $0.contains("the disk failed") })
    #expect(harness.store.close())
  }

  /// A log that was made short is never empty while the store is open: killed then, it starts, and without
  /// the log it is refused, also where the mark is older, as after a loss of power. The WAL is not needed then.
  @Test func killedAfterGivingBack() throws {
    let harness = try Harness(.directory(directory.path), options: options)
    let mark = readFile(directory.path + "/watchline.mark")
    for number: UInt64 in 1...6 { harness.commit(batch(number, bytes: 1_000_000)) }
    eventually("short files") {
      [directory.log, directory.wal].allSatisfy { (1...options.idleWALBytes).contains(size($0)) }
    }
    let killed = TemporaryDirectory(inMemory: true)
    killed.replace(with: directory.contents)
    #expect(harness.store.close())
    let found = killed.contents
    let again = try Harness(.directory(killed.path), options: options)
    #expect(again.contents.segments.map(\.number) == Array(1...6))
    #expect(again.store.close())
    for isMarkOlder in [false, true] {
      killed.replace(with: found)
      killed.remove("watchline.log")
      if isMarkOlder { writeFile(killed.path + "/watchline.mark", mark) }
      #expect { try Harness(.directory(killed.path), options: options) } throws: {
        ($0 as? StoreError)?.kind == .lost
      }
    }
    killed.replace(with: found)
    killed.remove("watchline.sqlite-wal")
    let withoutWAL = try Harness(.directory(killed.path), options: options)
    #expect(withoutWAL.contents.segments.map(\.number) == Array(1...6))
    #expect(withoutWAL.store.close())
  }

  /// Databases of the first version cannot give back: they are written anew at a start.
  @Test func olderDatabase() throws {
    let harness = try Harness(.directory(directory.path), options: options)
    harness.commit(batch(1, bytes: 1_000_000))
    harness.store.close()
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    try connection.execute(
      "PRAGMA auto_vacuum = NONE; VACUUM; CREATE TABLE filler(bytes); "
        + "INSERT INTO filler VALUES(zeroblob(8000000)); DROP TABLE filler")
    connection.close()
    #expect(size(directory.database) > 8_000_000)

    let again = try Harness(.directory(directory.path), options: options)
    #expect(size(directory.database) < 2_000_000)
    #expect(again.contents.segments.map(\.number) == [1])
    again.commit(batch(2, bytes: 3_000_000), batch(3, bytes: 0, removing: [2]))
    eventually("a small database") { size(directory.database) < 2 << 20 }
    #expect(again.store.close())
  }

  /// Where the disk is full, what is small and what removes goes on for as long as there is something
  /// to remove; when that has made room, so does everything.
  /// What a server keeps: 80 MiB, at most an eighth of the file system.
  @Test func theReserveOfAServer() throws {
    let directory = TemporaryDirectory()
    let harness = try Harness(.directory(directory.path), options: .server)
    defer { harness.store.close() }
    var disk = statvfs()
    try #require(statvfs(directory.path, &disk) == 0)
    let eighth = Int(disk.f_blocks) * Int(disk.f_frsize) / 8
    let wanted = min(80 << 20, eighth / (64 << 10) * (64 << 10))
    eventually("the reserve") { size(directory.path + "/watchline.reserve") == wanted }
  }

  @Test(arguments: [4 << 20, 6 << 20, 20 << 20]) func fullDiskDrains(limit: Int) throws {
    let vfs = FaultVFS()
    var options = options
    options.vfs = vfs.options.vfs
    options.reserveBytes = 1 << 20
    let harness = try Harness(.directory(directory.path), options: options)
    vfs.limit(limit)
    var number: UInt64 = 0
    while !harness.events.contains(where: \.isFull), number < 1_000 {
      number += 1
      harness.commit(batch(number, bytes: 50_000))
      harness.take()
    }
    #expect(number > 20 && number < 1_000)
    let filled = number
    // Small ones that give nothing back, and then those that do, one at a time.
    for _ in 0..<100 {
      number += 1
      harness.commit(batch(number, bytes: 40))
    }
    for removed in 1...filled {
      number += 1
      harness.commit(batch(number, bytes: 0, removing: [removed]))
    }
    harness.wait { $0.events.contains(.hasRoom) }
    let isFailing = harness.events.contains { $0.isFailing }
    #expect(!isFailing, "\(harness.events)")
    for _ in 0..<10 {
      number += 1
      harness.commit(batch(number, bytes: 50_000))
    }
    let fulls = harness.events.count { $0.isFull }
    #expect(fulls == 1)
    #expect(harness.store.close())
  }

  /// A server that is stopped on a full disk starts there, says so, and drains.
  @Test func startsOnAFullDisk() throws {
    let vfs = FaultVFS()
    var options = options
    options.vfs = vfs.options.vfs
    options.reserveBytes = 1 << 20
    let harness = try Harness(.directory(directory.path), options: options)
    for number: UInt64 in 1...60 { harness.commit(batch(number, bytes: 50_000)) }
    #expect(harness.store.close())
    vfs.limit(size(directory.database) + size(directory.path + "/watchline.reserve"))

    let again = try Harness(.directory(directory.path), options: options)
    again.wait { $0.events.contains(where: \.isFull) }
    for number: UInt64 in 61...120 {
      again.commit(batch(number, bytes: 0, removing: [number - 60]))
    }
    again.wait { $0.events.contains(.hasRoom) }
    let isFailing = again.events.contains { $0.isFailing }
    #expect(!isFailing)
    #expect(again.store.close())
  }

  /// Where even the reserve is used up, commits wait as ever, and nothing is lost.
  @Test func reserveIsUsedUp() throws {
    let vfs = FaultVFS()
    var options = options
    options.vfs = vfs.options.vfs
    options.reserveBytes = 256 << 10
    let harness = try Harness(.directory(directory.path), options: options)
    vfs.limit(2 << 20)
    for number: UInt64 in 1...40 { harness.store.submit(batch(number, bytes: 100_000)) }
    harness.wait { $0.events.contains(where: \.isFailing) }
    let wasFull = harness.events.contains { $0.isFull }
    #expect(wasFull)
    vfs.limit(nil)
    harness.wait {
      $0.committed == 40 && $0.events.contains(.recovered) && $0.events.contains(.hasRoom)
    }
    #expect(harness.store.close())
    #expect(size(directory.path + "/watchline.reserve") == 256 << 10)
  }
}

extension Store.Event {
  var isFull: Bool { if case .full = self { true } else { false } }
}
