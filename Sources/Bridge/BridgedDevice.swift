package import Merge

/// A device that sends and is sent whole records, as a hub knows it.
package final class BridgedDevice {
  package let device: UInt16

  // Durable.
  /// The life of its storage that the tracks are of, by its index.
  package var incarnation: UInt16 = 0
  /// When the newest list of all was made that it sent.
  package var lastList: Double?
  /// The last delivery of the hub's that it has acknowledged.
  package var processed: UInt64 = 0
  /// The last of them that it acknowledged by a line of its own, behind what it had done before. What an
  /// activation says it has processed proves less: transfers from before may have been lost with the
  /// acknowledge, and come again; and an automatic one proves nothing.
  package var proven: UInt64 = 0
  /// When it was last heard, in milliseconds since 1970.
  package var heard: UInt64 = 0
  /// How its app's payloads were last put into dictionaries; the codec's affair.
  package var envelope: UInt64 = 0
  /// The number that the next record's row gets; from 1.
  package var nextNumber: UInt32 = 1
  /// By record, the number of its row and its track.
  package typealias Tracks = [Target: (number: UInt32, track: Track)]
  package private(set) var tracks: Tracks = [:]
  /// Whether everything is to be sent to it.
  package var owed = Owed.nothing

  package enum Owed: Equatable {
    case nothing, all
    /// And what it held may be lost: its tracks are to be forgotten first.
    ///
    /// - Parameter processed: the last delivery that it had acknowledged.
    case reset(processed: UInt64)
  }

  // The present session.
  package var session = Session()

  // Not durable: what is to be looked at, so that a commit costs what has changed.
  /// Records whose rows are to be written.
  private var changed: Set<Target> = []
  /// Records of which the device or the hub may hold something else than when they were last compared.
  package private(set) var due: Set<Target> = []
  /// Records that are to be sent, and have no room before the device has processed something.
  private var blocked: Set<Target> = []
  /// Records that have changed since it was last looked what is proven of them.
  private var unsettled: Set<Target> = []
  /// `proven` as it was then.
  private var settled: UInt64 = 0
  /// Records that the device certainly holds as the hub shows them: their person has seen the log up to `agreed`.
  private var agreeing: Set<Target> = []
  private var agreed: UInt64 = 0
  /// By number, the records of what is in flight.
  private var carried: [UInt64: Set<Target>] = [:]
  /// How many records were gone through to find what an order means.
  package internal(set) var looked = 0
  /// Rises with whatever decides what it is to be sent.
  package private(set) var changes: UInt64 = 0

  package struct Session {
    /// When it began, in milliseconds since 1970; nil where there is none.
    package var start: UInt64?
    /// `proven` as it was then.
    package var proven: UInt64 = 0
    /// The activation's own acknowledges are being noted.
    package var isBeginning = true
    /// The last `n` that was refused, and is given again: until then an acknowledge does not prove that what it had done
    /// before is here. Above all numbers once another payload was refused, as nothing says when what that said comes.
    package var refused: UInt64 = 0
    /// Deliveries that it has acknowledged, and the `n` with which all that it had done before is here; in order, at most
    /// `unprovenLimit`.
    package var unproven: [(seq: UInt64, n: UInt64)] = []
    /// Whether what a list of all lacks has been deleted.
    package var deletesByAbsence = false

    package init(start: UInt64? = nil, proven: UInt64 = 0, deletesByAbsence: Bool = false) {
      self.start = start
      self.proven = proven
      self.deletesByAbsence = deletesByAbsence
    }
  }

  /// Assumed clock skew of a device that acts without a date, in milliseconds. For as long, what it does upon
  /// what is sent then counts as done when it comes.
  static let margin: UInt64 = 60_000
  /// How much more is assumed of a watch when it activates next, in seconds.
  static let wideMargin = 7_200.0
  /// Most acknowledges of a session that wait for transfers that were refused; the last stands for those beyond.
  package static let unprovenLimit = 256
  /// Most records whose tracks are kept: as many as a row's number has room for.
  static let recordLimit: UInt32 = 1 << 20
  /// More than one line can make.
  private static let recordsOfALine: UInt32 = 1 << 15

  package init(device: UInt16) { self.device = device }

  // MARK: Work on a copy

  /// One that holds the same, for another thread to work on.
  package func copy() -> BridgedDevice {
    let copy = BridgedDevice(device: device)
    copy.takeTracks(of: self)
    (copy.processed, copy.proven, copy.envelope) = (processed, proven, envelope)
    return copy
  }

  /// Takes over what was done with a copy while nothing changed here.
  ///
  /// - Returns: the tracks that it had, which may take long to free.
  package func adopt(_ copy: BridgedDevice) -> Tracks {
    let old = tracks
    takeTracks(of: copy)
    changes += 1
    return old
  }

  private func takeTracks(of other: BridgedDevice) {
    (tracks, nextNumber, owed) = (other.tracks, other.nextNumber, other.owed)
    (changed, due, blocked, unsettled) = (other.changed, other.due, other.blocked, other.unsettled)
    (settled, agreeing, agreed, carried) = (
      other.settled, other.agreeing, other.agreed, other.carried
    )
  }

  // MARK: Tracks

  /// The track of a record; assigning nil has no effect.
  package subscript(target: Target) -> Track? {
    get {
      guard var track = tracks[target]?.track else { return nil }
      if agreeing.contains(target) { track.agree(at: agreed) }
      return track
    }
    set {
      guard let newValue, self[target] != newValue else { return }
      put(newValue, for: target)
    }
  }

  /// Whether numbers may run out with the next line: a record without one is not told to the device, so nothing more is
  /// to be taken in.
  package var isFull: Bool { nextNumber >= Self.recordLimit - Self.recordsOfALine }

  /// Sets the track of a record that has changed: to compare it costs more than to set it.
  func put(_ track: Track, for target: Target) {
    changes += 1
    let old = tracks[target]
    if let old {
      tracks[target] = (old.number, track)
    } else {
      guard nextNumber < Self.recordLimit else { return }
      tracks[target] = (nextNumber, track)
      nextNumber += 1
    }
    noteInFlight(target, old?.track.inFlight ?? [], track.inFlight)
    changed.insert(target)
    due.insert(target)
    unsettled.insert(target)
    agreeing.remove(target)
  }

  package func restore(_ target: Target, number: UInt32, _ track: Track) {
    tracks[target] = (number, track)
    noteInFlight(target, [], track.inFlight)
    due.insert(target)
    unsettled.insert(target)
  }

  private func noteInFlight(_ target: Target, _ old: [Track.Delivery], _ new: [Track.Delivery]) {
    for delivery in old where !new.contains(where: { $0.seq == delivery.seq }) {
      carried[delivery.seq]?.remove(target)
      if carried[delivery.seq]?.isEmpty == true { carried[delivery.seq] = nil }
    }
    for delivery in new where !old.contains(where: { $0.seq == delivery.seq }) {
      carried[delivery.seq, default: []].insert(target)
    }
  }

  /// Records whose rows are to be written.
  package func takeChanged() -> [(number: UInt32, target: Target, track: Track)] {
    let taken = changed.sorted().map { (tracks[$0]!.number, $0, tracks[$0]!.track) }
    changed = []
    return taken
  }

  // MARK: What is to be compared

  /// These records may show something else at the hub, whose log is at a position; all others show the same.
  package func markDue(_ targets: Set<Target>, at position: UInt64) {
    changes += 1
    for target in targets where agreeing.remove(target) != nil {
      tracks[target]!.track.agree(at: agreed)
      changed.insert(target)
    }
    due.formUnion(targets)
    agreed = position
  }

  /// Records to compare now, at most so many.
  func nextDue(atMost limit: Int) -> [Target] {
    due.count > limit ? Array(due.sorted()[..<limit]) : Array(due)
  }

  /// How a comparison has ended.
  enum Comparison {
    /// Nothing more is to be done.
    case over
    /// It is to be sent, and has no room.
    case isBlocked
    /// The device certainly holds what the hub shows.
    case agrees
  }

  func compared(_ target: Target, _ result: Comparison) {
    due.remove(target)
    switch result {
    case .over: break
    case .isBlocked: blocked.insert(target)
    case .agrees: agreeing.insert(target)
    }
  }

  package func owe(_ target: Target) { self[target]?.isOwed = true }

  /// The lowest position that an edit of the device may yet begin at; nil where there is none.
  package var oldestPosition: UInt64? {
    var oldest = UInt64.max
    for (target, entry) in tracks {
      oldest = min(oldest, entry.track.madeRoom?.position ?? .max)
      let base = agreeing.contains(target) ? agreed : entry.track.oldestPosition
      oldest = min(oldest, base ?? .max)
    }
    return oldest == .max ? nil : oldest
  }

  // MARK: Sessions

  /// A session begins.
  ///
  /// - Parameter isReset: what it held may be lost.
  package func begin(_ session: Session, isReset: Bool, now: UInt64) {
    changes += 1
    if isReset {
      if case .reset = owed {} else { owed = .reset(processed: processed) }
      lastList = nil
      processed = 0
      proven = 0
      settled = 0
    }
    // What is to be forgotten is not looked at.
    if case .reset = owed {
    } else {
      for target in tracks.keys where tracks[target]!.track.undated != nil {
        self[target]!.resendUndated(margin: Self.wideMargin)
      }
    }
    heard = max(1, now)
    self.session = session
    self.session.proven = proven
  }

  /// Forgets what it may have lost, where that has not been done.
  package func forgetLost() {
    guard case .reset(let processed) = owed else { return }
    owed = .all
    for target in tracks.keys {
      var track = self[target]!
      track.forget(processed: processed)
      put(track, for: target)
    }
  }

  /// It has acknowledged a delivery.
  ///
  /// - Parameters:
  ///   - isExplicit: by a line of its own, not automatically.
  ///   - n: of the last transfer that was accepted of it.
  package func acknowledge(_ seq: UInt64, isExplicit: Bool, accepted n: UInt64) {
    changes += 1
    processed = max(processed, seq)
    due.formUnion(blocked)
    blocked = []
    guard isExplicit, session.start != nil, !session.isBeginning else { return }
    if session.unproven.last?.n == session.refused || session.unproven.count == Self.unprovenLimit {
      session.unproven.removeLast()
    }
    session.unproven.append((seq, session.refused))
    accept(n)
  }

  /// A transfer of its has been accepted: with it all that have a lower `n`, and were sent before.
  package func accept(_ n: UInt64) {
    let here = session.unproven.prefix { $0.n <= n }
    proven = max(proven, here.last?.seq ?? 0)
    session.unproven.removeFirst(here.count)
  }

  /// A payload of its was refused.
  ///
  /// - Parameter n: its number, where it is given again; nil where nothing says when what it said comes.
  package func refuse(_ n: UInt64?) {
    session.refused = max(session.refused, n ?? .max)
  }

  /// Moves bases to what the device certainly holds by now.
  package func settle() {
    var targets = unsettled
    unsettled = []
    if proven > settled {
      for (seq, records) in carried where settled < seq && seq <= proven {
        targets.formUnion(records)
      }
      settled = proven
    }
    for target in targets where !tracks[target]!.track.inFlight.isEmpty {
      self[target]!.acknowledge { $0.seq <= self.proven }
    }
  }

  /// A delivery that the device refused has not reached it.
  package func drop(_ seq: UInt64) {
    for target in carried[seq] ?? [] { self[target]!.drop(seq) }
  }
}
