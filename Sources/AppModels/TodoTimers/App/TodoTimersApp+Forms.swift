import Merge
import Wire

// What can be typed into forms.
extension TodoTimersApp {
  func entriesOf(_ form: TimerForm) -> [Entry] {
    let isNew = form.timer == nil
    let isReady = isReady(form)
    let finish: Deed = { _, now in self.submit(form, now) }
    let cancel: Deed = { _, _ in self.leave(form.timer) }
    return [
      Entry("name", "TEXT", "name the timer") { line, _ in
        self.change(form) { $0.name = line.rest }
      }.byHand
    ] + wheels(form)
      + [
        Entry("duration", "MM:SS", "set the duration: 25:00, 1:30:00, 90s") {
          line, _ throws(WireError) in
          let seconds = try self.duration(line.rest)
          self.change(form) { $0.duration = seconds }
        }.byHand,
        Entry("icon", "NUMBER", "choose an icon") { line, _ throws(WireError) in
          let icon = try self.choice(line, self.choices.icons)
          self.change(form) { $0.icon = icon }
        },
        Entry("color", "NUMBER", "choose a color") { line, _ throws(WireError) in
          let color = try self.choice(line, self.choices.colors)
          self.change(form) { $0.colorHex = color }
        },
      ] + shared(form)
      + [
        Entry("done", isNew ? "make the timer" : "save", isOffered: isNew && isReady, finish),
        Entry("save", isNew ? "make the timer" : "save", isOffered: !isNew && isReady, finish),
        Entry("cancel", "leave without saving", cancel),
        Entry("back", "leave without saving", isOffered: false, cancel),
        Entry("ok", "close the alert", isOffered: form.failure != nil) { _, _ in
          var form = form
          form.failure = nil
          self.showForm(form)
        },
      ]
      + (form.timer.map { timer in
        [Entry("delete", "delete the timer") { _, _ in self.askToDelete(timer) }]
      } ?? [])
  }

  /// Whether it can be submitted.
  func isReady(_ form: TimerForm) -> Bool { records.brokenRule("timer", form.fields) == nil }

  func isReady(_ form: TodoForm) -> Bool {
    records.brokenRule("todo", ["text": .string(form.text)]) == nil
  }

  /// What whole records do not carry is not offered.
  private func shared(_ form: TimerForm) -> [Entry] {
    guard isFull, records.carries("timer", "category") else { return [] }
    return [
      Entry("category", "[NAME]", "put it into a category, or into none") { line, _ in
        self.change(form) { $0.category = line.rest }
      }.byHand,
      Entry("repeat", "[on|off]", "start it anew whenever it is through") {
        line, _ throws(WireError) in
        let repeats = try line.flag(form.repeats)
        self.change(form) { $0.repeats = repeats }
      },
    ]
  }

  private func wheels(_ form: TimerForm) -> [Entry] {
    var wheels: [Entry] = []
    func add(
      _ word: String, _ range: ClosedRange<Int>, _ part: WritableKeyPath<TimerForm, Int>
    ) {
      wheels.append(
        Entry(word, "\(range.lowerBound)-\(range.upperBound)", "turn the wheel of \(word)") {
          line, _ throws(WireError) in
          guard let number = Int(line.rest), range.contains(number) else {
            throw WireError(
              .invalidField,
              "\(word) takes a number from \(range.lowerBound) to \(range.upperBound)")
          }
          self.change(form) { $0[keyPath: part] = number }
        }.byHand)
    }
    if let hours = choices.hours { add("hours", hours, \.hours) }
    add("minutes", choices.minutes, \.minutes)
    add("seconds", choices.seconds, \.seconds)
    return wheels
  }

  private func change(_ form: TimerForm, _ body: (inout TimerForm) -> Void) {
    var form = form
    body(&form)
    form.forgetFaults()
    showForm(form)
  }

  /// By number, or by what it is: `icon 3`, `color ff9500`.
  private func choice(_ line: CommandLine, _ choices: [String]) throws(WireError) -> String {
    let text = line.rest.lowercased()
    if let named = choices.first(where: { $0.lowercased() == text || $0.lowercased() == "#\(text)" }
    ) {
      return named
    }
    guard let number = Int(text), (1...choices.count).contains(number) else {
      throw WireError(
        .invalidField, "\(line.word) takes a number from 1 to \(choices.count)")
    }
    return choices[number - 1]
  }

  /// - Throws: 4004 for what is no duration, or longer than the wheels of this device go.
  func duration(_ text: String) throws(WireError) -> Int {
    guard let seconds = DurationText.seconds(text) else {
      throw WireError(
        .invalidField, "\(text.quoted) is no duration; 25:00, 1:30:00 and 90s are some")
    }
    guard choices.hours != nil || seconds < 3600 else {
      throw WireError(.invalidField, "a timer made here takes 59:59 at most")
    }
    return seconds
  }

  private func leave(_ timer: Name?) {
    if let timer { showDetail(timer) } else { route = .list }
  }

  // MARK: To-dos

  func entriesOf(_ form: TodoForm) -> [Entry] {
    let cancel: Deed = { _, _ in self.showDetail(form.timer) }
    var entries = [
      Entry("text", "TEXT", "write the to-do") { line, _ in
        self.change(form) { $0.text = line.rest }
      }.byHand
    ]
    if let todo = form.todo {
      entries += [
        Entry("toggle", "mark it as completed, or not") { _, _ in
          self.change(form) { $0.isCompleted.toggle() }
        },
        Entry("save", "save", isOffered: isReady(form)) { _, now in self.submit(form, now) },
      ]
      entries.append(
        Entry("delete", "delete the to-do") { _, now throws(WireError) in
          try self.edit(now: now) { edit throws(WireError) in try edit.delete("todo", todo) }
          self.showDetail(form.timer)
        })
    } else {
      entries.append(
        Entry("add", "[TEXT]", "add the to-do") { line, now in
          var form = form
          if !line.rest.isEmpty { form.text = line.rest }
          self.submit(form, now)
        })
    }
    return entries + [
      Entry("cancel", "leave without saving", cancel),
      Entry("back", "leave without saving", isOffered: false, cancel),
    ]
  }

  private func change(_ form: TodoForm, _ body: (inout TodoForm) -> Void) {
    var form = form
    body(&form)
    form.fault = nil
    route = .todoForm(form)
  }

  // MARK: Notes

  func entriesOf(_ form: NotesForm) -> [Entry] {
    func write(_ text: String) {
      route = .notes(NotesForm(timer: form.timer, shown: form.shown, text: text))
    }
    let cancel: Deed = { _, _ in self.showDetail(form.timer) }
    return [
      Entry("write", "TEXT", "write the notes anew; \\n begins a line") { line, _ in
        write(line.rest.unescaped)
      }.byHand,
      Entry("append", "TEXT", "add a line", isOffered: !form.text.isEmpty) { line, _ in
        write(form.text + (form.text.isEmpty ? "" : "\n") + line.rest.unescaped)
      }.byHand,
      Entry("line", "NUMBER TEXT", "write a line anew", isOffered: !form.text.isEmpty) {
        line, _ throws(WireError) in
        let (index, text) = try line.numbered(form.lines.count)
        write(form.lines.with { $0[index] = text })
      }.byHand,
      Entry("insert", "NUMBER TEXT", "put a line before another", isOffered: !form.text.isEmpty) {
        line, _ throws(WireError) in
        let (index, text) = try line.numbered(form.lines.count)
        write(form.lines.with { $0.insert(text, at: index) })
      }.byHand,
      Entry("remove", "NUMBER", "take a line out", isOffered: !form.text.isEmpty) {
        line, _ throws(WireError) in
        let index = try line.index(in: form.lines.count, of: "line")
        write(form.lines.with { $0.remove(at: index) })
      }.byHand,
      Entry("clear", "empty the notes", isOffered: !form.text.isEmpty) { _, _ in write("") },
      Entry("save", "save") { _, now in self.submit(form, now) },
      Entry("cancel", "leave without saving", cancel),
      Entry("back", "leave without saving", isOffered: false, cancel),
    ]
  }
}

extension CommandLine {
  /// The number of a line, from 0, and what is to stand in it.
  ///
  /// - Throws: 4004 where there is no such line.
  fileprivate func numbered(_ count: Int) throws(WireError) -> (index: Int, text: String) {
    let digits = rest.prefix { $0 != " " }
    guard let number = Int(digits), (1...count).contains(number) else {
      throw WireError(.invalidField, "\(word) takes the number of a line, from 1 to \(count)")
    }
    return (number - 1, String(rest.dropFirst(digits.count + 1)).unescaped)
  }
}

extension [String] {
  /// As one text, with a change.
  fileprivate func with(_ change: (inout [String]) -> Void) -> String {
    var lines = self
    change(&lines)
    return lines.joined(separator: "\n")
  }
}

extension String {
  /// With a line feed for `\n` and a backslash for `\\`.
  var unescaped: String {
    var text = ""
    var isEscape = false
    for character in self {
      if isEscape {
        text += character == "n" ? "\n" : character == "\\" ? "\\" : "\\\(character)"
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        text.append(character)
      }
    }
    return isEscape ? text + "\\" : text
  }
}
