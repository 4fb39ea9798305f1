import Merge
import Wire

// What can be typed, screen by screen.
extension TodoTimersApp {
  typealias Deed = (CommandLine, Int64) throws(WireError) -> Void

  struct Entry {
    var command: Command
    /// Whether it is listed; what makes no sense now says so itself.
    var isOffered: Bool
    /// Whether it taps a button, which is felt.
    var isButton = true
    var deed: Deed

    /// Something that is typed, turned or dragged.
    var byHand: Entry {
      var entry = self
      entry.isButton = false
      return entry
    }

    init(
      _ word: String, _ arguments: String, _ summary: String, isOffered: Bool = true,
      _ deed: @escaping Deed
    ) {
      command = Command(word, arguments, summary)
      self.isOffered = isOffered
      self.deed = deed
    }

    init(_ word: String, _ summary: String, isOffered: Bool = true, _ deed: @escaping Deed) {
      self.init(word, "", summary, isOffered: isOffered, deed)
    }
  }

  package var commands: [Command] {
    let listed = entries.filter(\.isOffered).map(\.command)
    guard isSpoken else { return listed }
    return [Command("back", "show the screen again")] + listed.filter { $0.word != "back" }
  }

  var entries: [Entry] {
    if let question, let timer = library[question] { return questionEntries(timer) + [voice] }
    var entries = completed.flatMap { library[$0] }.map(alertEntries) ?? []
    switch route {
    case .list: entries += listEntries
    case .timerForm(let form): entries += entriesOf(form)
    case .detail(let id): entries += library[id].map(entriesOf) ?? listEntries
    case .todoForm(let form): entries += entriesOf(form)
    case .notes(let form): entries += entriesOf(form)
    case .settings: entries += settingsEntries
    case .sound: entries += soundEntries
    case .face: entries += faceEntries
    case .templates: entries += templateEntries
    case .history: entries += historyEntries
    case .export, .privacy:
      entries += [Entry("back", "show the settings") { _, _ in self.route = .settings }]
    }
    return entries + sharedEntries
  }

  var isFull: Bool { idiom != .watch }

  private var sharedEntries: [Entry] {
    [
      Entry(
        "act", "[RESTART_TIMER|MARK_COMPLETE|DISMISS]",
        "answer the newest notification, or open its timer",
        isOffered: !delivered.isEmpty
      ) { line, now throws(WireError) in try self.act(line, now: now) },
      voice,
    ]
  }

  private var voice: Entry {
    Entry("a11y", "show what VoiceOver reads out") { _, _ in self.isSpoken = true }.byHand
  }

  private func alertEntries(_ timer: TimerRecord) -> [Entry] {
    [
      Entry("restart", "start the timer from its beginning") { _, now in
        self.restart(timer, now)
      },
      Entry("dismiss", "close the alert") { _, _ in self.dismiss(timer.id) },
    ]
  }

  private func questionEntries(_ timer: TimerRecord) -> [Entry] {
    let delete: Deed = { _, now throws(WireError) in try self.delete(timer, now) }
    let cancel: Deed = { _, _ in self.question = nil }
    return [
      Entry("cancel", "keep the timer", cancel),
      Entry("delete", "delete the timer with its to-dos and notes", delete),
      Entry("yes", "delete the timer", isOffered: false, delete),
      Entry("no", "keep the timer", isOffered: false, cancel),
    ]
  }

  // MARK: List

  private var listEntries: [Entry] {
    let timers = listed
    return [
      Entry("open", "NUMBER|NAME", "show a timer", isOffered: !timers.isEmpty) {
        line, _ throws(WireError) in
        self.route = .detail(timers[try line.index(of: timers.map(\.name), "timer")].id)
      },
      Entry("new", "[NAME] [DURATION]", "make a timer: new Tea 5:00") {
        line, now throws(WireError) in try self.new(line, now)
      },
      Entry("delete", "NUMBER|NAME", "delete a timer", isOffered: !timers.isEmpty) {
        line, _ throws(WireError) in
        self.askToDelete(timers[try line.index(of: timers.map(\.name), "timer")].id)
      },
    ]
      + (isFull
        ? [
          Entry(
            "move", "FROM TO", "move a timer in the list",
            isOffered: timers.count > 1 && category == nil
          ) { line, now throws(WireError) in try self.moveTimer(line, now) }.byHand
        ] : [])
      + categoryEntries + moreEntries
      + [
        Entry("settings", "show the settings") { _, _ in self.route = .settings },
        syncEntry,
      ]
      + (isFull
        ? []
        : [
          Entry("face", "show the watch face with the complication") { _, _ in
            self.route = .face
          }
        ])
  }

  private var syncEntry: Entry {
    Entry("sync", "sync now") { _, _ in
      if !self.status.isConnected { self.notice = SyncState.unavailable }
      self.emit(.syncRequested)
    }
  }

  // MARK: Detail

  private func entriesOf(_ timer: TimerRecord) -> [Entry] {
    let countdown = countdowns.countdown(timer)
    return controls(timer, countdown)
      + [
        Entry(
          "toggle", "NUMBER", "tick a to-do off, or not", isOffered: !timer.todos.isEmpty
        ) { line, now throws(WireError) in try self.toggle(line, timer, now) }
      ]
      + (isFull ? editing(timer) : [])
      + [Entry("back", "show the list") { _, _ in self.route = .list }]
  }

  private func controls(_ timer: TimerRecord, _ countdown: Countdown) -> [Entry] {
    [
      Entry(
        "start", "start the timer", isOffered: !countdown.isRunning && !countdown.isPaused
      ) { _, now throws(WireError) in try self.start(timer, now) },
      Entry("pause", "pause the timer", isOffered: countdown.isRunning) {
        _, now throws(WireError) in try self.pause(timer, now)
      },
      Entry("resume", "go on with the timer", isOffered: countdown.isPaused) {
        _, now throws(WireError) in try self.resume(timer, now)
      },
      Entry("reset", "set the timer back to its duration") { _, now in self.reset(timer, now) },
      Entry(
        "restart", "start the timer from its beginning",
        isOffered: countdown.phase == .finished && completed != timer.id
      ) { _, now in self.restart(timer, now) },
    ]
  }

  private func editing(_ timer: TimerRecord) -> [Entry] {
    let count = timer.todos.count
    return [
      Entry("add", "[TEXT]", "add a to-do: add Buy milk") { line, now throws(WireError) in
        try self.addTodo(line, timer, now)
      },
      Entry("todo", "NUMBER", "edit a to-do", isOffered: count > 0) {
        line, _ throws(WireError) in
        let todo = timer.todos[try line.index(in: count, of: "to-do")]
        self.route = .todoForm(TodoForm(todo, of: timer.id, shown: self.records.vector))
      },
      Entry("move", "FROM TO", "move a to-do in the list", isOffered: count > 1) {
        line, now throws(WireError) in try self.moveTodo(line, timer, now)
      }.byHand,
      Entry("notes", "edit the notes") { _, _ in
        self.route = .notes(
          NotesForm(timer: timer.id, shown: self.records.vector, text: timer.notes))
      },
      Entry("edit", "edit the timer") { _, _ in
        self.route = .timerForm(TimerForm(timer, shown: self.records.vector))
      },
    ]
      + (records.carries("template")
        ? [
          Entry("template", "keep it as a template for other timers") {
            _, now throws(WireError) in try self.keep(timer, now)
          }
        ] : [])
  }

  // MARK: Settings

  private var settingsEntries: [Entry] {
    [
      Entry("alerts", "[on|off]", "notify when a timer is through") {
        line, now throws(WireError) in
        self.settings.alerts = try line.flag(self.settings.alerts)
        self.followAlerts(now)
      },
      Entry("sound", "[on|off]", "choose whether a sound is played") {
        line, _ throws(WireError) in
        if line.rest.isEmpty { return self.route = .sound }
        self.setSound(try line.flag(self.settings.sound))
      },
      Entry("share", "[on|off]", "share what runs with the other device") {
        line, _ throws(WireError) in
        self.settings.share = try line.flag(self.settings.share)
        self.lastShared = nil
      },
      syncEntry,
    ] + moreEntries + [
      Entry("privacy", "show the privacy policy") { _, _ in self.route = .privacy },
      Entry("back", "show the list") { _, _ in self.route = .list },
    ]
  }
}

extension TodoTimersApp {
  private var soundEntries: [Entry] {
    [
      Entry("on", "play a sound") { _, _ in self.setSound(true) },
      Entry("off", "play none") { _, _ in self.setSound(false) },
      Entry("back", "show the settings") { _, _ in self.route = .settings },
    ]
  }

  private func setSound(_ isOn: Bool) {
    settings.sound = isOn
    refreshSchedule()
  }
}

extension CommandLine {
  /// `on` or `off`; nothing is the opposite of the present one.
  ///
  /// - Throws: 4004 for everything else.
  func flag(_ present: Bool) throws(WireError) -> Bool {
    switch rest.lowercased() {
    case "": !present
    case "on", "yes": true
    case "off", "no": false
    default: throw WireError(.invalidField, "\(word) takes on or off")
    }
  }

  /// Two numbers of a list, from 0.
  ///
  /// - Throws: 4004 that says what to type.
  func move(in count: Int, of what: String) throws(WireError) -> (from: Int, to: Int) {
    let numbers = rest.split(separator: " ").map { Int($0) }
    guard numbers.count == 2, let from = numbers[0], let to = numbers[1],
      count > 0, (1...count).contains(from), (1...count).contains(to)
    else {
      throw WireError(
        .invalidField,
        count == 0
          ? "there is no \(what) here"
          : "move takes the number of a \(what) and its new one, both from 1 to \(count)")
    }
    return (from - 1, to - 1)
  }
}
