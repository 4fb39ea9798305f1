import CFaultVFS
import CSQLite
import Glibc
import Journal
import Seeded
import Testing

@testable import Storage

@Suite struct LogTests {
  let directory = TemporaryDirectory(inMemory: true)

  private func open(
    behind copied: UInt64 = 0, vfs: String? = nil
  ) throws(StoreError) -> FileLog {
    let log = try FileLog(directory.log, behind: copied, vfs: vfs)
    if !log.isThere { try log.start(behind: copied, store: 7) }
    return log
  }

  @Test func memoryLogConforms() throws {
    try LogConformance(make: { MemoryLog() }, reopen: { $0 }).check()
  }

  @Test func fileLogConforms() throws {
    try LogConformance(
      make: {
        directory.remove("watchline.log")
        return try open()
      },
      reopen: { _ in try open() }
    ).check()
  }

  @Test func batchesAsBytes() throws {
    let batches = (1...30).map { Chronicle.batch($0) } + [Batch(number: 31)]
    var bytes: [UInt8] = []
    BatchCoding.append(batches, to: &bytes)
    let read = try #require(bytes.withUnsafeBytes { BatchCoding.batches($0) })
    #expect(read.count == batches.count)
    for (one, other) in zip(read, batches) {
      #expect(one.number == other.number && one.rows == other.rows)
      #expect(one.removedSegments == other.removedSegments)
      #expect(one.removedPairs == other.removedPairs)
      #expect(same(one.segment, other.segment), "batch \(one.number)")
    }
    // What is cut is no entry, or one with fewer batches.
    var whole = 0
    for length in 0..<2_000 {
      guard let read = bytes[..<length].withUnsafeBytes({ BatchCoding.batches($0) }) else {
        continue
      }
      whole += 1
      #expect(read.map(\.number) == Array(1..<UInt64(read.count + 1)))
    }
    #expect(whole > 1)
    #expect([UInt8](repeating: 9, count: 40).withUnsafeBytes { BatchCoding.batches($0) } == nil)
  }

  // MARK: Damage

  private func fill(_ count: UInt64, size: Int = 700) throws {
    let log = try open()
    for sequence in 1...count {
      try log.append(
        [UInt8](repeating: UInt8(sequence), count: size), sequence: sequence, behind: sequence - 1)
    }
  }

  /// Each byte of a log is wrong in turn: what is read is what was appended, up to some entry, or nothing.
  @Test func aWrongByte() throws {
    try fill(4)
    let whole = readFile(directory.log)
    let end = try open().byteCount
    var (refused, torn) = (0, 0)
    for offset in 0..<end {
      var bytes = whole
      bytes[offset] ^= 1 << UInt8(offset % 8)
      writeFile(directory.log, bytes)
      do throws(StoreError) {
        let log = try FileLog(directory.log, behind: 0, vfs: nil)
        var read: [UInt64] = []
        try log.read(behind: 0) { (sequence, entry) throws(StoreError) in
          read.append(sequence)
          #expect(entry.allSatisfy { $0 == UInt8(sequence) } && entry.count == 700)
        }
        #expect(read == Array((1...4).prefix(read.count)), "byte \(offset)")
        // Only the last one can be torn.
        #expect(read.count >= 3, "byte \(offset)")
        if read.count == 3 { torn += 1 }
      } catch {
        refused += 1
        #expect(error.kind == .corrupt && error.message.contains("log"), "byte \(offset): \(error)")
      }
    }
    // All bytes of three entries and of the head; all of the last one.
    #expect(refused >= 3 * 732 + 40 && torn == 732, "\(refused) refused, \(torn) torn")
  }

  @Test func damageThatIsNotNeededIsNone() throws {
    try fill(4)
    var bytes = readFile(directory.log)
    bytes[600] ^= 1
    writeFile(directory.log, bytes)
    #expect(throws: StoreError.self) { try FileLog(directory.log, behind: 0, vfs: nil) }
    #expect(throws: StoreError.self) { try FileLog(directory.log, behind: 3, vfs: nil) }
    #expect(throws: Never.self) { try FileLog(directory.log, behind: 4, vfs: nil) }
  }

  /// What is left of earlier rounds is no entry, wherever the new ones end.
  @Test func startsOver() throws {
    let log = try open()
    for sequence: UInt64 in 1...9 {
      try log.append([UInt8](repeating: 1, count: 900), sequence: sequence, behind: sequence - 1)
    }
    let size = readFile(directory.log).count
    log.trim(through: 9)
    #expect(log.byteCount == 0)
    for sequence: UInt64 in 10...12 {
      try log.append([UInt8](repeating: 2, count: 100), sequence: sequence, behind: sequence - 1)
      let again = try FileLog(directory.log, behind: 9, vfs: nil)
      #expect(again.base == 9 && again.last == sequence)
    }
    #expect(readFile(directory.log).count == size)
    log.trim(through: 12)
    try log.shorten(to: 0)
    #expect(readFile(directory.log).count == 64 << 10)
  }

  /// A log that has been filled does not grow again, and one that is filled grows in steps.
  @Test func grows() throws {
    let log = try open()
    var sizes: [Int] = []
    for sequence: UInt64 in 1...400 {
      try log.append([UInt8](repeating: 1, count: 9_000), sequence: sequence, behind: sequence - 1)
      let size = readFile(directory.log).count
      if sizes.last != size { sizes.append(size) }
    }
    #expect(sizes.count < 12 && sizes.last! < 8 << 20, "\(sizes)")
  }

  // MARK: Failures

  /// Writes and syncs fail now and then, an entry that failed is replaced by another one, and the power goes: what
  /// was reported is there, nothing else is, and nothing is wrong.
  @Test func keepsWhatItReported() throws {
    let after = TemporaryDirectory(inMemory: true)
    let vfs = FaultVFS()
    let name = String(vfs.options.vfs!)
    let log = try open(vfs: name)
    var random = SplitMix64(seed: 1)
    var copied: UInt64 = 0
    var failures = 0
    /// What was tried behind the last one that succeeded.
    var highest: UInt64 = 0
    for seed in 1...600 {
      let operation = [FAULT_SYNC, FAULT_WRITE][random.below(2)]
      if random.below(3) == 0 {
        vfs.fail(
          operation, first: 1 + random.below(2),
          code: operation == FAULT_SYNC ? SQLITE_IOERR_FSYNC : SQLITE_IOERR_WRITE,
          torn: random.below(2) == 0)
      }
      if random.below(10) == 0 {
        copied = log.last
        log.trim(through: copied)
      }
      let last = log.last
      let size = [10, 400, 3_000, 20_000][random.below(4)]
      let next = last + 1 + UInt64(random.below(3))
      let entry = [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: size)
      highest = max(highest, next)
      do throws(StoreError) {
        try log.append(entry, sequence: next, behind: last)
        highest = next
      } catch {
        failures += 1
        #expect(log.last == last && error.kind == .io, "\(error)")
      }
      vfs.heal(operation)
      if failures % 3 == 1 { continue }  // Replaced before the power goes.
      vfs.stop(into: after, seed: seed)
      let found = try FileLog(after.log, behind: copied, vfs: nil)
      #expect(
        max(found.last, copied) >= log.last && found.last <= highest, "seed \(seed)")
      for entry in try LogConformance.entries(found, behind: copied) {
        #expect(
          entry.bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: entry.sequence) }, "seed \(seed)"
        )
      }
    }
    #expect(failures > 100, "\(failures)")
  }
}
