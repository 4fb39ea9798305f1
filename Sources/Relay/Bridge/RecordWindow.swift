import AppModels
import Merge

/// What a whole-record device may hold of one timer: what it was last known to hold, and what it
/// was sent since.
///
/// ```
/// entries[0]              entries[1...]
/// known to be, or         sent since; each may have been taken in, or refused
/// to have been, there     because the device's own copy was newer
/// ```
/// That a device acknowledged a delivery does not prove that it took it in: its own newer copy may
/// have made it refuse. So the start moves on only where something shows that it did.
struct RecordWindow: Equatable {
  enum State: Equatable {
    /// Nothing is known: the device may have a copy from before it came here.
    case unknown
    /// It has none.
    case absent
    case timer(TimerDTO)

    var timer: TimerDTO? {
      guard case .timer(let timer) = self else { return nil }
      return timer
    }
  }

  struct Entry: Equatable {
    var state: State
    /// The position of the hub's log that it shows; nil where it shows nothing of it.
    var position: UInt64?
    /// Its number in the device's lane; 0 where it was not sent.
    var seq: UInt64 = 0
    /// When it was sent, in milliseconds since 1970.
    var sentAt: UInt64 = 0
    /// Whether its delivery carries nothing else, so that a newer one may replace it.
    var isAlone = false
  }

  /// Most entries.
  static let limit = 16

  /// - Invariant: never empty; only the first may be `unknown`.
  var entries: [Entry]
  /// Sent, and older than what the device had by then: it refuses them, unless it deletes its copy
  /// before they come.
  var passed: [Entry] = []
  /// `updatedAt` of what was last received of the device.
  var received: Double?
  /// A digest of what that was, to know it by should it come again; 0 for none.
  var receivedDigest: UInt64 = 0
  /// `updatedAt` of what was last sent to it, or the latest that it can have.
  var sent: Double?
  /// The number of the last delivery that had it; 0 for none.
  var lastDelivery: UInt64 = 0
  /// Whether the device has acted on the timer by a word and has sent no copy since: what is known of
  /// its copy's date is the latest that it can be, as long as its clock is no further ahead than
  /// `BridgedDevice.margin` allows for.
  var isUndated = false

  init(_ state: State) { entries = [Entry(state: state)] }

  var start: Entry { entries[0] }
  /// The position that what the device does may begin at: where the start has none, it may have
  /// taken in no more than the first of those that it was sent.
  var oldestPosition: UInt64? { entries.lazy.compactMap(\.position).first }
  var timers: [TimerDTO] { entries.compactMap(\.state.timer) }
  /// The newest of them: what the device held before it acted by a word is older than the start.
  var last: TimerDTO? {
    (entries.last { !isOld($0) && $0.state.timer != nil } ?? start).state.timer
  }
  /// Where the first delete stands that was sent after the start.
  var firstDelete: Int? {
    entries.indices.dropFirst().first { entries[$0].state == .absent }
  }
  /// What was sent, the start included where it was.
  private var deliveries: [Entry] { entries.filter { $0.seq > 0 } }

  /// What the device will hold once it has processed all that it was sent; unknown where both copies
  /// have the same date, for devices differ in what they make of that.
  var expected: State {
    let last = entries[entries.count - 1].state
    guard entries.count > 1, firstDelete == nil, let sent = last.timer,
      let own = start.state.timer, sent.updatedAt <= own.updatedAt
    else { return last }
    return sent.updatedAt < own.updatedAt || sent.showsSame(as: own) ? start.state : .unknown
  }

  /// Notes what is sent. What shows the same as what was sent before it takes its place.
  mutating func add(_ entry: Entry) {
    lastDelivery = max(lastDelivery, entry.seq)
    if let timer = entry.state.timer {
      sent = max(sent ?? timer.updatedAt, timer.updatedAt)
      if entries.count > 1, let last = entries[entries.count - 1].state.timer,
        last.showsSame(as: timer)
      {
        entries[entries.count - 1] = entry
        entries[entries.count - 1].isAlone = false
        return
      }
    }
    entries.append(entry)
    // A device that never says anything is at one of the later ones by now; what it sent itself it
    // may go on from.
    if entries.count > Self.limit { entries.remove(at: start.seq > 0 ? 0 : 1) }
  }

  /// Whether a copy is older than the last one, or that one again: a device whose copy it is now would
  /// have dated it later.
  func isLate(_ timer: TimerDTO) -> Bool {
    guard let received else { return false }
    return timer.updatedAt < received
      || timer.updatedAt == received && Self.digest(timer) == receivedDigest
  }

  private static func digest(_ timer: TimerDTO) -> UInt64 {
    Identifier(digestOf: String(decoding: timer.json, as: UTF8.self)).high
  }

  private mutating func trim() {
    while entries.count > Self.limit { entries.remove(at: 1) }
  }

  /// Whether a date may be one that the device was sent, or have come of that: a device dates each
  /// change above what it changes, by a millisecond at least. So it tells nothing of the device's clock.
  func mayFollow(_ date: Double) -> Bool {
    let copies = timers + passed.compactMap(\.state.timer)
    let seen = [received, sent].compactMap { $0 } + copies.map(\.updatedAt)
    // A second has room for many changes in a row.
    return seen.contains { $0 <= date && date <= $0 + 1 }
  }

  /// Whether the device may have set a field by a word since its last copy, upon any of those that it
  /// was sent: that the start has the value tells nothing of which it was.
  func mayBeOfWord(_ field: TimerField) -> Bool {
    switch field {
    case .notes, .isCompleted: isUndated
    default: false
    }
  }

  /// Whether an entry shows nothing of the hub's log that the start does not.
  func isOld(_ entry: Entry) -> Bool { entry.position ?? 0 <= start.position ?? 0 }

  /// The copies upon one of which the device may have made another: not those that differ from it
  /// where it is as the start.
  ///
  /// - Parameter isOfList: whether it came in a list of all. A move numbers such a list anew, so that
  ///   an old number in it may be a new one.
  func possibleStarts(of timer: TimerDTO, isOfList: Bool) -> [TimerDTO] {
    guard let own = start.state.timer else { return timers }
    let (fields, first) = (TimerFields(timer), TimerFields(own))
    return timers.filter { other in
      let other = TimerFields(other)
      return first.values.allSatisfy { field, value in
        field == .sortOrder && isOfList || mayBeOfWord(field) || fields[field] != value
          || other[field] == value
      }
    }
  }

  /// Notes a copy that came from the device: it is what the device held then.
  ///
  /// - Parameters:
  ///   - oldest: the position that it is taken to be of where nothing was known: nothing newer may be
  ///     collected as if the device had seen it.
  ///   - isUnread: whether a delivery may still be on its way.
  mutating func receive(
    _ timer: TimerDTO, atLeast oldest: UInt64, _ isUnread: (Entry) -> Bool = { _ in true }
  ) {
    var own = timer
    own.sortOrder = timer.sortOrder ?? start.state.timer?.sortOrder
    received = max(received ?? timer.updatedAt, timer.updatedAt)
    receivedDigest = Self.digest(timer)
    isUndated = false
    // What is older was taken in before or is refused: the copy stands for either. What is not may
    // still be on its way, even if the copy is like it.
    let end = firstDelete ?? entries.count
    let isLater = { (entry: Entry) in
      entry.state.timer.map { $0.updatedAt >= timer.updatedAt } ?? true
    }
    let sent = entries[..<end].filter { $0.seq > 0 }
    let later = sent.filter(isLater) + entries[end...]
    passed = (passed + sent.filter { !isLater($0) }).filter(isUnread).suffix(Self.limit)
    entries = [Entry(state: .timer(own), position: start.position ?? oldest)] + later
    trim()
  }

  /// The start is just what the hub shows at a position.
  mutating func agree(at position: UInt64) { entries[0].position = position }

  /// The device has deleted it. What it has not processed yet it will take in anew.
  mutating func delete(_ isUnread: (Entry) -> Bool) {
    begin(Entry(state: .absent, position: start.position), isUnread)
  }

  /// Starts anew, followed by what it is yet to get.
  private mutating func begin(_ start: Entry, _ isUnread: (Entry) -> Bool) {
    entries = [start] + (passed + deliveries).filter(isUnread)
    passed = []
    trim()
  }

  /// Takes the last entry back: nobody has been given it.
  mutating func takeBack() { entries.removeLast() }

  /// Forgets what the device holds, but not which dates it may have seen, nor what it is yet to get.
  mutating func forget(_ isUnread: (Entry) -> Bool) {
    begin(Entry(state: .unknown), isUnread)
    if let received { sent = max(sent ?? received, received) }
    received = nil
    isUndated = false
  }

  /// Changes what the device is known to hold, as it has told by a word rather than a copy.
  ///
  /// - Parameter date: the latest that it can have dated its copy with: it refuses what is older.
  mutating func amend(latest date: Double, _ body: (inout TimerDTO) -> Void) {
    isUndated = true
    sent = max(sent ?? date, date)
    guard case .timer(var timer) = start.state else { return }
    body(&timer)
    timer.updatedAt = max(timer.updatedAt, date)
    entries = [Entry(state: .timer(timer), position: start.position)] + deliveries
    trim()
  }
}
