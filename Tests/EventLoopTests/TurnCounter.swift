import EventLoop

/// Counts the turn handler's calls.
final class TurnCounter: TurnHandler {
  private(set) var count = 0
  var onTurn: () -> Void = {}

  func turnEnded(hasPolled: Bool) {
    count += 1
    onTurn()
  }
}
