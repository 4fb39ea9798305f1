import Merge

/// Screens of one record, and of the forms.
extension TimeTrackerApp {
  func taskScreen(_ id: Name, _ now: Int64) -> Screen {
    let tracked = tracked
    guard let task = tracked.task(id) else { return goneScreen(now) }
    var rows: [Screen.Row] = [
      .split("Client", tracked.client(task.client)?.name ?? ""),
      .split("Project", tracked.project(task.project)?.name ?? "none"),
      .rule,
    ]
    if let interval = task.interval {
      let increment = tracked.increment(of: task)
      rows += [
        .split("From", time(interval.lowerBound)), .split("To", time(interval.upperBound)),
        clock("Duration", task.seconds), clock("Charged", tracked.billedSeconds(of: task)),
        .text(increment.map { "rounded up to \($0) min" } ?? "not rounded", indent: 2),
      ]
    } else {
      rows.append(.text("Not timed yet"))
    }
    rows += [
      .rule, .split("Rate", "\(tracked.rate(of: task).money)/h"),
      .split("Amount", tracked.amount(of: task).text),
      .split("Billed", task.isBilled ? task.billedDate.map { time($0) } ?? "yes" : "no"),
    ]
    if !task.notes.isEmpty { rows += [.rule, .text(task.notes)] }
    return withWidget(task.title, rows, now)
  }

  private func clock(_ what: String, _ seconds: Int) -> Screen.Row {
    Screen.Row.split(what, TrackerText.clock(seconds: seconds))
      .labelled("\(what), \(DurationText.spoken(seconds))")
  }

  func historyScreen(_ first: Int, _ now: Int64) -> Screen {
    let (count, hidden) = (visibleHistory(now).count, hiddenHistory(now))
    var rows =
      items(.history(first), now).isEmpty
      ? [.blank, .centred("No Tasks Yet"), .blank]
      : Array(sectionRows(.history(first), now).dropFirst())
    if count > Self.pageLength {
      let last = min(first + Self.pageLength, count)
      rows += [.rule, .text("\(min(first + 1, last))–\(last) of \(count)")]
    }
    if hidden > 0 {
      rows += [.rule, .premium("\(hidden) older\(isWatch ? "" : " than 30 days")")]
    }
    return withWidget("History", rows, now)
  }

  // MARK: Forms

  func formScreen(_ form: TrackerForm) -> Screen {
    let fields = FormField.all(form).filter { form.record != nil || $0.word != "billed" }
    var rows = fields.flatMap { field -> [Screen.Row] in
      let isTyped = isTyped(field, form)
      let plain = text(field, form)
      let value = plain + (isTyped ? " *" : "")
      let said = plain.isEmpty ? placeholder(field, form) : plain
      let label = [field.title, said, isTyped ? "changed" : ""].filter { !$0.isEmpty }
      let text = label.joined(separator: ", ")
      return [.text, .line, .firstTaskName].contains(field.content)
        ? [
          .labelled(.text(field.title), [text]),
          .labelled(.field(value, placeholder: placeholder(field, form)), []),
        ] : [.labelled(.split(field.title, value), [text])]
    }
    var buttons = [
      Screen.Button("CANCEL"), Screen.Button("SAVE", isEnabled: isReady(form)),
    ]
    if form.kind == "task", form.record == nil {
      buttons.append(Screen.Button("START", isEnabled: !isRunning))
    }
    rows += [.rule, .buttons(buttons)]
    return Screen(form.title, leading: "‹", banner: form.error, rows: rows)
  }

  private func isTyped(_ field: FormField, _ form: TrackerForm) -> Bool {
    guard field.content != .firstTaskName else { return form.firstTaskName != nil }
    // What a new record is given from the start was not typed.
    if form.record == nil, field.name == "name", form.typed["name"] == .string("") { return false }
    if form.record == nil, ["client", "project"].contains(field.name) { return false }
    return form.typed[field.name] != nil
  }

  private func placeholder(_ field: FormField, _ form: TrackerForm) -> String {
    switch (field.word, form.kind) {
    case ("name", "task"), ("task", _): "optional"
    case ("name", _): "required"
    case ("business", _), ("footer", _): "none"
    default: ""
    }
  }

  private func text(_ field: FormField, _ form: TrackerForm) -> String {
    let value = form.value(field.name, surroundings.records) ?? initial(field)
    let text = value?.text?.text
    switch field.content {
    case .text: return text ?? ""
    case .firstTaskName: return form.firstTaskName ?? ""
    case .line: return text ?? ""
    case .template: return text ?? InvoiceTemplate.standard.rawValue
    case .rate: return text.map { (Rate($0)?.money ?? $0) + "/h" } ?? "inherited"
    case .minutes:
      if field.word == "minutes" { return text ?? "" }
      return text.map { $0 == "0" ? "none" : "\($0) min" } ?? "inherited"
    case .flag: return value == .bool(true) ? "on" : "off"
    case .client: return tracked.client(value?.text)?.name ?? ""
    case .project: return tracked.project(value?.text)?.name ?? "none"
    case .time:
      let recorded = form.record.flatMap { surroundings.records[form.kind, $0] }
      return time(form.times[field.name] ?? recorded?.date(field.name))
    }
  }

  /// What a record that is not made yet has.
  private func initial(_ field: FormField) -> Datum? {
    switch field.name {
    case "isActive": .bool(true)
    case "defaultHourlyRate": .int(100)
    case "defaultBillingIncrement": .int(10)
    case "autoPauseMinutes": .int(15)
    default: nil
    }
  }

  func bulkScreen(_ entries: [BulkEntry]) -> Screen {
    let client = tracked.client(bulkClient)?.name ?? tracked.client(context?.client)?.name
    var rows: [Screen.Row] = [.split("Client", client ?? "none"), .rule]
    if entries.isEmpty { rows.append(.text("Type entry 9:05-10:30 and a name.")) }
    for (index, entry) in entries.enumerated() {
      func clock(_ time: Int64) -> String {
        LocalTime(time, secondsFromUTC: surroundings.secondsFromUTC).clock
      }
      let (from, to) = (clock(entry.interval.lowerBound), clock(entry.interval.upperBound))
      let name = entry.name ?? "Unnamed Task"
      rows.append(
        Screen.Row.split("\(index + 1) \(name)", isWatch ? from : "\(from)–\(to)")
          .labelled("\(name), \(from) to \(to)"))
    }
    rows += [
      .rule,
      .buttons([Screen.Button("CANCEL"), Screen.Button("SAVE", isEnabled: !entries.isEmpty)]),
    ]
    return Screen("Bulk Entry", leading: "‹", banner: nil, rows: rows)
  }
}
