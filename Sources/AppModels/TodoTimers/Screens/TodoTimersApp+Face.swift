import Merge
import Wire

// The watch's face, with the app's complication on it.
extension TodoTimersApp {
  /// What the complication is about: the timer that runs, or else the one that was paused last.
  var faceTimer: TimerRecord? {
    if let running = countdowns.running { return library[running] }
    let paused = countdowns.all.compactMap { timer, countdown -> (at: Int64, timer: Name)? in
      guard case .paused(let at) = countdown.phase else { return nil }
      return (at, timer)
    }
    return paused.max { ($0.at, $0.timer) < ($1.at, $1.timer) }.flatMap { library[$0.timer] }
  }

  func faceScreen(_ now: Int64) -> Screen {
    let clock = LocalTime(now, secondsFromUTC: secondsFromUTC).clock
    guard let timer = faceTimer else {
      return Screen(clock, rows: [.card([.centred("⏱️"), .centred("No timer runs")])])
    }
    let countdown = countdowns.countdown(timer)
    let color = RGB(hex: timer.colorHex)
    let mark = countdown.isRunning ? "▶" : "⏸"
    return Screen(
      clock,
      rows: [
        .card([
          .split(timer.titleWithPicture, ""),
          .styled(
            .split("\(mark) \(DurationText.clock(countdown.current(now)))", ""), .text(color)),
          .styled(.progress(countdown.progress(now)), .graphic(color)),
        ])
      ])
  }

  func spokenFace(_ now: Int64) -> [String] {
    let clock = LocalTime(now, secondsFromUTC: secondsFromUTC).clock
    guard let timer = faceTimer else { return [clock, "My Timers, no timer runs"] }
    let countdown = countdowns.countdown(timer)
    let left = Spoken.display(countdown.current(now))
    return [clock, "\(timer.name), \(left)\(countdown.isPaused ? ", paused" : "")"]
  }

  var faceEntries: [Entry] {
    let open: Deed = { _, _ in self.route = self.faceTimer.map { .detail($0.id) } ?? .list }
    return [
      Entry("tap", "open what the complication shows", open),
      Entry("back", "show the list") { _, _ in self.route = .list },
    ]
  }

  /// When the face's clock changes next; nil where it is not shown.
  func nextFace(_ now: Int64) -> Int64? {
    route == .face ? (now.floored(by: 60_000) + 1) * 60_000 : nil
  }
}
