import Merge
import Wire

// Categories, templates, the history and exports: of the "future" of seed 002 what records can carry.
extension TodoTimersApp {
  // MARK: Categories

  /// Those that timers have, by name.
  var categories: [(name: String, count: Int)] {
    Dictionary(grouping: library.timers.filter { !$0.category.isEmpty }, by: \.category)
      .map { ($0.key, $0.value.count) }
      .sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
  }

  /// The timers that the list shows.
  var listed: [TimerRecord] {
    let timers = library.timers
    return category.map { category in timers.filter { $0.category == category } } ?? timers
  }

  var categoryEntries: [Entry] {
    [
      Entry(
        "category", "[NAME]", "list one category, or all timers",
        isOffered: category != nil || !categories.isEmpty
      ) { line, _ throws(WireError) in try self.choose(line) }
    ]
  }

  private func choose(_ line: CommandLine) throws(WireError) {
    let names = categories.map(\.name)
    guard !line.rest.isEmpty else { return category = nil }
    guard
      let name = names.first(where: { $0 == line.rest })
        ?? names.first(where: { $0.lowercased() == line.rest.lowercased() })
    else {
      let advice = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
      throw WireError(
        .invalidField,
        "there is no category \(line.rest.quoted); "
          + Nearest.advice(for: line.rest, among: names, else: advice))
    }
    category = name
  }

  // MARK: More screens

  /// What the list and the settings lead to.
  var moreEntries: [Entry] {
    guard records.carries("run") else { return [] }
    return [
      Entry("templates", "make timers of templates") { _, _ in self.route = .templates },
      Entry("history", "show which timers were through, and when") { _, _ in
        self.route = .history
      },
    ]
      + (isFull
        ? [
          Entry("export", "show all timers as comma-separated values") { _, _ in
            self.route = .export(.timers)
          }
        ] : [])
  }

  // MARK: Templates

  var templateEntries: [Entry] {
    let templates = TimerTemplate.all(records)
    return [
      Entry("use", "NUMBER|NAME", "make a timer of it", isOffered: !templates.isEmpty) {
        line, now throws(WireError) in
        try self.use(templates[try line.index(of: templates.map(\.name), "template")], now)
      }
    ]
      + (isFull
        ? [
          Entry("delete", "NUMBER|NAME", "delete a template", isOffered: !templates.isEmpty) {
            line, now throws(WireError) in
            let index = try line.index(of: templates.map(\.name), "template")
            try self.edit(now: now) { edit throws(WireError) in
              try edit.delete("template", templates[index].timer.id)
            }
          }
        ] : [])
      + [Entry("back", "show the list") { _, _ in self.route = .list }]
  }

  /// Keeps a timer as a template, in the place of one of the same name.
  func keep(_ timer: TimerRecord, _ now: Int64) throws(WireError) {
    let fields = TimerTemplate.fields(timer)
    let known = TimerTemplate.all(records).first { $0.name == timer.name }
    try edit(now: now) { edit throws(WireError) in
      if let known {
        try edit.set("template", known.timer.id, fields)
      } else {
        try edit.create("template", fields)
      }
    }
    route = .templates
  }

  private func use(_ template: TimerTemplate, _ now: Int64) throws(WireError) {
    let timer = try edit(now: now) { edit throws(WireError) in
      // A text begins empty.
      let fields = template.timer.fields.filter { $0.value != .null }
      let timer = try edit.create("timer", fields, at: .first)
      for text in template.todos {
        try edit.create("todo", ["timer": .string(timer), "text": .string(text)])
      }
      return timer
    }
    showDetail(timer)
  }

  // MARK: History

  var historyEntries: [Entry] {
    let runs = RunHistory(records).runs
    return [
      Entry("clear", "delete the history, on all devices", isOffered: !runs.isEmpty) {
        _, now throws(WireError) in
        try self.edit(now: now) { edit throws(WireError) in
          for run in runs { try edit.delete("run", run.id) }
        }
      }
    ]
      + (isFull
        ? [
          Entry("export", "show it as comma-separated values", isOffered: !runs.isEmpty) { _, _ in
            self.route = .export(.runs)
          }
        ] : [])
      + [Entry("back", "show the list") { _, _ in self.route = .list }]
  }
}

extension CommandLine {
  /// A row by its number on the screen, or by its name, in upper or lower case.
  ///
  /// - Throws: 4004 that says what to type, also where several rows have that name.
  func index(of names: [String], _ what: String) throws(WireError) -> Int {
    let name = rest.lowercased()
    let named = names.indices.filter { names[$0].lowercased() == name }
    if Int(rest) == nil, named.count == 1 { return named[0] }
    guard named.count < 2 || Int(rest) != nil else {
      throw WireError(.invalidField, "\(named.count) \(what)s have that name; type a number")
    }
    return try index(in: names.count, of: what)
  }
}
