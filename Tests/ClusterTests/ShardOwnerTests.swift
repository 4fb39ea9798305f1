import Journal
import Testing

@testable import Cluster

/// One owner, and a log that the test plays.
@Suite struct ShardOwnerTests {
  /// What a log has, and does at once what it is asked.
  private struct Log {
    var entries: [[UInt8]] = []
    var trimmed = 0

    /// Answers an effect as a log that works; nil where it is none for a log.
    mutating func answer(
      _ effect: ShardOwner.Effect, _ owner: inout ShardOwner, now: Int64
    ) -> [ShardOwner.Effect]? {
      switch effect {
      case .append(let bytes, let behind):
        guard behind == entries.count else { return owner.refused(behind: behind, now: now) }
        entries.append(bytes)
        return owner.appended(behind: behind, now: now)
      case .read(let behind):
        let from = max(Int(behind), trimmed)
        return owner.read(Array(entries[from...]), from: UInt64(from) + 1, now: now)
      default: return nil
      }
    }

    /// Answers all of them, and what follows. Returns what is left for the server.
    mutating func answer(
      _ effects: [ShardOwner.Effect], _ owner: inout ShardOwner, now: Int64 = 0
    ) -> [ShardOwner.Effect] {
      var told: [ShardOwner.Effect] = []
      for effect in effects {
        if let more = answer(effect, &owner, now: now) {
          told += answer(more, &owner, now: now)
        } else {
          told.append(effect)
        }
      }
      return told
    }
  }

  private func batch(_ number: UInt64, bytes: Int = 10) -> Batch {
    Batch(
      number: number, rows: [Row(.init(.pair, pair: 1), Array(repeating: 7, count: bytes))])
  }

  private func owning(_ log: inout Log, name: UInt64 = 1, entry: Int = 1 << 20) -> ShardOwner {
    var settings = ShardOwner.Settings()
    settings.entry = entry
    var owner = ShardOwner(name: name, settings: settings)
    let told = log.answer(owner.claim(now: 0), &owner)
    #expect(owner.state == .owner)
    #expect(told.last == .opened(epoch: owner.follower.epoch))
    return owner
  }

  @Test func opensCommitsAndReleases() {
    var log = Log()
    var owner = owning(&log)
    #expect(owner.isFree)
    let identity = owner.follower.identity
    #expect(identity == "0000000000000001")
    #expect(log.answer(owner.commit([batch(1), batch(2)], now: 0), &owner) == [.committed])
    #expect(owner.follower.lastBatch == 2)
    #expect(log.answer(owner.release(now: 0), &owner) == [.released])
    #expect(owner.state == .following)

    var next = ShardOwner(name: 2)
    let told = log.answer(next.claim(now: 0), &next)
    #expect(told == [.follow(batch(1)), .follow(batch(2)), .opened(epoch: 2)])
    #expect(next.follower.identity == identity)
  }

  /// It may leave the shard to another one as long as it has not sent its opening. What comes to it late it follows.
  @Test func withdraws() {
    var log = Log()
    var owner = ShardOwner(name: 1)
    let read = owner.claim(now: 0)
    owner.withdraw()
    #expect(owner.state == .following)
    #expect(log.answer(read, &owner).isEmpty)
    #expect(log.entries.isEmpty)
    var other = owning(&log, name: 2)
    #expect(log.answer(other.commit([batch(1)], now: 0), &other) == [.committed])
    #expect(log.answer(owner.tick(now: 500_000), &owner) == [.follow(batch(1))])
    // Once it has sent it, that may be in the log.
    let asked = owner.claim(now: 500_000)
    guard case .read(let behind) = asked.first else {
      Issue.record("\(asked)")
      return
    }
    let opening = owner.read([], from: behind + 1, now: 500_000)
    owner.withdraw()
    #expect(owner.state == .opening)
    #expect(log.answer(opening, &owner) == [.opened(epoch: 2)])
  }

  /// Where a copy stands, as bytes: before the parts of what is not committed.
  @Test func keepsItsPosition() throws {
    var log = Log()
    var settings = ShardOwner.Settings()
    settings.entry = 100
    var owner = ShardOwner(name: 9, contact: "here", settings: settings)
    _ = log.answer(owner.claim(now: 0), &owner)
    let sent = owner.commit([batch(1, bytes: 200)], now: 0)
    guard case .append(let part, 1) = try #require(sent.first) else { return }
    log.entries.append(part)
    _ = owner.appended(behind: 1, now: 0)
    #expect(owner.follower.sequence == 2)
    let position = try #require(Follower(position: owner.follower.position))
    #expect(position.sequence == 1 && position.owner == 9 && position.epoch == 1)
    #expect(position.identity == owner.follower.identity && position.lastBatch == 0)
    #expect(position.contact == "here")
    // What follows is read from there.
    var next = ShardOwner(name: 2, at: position)
    #expect(log.answer(next.claim(now: 0), &next) == [.opened(epoch: 2)])
    let bytes = owner.follower.position
    for count in 0..<40 { #expect(Follower(position: Array(bytes.prefix(count))) == nil) }
    #expect(Follower(position: [3] + bytes.dropFirst()) == nil)
    // As a copy of version 1 has it, which knew no contact.
    let old = Follower(position: [1] + bytes[1..<34] + bytes[40...])
    #expect(old?.identity == position.identity && old?.contact == "")
    #expect(Follower(position: bytes + [0xFF]) == nil)
    #expect(Follower(position: Follower().position) == Follower())
  }

  /// Whoever comes later takes over; the one before hears of it with its next entry, and tells nothing.
  @Test func isFenced() {
    var log = Log()
    var old = owning(&log)
    var new = owning(&log, name: 2)
    #expect(log.answer(old.commit([batch(1)], now: 0), &old) == [.fenced])
    #expect(old.state == .fenced)
    #expect(old.tick(now: 10_000_000).isEmpty)
    #expect(log.answer(new.commit([batch(1)], now: 0), &new) == [.committed])
  }

  /// An owner that says nothing hears of it all the same, two seconds later.
  @Test func saysThatItIsThere() {
    var log = Log()
    var old = owning(&log)
    #expect(old.tick(now: 1_999_999).isEmpty)
    #expect(log.answer(old.tick(now: 2_000_000), &old, now: 2_000_000).isEmpty)
    #expect(log.entries.count == 2)
    #expect(old.tick(now: 3_999_999).isEmpty)
    _ = owning(&log, name: 2)
    #expect(log.answer(old.tick(now: 4_000_000), &old, now: 4_000_000) == [.fenced])
  }

  /// What is not answered is sent again, the same bytes; then the log is said to fail until it answers. The refusal of the
  /// second try is no reason to give up: the first one is there.
  @Test func asksAgain() throws {
    var log = Log()
    var owner = owning(&log)
    let first = owner.commit([batch(1)], now: 0)
    #expect(owner.tick(now: 249_999).isEmpty)
    #expect(owner.tick(now: 250_000) == first)
    #expect(owner.tick(now: 1_000_000) == [.failing] + first)
    #expect(owner.isFailing)
    guard case .append(let bytes, _) = try #require(first.first) else { return }
    log.entries.append(bytes)
    let told = log.answer(first, &owner, now: 1_000_000)
    #expect(told == [.answers, .committed])
    #expect(!owner.isFailing)
    #expect(log.entries.count == 2)
  }

  /// A refusal, and whoever is asked has not heard of what is there: nobody knows, and the same is sent again.
  @Test func waitsForWhatCannotBeSeen() {
    var log = Log()
    var owner = owning(&log)
    let sent = owner.commit([batch(1)], now: 0)
    #expect(owner.refused(behind: 1, now: 0) == [.read(behind: 1)])
    #expect(owner.read([], from: 2, now: 0).isEmpty)
    #expect(owner.state == .owner)
    #expect(owner.tick(now: 250_000) == sent)
    #expect(log.answer(sent, &owner) == [.committed])
  }

  /// Answers to earlier questions, and second ones, change nothing.
  @Test func passesOverOldAnswers() {
    var log = Log()
    var owner = owning(&log)
    #expect(owner.appended(behind: 0, now: 0).isEmpty)
    #expect(owner.refused(behind: 0, now: 0).isEmpty)
    #expect(owner.read(log.entries, from: 1, now: 0).isEmpty)
    let sent = owner.commit([batch(1)], now: 0)
    #expect(owner.appended(behind: 0, now: 0).isEmpty)
    #expect(log.answer(sent, &owner) == [.committed])
    #expect(owner.appended(behind: 1, now: 0).isEmpty)
  }

  /// A large commit is several entries, one at a time; the last one commits it.
  @Test func commitsInParts() {
    var log = Log()
    var owner = owning(&log, entry: 50)
    let sent = owner.commit([batch(1, bytes: 200)], now: 0)
    #expect(sent.count == 1)
    #expect(log.answer(sent, &owner) == [.committed])
    #expect(log.entries.count > 4)
    #expect(log.entries.allSatisfy { $0.count <= 50 })
    var next = ShardOwner(name: 2)
    #expect(
      log.answer(next.claim(now: 0), &next) == [.follow(batch(1, bytes: 200)), .opened(epoch: 2)])
  }

  /// What an owner had not finished is nothing once another one has begun.
  @Test func unfinishedPartsAreVoid() throws {
    var log = Log()
    var old = owning(&log, entry: 50)
    let sent = old.commit([batch(1, bytes: 200)], now: 0)
    guard case .append(let bytes, _) = try #require(sent.first) else { return }
    log.entries.append(bytes)
    var new = owning(&log, name: 2)
    #expect(new.follower.lastBatch == 0)
    #expect(log.answer(new.commit([batch(1)], now: 0), &new) == [.committed])
    #expect(log.answer(sent, &old) == [.fenced])
  }

  /// Whoever follows has what the owner has, and need not catch up when it claims the shard.
  @Test func followsBeforeItClaims() {
    var log = Log()
    var owner = owning(&log)
    var standby = ShardOwner(name: 2)
    #expect(standby.tick(now: 499_999).isEmpty)
    _ = log.answer(owner.commit([batch(1)], now: 0), &owner)
    #expect(log.answer(standby.tick(now: 500_000), &standby, now: 500_000) == [.follow(batch(1))])
    #expect(standby.tick(now: 999_999).isEmpty)
    #expect(log.answer(standby.claim(now: 999_999), &standby) == [.opened(epoch: 2)])

    log.trimmed = 3
    var late = ShardOwner(name: 3)
    #expect(log.answer(late.tick(now: 500_000), &late, now: 500_000) == [.needsSnapshot])
    #expect(late.state == .following)
  }

  /// A copy that lacks what was trimmed needs a snapshot, and goes on from there.
  @Test func goesOnFromASnapshot() {
    var log = Log()
    var first = owning(&log)
    _ = log.answer(first.commit([batch(1)], now: 0), &first)
    let snapshot = first.follower
    log.trimmed = 2
    var next = ShardOwner(name: 2)
    #expect(log.answer(next.claim(now: 0), &next) == [.needsSnapshot])
    #expect(next.state == .catchingUp)
    let told = log.answer(next.restored(snapshot, now: 0), &next)
    #expect(told == [.opened(epoch: 2)])
    // The one before has its place trimmed away, and is fenced for that as well.
    log.trimmed = 3
    #expect(log.answer(first.commit([batch(2)], now: 0), &first) == [.fenced])
  }

  /// A log that is not of this program is said to be so, and nothing of it is taken.
  @Test func saysWhatItCannotFollow() {
    func told(_ entries: [[UInt8]]) -> [ShardOwner.Effect] {
      var log = Log(entries: entries)
      var owner = ShardOwner(name: 9)
      let told = log.answer(owner.claim(now: 0), &owner)
      #expect(owner.state == .fenced)
      return told
    }
    let open = Entry(owner: 1, .open(identity: "x", epoch: 1)).bytes
    func commit(_ batches: Batch..., by owner: UInt64 = 1) -> [UInt8] {
      var bytes: [UInt8] = []
      BatchCoding.append(batches, to: &bytes)
      return Entry(owner: owner, .commit(bytes)).bytes
    }
    #expect(
      told([[1, 2, 3]]) == [.broken("entry 1 was not made by a server of this version")])
    #expect(
      told([open, commit(batch(1), by: 2)])
        == [.broken("entry 2 is not of the owner that began last")])
    #expect(
      told([open, commit(batch(1)), commit(batch(3))])
        == [.follow(batch(1)), .broken("entry 3 has batch 3 where 2 comes next")])
    #expect(
      told([open, Entry(owner: 1, .commit([9])).bytes])
        == [.broken("the batches of entry 2 cannot be read")])
    #expect(
      told([open, Entry(owner: 2, .open(identity: "y", epoch: 2)).bytes])
        == [.broken("entry 2 opens another shard than the one before it")])
  }
}
