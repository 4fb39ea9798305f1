import AppModels
import Bridge
import Merge

/// The app of a device that knows whole records only (PROTOCOL.md clause 13): its timers, what its
/// person did to them, and what that person had been shown by then.
///
/// What is written down here is the judge's: it never asks the bridge.
final class WholeRecordApp {
  /// A field of a record.
  struct Field: Hashable {
    var target: Target
    var name: Name
  }

  /// One thing that its person did.
  struct Touch {
    enum What: Hashable {
      case create, delete, move
      /// The notes.
      case text
      case write(Name, Datum)
    }

    var target: Target
    var what: What
    /// How much had been shown by then.
    var moment: Int
    /// What the field showed before.
    var replaced: Datum?
    /// The value had never been shown there.
    var isFresh = false
    /// The last of the transfers that carry it.
    var transfer: Int?
    var edit: Edit
    /// Of a delete: what a device held that showed the same then.
    var seen = VersionVector()
    /// What it had been sent of the timer last, it had been sent and had acknowledged in that session.
    var isSettled = false
    /// How often it had been activated by then.
    var session = 0
    /// The timer's copies before and after it.
    var old: TimerDTO?
    var new: TimerDTO?
    /// The timer's delete has come since: what came behind it is taken whatever the old copy's date.
    var isCrossed = false

    /// Whether it may be what became of a copy that came from elsewhere, dated between these two, or behind a delete: a
    /// to-do that this lacks is in none of what was made upon it.
    func mayBeUpon(_ copy: TimerDTO) -> Bool {
      guard let old, let new, copy.id == old.id, what == .delete else { return false }
      return (isCrossed || old.updatedAt < copy.updatedAt) && copy.updatedAt < new.updatedAt
        && !copy.targets.contains(target)
    }
  }

  let envelope: TodoTimersEnvelope
  /// It acknowledges what it has processed at once; else when an event says so.
  let isPrompt: Bool
  private(set) var model: WholeRecordDevice
  /// The name of its storage's life.
  private(set) var incarnation = 0
  /// Its clock, in seconds since 2001.
  var now = 0.0
  private(set) var touches: [Touch] = []
  /// Copies that it has sent.
  private(set) var copies: [TimerDTO] = []
  /// How often it has been activated.
  private(set) var sessions = 0
  /// The last of these sessions in which a message of its was refused; nil for none.
  private var refusedIn: Int?
  /// Counts what it shows.
  private(set) var moment = 0
  /// The order of timers that its person last made.
  private(set) var arrangement = Arrangement()
  /// By timer, the session in which it was last sent that.
  private var sent: [Identifier: Int] = [:]
  /// Timers that it ever acted on without a date: what it was sent then is in doubt for a while.
  private var acted: Set<Identifier> = []
  /// By timer that its person deleted, the session in which it came back with what was on its way then. A delete
  /// while anything is on its way is in doubt, and with it what follows.
  private var returned: [Identifier: Int] = [:]
  /// Acknowledges of this session that the server has not taken yet.
  private var acknowledges = 0
  /// Timers that it was sent since it last acknowledged.
  private var unacknowledged: Set<Identifier> = []
  /// By transfer, how often it had been activated when the server accepted that.
  private(set) var acceptedIn: [Int: Int] = [:]
  /// What the hub has taken in, as far as others have heard.
  var atHub: () -> VersionVector = { VersionVector() }
  /// That, as it was when the last delivery was taken: what came later is in none.
  private(set) var delivered = VersionVector()
  /// When each value was first shown.
  private var shown: [Field: [Datum: Int]] = [:]

  init(isPhone: Bool, options: [Trace.Option]) {
    model = WholeRecordDevice(isPhone ? .phone : .watch)
    isPrompt = !options.has("lazy")
    envelope =
      options.has("keyed") ? TodoTimersEnvelope(.keyed, .text) : .init()
  }

  /// - Parameter clock: milliseconds since 1970.
  func set(clock: Int64) { now = max(0, Double(clock - 978_307_200_000) / 1000) }

  /// Whether a field had shown a value by a moment.
  func hadShown(_ value: Datum, _ field: Field, by moment: Int) -> Bool {
    shown[field]?[value].map { $0 <= moment } ?? false
  }

  /// Whether it ever did something without a date to a record's timer, such as a tick.
  func hasActed(on target: Target) -> Bool {
    model.timers.values.contains { acted.contains($0.id) && $0.targets.contains(target) }
  }

  /// What it shows, in no order that means anything.
  var timers: [Target] { model.timers.values.map(\.target).sorted() }

  // MARK: Lines

  /// Takes in a message of the hub's.
  ///
  /// - Returns: what it answers.
  func ingest(_ message: TodoTimersMessage) -> [TodoTimersMessage] {
    let (timers, copies) =
      switch message {
      case .fullSync(let sync): (sync.timers.map(\.id), sync.timers)
      case .timerUpdate(let update): ([update.timerID], [update.timer].compactMap(\.self))
      case .quickAction, .timerState, .syncRequest: ([Identifier](), [TimerDTO]())
      }
    for timer in timers { sent[timer] = sessions }
    if case .timerUpdate(let update) = message, update.type == .deleted {
      for index in touches.indices where touches[index].old?.id == update.timerID {
        touches[index].isCrossed = true
      }
    }
    for index in touches.indices where copies.contains(where: touches[index].mayBeUpon) {
      touches[index].isSettled = false
    }
    for copy in copies where model.timers[copy.id] == nil && isBeingDeleted(copy.target) {
      returned[copy.id] = sessions
    }
    delivered = atHub()
    unacknowledged.formUnion(timers)
    let answers = model.apply(message, now: now)
    show()
    return answers
  }

  /// It acknowledges all that it has processed.
  func acknowledged() {
    unacknowledged = []
    acknowledges += 1
  }

  /// The server has taken one of these.
  func settled() {
    acknowledges -= 1
    if acknowledges == 0 { arrangement.settle() }
  }

  /// A session begins. What was acknowledged in the last one, and not taken, may be unknown there.
  func begin() {
    sessions += 1
    arrangement.begin(isSettled: acknowledges == 0)
    acknowledges = 0
  }

  func accepted(_ transfer: Int) { acceptedIn[transfer] = acceptedIn[transfer] ?? sessions }

  /// What it acknowledges after that proves nothing in this session (clause 13.4).
  func refusedMessage() {
    refusedIn = sessions
    for index in touches.indices where touches[index].session == sessions {
      if let transfer = touches[index].transfer, acceptedIn[transfer] != nil { continue }
      touches[index].isSettled = false
    }
  }

  /// Whether what it was last sent of a record's timer, it was sent and has acknowledged in this session.
  private func isSettled(_ target: Target) -> Bool {
    guard refusedIn != sessions else { return false }
    return model.timers.values.contains { timer in
      timer.targets.contains(target) && !unacknowledged.contains(timer.id)
        && !acted.contains(timer.id) && sent[timer.id] ?? sessions == sessions
        && returned[timer.id] != sessions
    }
  }

  /// Whether its person deleted a timer last, and the server has not said that it knows.
  private func isBeingDeleted(_ timer: Target) -> Bool {
    guard let last = touches.last(where: { $0.target == timer }), last.what == .delete else {
      return false
    }
    return last.transfer.map { acceptedIn[$0] == nil } ?? true
  }

  /// A message of its own goes out.
  func note(_ message: TodoTimersMessage) {
    switch message {
    case .timerUpdate(let update):
      guard update.type != .deleted, let timer = update.timer else { return }
      copies.append(timer)
    case .quickAction(let action): acted.insert(action.timerID)
    case .fullSync, .syncRequest, .timerState: break
    }
  }

  var fullSync: TodoTimersMessage { model.fullSync(now: now) }

  /// Everything that it had stored is gone.
  func reset() {
    model = WholeRecordDevice(model.role)
    copies = []
    arrangement.reset()
    incarnation += 1
  }

  /// Its person puts all lists into another order.
  ///
  /// - Parameter number: which: its last digit to the base of the list's length says what comes first, the
  ///   next one what of the rest, and so on.
  func rearrange(_ number: Int) -> [TodoTimersMessage] {
    let order = model.ordered.map(\.target)
    let messages = model.rearrange(now: now) { count in
      var (rest, number) = (Array(0..<count), number)
      return (0..<count).map { _ in
        defer { number /= max(1, rest.count + 1) }
        return rest.remove(at: number % rest.count)
      }
    }
    for target in model.timers.values.flatMap(\.targets) {
      touches.append(
        Touch(
          target: target, what: .move, moment: moment,
          edit: Edit(target.kind, target.record, .move(after: nil, into: nil))))
    }
    arrange(from: order)
    show()
    return messages
  }

  /// Its person has put timers into the order that is shown now.
  private func arrange(from order: [Target]) {
    arrangement.arrange(
      from: order, to: model.ordered.map(\.target), isWaiting: acknowledges > 0, isSettled)
  }

  // MARK: What is shown

  private func show() {
    moment += 1
    arrangement.show(model.ordered.map(\.target))
    for timer in model.timers.values {
      for (field, value) in timer.shownFields where shown[field]?[value] == nil {
        shown[field, default: [:]][value] = moment
      }
    }
  }

  // MARK: Edits

  /// Its person edits a record.
  ///
  /// - Parameter seen: what a device held that shows the same.
  /// - Returns: what it sends; nil where this app cannot do that, or nothing was changed.
  func edit(_ edit: Edit, seen: () -> VersionVector) -> [TodoTimersMessage]? {
    var edited = model
    guard let messages = edited.perform(edit, now: now) else { return nil }
    var touches = Self.touches(from: model.timers, to: edited.timers, edit)
    guard !touches.isEmpty else { return nil }
    for index in touches.indices {
      touches[index].moment = moment
      touches[index].session = sessions
      touches[index].isSettled = isSettled(touches[index].target)
      if touches[index].what == .delete { touches[index].seen = seen() }
      if case .write(let name, let value) = touches[index].what {
        touches[index].isFresh =
          shown[Field(target: touches[index].target, name: name)]?[value] == nil
      }
    }
    let order = model.ordered.map(\.target)
    model = edited
    if edit.kind == "timer", touches.contains(where: { $0.what == .move || $0.what == .create }) {
      arrange(from: order)
    }
    show()
    self.touches += touches
    return messages
  }

  /// Whether its person could do that.
  func can(_ edit: Edit) -> Bool {
    var edited = model
    return edited.perform(edit, now: now)?.isEmpty == false
  }

  /// Says which transfer carries the last edit.
  func carry(_ transfer: Int) {
    for index in touches.indices.reversed() {
      guard touches[index].transfer == nil else { return }
      touches[index].transfer = transfer
    }
  }

  private static func touches(
    from old: [Identifier: TimerDTO], to new: [Identifier: TimerDTO], _ edit: Edit
  ) -> [Touch] {
    var touches: [Touch] = []
    var copies: (old: TimerDTO?, new: TimerDTO?)
    func add(_ target: Target, _ what: Touch.What, replacing replaced: Datum? = nil) {
      touches.append(
        Touch(
          target: target, what: what, moment: 0, replaced: replaced, edit: edit, old: copies.old,
          new: copies.new))
    }
    for id in Set(old.keys).union(new.keys).sorted() {
      copies = (old[id], new[id])
      let (before, after) = (old[id]?.shownFields ?? [:], new[id]?.shownFields ?? [:])
      let targets = (old[id]?.targets ?? []).union(new[id]?.targets ?? [])
      for target in targets.sorted() {
        let was = old[id]?.targets.contains(target) ?? false
        let isThere = new[id]?.targets.contains(target) ?? false
        if !was { add(target, .create) }
        if !isThere {
          // To-dos go with their timer.
          if new[id] != nil || target.kind == "timer" { add(target, .delete) }
          continue
        }
        for name in TimerDTO.shownNames {
          let field = Field(target: target, name: name)
          guard let value = after[field], value != before[field] else { continue }
          add(
            target, name == "notes" ? .text : .write(name, value), replacing: before[field])
        }
      }
    }
    if case .move = edit.change { add(Target(edit.kind, edit.record), .move) }
    return touches
  }
}

extension TimerDTO {
  /// The fields of a timer and its to-dos that a person sees and can change.
  static let shownNames: [Name] = [
    "name", "durationInSeconds", "icon", "colorHex", "notes", "text", "isCompleted",
  ]

  var target: Target { Target("timer", Name(id.description)) }

  /// The timer and its to-dos.
  var targets: Set<Target> { Set([target] + todoItems.map(\.target)) }

  /// What is seen of them.
  var shownFields: [WholeRecordApp.Field: Datum] {
    var fields: [WholeRecordApp.Field: Datum] = [:]
    func set(_ target: Target, _ name: Name, _ value: Datum) {
      fields[WholeRecordApp.Field(target: target, name: name)] = value
    }
    set(target, "name", .string(name))
    set(target, "durationInSeconds", .string(Name("\(durationInSeconds)")))
    set(target, "icon", .string(icon))
    set(target, "colorHex", .string(colorHex))
    set(target, "notes", .string(notes ?? ""))
    for todo in todoItems {
      set(todo.target, "text", .string(todo.text))
      set(todo.target, "isCompleted", .bool(todo.isCompleted))
    }
    return fields
  }
}

extension TodoItemDTO {
  var target: Target { Target("todo", Name(id.description)) }
}
