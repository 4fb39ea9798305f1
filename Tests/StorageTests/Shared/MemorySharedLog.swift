import Glibc
import Seeded

@testable import Storage

/// What a shared log has, for servers on several threads.
final class MemoryEntries: Sendable {
  private struct State {
    var entries: [[UInt8]] = []
    var trimmed = 0
  }

  private let state = Monitor(State())

  var count: Int { state.with { $0.entries.count } }

  var trimmed: Int { state.with { $0.trimmed } }

  var entries: [[UInt8]] { state.with { $0.entries } }

  /// - Returns: false where another entry is the last one.
  func append(_ entry: [UInt8], behind sequence: UInt64) -> Bool {
    state.with { state in
      guard state.entries.count == sequence else { return false }
      state.entries.append(entry)
      return true
    }
  }

  func read(behind sequence: UInt64, most: Int) -> SharedLogPiece {
    state.with { state in
      let from = max(min(Int(sequence), state.entries.count), state.trimmed)
      let piece = state.entries[from...].prefix(most)
      // Where something was trimmed, its end is known and no entry: as JetStream tells it.
      return SharedLogPiece(first: UInt64(from) + 1, entries: from > sequence ? [] : Array(piece))
    }
  }

  func trim(through sequence: UInt64) {
    state.with { $0.trimmed = max($0.trimmed, Int(sequence)) }
  }

  var byteCount: Int {
    state.with { state in state.entries[state.trimmed...].reduce(0) { $0 + $1.count } }
  }

  /// Loses what it had, as engines may that were not told to sync.
  func cut(to count: Int) { state.with { $0.entries.removeSubrange(count...) } }
}

/// One server's view of entries in memory, that may lose what is asked and answered, and show what was.
final class MemorySharedLog: SharedLog {
  let name = "memory"
  var entryBytes = 1 << 16
  let shared: MemoryEntries
  /// What is wrong with it; a test may change that at any time.
  let faults: Monitor<Faults>
  private var random: SplitMix64

  struct Faults {
    /// How many of 100 questions come to nothing, and how many of 100 answers.
    var lost = (questions: 0, answers: 0)
    /// How many of 100 reads show less than there is.
    var stale = 0
    /// How long each answer takes, in microseconds.
    var delay: UInt32 = 0
    /// Nothing is answered.
    var isSilent = false
  }

  init(_ shared: MemoryEntries, seed: UInt64 = 1, faults: Faults = Faults()) {
    self.shared = shared
    self.faults = Monitor(faults)
    random = SplitMix64(seed: seed)
  }

  private func happens(_ percent: Int) -> Bool { random.below(100) < percent }

  func append(_ entry: [UInt8], behind sequence: UInt64, patience: Int64) -> SharedLogAnswer {
    let faults = faults.with { $0 }
    usleep(faults.delay)
    let silence = SharedLogAnswer.unanswered(SharedLogSilence("it is lost"))
    guard !faults.isSilent, !happens(faults.lost.questions) else { return silence }
    let isThere = shared.append(entry, behind: sequence)
    guard !happens(faults.lost.answers) else { return silence }
    return isThere ? .appended : .refused
  }

  func read(
    behind sequence: UInt64, patience: Int64
  ) throws(SharedLogSilence) -> SharedLogPiece {
    let faults = faults.with { $0 }
    usleep(faults.delay)
    guard !faults.isSilent, !happens(faults.lost.questions + faults.lost.answers) else {
      throw SharedLogSilence("it is lost")
    }
    return shared.read(behind: sequence, most: happens(faults.stale) ? random.below(2) : 16)
  }

  var byteCount: Int? { shared.byteCount }

  func trim(through sequence: UInt64) { shared.trim(through: sequence) }
}
