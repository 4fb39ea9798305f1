import Merge
import Wire

// What VoiceOver reads out on each screen.
extension TimeTrackerApp {
  /// From top to bottom, then what stands beside the title.
  package func spoken(now: Int64) -> [String] {
    let screen = shownScreen(now)
    guard screen.alert == nil else { return screen.spoken }
    var texts = screen.spoken
    switch route {
    case .root: texts.append("Add client")
    case .client: texts.append("Add project")
    case .project: texts.append("Add task")
    default: break
    }
    if stack.count > 1 { return texts + ["Back"] }
    return surroundings.idiom == .phone ? texts + ["Menu"] : texts
  }
}

extension TrackerText {
  /// "2 hours 5 minutes": whole minutes.
  package static func spoken(seconds: Int) -> String {
    let minutes = max(0, seconds) / 60
    return minutes == 0 ? "0 minutes" : DurationText.spoken(minutes * 60)
  }
}

extension Screen.Row {
  /// A time of so many seconds with what it is for.
  static func time(_ what: String, seconds: Int) -> Screen.Row {
    Screen.Row.split(what, TrackerText.short(seconds: seconds))
      .labelled("\(what), \(TrackerText.spoken(seconds: seconds))")
  }

  /// What is all capitals would be spelled out.
  static func heading(_ title: String) -> Screen.Row {
    Screen.Row.text(title).labelled("\(title.prefix(1) + title.dropFirst().lowercased()), heading")
  }

  /// What premium opens.
  static func premium(_ what: String) -> Screen.Row {
    Screen.Row.split(what, "PRO").labelled("\(what), premium")
  }
}
