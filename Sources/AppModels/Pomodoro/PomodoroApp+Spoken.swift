// What VoiceOver reads out on each screen.
extension PomodoroApp {
  /// From top to bottom, then what stands beside the title.
  package func spoken(now: Int64) -> [String] {
    let texts = shownScreen(now).spoken
    guard route == .timer else { return texts + ["Back"] }
    return surroundings.idiom == .watch ? texts : texts + ["History", "Settings"]
  }
}
