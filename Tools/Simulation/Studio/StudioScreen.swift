import AppModels
import Device
import LaneModel
import Merge
import Wire

/// A device's app, which edits the records of a device of the world by events of its trace.
final class StudioScreen {
  let name: String
  let idiom: Idiom
  private let make: any App.Type
  private let keeper: Keeper
  private(set) var app: any App
  private var vector: VersionVector
  /// What a real device would do beside its screen, newest last.
  private(set) var told: [String] = []
  private static let mostTold = 50

  private unowned let world: StudioWorld

  init(_ app: ShippedApp, _ name: String, _ sync: SyncDevice, isPhone: Bool, _ world: StudioWorld) {
    self.name = name
    self.world = world
    make = app.type
    idiom = app.idiom(isPhone)
    keeper = Keeper(name, sync, world)
    self.app = make.init(Surroundings(idiom: idiom, records: Records(keeper)))
    vector = sync.vector
  }

  var now: Int64 { world.run.now + (world.run.node(name)?.skew ?? 0) }

  func perform(_ line: CommandLine) throws(WireError) {
    try app.perform(line, now: now)
  }

  /// The app ends without warning and starts again with what it had stored.
  func relaunch() throws(WireError) {
    let state = app.localState
    app = make.init(Surroundings(idiom: idiom, records: Records(keeper)))
    try app.restore(state, now: now)
  }

  /// Tells the app how things stand, and takes what it has come to.
  func settle() {
    guard let node = world.run.node(name), let sync = node.sync else { return }
    var status = SyncStatus()
    status.isConnected = node.isActive
    status.isReachable = node.isActive && node.lanes.isReachable
    status.pending = sync.pendingCount
    status.error = sync.errors.last
    if app.status != status { app.status = status }
    if sync.vector != vector {
      vector = sync.vector
      app.recordsDidChange(now: now)
    }
    let messages = node.lanes.appMessages
    node.lanes.appMessages = []
    for message in messages { app.didReceive(message: message, now: now) }
    app.tick(now: now)
    if sync.formShown != app.formShown { sync.formShown = app.formShown }
    for event in app.takeEvents() { tell(event) }
  }

  private func tell(_ event: AppEvent) {
    switch event {
    case .haptic(let kind): told.append("haptic: \(kind)")
    case .sound(let name): told.append("sound: \(name)")
    case .premiumRequired(let trigger): told.append("premium required: \(trigger)")
    case .notified(let notification):
      let buttons = notification.actions.map { " [\($0.title)]" }.joined()
      told.append("notification: \(notification.title) – \(notification.body)\(buttons)")
    case .scheduled(let notification, let time):
      let clock = LocalTime(time, secondsFromUTC: 0)
      told.append("scheduled: \(notification.title) at \(clock.clock):\(clock.second) UTC")
    case .cancelled(let id): told.append("cancelled: \(id)")
    case .message(let payload):
      if !app.status.isReachable || !world.tellCounterpart(payload, from: name) {
        told.append("a live message was not sent: the counterpart cannot be reached")
      }
    case .syncRequested: told.append("sync asked for")
    }
    told.removeFirst(max(0, told.count - Self.mostTold))
  }

  /// Keeps what the app asks for as edits of the trace.
  private final class Keeper: RecordKeeper {
    private let name: String
    private let sync: SyncDevice
    private unowned let world: StudioWorld
    private var made = 0

    init(_ name: String, _ sync: SyncDevice, _ world: StudioWorld) {
      self.name = name
      self.sync = sync
      self.world = world
    }

    var schema: Schema { sync.schema }
    var fold: Fold { sync.fold }
    var vector: VersionVector { sync.vector }

    func newRecord() -> Name {
      made += 1
      return Name(Identifier(digestOf: "studio", name, String(made)).description)
    }

    func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError) {
      throw WireError(.invalidField, "the studio keeps changes, and was given none")
    }

    func write(
      _ actions: [Action], of changes: [RecordChange], shown: VersionVector, now: Int64
    ) throws(WireError) {
      let since = shown == vector ? nil : world.event(at: name, showing: shown)
      for change in changes {
        for edit in change.edits(fold, schema, shown: shown, since: since) {
          var event = TraceEvent(at: world.at, name, .edit)
          event.edit = edit
          guard world.perform(event) else {
            throw WireError(.invalidField, "that changes nothing, or cannot be done now")
          }
        }
      }
    }
  }
}

extension StudioWorld {
  /// The event after which a device showed just that.
  func event(at device: String, showing vector: VersionVector) -> String? {
    trace.events.last { event in
      event.device == device && event.name.flatMap { run.shown[$0] }?.vector == vector
    }?.name
  }
}

extension RecordChange {
  /// The edits that make it.
  ///
  /// - Parameters:
  ///   - shown: what was on the screen when it began.
  ///   - since: the event after which that was so; nil for now.
  fileprivate func edits(
    _ fold: Fold, _ schema: Schema, shown: VersionVector, since: String?
  ) -> [Edit] {
    func edit(_ change: Edit.Change) -> Edit {
      Edit(target.kind, target.record, change, since: since)
    }
    func place(_ position: Editor.Position) -> Edit? {
      switch position {
      case .last: return nil
      case .first: return edit(.move(after: nil, into: nil))
      case .after(let record): return edit(.move(after: record, into: nil))
      case .before(let record):
        let container = fold.view(Target(target.kind, record), schema)?.container
        let list = fold.view(target.kind, schema).filter { $0.container == container }
        let others = list.map(\.target.record).filter { $0 != target.record }
        let index = others.firstIndex(of: record) ?? 0
        return edit(.move(after: index == 0 ? nil : others[index - 1], into: nil))
      }
    }
    switch what {
    case .create(let fields, let position):
      return [edit(.create(fields: Self.json(fields)))] + [place(position)].compactMap(\.self)
    case .set(let fields):
      let texts = Set(
        schema[target.kind]?.registers.filter { $0.form == .text }.map(\.name) ?? [])
      let others = fields.filter { !texts.contains($0.key) }
      let present = Editor(fold, schema, shown: shown).present(target)
      let splices = fields.filter { texts.contains($0.key) }.sorted { $0.key < $1.key }
        .compactMap { name, value in
          Self.splice(
            name, from: present[name]?.text?.text ?? "", to: value.text?.text ?? "")
        }
      return (others.isEmpty ? [] : [edit(.set(fields: Self.json(others)))]) + splices.map(edit)
    case .delete: return [edit(.delete)]
    case .restore: return [edit(.restore)]
    case .move(let position):
      guard position == .last else { return [place(position)].compactMap(\.self) }
      let container = fold.view(target, schema)?.container
      let last = fold.view(target.kind, schema).last {
        $0.container == container && $0.target != target
      }
      return [edit(.move(after: last?.target.record, into: nil))]
    }
  }

  private static func json(_ fields: [Name: Datum]) -> [UInt8] {
    Datum.sorted(fields.map { Datum.Member($0.key, $0.value) }).canonical
  }

  /// What is between the ends that both texts have; nil where they are equal.
  private static func splice(_ field: Name, from old: String, to new: String) -> Edit.Change? {
    let (before, after) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    guard before != after else { return nil }
    let start = zip(before, after).prefix { $0 == $1 }.count
    let end = zip(before[start...].reversed(), after[start...].reversed()).prefix { $0 == $1 }.count
    var inserted = String.UnicodeScalarView()
    inserted.append(contentsOf: after[start..<after.count - end])
    return .splice(
      field: field, at: start, remove: before.count - end - start, insert: String(inserted),
      result: new)
  }
}
