import Merge
import Wire

// Forms, in the words of seed 001.
extension TodoTimersApp {
  // MARK: Timer

  func screen(_ form: TimerForm) -> Screen {
    let isNew = form.timer == nil
    var rows: [Screen.Row] = [.text("TIMER NAME")]
    rows += boxed([.text(form.name.isEmpty ? "Enter timer name" : form.name)])
    if form.fault?.code == .emptyName { rows.append(.text("↑ Required field", indent: 2)) }
    rows += [.blank, .text("DURATION")] + boxed(wheelRows(form))
    rows += [.blank, .text("ICON")] + boxed(iconRows(form))
    rows += [.blank, .text("COLOR")] + boxed(colorRows(form))
    if isFull, records.carries("timer", "category") {
      rows += [.blank, .text("CATEGORY")]
      rows += boxed([.text(form.category.isEmpty ? "None" : form.category)])
      rows += boxed([.tappable(.split("Repeat", form.repeats ? "✓" : "–"), "repeat")])
    }
    if !isNew { rows += [.blank, .tappable(destructive("🗑️  Delete Timer"), "delete")] }
    return Screen(
      isNew ? "New Timer" : "Edit Timer", leading: isWatch ? "✕" : "Cancel",
      trailing: button(isWatch ? "✓" : isNew ? "Done" : "Save", isReady(form)),
      banner: form.fault?.message, rows: rows)
  }

  /// In round brackets where it is off.
  private func button(_ title: String, _ isEnabled: Bool) -> String {
    isEnabled ? title : "(\(title))"
  }

  private func destructive(_ title: String) -> Screen.Row {
    .card([.styled(.centred(title), .text(Style.destructive))])
  }

  /// On the watch there is no room for frames.
  func boxed(_ rows: [Screen.Row]) -> [Screen.Row] { isWatch ? rows : [.card(rows)] }

  /// Each wheel with the numbers above and below the one that is chosen.
  private func wheelRows(_ form: TimerForm) -> [Screen.Row] {
    var wheels = [(form.minutes, choices.minutes), (form.seconds, choices.seconds)]
    if let hours = choices.hours { wheels.insert((form.hours, hours), at: 0) }
    func row(_ offset: Int) -> Screen.Row {
      let cells = wheels.map { number, range in
        let shown = number + offset
        guard offset == 0 || range.contains(shown) else { return "      " }
        let digits = DurationText.twoDigits(shown)
        return offset == 0 ? "[ \(digits) ]" : "  \(digits)  "
      }
      return .centred(cells.joined(separator: "   "))
    }
    return [row(-1), row(0), row(1)]
      + [.centred(isWatch ? "mins     secs" : "hours     mins     secs")]
  }

  private func iconRows(_ form: TimerForm) -> [Screen.Row] {
    let perRow = isWatch ? 3 : 6
    let icons = choices.icons
    return stride(from: 0, to: icons.count, by: perRow).map { start in
      let cells = icons[start..<min(start + perRow, icons.count)].map { icon in
        let picture = TimerChoices.picture(icon)
        return icon == form.icon ? "[\(picture)]" : " \(picture) "
      }
      return .text("\(start + 1) \(cells.joined())")
    }
  }

  private func colorRows(_ form: TimerForm) -> [Screen.Row] {
    var text = "1 "
    var closing = " "
    for color in choices.colors {
      let isChosen = color.lowercased() == form.colorHex.lowercased()
      text += (isChosen ? "[" : closing) + TimerChoices.disc(color)
      closing = isChosen ? "]" : " "
    }
    return [.text(closing == "]" ? text + closing : text)]
  }

  // MARK: To-do

  func screen(_ form: TodoForm) -> Screen {
    let isNew = form.todo == nil
    let isReady = isReady(form)
    var rows: [Screen.Row] = [
      .blank, .card([.text(form.text.isEmpty ? "Enter to-do text..." : form.text)]),
    ]
    if !isNew {
      let mark = Screen.Row.text("\(form.isCompleted ? "☑" : "☐")  Mark as completed")
      rows.append(.card([.tappable(mark, "toggle")]))
    }
    rows += [
      .blank,
      .buttons([
        Screen.Button("Cancel"), Screen.Button(isNew ? "Add" : "Save", isEnabled: isReady),
      ]), .blank,
    ]
    if !isNew { rows.append(.tappable(destructive("Delete To-Do Item"), "delete")) }
    return Screen(isNew ? "Add To-Do Item" : "Edit To-Do Item", banner: form.fault, rows: rows)
  }

  // MARK: Notes

  func screen(_ form: NotesForm) -> Screen {
    Screen(
      "Notes", leading: "Cancel", trailing: "Save", banner: form.fault,
      rows: [
        .card(
          form.lines.enumerated().map { .text("\($0.offset + 1) \($0.element)") } + [.blank])
      ])
  }

  // MARK: Settings

  var settingsScreen: Screen {
    let connected = status.isReachable ? "✓" : "–"
    let state = SyncState(status)
    func mark(_ isOn: Bool) -> String { isOn ? "✓" : "–" }
    let alerts = isWatch ? "Completion Alerts" : "Timer Completion Alerts"
    var rows: [Screen.Row] = [.text("NOTIFICATIONS")]
    rows += boxed([.tappable(.split(alerts, mark(settings.alerts)), "alerts")])
    rows += boxed([.tappable(.split("Sound", settings.sound ? "On >" : "Off >"), "sound")])
    rows += [.blank, .text("SYNC")]
    rows += boxed([.split(isWatch ? "iPhone Connected" : "Watch Connected", connected)])
    rows += boxed([.split("Status", state.word)])
    let share = isWatch ? "Share Running" : "Share Running Timers"
    rows += boxed([.tappable(.split(share, mark(settings.share)), "share")])
    rows += boxed([.tappable(.text("Sync Now"), "sync")])
    if records.carries("run") {
      rows += [.blank, .text("TIMERS")]
      for title in ["Templates", "History"] + (isFull ? ["Export"] : []) {
        rows += boxed([.tappable(.split(title, ">"), title.lowercased())])
      }
    }
    rows += [.blank, .text("ABOUT")]
    rows += boxed([.text("Version \(TodoTimersSettings.version)")])
    rows += boxed([.tappable(.split("Privacy Policy", ">"), "privacy")])
    var screen = Screen("Settings", leading: isWatch ? "<" : "< Back", rows: rows)
    if case .error(let message) = state { screen.banner = message }
    return screen
  }

  var soundScreen: Screen {
    Screen(
      "Sound", leading: isWatch ? "<" : "< Back",
      rows: boxed([.tappable(.split("On", settings.sound ? "✓" : ""), "on")])
        + boxed([.tappable(.split("Off", settings.sound ? "" : "✓"), "off")]))
  }

  var privacyScreen: Screen {
    Screen(
      "Privacy Policy", leading: isWatch ? "<" : "< Back",
      rows: [
        .text(
          "Your timers, to-dos and notes are kept on your devices and on the server that syncs "
            + "them. Nobody else gets them."),
        .blank,
        .text(
          "Which timer runs stays on this device, unless you share running timers with the other "
            + "one."),
      ]
        + (records.carries("run")
          ? [.blank, .text("Which timers were through is in the history of all your devices.")]
          : []))
  }
}
