import Merge
import Wire

/// What is typed into the form of a timer.
struct TimerForm: Equatable, Sendable {
  /// nil for a new one.
  let timer: Name?
  /// What was held when the form was opened.
  let shown: VersionVector
  var name = ""
  var hours: Int
  var minutes: Int
  var seconds: Int
  var icon = TimerChoices.icon
  var colorHex = TimerChoices.color
  var category = ""
  var repeats = false
  /// What these were when it was opened: a device that cannot share them never writes them.
  private var (openedCategory, openedRepeats) = ("", false)
  /// The rule that it broke when it was last submitted.
  var fault: WireError?
  /// What else went wrong then.
  var failure: String?

  init(shown: VersionVector) {
    timer = nil
    self.shown = shown
    (hours, minutes, seconds) = (0, 0, 0)
    duration = TimerChoices.duration
  }

  init(_ timer: TimerRecord, shown: VersionVector) {
    self.timer = timer.id
    self.shown = shown
    name = timer.name
    (hours, minutes, seconds) = (timer.hours, timer.minutes, timer.seconds)
    icon = timer.icon
    colorHex = timer.colorHex
    (category, repeats) = (timer.category, timer.repeats)
    (openedCategory, openedRepeats) = (timer.category, timer.repeats)
  }

  /// Seconds.
  var duration: Int {
    get { hours * 3600 + minutes * 60 + seconds }
    set { (hours, minutes, seconds) = (newValue / 3600, newValue % 3600 / 60, newValue % 60) }
  }

  var fields: [Name: Datum] {
    var fields: [Name: Datum] = [
      "name": .string(name), "durationInSeconds": .int(duration), "icon": .string(icon),
      "colorHex": .string(colorHex),
    ]
    if category != openedCategory {
      fields["category"] = category.isEmpty ? .null : .string(category)
    }
    if repeats != openedRepeats { fields["repeats"] = repeats ? .bool(true) : .null }
    return fields
  }

  /// What was wrong may be right now.
  mutating func forgetFaults() {
    fault = nil
    failure = nil
  }

  static let incomplete = "Please enter a timer name and duration"
}

/// What is typed into the sheet of a to-do.
struct TodoForm: Equatable, Sendable {
  let timer: Name
  /// nil for a new one.
  let todo: Name?
  let shown: VersionVector
  var text = ""
  var isCompleted = false
  var fault: String?

  init(_ todo: TodoRecord? = nil, of timer: Name, shown: VersionVector) {
    self.timer = timer
    self.todo = todo?.id
    self.shown = shown
    text = todo?.text ?? ""
    isCompleted = todo?.isCompleted ?? false
  }
}

/// What is typed into the notes of a timer.
struct NotesForm: Equatable, Sendable {
  let timer: Name
  let shown: VersionVector
  var text: String
  var fault: String?

  /// At least one.
  var lines: [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }
}

/// What is on the screen.
enum Route: Equatable, Sendable {
  case list
  case timerForm(TimerForm)
  case detail(Name)
  case todoForm(TodoForm)
  case notes(NotesForm)
  case settings
  case sound
  case privacy
  case templates
  case history
  case export(TimerExport)
  /// The watch's, with the complication.
  case face

  /// What its form was opened on; nil where it is none.
  var formShown: VersionVector? {
    switch self {
    case .timerForm(let form): form.shown
    case .todoForm(let form): form.shown
    case .notes(let form): form.shown
    case .list, .detail, .settings, .sound, .privacy, .templates, .history, .export, .face: nil
    }
  }
}
