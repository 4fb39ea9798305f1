import Glibc
import Journal
import Testing

@testable import Storage

/// How much a store may take.
@Suite struct QuotaTests {
  let directory = TemporaryDirectory(inMemory: true)

  private func options(_ quota: StoreOptions.Quota) -> StoreOptions {
    var options = StoreOptions()
    options.quota = quota
    options.tidyDelay = 1_000_000
    options.retryDelays = 200_000...2_000_000
    return options
  }

  /// −1, 0 and +1, of what a store has when it is opened.
  @Test func aByteMoreIsTooMuch() throws {
    let harness = try Harness(.directory(directory.path), options: options(.none))
    for number: UInt64 in 1...20 { harness.commit(batch(number, bytes: 50_000)) }
    #expect(harness.store.close())
    let closed = directory.contents
    // It is looked at once before the first commit.
    func open(_ quota: StoreOptions.Quota) throws -> (used: Int, isFull: Bool) {
      directory.replace(with: closed)
      let harness = try Harness(.directory(directory.path), options: options(quota))
      #expect(harness.store.close())
      harness.take()
      return (harness.store.sizes.used, harness.events.contains(where: \.isFull))
    }
    let (used, isFull) = try open(.none)
    #expect(used > 1_000_000 && !isFull)
    #expect(try open(.bytes(used - 1)).isFull)
    #expect(try !open(.bytes(used)).isFull)
    #expect(try !open(.bytes(used + 1)).isFull)
  }

  enum Place: CaseIterable { case disk, memory }

  /// It is filled, what was under way is taken, and once an eighth is free it goes on: also while commits come without
  /// a pause. It has no more than the quota and what was under way: a group of commits, and what was copied to the
  /// database meanwhile, which the log holds, too. Its files are longer by what the log's keeps when it starts over.
  @Test(arguments: Place.allCases) func fillsAndDrains(_ place: Place) throws {
    let quota = 8 << 20
    let harness = try Harness(
      place == .memory ? .memory : .directory(directory.path), options: options(.bytes(quota)))
    var number: UInt64 = 0
    while !harness.events.contains(where: \.isFull), number < 1_000 {
      number += 1
      harness.commit(batch(number, bytes: 100_000))
      harness.take()
    }
    // Three quarters are for what waits, less what the database takes for itself.
    #expect((50...84).contains(number), "\(number)")
    #expect(harness.events.last { $0.isFull }.map { "\($0)".contains("as many as it may") } == true)
    let filled = number
    if place == .disk {
      #expect(size(directory.log) <= quota / 8 + 200_000)
      #expect(size(directory.wal) <= quota / 8 + quota / 16 + 400_000)
      let all = [directory.log, directory.wal, directory.database].reduce(0) { $0 + size($1) }
      let underWay = quota / 16 + 200_000
      let used = harness.store.sizes.used
      #expect(used <= quota + underWay)
      #expect(all <= quota + underWay + quota / 8)
    }
    var removed: UInt64 = 0
    while !harness.events.contains(.hasRoom), removed < filled {
      removed += 1
      number += 1
      harness.commit(batch(number, bytes: 0, removing: [removed]))
      harness.take()
      if removed > filled / 2 { usleep(3_000) }
    }
    #expect(removed > 4 && removed < filled, "\(removed)")
    let isFailing = harness.events.contains { $0.isFailing }
    #expect(!isFailing, "\(harness.events)")
    let before = harness.events.count { $0.isFull }
    #expect(before == 1)
    number += 1
    harness.commit(batch(number, bytes: 100_000))
    harness.take()
    let after = harness.events.count { $0.isFull }
    #expect(after == 1)
    #expect(harness.store.close())
  }

  /// A store that begins on a full disk is let grow when others have made room, also while nothing is committed. What it
  /// takes itself, and what it gives back, is no such room.
  @Test func othersMakeRoom() throws {
    let free = Monitor(0)
    var options = options(.disk(shares: 1))
    options.freeBytes = { _ in free.with { $0 } }
    let harness = try Harness(.directory(directory.path), options: options)
    harness.commit(batch(1, bytes: 100_000))
    harness.wait { $0.events.contains(where: \.isFull) }
    free.with { $0 = 10_000_000 }
    harness.wait { $0.events.contains(.hasRoom) }
    let quota = harness.store.sizes.quota
    #expect((9_000_000...9_800_000).contains(quota), "\(quota)")
    for number: UInt64 in 2...40 {
      free.with { $0 -= 100_000 }
      harness.commit(batch(number, bytes: 100_000))
      usleep(3_000)
    }
    let filled = harness.store.sizes.quota
    #expect(filled < quota + quota / 4, "\(quota) \(filled)")
    let isFull = harness.events.last.map { $0.isFull } ?? true
    #expect(!isFull)
    #expect(harness.store.close())
  }

  /// Where no number is given it is most of the disk, and the shards have a share each.
  @Test func mostOfTheDisk() throws {
    func quota(_ shares: Int) throws -> (quota: Int, free: Int) {
      var room = statvfs()
      try #require(statvfs(directory.path, &room) == 0)
      let harness = try Harness(.directory(directory.path), options: options(.disk(shares: shares)))
      harness.commit(batch(harness.contents.lastBatch + 1, bytes: 0))
      defer { harness.store.close() }
      return (harness.store.sizes.quota, Int(room.f_bavail) * Int(room.f_frsize))
    }
    for shares in [1, 4] {
      let found = try quota(shares)
      #expect(found.quota < found.free / shares + 2_000_000)
      #expect(found.quota > found.free / 10 * 8 / shares)
    }
  }
}
