import Glibc
import Seeded
import Testing

@testable import Storage

/// What every log that servers share has to do, whatever engine keeps it.
struct SharedLogConformance {
  /// Another server's view of one and the same log; the first of a name makes it.
  var open: (_ name: String) throws -> any SharedLog
  /// How many entries the long checks append.
  var entries = 300

  private static let patience: Int64 = 2_000_000

  func check() throws {
    try checkOrder()
    try checkRefusals()
    try checkTrimming()
    try checkRaces()
    try checkSteps()
  }

  /// All that there is, read piece by piece; waits a little for what was appended elsewhere.
  static func all(
    _ log: any SharedLog, behind sequence: UInt64 = 0, count: Int
  ) throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    let deadline = monotonicNanoseconds() + 5_000_000_000
    while entries.count < count, monotonicNanoseconds() < deadline {
      let place = sequence + UInt64(entries.count)
      let piece = try log.read(behind: place, patience: patience)
      #expect(piece.first == place + 1)
      entries += piece.entries
    }
    return entries
  }

  private func append(_ entry: [UInt8], _ log: any SharedLog, behind sequence: Int) {
    #expect(
      log.append(entry, behind: UInt64(sequence), patience: Self.patience) == .appended,
      "behind \(sequence)")
  }

  /// Entries come back in their order, whoever reads, from the first byte to the longest entry.
  private func checkOrder() throws {
    let (log, other) = (try open("order"), try open("order"))
    #expect(try log.read(behind: 0, patience: Self.patience) == SharedLogPiece(first: 1))
    var expected: [[UInt8]] = []
    for (number, size) in [10, 11, 4_096, log.entryBytes, 10, log.entryBytes - 1].enumerated() {
      expected.append([UInt8](repeating: UInt8(number + 1), count: size))
      append(expected[number], log, behind: number)
    }
    #expect(same(try Self.all(other, count: 6), expected))
    #expect(same(try Self.all(log, behind: 4, count: 2), Array(expected[4...])))
    // Nothing is behind the last one, and one who is further is told where it ends.
    #expect(try log.read(behind: 6, patience: Self.patience) == SharedLogPiece(first: 7))
    #expect(try log.read(behind: 9, patience: Self.patience) == SharedLogPiece(first: 7))
  }

  /// Who knows another last entry appends nothing; the same entry once more is another one.
  private func checkRefusals() throws {
    let (log, other) = (try open("refusals"), try open("refusals"))
    let (first, second) = ([UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 20))
    #expect(log.append(first, behind: 1, patience: Self.patience) == .refused)
    append(first, log, behind: 0)
    for sequence: UInt64 in [0, 2, 7] {
      #expect(other.append(second, behind: sequence, patience: Self.patience) == .refused)
      #expect(log.append(first, behind: sequence, patience: Self.patience) == .refused)
    }
    append(second, other, behind: 1)
    #expect(log.append(first, behind: 1, patience: Self.patience) == .refused)
    #expect(same(try Self.all(log, count: 2), [first, second]))
  }

  /// What was trimmed is not read for something else, and the numbers go on, also where nothing is left.
  private func checkTrimming() throws {
    let log = try open("trimming")
    for number in 0..<6 {
      append([UInt8](repeating: UInt8(number), count: 30), log, behind: number)
    }
    log.trim(through: 0)
    #expect(try Self.all(log, count: 6).count == 6)
    log.trim(through: 4)
    let piece = try log.read(behind: 1, patience: Self.patience)
    #expect(piece.first >= 5 || piece.first == 2)
    #expect(
      same(try Self.all(log, behind: 4, count: 2), [4, 5].map { .init(repeating: $0, count: 30) }))
    log.trim(through: 6)
    append([UInt8](repeating: 6, count: 30), log, behind: 6)
    #expect(log.append([9], behind: 0, patience: Self.patience) == .refused)
    #expect(same(try Self.all(log, behind: 6, count: 1), [.init(repeating: 6, count: 30)]))
  }

  /// Of servers that append behind the same entry, one does.
  private func checkRaces() throws {
    let servers = 4
    let wins = Monitor([[UInt8]]())
    nonisolated(unsafe) let logs = try (0..<servers).map { _ in try open("races") }
    let goal = UInt64(entries)
    runAtOnce(servers) { server in
      let log = logs[server]
      var sequence: UInt64 = 0
      var number: UInt8 = 0
      while sequence < goal {
        var entry = [UInt8](repeating: UInt8(server), count: 16)
        entry[1] = UInt8(sequence & 0xff)
        entry[2] = number
        number &+= 1
        switch log.append(entry, behind: sequence, patience: Self.patience) {
        case .appended:
          wins.with { wins in
            while wins.count <= sequence { wins.append([]) }
            #expect(wins[Int(sequence)].isEmpty, "two are entry \(sequence + 1)")
            wins[Int(sequence)] = entry
          }
          sequence += 1
        case .refused:
          // Where it is now is read; what is read may be old.
          if let piece = try? log.read(behind: sequence, patience: Self.patience) {
            sequence += UInt64(piece.entries.count)
          }
        case .unanswered(let silence):
          Issue.record("no answer: \(silence.reason)")
          return
        }
      }
    }
    let found = try Self.all(logs[0], count: entries)
    // An entry that was read before its winner noted it is noted by now.
    #expect(same(Array(found.prefix(entries)), Array(wins.with { $0 }.prefix(entries))))
  }

  /// One server after the other takes over; each goes on behind all that was appended, and reads it so.
  private func checkSteps() throws {
    var random = SplitMix64(seed: 5)
    var expected: [[UInt8]] = []
    var logs = [try open("steps"), try open("steps")]
    for step in 0..<entries / 3 {
      if random.below(10) == 0 { logs[random.below(2)] = try open("steps") }
      let log = logs[random.below(2)]
      let entry = (0..<10 + random.below(500)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      append(entry, log, behind: step)
      expected.append(entry)
      if step % 7 == 0 {
        let from = random.below(step + 1)
        let reader = logs[random.below(2)]
        let found = try Self.all(reader, behind: UInt64(from), count: step + 1 - from)
        #expect(same(found, Array(expected[from...])))
      }
    }
  }
}

/// Runs a body on so many threads, and waits for all of them.
func runAtOnce(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  let started = Monitor(0)
  let threads = (0..<count).map { number in
    let work = Work {
      started.with { $0 += 1 }
      while started.with({ $0 }) < count {}
      body(number)
    }
    return startThread(
      { argument in
        Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
  }
  for thread in threads { pthread_join(thread, nil) }
}
