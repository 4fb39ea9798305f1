import Glibc
import Journal
import Testing

@testable import Storage

/// Each byte of the files of a store is wrong in turn: never a wrong payload, row or segment.
///
/// `WATCHLINE_EVERY_BYTE=1 swift test --filter WrongByteTests` leaves none out.
@Suite struct WrongByteTests {
  let directory = TemporaryDirectory(inMemory: true)
  private static let step = getenv("WATCHLINE_EVERY_BYTE") == nil ? 67 : 1

  private func killed(memTableBytes: Int) throws -> [String: [UInt8]] {
    let made = TemporaryDirectory(inMemory: true)
    var options = StoreOptions()
    options.memTableBytes = memTableBytes
    options.pageSize = 1_024
    let harness = try Harness(.directory(made.path), options: options)
    for number: UInt64 in 1...12 {
      harness.commit(Chronicle.batch(number))
      harness.waitForCopy()
    }
    let files = made.contents
    harness.store.close()
    return files
  }

  /// - Parameter memTableBytes: of 0 all is in the database and its WAL, else all is in the log.
  @Test(arguments: [
    ("watchline.log", 1 << 20), ("watchline.sqlite", 0), ("watchline.sqlite-wal", 0),
    ("watchline.mark", 0),
  ])
  func isNeverServed(name: String, memTableBytes: Int) throws {
    let files = try killed(memTableBytes: memTableBytes)
    let whole = try #require(files[name])
    let end = try #require(whole.lastIndex { $0 != 0 }) + 1
    var (served, refused) = (0, 0)
    let isMark = name == "watchline.mark"
    for offset in stride(from: 0, to: end, by: isMark ? 1 : Self.step)
    where !isMark || whole[offset] != 0 {
      directory.replace(with: files)
      var bytes = whole
      bytes[offset] ^= 1 << UInt8(offset % 8)
      writeFile(directory.path + "/" + name, bytes)
      do throws(StoreError) {
        let harness = try Harness(.directory(directory.path))
        #expect(harness.contents.lastBatch == 12, "byte \(offset)")
        expectNothingWrong(harness, "byte \(offset)")
        harness.store.close()
        served += 1
      } catch {
        refused += 1
        // SQLite's header has the store's version in the open (https://www.sqlite.org/fileformat2.html, 1.3.15).
        if case .newerVersion = error.kind, name == "watchline.sqlite", (60..<64).contains(offset) {
          continue
        }
        #expect([.corrupt, .lost, .notOurs].contains(error.kind), "byte \(offset): \(error)")
      }
    }
    print("\(name): of \(served + refused) wrong bytes \(refused) are refused at the start")
    #expect(served + refused > 5)
    // An entry is followed by up to 511 bytes that say nothing.
    if name == "watchline.log" { #expect(served < refused / 10) }
  }

  private func expectNothingWrong(_ harness: Harness, _ context: String) {
    for row in harness.contents.rows {
      let batches = (1...12).map { Chronicle.batch($0) }
      let last = batches.last { $0.rows.contains { $0.key == row.key } }
      #expect(
        last?.rows.first { $0.key == row.key }?.value == row.value, "\(context): \(row.key)")
    }
    for number: UInt64 in 1...12 {
      guard let segment = harness.segment(number), segment.damage.isEmpty else { continue }
      #expect(same(segment.body, Chronicle.batch(number).segment?.body), "\(context): \(number)")
    }
  }
}
