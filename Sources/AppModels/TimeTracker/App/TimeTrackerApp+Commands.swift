import Merge
package import Wire

/// What can be typed, and what it does.
extension TimeTrackerApp {
  package var commands: [Command] {
    let voice = Command("a11y", "", "show what VoiceOver reads out")
    guard isSpoken else { return screenAndWidgetCommands + [voice] }
    return [Command("back", "", "show the screen again")]
      + screenAndWidgetCommands.filter { $0.word != "back" } + [voice]
  }

  private var screenAndWidgetCommands: [Command] {
    if deletion != nil {
      return [
        Command("confirm", "", "delete it"), Command("cancel", "", "keep it"),
      ]
    }
    switch route {
    case .form(let form): return formCommands(form)
    case .bulk(let entries): return bulkCommands(entries)
    case .paywall: return screenCommands + leaveCommands
    default: return screenCommands + widgetCommands + leaveCommands
    }
  }

  private var screenCommands: [Command] {
    let open = Command("open", "N", "what has the number")
    let edit = Command("edit", "", "change it")
    let delete = Command("delete", "", "delete it, once confirmed")
    switch route {
    case .root:
      return [
        open, Command("restart", "N", "start the timer for a recent task again"),
        Command("add", "[NAME]", "a new client"), Command("menu", "", "clients, reports and more"),
      ]
    case .menu: return [open] + menuCommands
    case .client:
      return [
        open, Command("add", "[NAME]", "a new project"), edit, delete,
        Command("invoice", "", "for what has not been billed"),
      ]
    case .project: return [open, Command("add", "[NAME]", "a new task"), edit, delete]
    case .task: return [edit, delete]
    case .history: return [open] + historyCommands
    case .reports: return [Command("advanced", "", "patterns and insights")]
    case .invoice: return [Command("bill", "", "mark everything listed as billed")]
    case .premium, .paywall:
      return [
        Command("grant", "monthly|yearly|trial", "for administrators: open premium"),
        Command("revoke", "", "for administrators: close it"),
      ]
    case .themes: return [Command("theme", "NAME", "the accent of this device")]
    case .advanced, .export, .form, .bulk: return []
    }
  }

  private var menuCommands: [Command] {
    [
      Command("history", "", "all tasks"), Command("reports", "", "time by client"),
      Command("bulk", "", "several entries at once"), Command("themes", "", "accents"),
      Command("export", "", "tasks as CSV"), Command("settings", "", "rate, increment, auto-pause"),
      Command("premium", "", "what is bought and what there is"),
      Command("sync", "", "with the counterpart, now"),
    ]
  }

  private var historyCommands: [Command] {
    [Command("more", "", "older tasks")]
  }

  private var widgetCommands: [Command] {
    var commands =
      isRunning
      ? [Command("stop", "", "stop the timer and write the time down")]
      : [Command("start", "[NAME]", "start the timer")]
    commands.append(Command("new", "[NAME]", "a new task"))
    if isRunning, tracked.client(timer.subject?.client) == nil {
      commands.append(Command("assign", "N|NAME", "the client that the time is for"))
    }
    if !isRunning, timer.subject != nil {
      commands.append(Command("done", "", "put the task in hand away"))
    }
    commands.append(
      Command("tap", "", widget.isExpanded ? "make the timer small" : "make the timer large"))
    if widget.isExpanded, route != .menu {
      commands.append(Command("history", "", "all tasks"))
    }
    if surroundings.idiom == .pad {
      commands.append(Command("drag", "DX DY", "move the timer by so many points"))
      commands.append(Command("go", "N", "to what the sidebar has there"))
    }
    return commands
  }

  private var leaveCommands: [Command] {
    stack.count > 1
      ? [Command("back", "", "to the screen before"), Command("home", "", "to the dashboard")]
      : []
  }

  // MARK: Doing

  package func perform(_ line: CommandLine, now: Int64) throws(WireError) {
    tick(now: now)
    let before = (notice, lastActivity, isSpoken)
    (notice, lastActivity, isSpoken) = (nil, now, line.word == "a11y")
    if isSpoken || before.2 && line.word == "back" { return notice = before.0 }
    do throws(WireError) {
      try dispatch(line, now)
    } catch {
      (notice, lastActivity, isSpoken) = before
      throw error
    }
  }

  private func dispatch(_ line: CommandLine, _ now: Int64) throws(WireError) {
    if deletion != nil { return try performOnAlert(line, now) }
    switch route {
    case .form(let form): return try performOnForm(line, form, now)
    case .bulk(let entries): return try performOnBulk(line, entries, now)
    default: break
    }
    guard commands.contains(where: { $0.word == line.word }) else {
      // Where they are done already these do nothing.
      if ["start", "stop", "home"].contains(line.word) { return }
      throw line.unknown(among: commands)
    }
    if try performOnWidget(line, now) { return }
    switch line.word {
    case "back": leave()
    case "home": stack = [.root]
    case "open":
      let items = items(route, now)
      stack.append(items[try line.index(in: items.count, of: "row")].route)
    case "go": stack = sidebar[try line.index(in: sidebar.count, of: "row")].stack
    case "add": add(named: line.rest)
    case "edit":
      if let target = route.target { open(target.kind, target.record) }
    case "delete": deletion = route.target
    default: try performOnScreen(line, now)
    }
  }

  func leave() {
    if stack.count > 1 { stack.removeLast() }
  }

  private func performOnWidget(_ line: CommandLine, _ now: Int64) throws(WireError) -> Bool {
    switch line.word {
    case "start": start(line.rest.isEmpty ? nil : line.rest, now)
    case "stop": stop(at: now, now)
    case "assign": try assignTimer(line)
    case "done": timer.clear()
    case "new": openTask(named: line.rest)
    case "tap": widget.isExpanded.toggle()
    case "drag": try drag(line)
    default: return false
    }
    return true
  }

  private func drag(_ line: CommandLine) throws(WireError) {
    let numbers = line.rest.split(separator: " ").map { Int($0) }
    guard numbers.count == 2, let dx = numbers[0], let dy = numbers[1] else {
      throw WireError(.invalidField, "drag takes two numbers of points as 40 -25")
    }
    widget = widget.dragged(dx, dy, on: FloatingWidget.screen)
  }

  private func performOnScreen(_ line: CommandLine, _ now: Int64) throws(WireError) {
    switch line.word {
    case "restart":
      let recent = recentTasks
      let task = recent[try line.index(in: recent.count, of: "recent task")]
      start(ActiveTimer.Subject(task), now)
    case "menu": stack.append(.menu)
    case "settings": open("settings", "settings")
    case "history": stack.append(.history(0))
    case "reports": stack.append(.reports)
    case "export": stack.append(.export)
    case "premium": stack.append(.premium)
    case "sync": events.append(.syncRequested)
    case "more": more(now)
    case "advanced", "bulk", "themes", "invoice": gate(line.word, now)
    case "theme": try setTheme(line, now)
    case "bill": bill(now)
    case "grant": try grant(line, now)
    default: revoke(now)
    }
  }

  // MARK: Deleting

  private func performOnAlert(_ line: CommandLine, _ now: Int64) throws(WireError) {
    guard let target = deletion else { return }
    switch line.word {
    case "confirm":
      do throws(WireError) {
        try service.delete(target.kind, target.record, now: now)
        stack.removeAll { $0.target == target }
      } catch {
        notice = error.message
      }
    case "cancel": break
    default: throw line.unknown(among: commands)
    }
    deletion = nil
  }
}
