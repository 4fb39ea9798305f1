/// How a device stands with the hub, on its present connection.
///
/// ```
/// closed ──► opening ──► open ◄──► pushing
///              ▲  │
///     a while  │  ▼
///            refused            each of them ──► opening, as another replica; closed
/// ```
package enum SyncState: Equatable, Sendable {
  /// No connection, or the hub will not open.
  /// Can go to: `opening`.
  case closed
  /// So many `sync.open` are not answered yet; what comes before the last answer is of an older one.
  /// Can go to: `opening` with one more or one fewer, `open`, `refused`, `closed`.
  case opening(unanswered: Int)
  /// The hub could not open now; another try is due.
  /// Can go to: `opening`, `closed`.
  case refused
  /// The log comes in, and nothing is on its way out.
  /// Can go to: `pushing`, `opening`, `closed`.
  case open
  /// Open, and a push is not answered yet.
  /// Can go to: `open`, `opening`, `closed`.
  case pushing

  package func canGo(to next: SyncState) -> Bool {
    switch (self, next) {
    case (.opening(let now), .opening(let next)): next > 0 && abs(next - now) == 1
    case (_, .opening(let unanswered)): unanswered == 1
    case (.opening(let unanswered), .open), (.opening(let unanswered), .refused): unanswered == 1
    case (.open, .pushing), (.pushing, .open), (_, .closed): true
    default: false
    }
  }

  var isOpen: Bool { self == .open || self == .pushing }
}
