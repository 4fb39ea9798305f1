package import Journal

/// One server's part in one shard: it follows the shard's log, so that it has what the owner has a moment later, and may
/// come to own it.
///
/// Pure: each input is a call that takes the time and returns what is to be done. The log is asked and may answer
/// late, twice or never. Safety rests on the log alone: it takes an entry only behind the sequence that the entry
/// names (compare-and-append).
///
/// ```
///  following ─claim─► catchingUp ──has all there is──► opening ──open appended──► owner ─release─► releasing ─► following
///                          ▲                              │ refused, not mine        │ refused, not mine
///                          └──────────────────────────────┘                          ▼
///                                                                                  fenced
/// ```
/// - One entry is under way. What comes behind an entry that is refused must be refused too.
/// - The bytes of an entry never change once they were sent; what is sent again is the same.
/// - An entry that is refused may be there all the same, from an earlier try. Only reading it tells.
/// - An owner that has had nothing to say for a while says so, so that one that is no more hears of it.
///
/// Times are microseconds of a clock that does not go back.
package struct ShardOwner: Sendable {
  package enum State: Equatable, Sendable {
    case following, catchingUp, opening, owner, releasing
    /// Another server owns the shard. Nothing that this one knows may be told any more.
    case fenced
  }

  package enum Effect: Equatable, Sendable {
    /// Append the bytes behind that sequence. Answered by `appended` or `refused`, late, twice, or never.
    case append([UInt8], behind: UInt64)
    /// Read entries behind that sequence, as many as come at once. Answered by `read`, or never.
    case read(behind: UInt64)
    /// Another owner's batches, for the local copy.
    case follow(Batch)
    /// From now on it owns the shard; `epoch` is the one that it serves.
    case opened(epoch: UInt64)
    /// What was given to `commit` is in the log.
    case committed
    /// The log has not answered for a while: nobody knows whether it takes anything. Until `answers`.
    case failing
    case answers
    case fenced
    case released
    /// Entries that are not in the copy are not in the log any more: a snapshot has to take its place.
    case needsSnapshot
    /// The log cannot be followed: a sentence for a person.
    case broken(String)
  }

  package struct Settings: Sendable {
    /// The most bytes of an entry.
    package var entry = 1 << 20
    /// After how long a follower asks for more, a question is asked again, the log is said to fail, and an owner says that
    /// it is there.
    package var follow: Int64 = 500_000
    package var retry: Int64 = 250_000
    package var patience: Int64 = 1_000_000
    package var keepalive: Int64 = 2_000_000

    package init() {}
  }

  /// An entry on its way, and what comes behind it.
  private struct Flight: Sendable {
    var bytes: [UInt8]
    var behind: UInt64
    var began: Int64
    var asked: Int64
    /// The parts that follow.
    var rest: ArraySlice<[UInt8]> = []
    /// What the caller gave to commit goes up to this batch; nil where it gave nothing.
    var last: UInt64?
  }

  package let name: UInt64
  private let contact: String
  private let settings: Settings
  package private(set) var state = State.following
  package private(set) var follower: Follower
  package private(set) var isFailing = false
  private var flight: Flight?
  /// When the log was asked for entries last.
  private var asked: Int64 = 0
  /// When an entry of its own was last seen in the log.
  private var heard: Int64 = 0

  /// - Parameters:
  ///   - name: drawn; no two owners of a shard have the same, ever.
  ///   - contact: how the other servers reach this one; empty where they do not.
  ///   - follower: where the local copy stands.
  package init(
    name: UInt64, contact: String = "", at follower: Follower = Follower(),
    settings: Settings = Settings()
  ) {
    self.name = name
    self.contact = contact
    self.follower = follower
    self.settings = settings
  }

  /// Whether a commit can be taken.
  package var isFree: Bool { state == .owner && flight == nil }

  // MARK: What the server wants

  /// The server is to own the shard. It wants it until it has it, or `withdraw` says that another one may.
  package mutating func claim(now: Int64) -> [Effect] {
    guard state == .following else { return [] }
    state = .catchingUp
    return ask(now)
  }

  /// It does not want the shard any more, where it has not sent its opening: that may be in the log already.
  package mutating func withdraw() {
    if state == .catchingUp { state = .following }
  }

  /// Commits batches; answered by `committed`, or `fenced`. Only while it is free.
  package mutating func commit(_ batches: [Batch], now: Int64) -> [Effect] {
    var bytes: [UInt8] = []
    BatchCoding.append(batches, to: &bytes)
    return commit(bytes, through: batches.last!.number, now: now)
  }

  /// The same of batches that are bytes already, as `BatchCoding` has them.
  ///
  /// - Parameter last: the number of the last one.
  package mutating func commit(_ bytes: [UInt8], through last: UInt64, now: Int64) -> [Effect] {
    precondition(isFree && !bytes.isEmpty)
    let size = max(1, settings.entry - Entry.overhead)
    var entries: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let some = Array(bytes[start..<min(start + size, bytes.count)])
      let isLast = start + size >= bytes.count
      entries.append(Entry(owner: name, isLast ? .commit(some) : .part(some)).bytes)
    }
    return send(entries[...], through: last, now)
  }

  /// The server gives the shard up in order; nothing of it waits to be committed. Only while it is free.
  package mutating func release(now: Int64) -> [Effect] {
    precondition(isFree)
    state = .releasing
    return send([Entry(owner: name, .released).bytes], now)
  }

  // MARK: What the log says

  /// An entry behind that sequence was appended.
  package mutating func appended(behind: UInt64, now: Int64) -> [Effect] {
    guard let flight, flight.behind == behind else { return [] }
    return arrived(now)
  }

  /// The log has another last entry than that sequence: another one is there, or this one, from an earlier try.
  package mutating func refused(behind: UInt64, now: Int64) -> [Effect] {
    guard let flight, flight.behind == behind else { return [] }
    return ask(now)
  }

  /// What the log has behind the sequence that was asked for.
  ///
  /// - Parameters:
  ///   - entries: in order; perhaps not all, as they come in pieces, and what a server of the log knows may be old.
  ///   - first: the sequence of the first of them, or what it would be. Those before it were trimmed.
  package mutating func read(_ entries: [[UInt8]], from first: UInt64, now: Int64) -> [Effect] {
    if let flight { return look(for: flight, in: entries, from: first, now) }
    guard state == .catchingUp || state == .following else { return [] }
    let sequence = follower.sequence
    let effects = follow(entries, from: first)
    guard state == .catchingUp || state == .following, !effects.contains(.needsSnapshot) else {
      return effects
    }
    if follower.sequence != sequence { return effects + ask(now) }
    // Once nothing new comes it has all, or all that can be seen: whether that is so the opening tells.
    return state == .catchingUp ? effects + open(now) : effects
  }

  /// The copy was replaced by one that stands there.
  package mutating func restored(_ follower: Follower, now: Int64) -> [Effect] {
    guard state == .catchingUp || state == .following else { return [] }
    self.follower = follower
    return ask(now)
  }

  // MARK: Time

  /// When an owner has something to do; `tick` does it.
  package var nextDue: Int64? {
    guard let flight else { return state == .owner ? heard + settings.keepalive : nil }
    return flight.asked + settings.retry
  }

  package mutating func tick(now: Int64) -> [Effect] {
    switch state {
    case .fenced: return []
    case .following: return now - asked >= settings.follow ? ask(now) : []
    case .catchingUp: return now - asked >= settings.retry ? ask(now) : []
    case .opening, .owner, .releasing: break
    }
    guard let flight else {
      guard state == .owner, now - heard >= settings.keepalive else { return [] }
      return send([Entry(owner: name, .commit([])).bytes], now)
    }
    var effects: [Effect] = []
    if state == .owner, !isFailing, now - flight.began >= settings.patience {
      isFailing = true
      effects.append(.failing)
    }
    if now - flight.asked >= settings.retry {
      self.flight!.asked = now
      effects.append(.append(flight.bytes, behind: flight.behind))
    }
    return effects
  }

  // MARK: -

  private mutating func ask(_ now: Int64) -> [Effect] {
    asked = now
    return [.read(behind: follower.sequence)]
  }

  private mutating func open(_ now: Int64) -> [Effect] {
    state = .opening
    let identity = follower.identity ?? Self.identity(of: name)
    let body = Entry.Body.open(
      identity: identity, epoch: follower.epoch + 1, contact: contact)
    return send([Entry(owner: name, body).bytes], now)
  }

  /// The first owner names the shard.
  private static func identity(of name: UInt64) -> String {
    let digits = String(name, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func send(
    _ entries: ArraySlice<[UInt8]>, through last: UInt64? = nil, _ now: Int64
  ) -> [Effect] {
    let first = entries.first!
    flight = Flight(
      bytes: first, behind: follower.sequence, began: now, asked: now,
      rest: entries.dropFirst(), last: last)
    return [.append(first, behind: follower.sequence)]
  }

  /// The entry under way is in the log.
  private mutating func arrived(_ now: Int64) -> [Effect] {
    let flight = self.flight!
    self.flight = nil
    heard = now
    do throws(LogFault) {
      if flight.rest.isEmpty, let last = flight.last {
        follower.finishOwn(through: last)
      } else {
        _ = try follower.ingest(flight.bytes, sequence: flight.behind + 1)
      }
    } catch {
      state = .fenced
      return [.broken(error.description)]
    }
    var effects: [Effect] = []
    if isFailing {
      isFailing = false
      effects.append(.answers)
    }
    if !flight.rest.isEmpty {
      effects += send(flight.rest, through: flight.last, now)
    } else if state == .opening {
      state = .owner
      effects.append(.opened(epoch: follower.epoch))
    } else if state == .releasing {
      state = .following
      effects.append(.released)
    } else if flight.last != nil {
      effects.append(.committed)
    }
    return effects
  }

  /// The entry under way was refused: what is at its place?
  private mutating func look(
    for flight: Flight, in entries: [[UInt8]], from first: UInt64, _ now: Int64
  ) -> [Effect] {
    let place = flight.behind + 1
    if first <= place {
      // Not to be seen yet; the same bytes are sent again.
      guard place - first < entries.count else { return [] }
      if entries[Int(place - first)] == flight.bytes { return arrived(now) }
    }
    // Another's, or one that was trimmed since.
    self.flight = nil
    guard state == .opening else {
      state = .fenced
      return [.fenced]
    }
    state = .catchingUp
    return read(entries, from: first, now: now)
  }

  /// Takes in entries of others.
  private mutating func follow(_ entries: [[UInt8]], from first: UInt64) -> [Effect] {
    guard first <= follower.sequence + 1 else { return [.needsSnapshot] }
    var effects: [Effect] = []
    for (sequence, bytes) in zip(first..., entries) where sequence > follower.sequence {
      do throws(LogFault) {
        effects += try follower.ingest(bytes, sequence: sequence).map { .follow($0) }
      } catch {
        state = .fenced
        return effects + [.broken(error.description)]
      }
    }
    return effects
  }
}
