import CFaultVFS
import CSQLite
import Journal
import Seeded
import Testing

@testable import Storage

/// A commit that was stopped between two writes has content of an older one, and SQLite's checksum of its WAL
/// may not tell: three numbers in a row that differ by d, -d and -d have the same one.
@Suite struct StoppedCommitTests {
  let directory = TemporaryDirectory(inMemory: true)

  /// What a kill leaves, with the last batch in a commit of its own at the end of the WAL.
  private struct Stopped {
    static let last: UInt64 = 30
    var files: [String: [UInt8]]
    /// As it is when the last batch is not reported yet.
    var markBefore: [UInt8]
    /// Of the last commit: where the content of its pages begins in the WAL.
    var pages: [Int]
    static let pageSize = 16_384
    private static let frame = 24 + pageSize

    init() throws {
      let made = TemporaryDirectory(inMemory: true)
      var options = StoreOptions()
      options.idleCheckpointBytes = 1_000_000
      options.tidyDelay = .max / 2
      options.memTableBytes = 0
      let harness = try Harness(.directory(made.path), options: options)
      for number in 1..<Self.last {
        harness.commit(Chronicle.batch(number))
        harness.waitForCopy()
      }
      markBefore = readFile(made.path + "/watchline.mark")
      let bytesBefore = try #require(made.contents["watchline.sqlite-wal"]).count
      harness.commit(Chronicle.batch(Self.last))
      harness.waitForCopy()
      files = made.contents
      harness.store.close()
      let wal = WriteAheadLog(database: made.database, vfs: nil)
      made.replace(with: files)
      let start = try #require(try wal.lastCommit())
      pages = []
      var offset = start
      while offset < files["watchline.sqlite-wal"]!.count {
        pages.append(offset + 24)
        offset += Self.frame
      }
      #expect(pages.count > 2 && start <= bytesBefore)
    }

    /// A log that has started over behind the last batch.
    func startedOver() throws -> [UInt8] {
      let made = TemporaryDirectory(inMemory: true)
      let log = try FileLog(made.log, behind: 0, vfs: nil)
      try log.start(behind: Self.last, store: StoreState(identity: "store-1").identitySum)
      return readFile(made.log)
    }

    /// The WAL with three numbers of a page changed so that SQLite's sum stays what it is.
    func wal(changing page: Int, at word: Int, by difference: UInt32) -> [UInt8] {
      var wal = files["watchline.sqlite-wal"]!
      for (index, change) in [difference, 0 &- difference, 0 &- difference].enumerated() {
        let offset = page + (word + index) * 4
        let number = wal.number(at: offset, as: UInt32.self) &+ change
        withUnsafeBytes(of: number.littleEndian) {
          wal.replaceSubrange(offset..<offset + 4, with: $0)
        }
      }
      return wal
    }
  }

  /// The place, the difference and the random ones: what a page begins with is its most fragile part.
  private func changes(_ random: inout SplitMix64) -> [(word: Int, by: UInt32)] {
    let words = Stopped.pageSize / 4
    return (0..<16).map { ($0, 1 << 24) }
      + (0..<8).map { _ in (random.below(words - 2), 1 << UInt32(random.below(32))) }
  }

  @Test func anUnreportedOneIsWholeOrLeftOut() throws {
    let stopped = try Stopped()
    var random = SplitMix64(seed: 1)
    var leftOut = 0
    for (index, page) in stopped.pages.enumerated() {
      for change in changes(&random) {
        let context = "page \(index), word \(change.word), \(change.by)"
        directory.replace(with: stopped.files)
        writeFile(directory.path + "/watchline.mark", stopped.markBefore)
        let wal = stopped.wal(changing: page, at: change.word, by: change.by)
        writeFile(directory.wal, wal)
        let start = try WriteAheadLog(database: directory.database, vfs: nil).lastCommit()
        #expect(start == stopped.pages[0] - 24, "\(context): the sum tells")
        if try isLeftOut() { leftOut += 1 }
        directory.replace(with: stopped.files)
        writeFile(directory.path + "/watchline.mark", stopped.markBefore)
        writeFile(directory.wal, wal)
        Chronicle.verify(
          directory, reported: Stopped.last - 1, submitted: Stopped.last, context)
      }
    }
    #expect(leftOut > 10, "\(leftOut)")
  }

  private func isLeftOut() throws -> Bool {
    let harness = try Harness(.directory(directory.path))
    harness.store.close()
    return harness.contents.leftOut != nil
  }

  /// One that was reported is in the log as well.
  @Test func aReportedOneIsTakenFromTheLog() throws {
    let stopped = try Stopped()
    var random = SplitMix64(seed: 2)
    for (index, page) in stopped.pages.enumerated() {
      for change in changes(&random) {
        directory.replace(with: stopped.files)
        writeFile(directory.wal, stopped.wal(changing: page, at: change.word, by: change.by))
        Chronicle.verify(
          directory, reported: Stopped.last, submitted: Stopped.last,
          "page \(index), word \(change.word), \(change.by)")
      }
    }
  }

  /// Where the log does not have it any more, it is never left out: what it lacks is damage, and is said.
  @Test func withoutTheLogItIsServedOrRefused() throws {
    let stopped = try Stopped()
    let log = try stopped.startedOver()
    var random = SplitMix64(seed: 3)
    var refused = 0
    for (index, page) in stopped.pages.enumerated() {
      for change in changes(&random) {
        let context = "page \(index), word \(change.word), \(change.by)"
        directory.replace(with: stopped.files)
        writeFile(directory.log, log)
        writeFile(directory.wal, stopped.wal(changing: page, at: change.word, by: change.by))
        let before = directory.contents
        do throws(StoreError) {
          let harness = try Harness(.directory(directory.path))
          #expect(harness.contents.lastBatch == Stopped.last, "\(context)")
          #expect(harness.contents.leftOut == nil, "\(context)")
          harness.store.close()
        } catch {
          refused += 1
          #expect(error.kind == .corrupt, "\(context): \(error)")
          #expect(same(directory.contents, before), "\(context): touched")
        }
      }
    }
    #expect(refused > 10, "\(refused)")
  }
}
