import Seeded

/// One direction of a connection: what has been read and not been passed on.
///
///     source ─▶ received ─▶ pieces, each with the time when it is due ─▶ next ─▶ destination
struct Flow {
  /// Above so many bytes the source is read no more, and again below half of them: 256 KiB.
  static let mostWaiting = 256 * 1024
  /// What is read at once is passed on in at most so many pieces, so that a millisecond between two
  /// of them stays affordable.
  static let mostPieces = 256

  private struct Piece {
    var bytes: [UInt8]
    /// Milliseconds on the proxy's clock.
    var due: Int
  }

  private var pieces: [Piece] = []
  private var first = 0
  /// Bytes in `pieces`.
  private(set) var waiting = 0
  /// Bytes that have come from the source.
  private(set) var total = 0
  private(set) var swallowed = 0
  private var random: SplitMix64

  /// In milliseconds.
  var delay: ClosedRange<Int>?
  /// The most bytes of a piece.
  var slice: Int?
  var stop: Stop?
  /// The source sends nothing more.
  var hasEnded = false
  /// The destination has been told so.
  var isShutDown = false
  /// The destination is taking something.
  var isWriting = false
  /// The source is not read for now.
  var isPaused = false

  init(random: SplitMix64) { self.random = random }

  /// Bytes have come from the source.
  mutating func received(_ bytes: [UInt8], now: Int) {
    total += bytes.count
    guard stop != .swallow else {
      swallowed += bytes.count
      return
    }
    var due = now + (delay.map { Int.random(in: $0, using: &random) } ?? 0)
    // Nothing overtakes.
    if first < pieces.count { due = max(due, pieces[pieces.count - 1].due) }
    waiting += bytes.count
    guard let slice else {
      pieces.append(Piece(bytes: bytes, due: due))
      return
    }
    let least = max(1, bytes.count / Self.mostPieces)
    var start = 0
    while start < bytes.count {
      let count = Int.random(in: least...max(least, slice), using: &random)
      let end = min(start + count, bytes.count)
      pieces.append(Piece(bytes: Array(bytes[start..<end]), due: due))
      start = end
      // So that the destination has a chance to see it by itself.
      due += Int.random(in: 0...1, using: &random)
    }
  }

  /// When there is something to pass on; nil where nothing is, or it may not be.
  var due: Int? {
    guard stop == nil, !isWriting, first < pieces.count else { return nil }
    return pieces[first].due
  }

  /// Takes what is to be passed on now: a piece, or where nothing is sliced all that is due.
  mutating func next(now: Int) -> [UInt8]? {
    guard let due, due <= now else { return nil }
    var bytes = dequeue()
    while slice == nil, first < pieces.count, pieces[first].due <= now { bytes += dequeue() }
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: false)
      first = 0
    } else if first > 1024 {
      pieces.removeFirst(first)
      first = 0
    }
    return bytes
  }

  private mutating func dequeue() -> [UInt8] {
    defer { first += 1 }
    let bytes = pieces[first].bytes
    pieces[first].bytes = []
    waiting -= bytes.count
    return bytes
  }

  /// Whether the destination may be told that the source has ended.
  var mayShutDown: Bool {
    hasEnded && !isShutDown && stop == nil && !isWriting && waiting == 0
  }

  /// Nothing more happens here.
  var isOver: Bool { isShutDown }

  /// What waits goes nowhere.
  mutating func drop() {
    swallowed += waiting
    pieces = []
    first = 0
    waiting = 0
  }

  /// Without faults from now on; what waits is due at once.
  mutating func heal(now: Int) {
    delay = nil
    slice = nil
    stop = nil
    for index in pieces.indices.dropFirst(first) { pieces[index].due = min(pieces[index].due, now) }
  }
}
