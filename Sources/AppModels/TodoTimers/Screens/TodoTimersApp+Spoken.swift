import Merge
import Wire

// What VoiceOver reads out on each screen.
extension TodoTimersApp {
  /// From top to bottom.
  package func spoken(_ now: Int64) -> [String] {
    var texts: [String] = []
    if let timer = question.flatMap({ library[$0] }) {
      return ["Alert, Delete Timer?, \(Self.warning(timer))", "Cancel", "Delete timer"]
    }
    if let timer = completed.flatMap({ library[$0] }) {
      texts += [
        "Alert, Timer Complete!, Your \(timer.name) has finished!", "Restart timer",
        "Dismiss alert",
      ]
    }
    switch route {
    case .list: texts += spokenList
    case .timerForm(let form): texts += spoken(form)
    case .detail(let id): texts += library[id].map { spoken($0, now) } ?? spokenList
    case .todoForm(let form):
      texts.append(form.text.isEmpty ? "To-do, Enter to-do text..." : "To-do, \(form.text)")
      if form.todo != nil {
        texts.append("Mark as completed, \(form.isCompleted ? "on" : "off")")
        texts += [button("Save to-do", isReady(form)), "Delete to-do"]
      } else {
        texts.append(button("Add to-do", isReady(form)))
      }
      texts.append("Cancel")
    case .notes(let form):
      texts += ["Notes"] + form.lines.map { $0.isEmpty ? "empty line" : $0 }
      texts += ["Save notes", "Cancel"]
    case .settings: texts += spokenSettings
    case .sound:
      texts += [
        "Sound", "On\(settings.sound ? ", selected" : "")",
        "Off\(settings.sound ? "" : ", selected")",
      ]
    case .privacy: texts.append("Privacy Policy")
    case .templates: texts += spokenTemplates
    case .history: texts += spokenHistory(now)
    case .export: texts += ["Export", "Back"]
    case .face: texts += spokenFace(now)
    }
    return texts
  }

  private var spokenList: [String] {
    let timers = listed
    let cards = timers.isEmpty ? ["No timers yet"] : timers.map(Spoken.card)
    let shown = category.map { ["Category \($0)", "Show all timers"] } ?? []
    let offered = category == nil ? categories.map { "Category \($0.name), \($0.count)" } : []
    return ["My Timers"] + shown + cards + offered + ["Add timer", "Settings"]
  }

  private func spoken(_ timer: TimerRecord, _ now: Int64) -> [String] {
    let countdown = countdowns.countdown(timer)
    var texts = [
      timer.name + (timer.category.isEmpty ? "" : ", \(timer.category)")
        + (timer.repeats ? ", repeats" : ""), Spoken.display(countdown.current(now)),
      Spoken.primary(countdown), "Reset timer",
    ]
    texts += timer.todos.isEmpty ? ["No to-dos yet"] : timer.todos.map(Spoken.todo)
    if !isWatch { texts.append("Add to-do") }
    texts.append(timer.notes.isEmpty ? "No notes yet" : "Notes, \(timer.notes)")
    return isWatch ? texts : texts + ["Edit notes", "Edit timer"]
  }

  private func spoken(_ form: TimerForm) -> [String] {
    var texts: [String] = []
    if let fault = form.fault { texts.append("Error, \(fault.message)") }
    texts += [
      "Timer name, \(form.name.isEmpty ? "required" : form.name)",
      "Duration, \(DurationText.spoken(form.duration))", "Icon, \(form.icon)",
      "Color, \(form.colorHex)",
    ]
    if isFull, records.carries("timer", "category") {
      texts += [
        "Category, \(form.category.isEmpty ? "none" : form.category)",
        "Repeat, \(form.repeats ? "on" : "off")",
      ]
    }
    texts += [
      button(form.timer == nil ? "Done" : "Save", isReady(form)),
      "Cancel",
    ]
    return form.timer == nil ? texts : texts + ["Delete timer"]
  }

  private func button(_ title: String, _ isEnabled: Bool) -> String {
    isEnabled ? title : "\(title), dimmed"
  }

  private var spokenSettings: [String] {
    func toggle(_ name: String, _ isOn: Bool) -> String { "\(name), \(isOn ? "on" : "off")" }
    return [
      toggle("Timer Completion Alerts", settings.alerts), toggle("Sound", settings.sound),
      "\(isWatch ? "iPhone" : "Watch") \(status.isReachable ? "connected" : "not connected")",
      "Status, \(SyncState(status).word)", toggle("Share Running Timers", settings.share),
      "Sync Now",
    ] + (records.carries("run") ? ["Templates", "History"] + (isWatch ? [] : ["Export"]) : []) + [
      "Version \(TodoTimersSettings.version)", "Privacy Policy",
    ]
  }
}
