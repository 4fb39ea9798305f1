/// What happens to the lines of a connection. What it is sent does not depend on it before the end.
///
/// ```
///                  what blocked it is gone         its turn
///         stalled ───────────────────────► held ────────────┐
///            ▲                              ▲               │
///  blocked ◄─┴──── reading ────────────────►┘ no share left │
///              ▲    │   ▲ └─────────────────────────────────┘
///           LF │    │ too long
///              skippingLine      each of them ──► draining ──► replaced ──► aborted ──► closed,
///                                                 or at once to a later one of these
/// ```
enum ConnectionState: UInt8, CaseIterable, Comparable {
  /// Lines are carried out as they come.
  /// Can go to: `skippingLine`, `stalled`, `held`, each ending.
  case reading
  /// Within a line that was too long, up to its LF; nothing is kept.
  /// Can go to: `reading`, each ending.
  case skippingLine
  /// Input is held back until what blocks the connection is gone (`Relay.isBlocked`).
  /// Can go to: `held`, each ending.
  case stalled
  /// Input is held back until it is the connection's turn.
  /// Can go to: `reading`, each ending.
  case held

  // The endings, each of which brings less of what is owed. No further line is carried out.

  /// End of input, `quit`, a refusal, or the server stops: what is owed is brought first.
  /// Can go to: `replaced`, `aborted`, `closed`.
  case draining
  /// Its session has gone to another connection: nothing is owed, and what is written goes out.
  /// Can go to: `aborted`, `closed`.
  case replaced
  /// It is closed at once, to give its memory back.
  /// Can go to: `closed`.
  case aborted
  /// The caller has closed it. Can go nowhere.
  case closed

  @inline(__always)
  static func < (a: ConnectionState, b: ConnectionState) -> Bool { a.rawValue < b.rawValue }

  func canGo(to next: ConnectionState) -> Bool {
    switch (self, next) {
    case (.reading, .skippingLine), (.reading, .stalled), (.reading, .held): true
    case (.skippingLine, .reading), (.stalled, .held), (.held, .reading): true
    default: next >= .draining && self < next
    }
  }
}

/// What the next line of a connection waits for, where that is one thing.
package enum Wait {
  case nothing
  /// The answer to its `activate`, which awaits a commit.
  case activation
  /// A commit, which shows whether the server owns its store still.
  case commit
  /// A pair or its records, which are read back for this line.
  case pair
  /// A moment: after a token that was refused, or since it has sent faster than it may.
  case delay
  /// To be taken to the relay that has the pair (`Relay+Visits`).
  case destination
  /// That relay serves it.
  case visit
  /// The output of this device, for its live message; since when.
  case receiver(Device, since: Int64)

  @inline(__always)
  var isOver: Bool {
    if case .nothing = self { true } else { false }
  }
}
