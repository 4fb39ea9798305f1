import Cluster
import InMemory
import Journal

/// The log of a shard, and the network before it: what is sent to it and what it answers arrives late, twice or never, in
/// any order, and what a server of it knows may be old.
///
/// It promises one thing: an entry is appended only behind the last one that it names.
final class ModelLog {
  /// Something on its way between a server and the log.
  struct Message: Equatable {
    enum Body: Equatable {
      case append([UInt8], behind: UInt64)
      case read(behind: UInt64)
      case appended(behind: UInt64)
      case refused(behind: UInt64)
      case entries([[UInt8]], from: UInt64)
    }

    /// The process that asks, or is answered.
    let process: Int
    let body: Body

    var isAnswer: Bool {
      switch body {
      case .append, .read: false
      case .appended, .refused, .entries: true
      }
    }
  }

  /// What becomes of a message.
  enum Fate {
    case arrives, isLost
    /// It arrives, and a copy is still on its way.
    case arrivesTwice
    /// Who answers has not heard of anything new.
    case findsNothingNew
  }

  private var entries: [[UInt8]] = []
  /// Entries up to this one are gone.
  private var trimmed: UInt64 { snapshot?.at.sequence ?? 0 }
  private(set) var flying: [Message] = []
  /// Reads the log as a follower does, and so judges it: what one owner commits stands in one run behind its opening.
  private var judge = Follower()
  /// The last batch of each owner.
  private(set) var committed: [UInt64: UInt64] = [:]
  /// A server's copy in the place of the entries that were trimmed.
  private(set) var snapshot: (store: MemoryStore, at: Follower)?
  private var processes = 0
  /// What stands in the log that must not: a sentence.
  private(set) var fault: String?

  /// Of the last entry.
  var last: UInt64 { UInt64(entries.count) }

  /// What is on its way already is not sent a second time: copies are made on the way.
  func send(_ body: Message.Body, from process: Int) {
    let message = Message(process: process, body: body)
    if message.isAnswer || !flying.contains(message) { flying.append(message) }
  }

  /// The number of a process that begins.
  func newProcess() -> Int {
    processes += 1
    return processes
  }

  /// A process is gone, and nobody hears what it was to be answered.
  func forget(_ process: Int) {
    flying.removeAll { $0.process == process && $0.isAnswer }
  }

  /// A message arrives. Returns it where it is an answer, for the process.
  func arrive(_ index: Int, _ fate: Fate) -> Message? {
    let message = fate == .arrivesTwice ? flying[index] : flying.remove(at: index)
    guard fate != .isLost else { return nil }
    switch message.body {
    case .append(let bytes, let behind):
      guard append(bytes, behind: behind) else {
        send(.refused(behind: behind), from: message.process)
        return nil
      }
      send(.appended(behind: behind), from: message.process)
    case .read(let behind):
      let from = max(behind, trimmed)
      let answer: Message.Body =
        fate == .findsNothingNew
        ? .entries([], from: behind + 1)
        : .entries(Array(entries[min(Int(from), entries.count)...]), from: from + 1)
      send(answer, from: message.process)
    default: return message
    }
    return nil
  }

  private func append(_ bytes: [UInt8], behind: UInt64) -> Bool {
    guard behind == last else { return false }
    entries.append(bytes)
    do {
      let epoch = judge.epoch
      let batches = try judge.ingest(bytes, sequence: last)
      guard let owner = judge.owner else { return true }
      if judge.epoch != epoch, committed.updateValue(judge.lastBatch, forKey: owner) != nil {
        fault = fault ?? "entry \(last) opens the shard for an owner that has opened it before"
      }
      if let batch = batches.last { committed[owner] = batch.number }
    } catch {
      fault = fault ?? "\(error)"
    }
    return true
  }

  /// - Returns: false where that much was trimmed before.
  func trim(to snapshot: (store: MemoryStore, at: Follower)) -> Bool {
    guard snapshot.at.sequence > trimmed else { return false }
    self.snapshot = snapshot
    return true
  }
}
