import Merge

/// The menu, reports and what is premium.
extension TimeTrackerApp {
  /// Where a pad's sidebar leads, in its order.
  var sidebar: [(title: String, stack: [TrackerRoute])] {
    [("Overview", [.root])]
      + tracked.clients.flatMap { client in
        [(client.name, [.root, .client(client.id)])]
          + tracked.projects(of: client.id).map {
            ("  " + $0.name, [.root, .client(client.id), .project($0.id)])
          }
      }
  }

  /// Where one is has a mark.
  func sidebarRows(_ now: Int64) -> [Screen.Row] {
    let here = stack.compactMap(\.target).last
    var rows = sidebar.enumerated().map { number, entry in
      let isHere = entry.stack.count == 1 ? stack.count == 1 : entry.stack.last?.target == here
      return Screen.Row.tappable(
        .split((isHere ? "▸ " : "  ") + entry.title, ""), "go \(number + 1)"
      ).labelled(String(entry.title.drop { $0 == " " }) + (isHere ? ", selected" : ""))
    }
    if !tracked.entitlement.isPremium(now) {
      rows += [.rule, .tappable(Screen.Row.centred("★ Upgrade ★").labelled("Upgrade"), "premium")]
    }
    return rows
  }

  func menuRows(_ now: Int64) -> [Screen.Row] {
    let isPremium = tracked.entitlement.isPremium(now)
    var rows: [Screen.Row] = [.text("Overview")]
    rows += sectionRows(.menu, now)
    rows += [
      .rule, .tappable(.text("History"), "history"), .tappable(.text("Reports"), "reports"),
      .tappable(.premium("Bulk entry"), "bulk"), .tappable(.premium("Themes"), "themes"),
      .tappable(.text("Export"), "export"), .tappable(.text("Settings"), "settings"),
      .tappable(.split("Premium", isPremium ? "active" : ""), "premium"),
      .tappable(.split("Sync", syncText), "sync"),
    ]
    if !isPremium {
      rows += [
        .rule,
        .tappable(
          Screen.Row.centred("★ Upgrade to Premium ★").labelled("Upgrade to Premium"), "premium"),
        .centred("from \(Product.monthly.price)"),
      ]
    }
    return rows
  }

  private var syncText: String {
    status.pending > 0 ? "\(status.pending) waiting" : status.isConnected ? "done" : "offline"
  }

  // MARK: Reports

  /// What everybody sees, with a teaser for what premium adds.
  func reportRows(_ now: Int64) -> [Screen.Row] {
    let midnight = LocalTime.midnight(now, secondsFromUTC: surroundings.secondsFromUTC)
    let weekday = LocalTime(now, secondsFromUTC: surroundings.secondsFromUTC).weekday
    let monday = midnight - Int64(weekday) * LocalTime.day
    func time(_ what: String, _ start: Int64, _ days: Int64) -> Screen.Row {
      .time(
        what,
        seconds: tracked.tasks.reduce(0) {
          $0 + $1.seconds(from: start, to: start + days * LocalTime.day)
        })
    }
    var rows: [Screen.Row] = [
      time("Today", midnight, 1), time("This week", monday, 7),
      time("Last week", monday - 7 * LocalTime.day, 7), .rule, .heading("BY CLIENT"),
    ]
    for client in tracked.clients {
      let seconds = tracked.tasks(of: .client(client.id)).reduce(0) { $0 + $1.seconds }
      rows.append(.time(client.name, seconds: seconds))
    }
    if tracked.clients.isEmpty { rows.append(.text("none", indent: 2)) }
    rows += [.rule, .tappable(.premium("Advanced Analytics"), "advanced")]
    if !tracked.entitlement.canAccessAdvancedReports(now) {
      rows.append(.text("Unlock detailed time patterns and productivity insights"))
      rows += blurredPreview
    }
    return rows
  }

  /// What the advanced report looks like, with nothing in it that could be read.
  private var blurredPreview: [Screen.Row] {
    [Screen.Row.split("Sessions", "▒▒").labelled("Preview, blurred")]
      + [("Average", "▒▒▒▒"), ("Mon ▒▒▒▒▒▒", "▒▒▒▒"), ("Tue ▒▒▒", "▒▒▒")].map {
        Screen.Row.split($0.0, $0.1).drawnOnly
      }
  }

  func advancedRows(_ now: Int64) -> [Screen.Row] {
    let tracked = tracked
    let tasks = tracked.tasks.filter { $0.interval != nil }
    guard !tasks.isEmpty else { return [.blank, .centred("Nothing Recorded Yet"), .blank] }
    // A task counts for the weekday on which it began.
    var days = [Int](repeating: 0, count: 7)
    for task in tasks {
      guard let start = task.interval?.lowerBound else { continue }
      days[LocalTime(start, secondsFromUTC: surroundings.secondsFromUTC).weekday] += task.seconds
    }
    let total = days.reduce(0, +)
    var rows: [Screen.Row] = [
      .split("Sessions", "\(tasks.count)"),
      .time("Average", seconds: total / tasks.count),
      .time("Longest", seconds: tasks.map(\.seconds).max() ?? 0),
      .rule, .heading("BY WEEKDAY"),
    ]
    let names = [
      "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    for (name, seconds) in zip(names, days) {
      let share = total > 0 ? Double(seconds) / Double(total) : 0
      let bar = String(repeating: "█", count: Int((share * (isWatch ? 8 : 16)).rounded()))
      rows.append(
        Screen.Row.split("\(name.prefix(3)) \(bar)", TrackerText.short(seconds: seconds))
          .labelled("\(name), \(TrackerText.spoken(seconds: seconds))"))
    }
    rows += [.rule, .heading("EARNED BY PROJECT")]
    for project in tracked.projects {
      let amounts = tracked.tasks(of: .project(project.id)).map(tracked.amount(of:))
      rows.append(.split(project.name, amounts.sum.text))
    }
    let others = tasks.filter { tracked.project($0.project) == nil }
    return rows + [.split("without project", others.map(tracked.amount(of:)).sum.text)]
  }

  func invoiceRows(_ id: Name, _ now: Int64) -> [Screen.Row] {
    guard let client = tracked.client(id) else { return [.centred("It has been deleted.")] }
    let invoice = Invoice(tracked, client: client)
    guard !invoice.lines.isEmpty else {
      return [.blank, .centred("Everything has been billed."), .blank]
    }
    var rows: [Screen.Row] = invoice.business.isEmpty ? [] : [.centred(invoice.business), .rule]
    rows += [
      .text(invoice.client),
      .text(LocalTime(now, secondsFromUTC: surroundings.secondsFromUTC).date), .rule,
    ]
    for line in invoice.lines {
      let rate = line.rate?.money
      let sum = TrackerText.short(seconds: line.seconds) + (rate.map { " × \($0)" } ?? "")
      let spoken =
        "\(line.title), \(TrackerText.spoken(seconds: line.seconds))"
        + (rate.map { " at \($0)" } ?? "") + ", \(line.amount.text)"
      rows.append(.labelled(.text(line.title), [spoken]))
      rows +=
        isWatch
        ? [.labelled(.text(sum, indent: 2), []), .labelled(.split("", line.amount.text), [])]
        : [.labelled(.split("  \(sum)", line.amount.text), [])]
      if let interval = line.interval {
        let (start, end) = (time(interval.lowerBound), time(interval.upperBound))
        let isOneDay = start.split(separator: " ").first == end.split(separator: " ").first
        rows.append(
          .text("\(start)–\(isOneDay ? String(end.split(separator: " ")[1]) : end)", indent: 2))
      }
      if !line.notes.isEmpty { rows.append(.text(line.notes, indent: 2)) }
    }
    rows += [.rule, .split("Total", invoice.total.text)]
    return invoice.note.isEmpty ? rows : rows + [.rule, .text(invoice.note)]
  }

  /// What a free user cannot see is not exported for them either.
  func exportRows(_ now: Int64) -> [Screen.Row] {
    let hidden = hiddenHistory(now)
    return CSVExport.text(tracked, visibleHistory(now)).split(separator: "\r\n")
      .map { .text(String($0)) }
      + (hidden > 0 ? [.rule, .premium("\(hidden) older\(isWatch ? "" : " than 30 days")")] : [])
  }

  // MARK: Premium

  func premiumRows(_ now: Int64) -> [Screen.Row] {
    let entitlement = tracked.entitlement
    var rows: [Screen.Row] = []
    if entitlement.isPremium(now) {
      rows += [.centred("Premium"), .split("Until", time(entitlement.expiresAt))]
      if let product = entitlement.productID { rows.append(.text(product)) }
    } else if entitlement.isGranted {
      rows += [.centred("Free"), .split("Premium ended", time(entitlement.expiresAt))]
    } else {
      rows.append(.centred("Free"))
    }
    rows.append(.rule)
    rows += PaywallTrigger.allCases.map { .premium($0.title) }
    return rows + [.rule] + priceRows
  }

  private var priceRows: [Screen.Row] {
    Product.allCases.map {
      .split($0.rawValue.prefix(1).uppercased() + $0.rawValue.dropFirst(), $0.price)
    }
  }

  func paywall(_ trigger: PaywallTrigger) -> Screen {
    let rows: [Screen.Row] =
      [.blank, Screen.Row.centred("★ PRO ★").labelled("Premium"), .blank]
      + trigger.benefits.map { Screen.Row.text("✓ \($0)").labelled($0) }
      + [.rule] + priceRows
      + [.rule, .text("Nothing is sold here: an administrator grants it.")]
    return Screen(trigger.title, leading: "‹", rows: rows)
  }

  var themeRows: [Screen.Row] {
    TrackerTheme.allCases.map {
      .tappable(
        Screen.Row.split($0.title, $0 == theme ? "✓" : "")
          .labelled($0.title + ($0 == theme ? ", selected" : "")), "theme \($0.rawValue)")
    }
  }
}
