// What is on the screen, in the words of seed 001.
extension TodoTimersApp {
  package func screen(now: Int64) -> Screen {
    if isSpoken {
      return Screen("VoiceOver", leading: "< Back", rows: spoken(now).map { .text("• \($0)") })
    }
    var screen = routeScreen(now)
    if let notice { screen.banner = notice }
    if let alert { screen.alert = alert }
    return screen
  }

  private func routeScreen(_ now: Int64) -> Screen {
    switch route {
    case .list: listScreen(now)
    case .timerForm(let form): screen(form)
    case .detail(let id): library[id].map { screen($0, now) } ?? listScreen(now)
    case .todoForm(let form): screen(form)
    case .notes(let form): screen(form)
    case .settings: settingsScreen
    case .sound: soundScreen
    case .privacy: privacyScreen
    case .templates: templatesScreen
    case .history: historyScreen(now)
    case .export(let export): screen(export)
    case .face: faceScreen(now)
    }
  }

  private var alert: Screen.Alert? {
    if let timer = question.flatMap({ library[$0] }) {
      return Screen.Alert(
        "Delete Timer?", Self.warning(timer), buttons: ["Cancel", "Delete"], isDestructive: true)
    }
    if let timer = completed.flatMap({ library[$0] }) {
      return Screen.Alert(
        "⏱️ Timer Complete!", "Your \(timer.name.shortened) has finished!",
        buttons: ["Restart", "Dismiss"])
    }
    if case .timerForm(let form) = route, let failure = form.failure {
      return Screen.Alert("Error", failure, buttons: ["OK"])
    }
    return nil
  }

  static func warning(_ timer: TimerRecord) -> String {
    "This will permanently delete \"\(timer.name.shortened)\" and all its to-dos and notes."
  }

  var isWatch: Bool { idiom == .watch }

  // MARK: List

  private func listScreen(_ now: Int64) -> Screen {
    let timers = listed
    var screen = Screen("My Timers", leading: "☰", trailing: "+")
    if let category {
      screen.rows.append(.tappable(.split("▸ \(category.oneLine)", "all"), "category"))
      if timers.isEmpty { screen.rows.append(.centred("No timers in it")) }
    }
    if timers.isEmpty, category == nil {
      screen.rows += [
        .blank, .centred("⏱️"), .blank,
        .centred(isWatch ? "No Timers" : "No Timers Yet"),
        .centred(isWatch ? "Create one on iPhone" : "Tap + to create your first timer"), .blank,
      ]
    } else {
      let width = String(timers.count).count
      for (index, timer) in timers.enumerated() {
        let number = String(index + 1)
        let blanks = String(repeating: " ", count: width - number.count)
        screen.rows += card(timer, "\(blanks)\(number)", now).map {
          $0 == .rule ? $0 : .tappable($0, "open \(number)")
        }
      }
      if isWatch, !timers.isEmpty { screen.rows.removeLast() }
    }
    if category == nil, !categories.isEmpty {
      screen.rows += [.blank, .text("CATEGORIES")]
      screen.rows += categories.map { name, count in
        .tappable(.split("  \(name.oneLine)", "\(count)"), "category \(name)")
      }
    }
    switch SyncState(status) {
    case .synced: break
    case .syncing: screen.rows += [.centred("Syncing…")]
    case .error(let message): screen.rows += [.text("⚠ \(message)")]
    }
    return screen
  }

  private func card(_ timer: TimerRecord, _ number: String, _ now: Int64) -> [Screen.Row] {
    let name = Screen.Row.split("\(number) \(timer.titleWithPicture)", "")
    let duration =
      "\(timer.formattedDuration) \(TimerChoices.disc(timer.colorHex))\(timer.repeats ? " ↻" : "")"
    let run = running(timer, now)
    let look = Style.text(RGB(hex: timer.colorHex))
    if isWatch { return [name, .styled(.split("  \(duration)", run), look), .rule] }
    return [.card([name, .styled(.split(duration, run), look), .rule, .text(timer.summary)])]
  }

  /// What is under way, for the list.
  private func running(_ timer: TimerRecord, _ now: Int64) -> String {
    guard let countdown = countdowns.all[timer.id] else { return "" }
    let time = DurationText.clock(countdown.current(now))
    return switch countdown.phase {
    case .idle: ""
    case .running: "▶ \(time)"
    case .paused: "⏸ \(time)"
    case .finished: time
    }
  }

  // MARK: Detail

  private func screen(_ timer: TimerRecord, _ now: Int64) -> Screen {
    let countdown = countdowns.countdown(timer)
    var rows: [Screen.Row] = [.blank]
    let color = RGB(hex: timer.colorHex)
    rows += display(DurationText.clock(countdown.current(now)), .text(color))
    rows.append(.styled(.progress(countdown.progress(now)), .graphic(color)))
    if countdown.showsPaused(idiom, now) {
      rows.append(.styled(.centred("⏸ PAUSED"), .text(Style.secondary)))
    }
    let about = [timer.category.oneLine, timer.repeats ? "↻ Repeats" : ""].filter { !$0.isEmpty }
    if !about.isEmpty { rows.append(.centred(about.joined(separator: " • "))) }
    rows += [
      .blank, .buttons([Screen.Button(countdown.primaryLabel), Screen.Button("RESET")]), .blank,
      .rule,
    ]
    rows += todoRows(timer) + [.rule] + notesRows(timer)
    return Screen(
      timer.name.shortened, leading: isWatch ? "<" : "< Timers", trailing: isWatch ? "" : "Edit",
      rows: rows)
  }

  private func display(_ time: String, _ look: Style) -> [Screen.Row] {
    guard !isWatch else { return [.styled(.centred(time), look)] }
    let edge = String(repeating: "─", count: time.count + 6)
    return [
      .centred("┌\(edge)┐"),
      .styled(.centred("│   \(time)   │"), look, columns: 4..<4 + time.count),
      .centred("└\(edge)┘"),
    ]
  }

  /// A line under the header of a section.
  private var line: Screen.Row { .text(String(repeating: "─", count: idiom.columns - 2)) }

  private func todoRows(_ timer: TimerRecord) -> [Screen.Row] {
    let count = timer.todos.count
    var rows: [Screen.Row] =
      isWatch
      ? [.text("To-Dos (\(count))")] : [.tappable(.split("To-Do Items", "(+)"), "add")]
    rows.append(line)
    if count == 0 {
      rows.append(.text("No to-dos yet"))
      if isWatch { rows.append(.text("Add them on iPhone")) }
    }
    let width = String(count).count
    for (index, todo) in timer.todos.enumerated() {
      let number = String(index + 1)
      let blanks = String(repeating: " ", count: width - number.count)
      let text = "\(blanks)\(number) \(todo.box) \(todo.text.oneLine)"
      // A watch has no other place where a long one could be read.
      let row = isWatch ? Screen.Row.text(text) : .split(text, ">")
      let box = number.count + 1
      let look: Screen.Row =
        todo.isCompleted
        ? .styled(
          .styled(row, .text(Style.secondary, isStruck: true), columns: box + 2..<Int.max),
          .text(Style.positive), columns: box..<box + 1) : row
      rows.append(.tappable(look, "toggle \(number)"))
    }
    return rows + [.blank]
  }

  private func notesRows(_ timer: TimerRecord) -> [Screen.Row] {
    [
      isWatch ? .text("Notes") : .tappable(.split("Notes", "(Edit)"), "notes"), line,
      .text(timer.notes.isEmpty ? "No notes yet" : timer.notes), .blank,
    ]
  }
}
