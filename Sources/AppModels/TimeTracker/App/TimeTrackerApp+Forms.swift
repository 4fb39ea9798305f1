import Merge
import Wire

/// Forms: what is typed into them, and how they are saved.
extension TimeTrackerApp {
  func formCommands(_ form: TrackerForm) -> [Command] {
    var commands = FormField.all(form).map { Command($0.word, $0.argument, $0.summary) }
    if form.kind == "task", form.record == nil, !isRunning {
      commands.append(Command("start", "", "start the timer for it"))
    }
    if isReady(form) {
      commands.append(Command("save", "", form.record == nil ? "make it" : "for all devices"))
    }
    return commands + [Command("cancel", "", "leave everything as it was")]
  }

  /// Whether nothing that was typed breaks a rule.
  func isReady(_ form: TrackerForm) -> Bool {
    let records = surroundings.records
    let first = form.firstTaskName.flatMap { records.brokenRule("task", ["name": .string($0)]) }
    return first == nil && records.brokenRule(form.kind, form.typed, of: form.record) == nil
  }

  func open(
    _ kind: Name, _ record: Name? = nil, typed: [Name: Datum] = [:]
  ) {
    stack.append(
      .form(
        TrackerForm(
          kind: kind, record: record, shown: surroundings.records.vector, typed: typed)))
  }

  /// Makes what belongs on the screen: a client, a project of the client, a task of the project.
  func add(named name: String) {
    switch route {
    case .client(let id): open("project", typed: ["client": .string(id), "name": .string(name)])
    case .project: openTask(named: name)
    default: open("client", typed: ["name": .string(name)])
    }
  }

  /// A task of the screen's client and project.
  func openTask(named name: String = "") {
    guard let (client, project) = context else {
      notice = "Add a client first."
      return
    }
    var typed: [Name: Datum] = ["client": .string(client)]
    if let project { typed["project"] = .string(project) }
    if !name.isEmpty { typed["name"] = .string(name) }
    open("task", typed: typed)
  }

  func performOnForm(
    _ line: CommandLine, _ form: TrackerForm, _ now: Int64
  ) throws(WireError) {
    var form = form
    form.error = nil
    switch line.word {
    case "cancel", "back":
      leave()
      return leaveWhatIsGone()
    case "save": return save(form, now)
    case "start" where form.kind == "task" && form.record == nil && !isRunning:
      guard let client = form.typed["client"]?.text else { return }
      leave()
      return start(
        ActiveTimer.Subject(
          name: form.typed["name"]?.text?.text, client: client,
          project: form.typed["project"]?.text,
          hourlyRate: form.typed["hourlyRate"]?.text?.text), now)
    default: break
    }
    guard let field = FormField.all(form).first(where: { $0.word == line.word }) else {
      throw line.unknown(among: commands)
    }
    try type(line, field, &form, now)
    stack[stack.count - 1] = .form(form)
  }

  private func type(
    _ line: CommandLine, _ field: FormField, _ form: inout TrackerForm, _ now: Int64
  ) throws(WireError) {
    let records = surroundings.records
    let value: Datum
    switch field.content {
    case .text: value = .string(line.rest)
    case .rate: value = try TrackerInput.decimal(line).map { .string($0) } ?? field.none
    case .minutes:
      value = line.rest.lowercased() == "none" ? field.none : .int(try TrackerInput.minutes(line))
    case .flag: value = .bool(try TrackerInput.flag(line))
    case .time:
      let time = try TrackerInput.time(line, now, surroundings.secondsFromUTC)
      form.times[field.name] = time
      value = .date(time)
    case .line:
      value =
        line.rest.isEmpty || line.rest.lowercased() == "none" ? .null : .string(line.rest)
    case .template:
      let template: InvoiceTemplate = try TrackerInput.choice(line)
      value = .string(template.rawValue)
    case .firstTaskName:
      form.firstTaskName = line.rest
      return
    case .client:
      let client = try TrackerInput.client(line, tracked)
      let project = tracked.project(form.value("project", records)?.text)
      if let project, project.client != client.id { form.typed["project"] = .null }
      value = .string(client.id)
    case .project:
      if line.rest.lowercased() == "none" {
        value = .null
        break
      }
      let project = try TrackerInput.project(
        line, of: form.value("client", records)?.text, tracked)
      form.typed["client"] = .string(project.client)
      value = .string(project.id)
    }
    form.typed[field.name] = value
  }

  private func save(_ form: TrackerForm, _ now: Int64) {
    do throws(WireError) {
      try write(form, now)
      leave()
      leaveWhatIsGone()
    } catch {
      var form = form
      form.error = error.message
      stack[stack.count - 1] = .form(form)
    }
  }

  private func write(_ form: TrackerForm, _ now: Int64) throws(WireError) {
    var fields = form.typed
    if form.kind == "task", case .bool(let isBilled)? = fields["isBilled"] {
      let task = form.record.flatMap { tracked.task($0) }
      fields["billedDate"] = isBilled ? .date(now) : .null
      fields["billedAmount"] =
        isBilled ? task.map { .string(amount(of: $0, with: fields).text) } ?? .null : .null
    }
    switch (form.kind, form.record) {
    case ("settings", _):
      try surroundings.records.edit(shown: form.shown, now: now) { edit throws(WireError) in
        try edit.set("settings", fields)
      }
      recordsDidChange(now: now)
    case (_, let record?):
      try service.update(form.kind, record, fields, shown: form.shown, now: now)
    case ("project", nil):
      if let task = form.firstTaskName {
        _ = try service.createProjectWithTask(fields, task: ["name": .string(task)], now: now)
      } else {
        try service.create("project", fields, now: now)
      }
    default: try service.create(form.kind, fields, now: now)
    }
  }

  /// What a task comes to once a form's changes are in it.
  private func amount(of task: TaskModel, with fields: [Name: Datum]) -> Money {
    var task = task
    task.isBilled = false
    if let rate = fields["hourlyRate"] { task.hourlyRate = rate.text.flatMap { Rate($0.text) } }
    if let project = fields["project"] { task.project = project.text }
    if let client = fields["client"]?.text { task.client = client }
    return tracked.amount(of: task)
  }
}
