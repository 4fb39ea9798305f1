import Merge

extension TimeTrackerApp {
  package func screen(now: Int64) -> Screen {
    guard isSpoken else { return shownScreen(now) }
    return Screen(
      "VoiceOver", leading: "< Back", rows: spoken(now: now).map { .text("• \($0)") })
  }

  func shownScreen(_ now: Int64) -> Screen {
    var screen = screen(shownRoute(now), now)
    if let deletion { screen.alert = alert(deletion) }
    if screen.banner == nil { screen.banner = notice ?? status.error }
    return screen
  }

  /// What was opened while premium lasted is behind the paywall when it has ended.
  private func shownRoute(_ now: Int64) -> TrackerRoute {
    guard !tracked.entitlement.isPremium(now) else { return route }
    switch route {
    case .advanced: return .paywall(.advancedReportsAccess)
    case .invoice: return .paywall(.invoiceGeneration)
    case .themes: return .paywall(.customizationAttempt)
    default: return route
    }
  }

  private func screen(_ route: TrackerRoute, _ now: Int64) -> Screen {
    switch route {
    case .root: dashboard(now)
    case .menu: withWidget("Menu", menuRows(now), now)
    case .client(let id): clientScreen(id, now)
    case .project(let id): projectScreen(id, now)
    case .task(let id): taskScreen(id, now)
    case .history(let first): historyScreen(first, now)
    case .reports: withWidget("Reports", reportRows(now), now)
    case .advanced: withWidget("Advanced Reports", advancedRows(now), now)
    case .invoice(let id): withWidget("Invoice", invoiceRows(id, now), now)
    case .export: withWidget("Export", exportRows(now), now)
    case .premium: withWidget("Premium", premiumRows(now), now)
    case .themes: withWidget("Themes", themeRows, now)
    case .paywall(let trigger): paywall(trigger)
    case .form(let form): formScreen(form)
    case .bulk(let entries): bulkScreen(entries)
    }
  }

  var isWatch: Bool { surroundings.idiom == .watch }

  func withWidget(
    _ title: String, _ rows: [Screen.Row], trailing: String = "", _ now: Int64
  ) -> Screen {
    Screen(
      title, leading: stack.count > 1 ? "‹" : isWatch ? "" : "≡", trailing: trailing,
      rows: besideSidebar(rows, now) + widgetRows(now))
  }

  /// On a pad the way to everything stays on the screen.
  private func besideSidebar(_ rows: [Screen.Row], _ now: Int64) -> [Screen.Row] {
    guard surroundings.idiom == .pad, route != .menu else { return rows }
    return [.columns(left: sidebarRows(now), width: 16, right: rows)]
  }

  // MARK: Dashboards

  private func dashboard(_ now: Int64) -> Screen {
    var rows = statisticsRows(.all, now)
    rows +=
      tracked.clients.isEmpty
      ? [
        .rule, .blank, .centred("No Clients Yet"), .blank,
        .centred("Type add to make the first one."), .blank,
      ] : sectionRows(.root, now)
    return withWidget("TimeTracker", rows, trailing: isWatch ? "" : "+", now)
  }

  private func clientScreen(_ id: Name, _ now: Int64) -> Screen {
    guard let client = tracked.client(id) else { return goneScreen(now) }
    var rows = statisticsRows(.client(id), now)
    rows.append(.rule)
    rows.append(
      rate(client.hourlyRate, tracked.settings.hourlyRate))
    rows.append(increment(client.increment, tracked.settings.increment))
    if !client.notes.isEmpty { rows.append(.text(client.notes)) }
    rows += sectionRows(.client(id), now)
    return withWidget(client.name, rows, trailing: "+", now)
  }

  private func projectScreen(_ id: Name, _ now: Int64) -> Screen {
    guard let project = tracked.project(id) else { return goneScreen(now) }
    let client = tracked.client(project.client)
    let settings = tracked.settings
    var rows = statisticsRows(.project(id), now)
    rows += [
      .rule, .split("Client", client?.name ?? ""),
      .split("Active", project.isActive ? "yes" : "no"),
      rate(project.hourlyRate, client?.hourlyRate ?? settings.hourlyRate),
      increment(project.increment, client?.increment ?? settings.increment),
    ]
    rows += sectionRows(.project(id), now)
    return withWidget(project.name, rows, trailing: "+", now)
  }

  func goneScreen(_ now: Int64) -> Screen {
    withWidget("Deleted", [.blank, .centred("It has been deleted."), .blank], now)
  }

  private func statisticsRows(_ scope: TrackedWork.Scope, _ now: Int64) -> [Screen.Row] {
    let statistics = Statistics(
      tracked, scope, now: now, secondsFromUTC: surroundings.secondsFromUTC)
    var rows: [Screen.Row] = [
      .time("Today", seconds: statistics.todaySeconds),
      .time("Total", seconds: statistics.totalSeconds),
    ]
    if !isWatch { rows.append(.split("Billable", statistics.billable.text)) }
    rows.append(.split("Unbilled", statistics.unbilled.text))
    if !isWatch {
      rows.append(.split("Billed", statistics.billed.text))
      if scope == .all { rows.append(.split("Active clients", "\(statistics.activeClients)")) }
    }
    return rows
  }

  func sectionRows(_ route: TrackerRoute, _ now: Int64) -> [Screen.Row] {
    let sections = sections(route, now)
    let width = "\(sections.reduce(0) { $0 + $1.items.count })".count
    var rows: [Screen.Row] = []
    var number = 0
    for section in sections where !section.items.isEmpty || route != .root {
      rows.append(.rule)
      if !section.title.isEmpty { rows.append(.heading(section.title)) }
      if section.items.isEmpty { rows.append(.text("none", indent: 2)) }
      for item in section.items {
        number += 1
        rows.append(
          .labelled(
            .tappable(row(item, "\(number)".leftPadded(to: width), route), "open \(number)"),
            [spoken(item)]))
      }
      if section.more > 0 { rows.append(.text("and \(section.more) more", indent: 2)) }
    }
    return rows
  }

  private func spoken(_ item: TrackerItem) -> String {
    let tracked = tracked
    func time(_ scope: TrackedWork.Scope) -> String {
      TrackerText.spoken(seconds: tracked.tasks(of: scope).reduce(0) { $0 + $1.seconds })
    }
    switch item {
    case .client(let client): return "\(client.name), client, \(time(.client(client.id)))"
    case .project(let project):
      let client = tracked.client(project.client).map { ", \($0.name)" } ?? ""
      return "\(project.name), project\(client)\(project.isActive ? "" : ", inactive"), "
        + time(.project(project.id))
    case .task(let task):
      let owner = tracked.project(task.project)?.name ?? tracked.client(task.client)?.name
      let day = task.interval.map {
        LocalTime($0.upperBound, secondsFromUTC: surroundings.secondsFromUTC)
      }
      return [
        task.title, owner, day?.date,
        task.interval == nil ? "not timed" : TrackerText.spoken(seconds: task.seconds),
        task.isBilled ? "billed" : nil,
      ].compactMap { $0 }.joined(separator: ", ")
    }
  }

  private func row(_ item: TrackerItem, _ number: String, _ route: TrackerRoute) -> Screen.Row {
    let tracked = tracked
    func time(_ scope: TrackedWork.Scope) -> String {
      TrackerText.short(seconds: tracked.tasks(of: scope).reduce(0) { $0 + $1.seconds })
    }
    switch item {
    case .client(let client): return .split("\(number) \(client.name)", time(.client(client.id)))
    case .project(let project):
      let client = tracked.client(project.client).map { " · \($0.name)" } ?? ""
      let isNested = route == .menu
      return .split(
        "\(number) " + (isNested ? "  " : "") + project.name
          + (route == .root && !isWatch ? client : "")
          + (project.isActive ? "" : " (inactive)"), time(.project(project.id)))
    case .task(let task):
      var title = task.title
      if case .history = route, let end = task.interval?.upperBound {
        let day = LocalTime(end, secondsFromUTC: surroundings.secondsFromUTC)
        title = "\(day.date.dropFirst(5)) \(isWatch ? "" : "\(day.clock) ")\(title)"
      } else if route == .root, !isWatch {
        let owner = tracked.project(task.project)?.name ?? tracked.client(task.client)?.name
        title += owner.map { " · \($0)" } ?? ""
      }
      let time = task.interval == nil ? "–" : TrackerText.short(seconds: task.seconds)
      return .split("\(number) \(title)", (task.isBilled ? "✓ " : "") + time)
    }
  }

  // MARK: Values

  private func rate(_ own: Rate?, _ inherited: Rate?) -> Screen.Row {
    value("Rate", own.map { "\($0.money)/h" }, inherited.map { "\($0.money)/h" })
  }

  private func increment(_ own: Int?, _ inherited: Int?) -> Screen.Row {
    value("Increment", own.map { "\($0) min" }, inherited.map { "\($0) min" })
  }

  /// What is inherited is in brackets.
  private func value(_ what: String, _ own: String?, _ inherited: String?) -> Screen.Row {
    guard own == nil, let inherited else { return .split(what, own ?? "none") }
    return Screen.Row.split(what, "(\(inherited))").labelled("\(what), \(inherited), inherited")
  }

  func time(_ time: Int64?) -> String {
    guard let time else { return "–" }
    let local = LocalTime(time, secondsFromUTC: surroundings.secondsFromUTC)
    return "\(isWatch ? String(local.date.dropFirst(5)) : local.date) \(local.clock)"
  }

  private func alert(_ target: Target) -> Screen.Alert {
    func count(_ number: Int, _ what: String) -> String {
      "\(number) \(what)\(number == 1 ? "" : "s")"
    }
    let (title, message): (String, String)
    switch target.kind {
    case "client":
      let projects = count(tracked.projects(of: target.record).count, "project")
      let tasks = count(tracked.tasks(of: .client(target.record)).count, "task")
      title = tracked.client(target.record)?.name ?? ""
      message = "Its \(projects) and \(tasks) are deleted with it."
    case "project":
      let tasks = count(tracked.tasks(of: .project(target.record)).count, "task")
      title = tracked.project(target.record)?.name ?? ""
      message = "Its \(tasks) stay with the client."
    default:
      title = tracked.task(target.record)?.title ?? ""
      message = "Its time is deleted on all devices."
    }
    return Screen.Alert(
      "Delete “\(title)”?", message, buttons: ["Cancel", "Confirm"], isDestructive: true)
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
