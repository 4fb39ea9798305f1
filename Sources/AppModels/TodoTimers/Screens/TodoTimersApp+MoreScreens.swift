// Templates, the history and exports.
extension TodoTimersApp {
  private var back: String { isWatch ? "<" : "< Timers" }

  var templatesScreen: Screen {
    let templates = TimerTemplate.all(records)
    var screen = Screen("Templates", leading: back)
    if templates.isEmpty {
      screen.rows = [
        .blank, .centred("No Templates Yet"),
        .centred(isWatch ? "Keep one on iPhone" : "Open a timer, type template"), .blank,
      ]
    }
    for (index, template) in templates.enumerated() {
      let title =
        "\(index + 1) \(TimerChoices.picture(template.timer.icon)) \(template.name.oneLine)"
      let rows: [Screen.Row] = [
        .split(title, template.timer.formattedDuration),
        .text(Self.about(template).joined(separator: " • "), indent: 2),
      ]
      screen.rows += boxed(rows.map { .tappable($0, "use \(index + 1)") })
    }
    return screen
  }

  /// "3 to-dos", "Work", "Repeats".
  private static func about(_ template: TimerTemplate) -> [String] {
    let count = template.todos.count
    return [count == 0 ? "No to-dos" : count == 1 ? "1 to-do" : "\(count) to-dos"]
      + (template.timer.category.isEmpty ? [] : [template.timer.category.oneLine])
      + (template.timer.repeats ? ["Repeats"] : [])
  }

  /// Statistics by local days and weeks, which begin on Mondays.
  func historyScreen(_ now: Int64) -> Screen {
    let history = RunHistory(records)
    var screen = Screen("History", leading: back)
    guard !history.runs.isEmpty else {
      screen.rows = [
        .blank, .centred("Nothing Yet"), .centred("Timers that are through come here"), .blank,
      ]
      return screen
    }
    for (what, total) in periods(history, now) {
      screen.rows.append(.split("\(what)  \(total.count)×", DurationText.clock(total.seconds)))
    }
    screen.rows += [.rule, .text("BY TIMER")]
    screen.rows += history.byName.prefix(5).map { name, count, seconds in
      .split("\(name.oneLine)  \(count)×", DurationText.clock(seconds))
    }
    screen.rows += [.rule, .text("LATEST")]
    screen.rows += history.runs.prefix(isWatch ? 5 : 10).map { run in
      let time = LocalTime(run.finishedAt, secondsFromUTC: secondsFromUTC)
      return .split(run.name.oneLine, isWatch ? time.clock : "\(time.date) \(time.clock)")
    }
    return screen
  }

  private func periods(
    _ history: RunHistory, _ now: Int64
  ) -> [(what: String, total: (count: Int, seconds: Int))] {
    let midnight = LocalTime.midnight(now, secondsFromUTC: secondsFromUTC)
    let weekday = LocalTime(now, secondsFromUTC: secondsFromUTC).weekday
    return [
      ("Today", history.total(from: midnight)),
      ("This week", history.total(from: midnight - Int64(weekday) * LocalTime.day)),
      ("In all", history.total()),
    ]
  }

  func screen(_ export: TimerExport) -> Screen {
    Screen(
      "Export", leading: "< Back",
      rows: export.text(library, RunHistory(records)).split(separator: "\r\n").map {
        .text(String($0))
      })
  }

  // MARK: VoiceOver

  var spokenTemplates: [String] {
    let templates = TimerTemplate.all(records)
    return ["Templates"]
      + (templates.isEmpty
        ? ["No templates yet"]
        : templates.map {
          ([$0.name, DurationText.spoken($0.timer.duration)] + Self.about($0)).joined(
            separator: ", ")
        }) + ["Back"]
  }

  func spokenHistory(_ now: Int64) -> [String] {
    let history = RunHistory(records)
    guard !history.runs.isEmpty else { return ["History", "Nothing yet", "Back"] }
    func spoken(_ what: String, _ count: Int, _ seconds: Int) -> String {
      "\(what), \(count) run\(count == 1 ? "" : "s"), \(DurationText.spoken(seconds))"
    }
    return ["History"]
      + periods(history, now).map { spoken($0.what, $0.total.count, $0.total.seconds) }
      + history.byName.prefix(5).map { spoken($0.name, $0.count, $0.seconds) } + ["Back"]
  }
}
