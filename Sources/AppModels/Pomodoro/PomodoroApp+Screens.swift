import Merge

/// Settings that are being edited.
struct SettingsForm: Hashable {
  /// What was shown when it was opened.
  var shown: VersionVector
  /// By field: what was typed. The others show what the counterpart makes of them.
  var typed: [Name: Datum] = [:]
  var error: String?

  init(shown: VersionVector) { self.shown = shown }
}

extension PomodoroApp {
  package func screen(now: Int64) -> Screen {
    guard isSpoken else { return shownScreen(now) }
    return Screen("VoiceOver", leading: "‹ Back", rows: spoken(now: now).map { .text("• \($0)") })
  }

  /// The screen that is read out where VoiceOver is asked for.
  func shownScreen(_ now: Int64) -> Screen {
    var screen =
      switch route {
      case .timer: timerScreen(now)
      case .details: detailsScreen(now)
      case .history(let first): historyScreen(first)
      case .settings(let form): settingsScreen(form)
      }
    if screen.banner == nil { screen.banner = failure ?? status.error }
    return screen
  }

  private var isWatch: Bool { surroundings.idiom == .watch }

  // MARK: The timer

  private func timerScreen(_ now: Int64) -> Screen {
    let settings = settings
    let colors = PomodoroColors(state)
    let words = accessibility(now: now)
    let title = Screen.Row.centred(state.title.uppercased())
    let clock = Screen.Row.centred(PomodoroText.clock(remaining: timer.remaining(now)))
    let bar = Screen.Row.progress(progress(now: now))
    var rows: [Screen.Row] = [
      .blank,
      .styled(title, .text(colors.start))
        .labelled("\(words.label), \(words.value)", words.hint),
      Screen.Row.tappable(.styled(clock, .text(colors.start)), "tap").drawnOnly,
      .styled(bar, .graphic(colors.start, colors.middle, colors.end)),
    ]
    if settings.cycle == .every4 {
      let all = PomodoroCycle.worksToLongBreak
      rows.append(
        Screen.Row.centred(dots).labelled("\(min(timer.works, all)) of \(all) phases of work done"))
    }
    rows += [
      .blank,
      .buttons([
        Screen.Button(isActive ? "PAUSE" : "START"),
        Screen.Button("RESET", isEnabled: timer.run != .untouched),
      ]), .blank, .rule,
    ]
    let next = "\(nextState.title) \(PomodoroText.clock(seconds: settings.seconds(nextState)))"
    if isWatch {
      rows += [
        .tappable(.text("tap: \(isActive ? "pause" : "start")"), "tap"),
        .tappable(.text("longpress: next"), "longpress"),
      ]
    } else {
      rows += [
        .tappable(.split("tap", isActive ? "pause" : "start"), "tap"),
        .tappable(.split("doubletap", "reset"), "doubletap"),
        .tappable(.split("longpress", next), "longpress"),
      ]
    }
    return Screen("Pomodoro", leading: isWatch ? "" : "≡", trailing: isWatch ? "" : "⚙", rows: rows)
  }

  /// How far it is to the long break.
  private var dots: String {
    (0..<PomodoroCycle.worksToLongBreak).map { $0 < timer.works ? "●" : "○" }
      .joined(separator: " ")
  }

  // MARK: Details

  private func detailsScreen(_ now: Int64) -> Screen {
    let (words, progress) = (accessibility(now: now), progress(now: now))
    var rows: [Screen.Row] = [
      .text("VoiceOver"), .text(words.label, indent: 2), .text(words.value, indent: 2),
      .text(words.hint, indent: 2), .rule, .text("Gradient"),
    ]
    rows += PomodoroColors(state).stops(progress: progress).map {
      .styled(
        .split("  \($0.location.short)  \($0.color.hex)", "\(($0.opacity * 100).short) %"),
        .text($0.color))
    }
    let rotation = PomodoroShape.rotation(progress: progress, reduceMotion: reduceMotion)
    let step = PomodoroAnimation.rotation(reduceMotion: reduceMotion)
    let remaining = PomodoroAnimation.progress(remaining: timeRemaining(now: now))
    rows += [
      .rule, .text("Shape"),
      .split("  arc", "-90° to \(PomodoroShape.sweepAngle(progress: progress).short)°"),
      .split("  turned", "\(rotation.short)°"), .rule, .text("Animation"),
    ]
    let transition = PomodoroAnimation.transition(reduceMotion: reduceMotion)
    for (name, animation) in [
      ("progress", isActive ? remaining : .none), ("rotation", step), ("state", transition),
    ] {
      rows +=
        isWatch
        ? [.text(name, indent: 2), .text(animation.title, indent: 4)]
        : [.split("  \(name)", animation.title)]
    }
    return Screen("Details", leading: "‹", rows: rows)
  }

  // MARK: History

  /// Newest first; those of one moment by id.
  private var sessions: [RecordView] {
    records.all("session").sorted { left, right in
      let (one, other) = (left.date("startTime") ?? .min, right.date("startTime") ?? .min)
      return one != other ? one > other : left.id < right.id
    }
  }

  private func historyScreen(_ first: Int) -> Screen {
    let sessions = sessions
    guard !sessions.isEmpty else {
      return Screen(
        "History", leading: "‹",
        rows: [
          .blank, .centred("No Sessions Yet"), .blank, .centred("What has run is listed here."),
          .blank,
        ])
    }
    let first = min(first, (sessions.count - 1) / Self.pageLength * Self.pageLength)
    let page = sessions[first..<min(first + Self.pageLength, sessions.count)]
    var rows: [Screen.Row] = []
    var day: String?
    for session in page {
      let start = session.date("startTime").map {
        LocalTime($0, secondsFromUTC: surroundings.secondsFromUTC)
      }
      let date = start?.date ?? "No date"
      if date != day {
        if day != nil { rows.append(.blank) }
        rows.append(.text(date))
        day = date
      }
      rows.append(row(session, start))
    }
    if sessions.count > Self.pageLength {
      rows += [.rule, .text("\(first + 1)–\(page.endIndex) of \(sessions.count)")]
    }
    return Screen("History", leading: "‹", rows: rows)
  }

  /// `✓` ran to its end, `–` did not.
  private func row(_ session: RecordView, _ start: LocalTime?) -> Screen.Row {
    let phase = session.string("phase") ?? ""
    let title = PomodoroState(rawValue: phase)?.title ?? (phase.isEmpty ? "?" : phase)
    let isCompleted = session.flag("isCompleted")
    let seconds =
      (isCompleted ? session.int("plannedSeconds") : session.int("duration")) ?? 0
    let clock = PomodoroText.clock(seconds: seconds)
    let when = isWatch ? "" : (start?.clock ?? "--:--") + "  "
    let spoken = [title, start?.clock, clock, isCompleted ? "completed" : "not completed"]
    return Screen.Row.split("\(isCompleted ? "✓" : "–") \(when)\(title)", clock)
      .labelled(spoken.compactMap { $0 }.joined(separator: ", "))
  }

  // MARK: Settings

  private func settingsScreen(_ form: SettingsForm) -> Screen {
    let settings = settings
    func row(_ name: String, _ value: String, isTyped: Bool) -> Screen.Row {
      isTyped
        ? Screen.Row.split(name, "\(value) *").labelled("\(name), \(value), not saved")
        : .split(name, value)
    }
    func clock(_ state: PomodoroState) -> Screen.Row {
      let typed = form.typed[state.field]?.text.flatMap { Int($0.text) }
      let seconds = typed ?? settings.seconds(state)
      let text = (seconds < 0 ? "-" : "") + PomodoroText.clock(seconds: abs(seconds))
      return row(state.title, text, isTyped: typed != nil)
    }
    let typed = form.typed["cycle"]?.text?.text
    let cycle = typed ?? settings.cycle.rawValue
    var rows = PomodoroState.allCases.map(clock)
    let others = PomodoroCycle.allCases.filter { $0.rawValue != cycle }
    rows.append(
      .tappable(
        row("Cycle", cycle, isTyped: typed != nil),
        "cycle \(others.first?.rawValue ?? cycle)"))
    if let cycle = PomodoroCycle(rawValue: cycle) { rows.append(.text(cycle.title, indent: 2)) }
    rows += [
      .rule,
      .tappable(
        .split("Motion", reduceMotion ? "reduced" : "full"),
        "motion \(reduceMotion ? "full" : "reduced")"),
      .text("of this device alone", indent: 2), .rule,
      .buttons([Screen.Button("CANCEL"), Screen.Button("SAVE", isEnabled: !form.typed.isEmpty)]),
    ]
    return Screen("Settings", leading: "‹", banner: form.error, rows: rows)
  }
}
