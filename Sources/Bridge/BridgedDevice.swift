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

  /// Assumed clock skew of a device that acts without a date, in milliseconds. For as long, what it does upon
  /// what is sent then counts as done when it comes.
  static let margin: UInt64 = 60_000
  /// How much more is assumed of a watch when it activates next, in seconds.
  static let wideMargin = 7_200.0
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
    tracks.values.lazy.flatMap { [$0.track.madeRoom?.position, $0.track.oldestPosition] }
      .compactMap(\.self).min()
  }

  // MARK: Sessions

  /// A session begins.
  ///
  /// - Parameter isReset: what it held may be lost.
  package func begin(_ session: Session, isReset: Bool, now: UInt64) {
    if isReset {
      for target in tracks.keys.sorted() { self[target]!.forget(processed: processed) }
      lastList = nil
      processed = 0
      proven = 0
      isOwedAll = true
    }
    for target in tracks.keys where tracks[target]!.track.undated != nil {
      self[target]!.resendUndated(margin: Self.wideMargin)
    }
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
}
