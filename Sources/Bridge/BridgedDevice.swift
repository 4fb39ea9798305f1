package import Merge

/// A device that sends and is sent whole records, as a hub knows it.
package final class BridgedDevice {
  package let device: UInt16

  // Durable.
  /// The life of its storage that the tracks are of, by its index.
  package var incarnation: UInt16 = 0
  /// When the newest list of all was made that it sent.
  package var lastList: Double?
  /// The most that its clock was seen to be ahead of the hub's, in milliseconds.
  package var ahead: UInt64 = 0
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
  package private(set) var tracks: [Target: (number: UInt32, track: Track)] = [:]
  /// Everything is to be sent to it with the open batch.
  package var isOwedAll = false

  // The present session.
  package var session = Session()

  private var changed: Set<Target> = []

  package struct Session {
    /// When it began, in milliseconds since 1970; nil where there is none.
    package var start: UInt64?
    /// `proven` as it was then.
    package var proven: UInt64 = 0
    /// The activation's own acknowledges are being noted.
    package var isBeginning = true
    /// A payload of its was refused, and comes again: until then an acknowledge does not prove that what
    /// it had done before is here.
    package var hasRefused = false
    /// Whether what a list of all lacks has been deleted.
    package var deletesByAbsence = false

    package init(start: UInt64? = nil, proven: UInt64 = 0, deletesByAbsence: Bool = false) {
      self.start = start
      self.proven = proven
      self.deletesByAbsence = deletesByAbsence
    }
  }

  /// Assumed clock skew after an undated action, in milliseconds, beyond what the device's dates have
  /// shown. For as long, what the device does upon what is sent then counts as done when it comes.
  static let margin: UInt64 = 60_000
  /// The same for what is sent once more when a session begins: two hours.
  static let wideMargin: UInt64 = 7_200_000
  /// Most records whose tracks are kept: as many as a row's number has room for.
  static let recordLimit: UInt32 = 1 << 20

  package init(device: UInt16) { self.device = device }

  /// The track of a record; assigning nil has no effect.
  package subscript(target: Target) -> Track? {
    get { tracks[target]?.track }
    set {
      guard let newValue, tracks[target]?.track != newValue else { return }
      if tracks[target] == nil {
        guard nextNumber < Self.recordLimit else { return }
        tracks[target] = (nextNumber, newValue)
        nextNumber += 1
      } else {
        tracks[target]!.track = newValue
      }
      changed.insert(target)
    }
  }

  package func restore(_ target: Target, number: UInt32, _ track: Track) {
    tracks[target] = (number, track)
  }

  /// Records whose rows are to be written.
  package func takeChanged() -> [(number: UInt32, target: Target, track: Track)] {
    let taken = changed.sorted().map { (tracks[$0]!.number, $0, tracks[$0]!.track) }
    changed = []
    return taken
  }

  package func owe(_ target: Target) { self[target]?.isOwed = true }

  /// The lowest position that an edit of the device may yet begin at; nil where there is none.
  package var oldestPosition: UInt64? {
    tracks.values.lazy.compactMap(\.track.oldestPosition).min()
  }

  // MARK: Sessions

  /// A session begins.
  ///
  /// - Parameters:
  ///   - isReset: what it held may be lost.
  ///   - isPhone: phones answer what they refuse; of a watch nothing is heard then.
  package func begin(_ session: Session, isReset: Bool, isPhone: Bool, now: UInt64) {
    if isReset {
      for target in tracks.keys.sorted() { self[target]!.forget(processed: processed) }
      lastList = nil
      processed = 0
      proven = 0
      isOwedAll = true
    }
    if !isPhone { resendUndated(above: latest(at: now, margin: Self.wideMargin)) }
    heard = max(1, now)
    self.session = session
    self.session.proven = proven
  }

  /// It has acknowledged a delivery.
  ///
  /// - Parameter isOwnWord: by a line of its own, not by itself.
  package func acknowledge(_ seq: UInt64, isOwnWord: Bool) {
    processed = max(processed, seq)
    guard isOwnWord, session.start != nil, !session.isBeginning, !session.hasRefused else { return }
    proven = max(proven, seq)
  }

  /// Moves bases to what the device certainly holds by now.
  package func settle() {
    for target in tracks.keys where !tracks[target]!.track.inFlight.isEmpty {
      self[target]!.acknowledge { $0.seq <= self.proven }
    }
  }

  /// A delivery that the device refused has not reached it.
  package func drop(_ seq: UInt64) {
    let targets = tracks.filter { $0.value.track.inFlight.contains { $0.seq == seq } }.keys
    for target in targets { self[target]!.drop(seq) }
  }

  // MARK: Its clock

  /// The latest date that its clock can show.
  func latest(at now: UInt64, margin: UInt64 = margin) -> Double {
    RecordDate.date(milliseconds: now + ahead + margin)
  }

  /// Notes a time that the device has told by its clock.
  func tell(_ date: Double, now: UInt64) {
    let time = RecordDate.milliseconds(date)
    guard time > now, time - now > ahead else { return }
    let isFarther = time - now > ahead + Self.margin
    ahead = time - now
    if isFarther { resendUndated(above: latest(at: now)) }
  }

  /// What was sent since the device acted without a date may have been refused: it is sent once more.
  ///
  /// - Parameter date: the latest that the device can have dated its copies with.
  private func resendUndated(above date: Double) {
    for target in tracks.keys.sorted() where tracks[target]!.track.isUndated {
      var track = tracks[target]!.track
      // Nothing was sent since: it holds what it did, and nothing else.
      guard track.since > 0 || !track.inFlight.isEmpty else { continue }
      track.floor = max(track.floor, date)
      track.isUndated = track.base == .unknown
      track.beInDoubt()
      self[target] = track
    }
  }
}
