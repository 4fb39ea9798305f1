/// Hears when the loop has nothing more to collect, so that output can leave in one write a turn.
package protocol TurnHandler: AnyObject {
  /// Everything that one phase of the loop had to tell has been told.
  ///
  /// Called on the loop's thread twice a turn: right before polling, after timers and the closing
  /// of handles, and right after it, after reads, wake-ups and signals.
  ///
  /// - Parameter hasPolled: whether it is the second time.
  func turnEnded(hasPolled: Bool)
}
