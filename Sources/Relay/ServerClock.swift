/// The server's time, made of two clocks of its machine: the steady one, which counts while the machine
/// runs and never steps, and the system's, which tells the date and steps when it is corrected or when
/// the machine has slept. All in microseconds.
///
/// ```
/// system's clock   ─────┐ forward      ┌───────────┐ back
///                       └──────────────┘           └───────────────
/// `wall`           follows at once                 stands still until the system's has caught up
/// `elapsed`        goes on as if nothing had been
/// ```
package struct ServerClock: Equatable, Sendable {
  /// Time for deadlines: the date at the start, and what has passed since by the steady clock.
  package private(set) var elapsed: Int64
  /// Time that is told and stamped, since 1970. It goes back only where the system's clock has gone back
  /// by more than `longestStand`.
  package private(set) var wall: Int64
  private let start: Int64

  /// A clock that was wrong by more is not waited for: a day. What it said is then as far off as after a
  /// restart, and the next reading is right.
  package static let longestStand: Int64 = 86_400_000_000

  /// Steps of less are not worth a word: a second.
  private static let leastStep: Int64 = 1_000_000

  package init(steady: Int64, system: Int64) {
    start = system - steady
    elapsed = system
    wall = system
  }

  /// What `wall` is ahead of `elapsed`.
  package var offset: Int64 { wall - elapsed }

  package enum Step: Equatable {
    case forward(Int64)
    /// It begins to stand still.
    case standing(Int64)
    case back(Int64)
  }

  /// Takes a reading of both clocks.
  ///
  /// - Returns: what has happened to the system's clock since the last one; nil for nothing.
  @discardableResult
  package mutating func read(steady: Int64, system: Int64) -> Step? {
    let passed = max(0, start + steady - elapsed)
    elapsed += passed
    let ahead = wall - system
    if ahead <= 0 {
      let step = -ahead - passed
      wall = system
      isStanding = false
      return step >= Self.leastStep ? .forward(step) : nil
    }
    if ahead > Self.longestStand {
      wall = system
      isStanding = false
      return .back(ahead)
    }
    guard !isStanding, ahead >= Self.leastStep else { return nil }
    isStanding = true
    return .standing(ahead)
  }

  private var isStanding = false
}
