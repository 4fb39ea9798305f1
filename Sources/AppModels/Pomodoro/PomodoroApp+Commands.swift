import Merge
package import Wire

/// What can be typed, and what it does.
extension PomodoroApp {
  package var commands: [Command] {
    let voice = Command("a11y", "", "show what VoiceOver reads out")
    guard isSpoken else { return screenCommands + [voice] }
    return [Command("back", "", "show the screen again")]
      + screenCommands.filter { $0.word != "back" } + [voice]
  }

  private var screenCommands: [Command] {
    switch route {
    case .timer:
      [
        Command("tap", "", isActive ? "pause" : "start"),
        Command("doubletap", "", "reset the \(state.title.lowercased())"),
        Command("longpress", "", "go on to the \(nextState.title.lowercased())"),
        isActive
          ? Command("pause", "", "the same as tap") : Command("start", "", "the same as tap"),
        Command("reset", "", "the same as doubletap"),
        Command("next", "", "the same as longpress"),
        Command("history", "", "the phases that have ended"),
        Command("settings", "", "durations and the order of the states"),
        Command("details", "", "what VoiceOver says, colours, angles and animations"),
      ]
    case .details: [Command("back", "", "to the timer")]
    case .history(let first):
      (first + Self.pageLength < records.all("session").count
        ? [Command("more", "", "older phases")] : [])
        + [Command("back", "", first > 0 ? "newer phases" : "to the timer")]
    case .settings:
      [
        Command("work", "25:00", "how long work takes; 25 is minutes, 90s seconds"),
        Command("short", "5:00", "how long a short break takes"),
        Command("long", "15:00", "how long a long break takes"),
        Command("cycle", "declared|every4", "which state comes next"),
        Command("motion", "reduced|full", "of this device, at once"),
        Command("save", "", "for both devices"),
        Command("cancel", "", "leave the settings as they were"),
      ]
    }
  }

  /// Sessions on one page of the history.
  static let pageLength = 10

  package func perform(_ line: CommandLine, now: Int64) throws(WireError) {
    tick(now: now)
    let before = (route, failure, isSpoken)
    (failure, isSpoken) = (nil, line.word == "a11y")
    if isSpoken || before.2 && line.word == "back" { return failure = before.1 }
    do throws(WireError) {
      switch route {
      case .timer: try performOnTimer(line, now)
      case .details:
        guard line.word == "back" else { throw line.unknown(among: commands) }
        route = .timer
      case .history(let first): try performOnHistory(line, first)
      case .settings(let form): try performOnSettings(line, form, now)
      }
    } catch {
      (route, failure, isSpoken) = before
      throw error
    }
  }

  private func performOnTimer(_ line: CommandLine, _ now: Int64) throws(WireError) {
    switch line.word {
    case "tap": toggle(now)
    case "start": if !isActive { toggle(now) }
    case "pause": if isActive { toggle(now) }
    case "doubletap", "reset": reset(now)
    case "longpress", "next": next(now)
    case "history": route = .history(0)
    case "settings": route = .settings(SettingsForm(shown: records.vector))
    case "details": route = .details
    default: throw line.unknown(among: commands)
    }
  }

  private func performOnHistory(_ line: CommandLine, _ first: Int) throws(WireError) {
    switch line.word {
    case "more" where commands.contains { $0.word == "more" }:
      route = .history(first + Self.pageLength)
    case "back": route = first > 0 ? .history(max(0, first - Self.pageLength)) : .timer
    default: throw line.unknown(among: commands)
    }
  }

  private func performOnSettings(
    _ line: CommandLine, _ form: SettingsForm, _ now: Int64
  ) throws(WireError) {
    var form = form
    form.error = nil
    switch line.word {
    case "work": form.typed["workSeconds"] = try seconds(line)
    case "short": form.typed["shortBreakSeconds"] = try seconds(line)
    case "long": form.typed["longBreakSeconds"] = try seconds(line)
    case "cycle": form.typed["cycle"] = .string(line.rest.lowercased())
    case "motion": reduceMotion = try isReduced(line)
    case "save": return save(form, now)
    case "cancel", "back":
      route = .timer
      return
    default: throw line.unknown(among: commands)
    }
    route = .settings(form)
  }

  private func seconds(_ line: CommandLine) throws(WireError) -> Datum {
    guard let seconds = PomodoroText.seconds(line.rest) else {
      throw WireError(
        .invalidField, "\(line.word) takes a duration: 25 for minutes, 25:00, 1:00:00 or 90s")
    }
    return .int(seconds)
  }

  private func isReduced(_ line: CommandLine) throws(WireError) -> Bool {
    switch line.rest.lowercased() {
    case "reduced": true
    case "full": false
    default: throw WireError(.invalidField, "motion is reduced or full")
    }
  }

  private func save(_ form: SettingsForm, _ now: Int64) {
    do throws(WireError) {
      if !form.typed.isEmpty {
        try records.edit(shown: form.shown, now: now) { edit throws(WireError) in
          try edit.set("settings", form.typed)
        }
      }
      route = .timer
      timer.adopt(settings)
    } catch {
      var form = form
      form.error = error.message
      route = .settings(form)
    }
  }
}
