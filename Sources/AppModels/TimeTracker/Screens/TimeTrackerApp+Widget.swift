import Merge

/// The timer on every screen: fixed at the bottom, or floating on a pad.
extension TimeTrackerApp {
  func widgetRows(_ now: Int64) -> [Screen.Row] {
    let rows = surroundings.idiom == .pad ? floatingRows(now) : fixedRows(now)
    // The line above it stays one; what is below is read out at once.
    return rows.enumerated().map { index, row in
      index == 0 ? row : .labelled(row, index == 1 ? spokenWidget(now) : [])
    }
  }

  /// The timer, then its buttons.
  private func spokenWidget(_ now: Int64) -> [String] {
    let time = DurationText.spoken(Int(timer.elapsed(now) / 1000))
    let state = timer.subject == nil ? nil : isRunning ? "running" : "stopped"
    let what = ["Timer", taskTitle, clientName, state, time].compactMap { $0 }
    var texts = [what.joined(separator: ", "), isRunning ? "Stop timer" : "Start timer"]
    if surroundings.idiom == .phone || surroundings.idiom == .pad && widget.isExpanded {
      texts.append("New task")
    }
    if surroundings.idiom == .phone && widget.isExpanded { texts.append("History") }
    return texts
  }

  /// A row with the button at its end.
  private func withButton(_ left: String) -> Screen.Row {
    .tappable(
      .split(left, isRunning ? "[ Stop ]" : "[ Start ]"), isRunning ? "stop" : "start")
  }

  /// A row that makes the timer large, or small.
  private func resizing(_ row: Screen.Row) -> Screen.Row { .tappable(row, "tap") }

  /// While the timer runs it pulses, a second large and a second small.
  private func dot(_ now: Int64) -> String {
    guard isRunning else { return "○" }
    return timer.elapsed(now) / 1000 % 2 == 0 ? "●" : "•"
  }

  /// A row that begins with the dot, after so many columns: green while the timer runs.
  private func withDot(_ row: Screen.Row, after columns: Int = 0) -> Screen.Row {
    .styled(
      row, .graphic(isRunning ? Style.positive : Style.secondary), columns: columns..<columns + 1)
  }

  private var taskTitle: String { currentTaskName ?? "No active task" }

  private func fixedRows(_ now: Int64) -> [Screen.Row] {
    var rows: [Screen.Row] = [.rule]
    if widget.isExpanded, !isWatch {
      rows.append(.buttons([Screen.Button("New Task"), Screen.Button("History")]))
    }
    if isWatch {
      return rows + [
        resizing(withDot(.split("\(dot(now)) \(taskTitle)", ""))),
        withButton(formattedTime(now: now)),
      ]
    }
    return rows + [
      resizing(withDot(.split("\(dot(now)) \(taskTitle)", formattedTime(now: now)))),
      withButton("⊕ \(clientName ?? "")"),
    ]
  }

  private func floatingRows(_ now: Int64) -> [Screen.Row] {
    let place = "at \(widget.x), \(widget.y)"
    guard widget.isExpanded else {
      let row = withDot(.split("⠿ \(dot(now)) \(formattedTime(now: now))", place), after: 2)
      return [.rule, resizing(row)]
    }
    let size = FloatingWidget.expandedSize
    var rows: [Screen.Row] = [.rule, resizing(.split("⠿ \(taskTitle)", "⊕"))]
    if let clientName { rows.append(.text(clientName, indent: 2)) }
    rows += [
      .text("Duration", indent: 2),
      withDot(withButton("  \(dot(now)) \(formattedTime(now: now))")),
    ]
    // Seed 003 hides the button while the timer runs; its ⊕ stays.
    if !isRunning { rows.append(.tappable(.split("", "[ New Task ]"), "new")) }
    return rows + [.split("", "\(size.width) × \(size.height) \(place)")]
  }
}
