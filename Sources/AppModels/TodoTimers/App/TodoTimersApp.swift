package import Merge
package import Wire

/// Timers with to-dos and notes, after seeds 000 to 002.
///
/// The phone makes and changes everything. The watch starts and stops timers, ticks to-dos off, and
/// makes and deletes timers; it shows notes and the texts of to-dos.
package final class TodoTimersApp: App {
  package static let schema: Name = "todoTimers"

  let idiom: Idiom
  let secondsFromUTC: Int
  let records: Records
  let choices: TimerChoices
  package var status = SyncStatus()
  package var order = TimerOrder.automatic {
    didSet { known = nil }
  }

  package internal(set) var settings = TodoTimersSettings()
  package internal(set) var countdowns = Countdowns()
  /// By timer: the notification that will be shown, and when.
  var scheduled: [Name: Scheduled] = [:]
  /// Timers whose notification was shown and not yet answered, the newest last.
  var delivered: [Name] = []
  /// The timer that the alert in front of the screen is about.
  var completed: Name?

  var route = Route.list
  /// The list shows the timers of this category; nil for all.
  var category: String?
  package var formShown: VersionVector? { route.formShown }
  /// The date of the counterpart's last message about a countdown that was done here, in seconds since
  /// 2001-01-01 UTC; what is older came late. Whoever turns sharing on begins anew.
  var lastShared: Double?
  /// The timer that is to be deleted once this is confirmed.
  var question: Name?
  /// Whether the screen shows what VoiceOver reads out.
  var isSpoken = false
  /// What the app has to say until the next command.
  var notice: String?

  private var events: [AppEvent] = []
  private var known: (vector: VersionVector, library: TimerLibrary)?
  /// The last time that came in.
  var clock: Int64?

  struct Scheduled: Hashable {
    var notification: Notification
    var at: Int64
  }

  package init(_ surroundings: Surroundings) {
    idiom = surroundings.idiom
    secondsFromUTC = surroundings.secondsFromUTC
    records = surroundings.records
    choices = TimerChoices(surroundings.idiom)
  }

  /// All timers as they are now.
  package var library: TimerLibrary {
    let vector = records.vector
    if let known, known.vector == vector { return known.library }
    let library = TimerLibrary(records, order: order)
    known = (vector, library)
    return library
  }

  // MARK: Commands

  package func perform(_ line: CommandLine, now: Int64) throws(WireError) {
    tick(now: now)
    guard !line.word.isEmpty else { return }
    let before = (isSpoken, notice)
    isSpoken = false
    notice = nil
    do throws(WireError) {
      if line.word == "back", before.0 { return }
      guard let entry = entries.first(where: { $0.command.word == line.word }) else {
        throw line.unknown(among: commands)
      }
      let count = events.count
      try entry.deed(line, now)
      let isFelt = events[count...].contains { if case .haptic = $0 { true } else { false } }
      if entry.isButton, !isFelt { emit(.haptic("light")) }
    } catch {
      (isSpoken, notice) = before
      throw error
    }
  }

  package func takeEvents() -> [AppEvent] {
    defer { events = [] }
    return events
  }

  func emit(_ event: AppEvent) { events.append(event) }

  // MARK: Changes of records

  package func recordsDidChange(now: Int64) {
    let old = known?.library
    known = nil
    followRecords(now: now)
    if case .detail(let timer) = route, library[timer] == nil {
      route = .list
      notice = "\"\((old?[timer]?.name ?? "The timer").shortened)\" was deleted on another device"
    }
  }

  /// Brings what hangs on records into line with them.
  func followRecords(now: Int64) {
    let library = library
    for timer in countdowns.follow(library) { unschedule(timer) }
    delivered.removeAll { library[$0] == nil }
    if let timer = completed, library[timer] == nil { completed = nil }
    if let timer = question, library[timer] == nil { question = nil }
    refreshSchedule()
  }

  /// Edits records, and follows them.
  func edit<Result>(
    shown: VersionVector? = nil, now: Int64,
    _ change: (inout RecordEdit) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let result = try records.edit(shown: shown, now: now, change)
    known = nil
    followRecords(now: now)
    return result
  }

  // MARK: Ways

  func showDetail(_ timer: Name) { route = library[timer] == nil ? .list : .detail(timer) }

  func showForm(_ form: TimerForm) { route = .timerForm(form) }
}

extension String {
  /// On one line, of a length that sentences can take.
  var shortened: String { oneLine.cut(to: 60) }
}
