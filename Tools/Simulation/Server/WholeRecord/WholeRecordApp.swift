import AppModels
import Bridge
import Merge

/// The app of a device that knows whole records only (PROTOCOL.md clause 13): its records, what its
/// person did to them, and what that person had been shown by then. A root is a record of the kind that contains others.
///
/// What is written down here is the judge's: it never asks the bridge.
final class WholeRecordApp {
  /// A register of a record: a field, a text, or a group with the value that all its fields make.
  typealias Field = WholeRecord.Field

  /// One thing that its person did.
  struct Touch {
    enum What: Hashable {
      case create, delete, move
      case text(Name)
      case write(Name, Datum)

      var isText: Bool { if case .text = self { true } else { false } }
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
    /// What it had been sent of the root last, it had been sent and had acknowledged in that session.
    var isSettled = false
    /// How often it had been activated by then.
    var session = 0
    /// The root's copies before and after it.
    var old: WholeRecord?
    var new: WholeRecord?
    /// The root's delete has come since: what came behind it is taken whatever the old copy's date.
    var isCrossed = false

    /// Whether it may be what became of a copy that came from elsewhere, dated between these two, or behind a delete: a
    /// to-do that this lacks is in none of what was made upon it.
    func mayBeUpon(_ copy: WholeRecord) -> Bool {
      guard let old, let new, copy.target == old.target, what == .delete else { return false }
      return (isCrossed || old.updatedAt < copy.updatedAt) && copy.updatedAt < new.updatedAt
        && !copy.targets.contains(target)
    }
  }

  let schema: Schema
  let shape: RecordShape
  /// It acknowledges what it has processed at once; else when an event says so.
  let isPrompt: Bool
  private(set) var model: any RecordModel
  /// The name of its storage's life.
  private(set) var incarnation = 0
  /// Its clock, in seconds since 2001.
  var now = 0.0
  private(set) var touches: [Touch] = []
  /// Copies that it has sent.
  private(set) var copies: [WholeRecord] = []
  /// How often it has been activated.
  private(set) var sessions = 0
  /// The last of these sessions in which a message of its was refused; nil for none.
  private var refusedIn: Int?
  /// Counts what it shows.
  private(set) var moment = 0
  /// The order of roots that its person last made, by kind.
  private(set) var arrangements: [Name: Arrangement]
  /// By root, the session in which it was last sent that.
  private var sent: [Target: Int] = [:]
  /// Roots that it ever acted on without a date: what it was sent then is in doubt for a while.
  private var acted: Set<Target> = []
  /// By root that its person deleted, the session in which it came back with what was on its way then. A delete
  /// while anything is on its way is in doubt, and with it what follows.
  private var returned: [Target: Int] = [:]
  /// Acknowledges of this session that the server has not taken yet.
  private var acknowledges = 0
  /// Roots that it was sent since it last acknowledged.
  private var unacknowledged: Set<Target> = []
  /// By transfer, how often it had been activated when the server accepted that.
  private(set) var acceptedIn: [Int: Int] = [:]
  /// What the hub has taken in, as far as others have heard.
  var atHub: () -> VersionVector = { VersionVector() }
  /// That, as it was when the last delivery was taken: what came later is in none.
  private(set) var delivered = VersionVector()
  /// When each value was first shown.
  private var shown: [Field: [Datum: Int]] = [:]
  /// The roots that it showed last, and when each was first gone.
  private var present: Set<Target> = []
  private var gone: [Target: Int] = [:]

  init(isPhone: Bool, _ schema: Schema, options: [Trace.Option]) {
    let shape = RecordShape(schema, carrying: Self.carried(schema))
    let ordered = shape.roots.filter { schema[$0]?.order != nil }
    arrangements = Dictionary(uniqueKeysWithValues: ordered.map { ($0, Arrangement()) })
    self.schema = schema
    self.shape = shape
    let isKeyed = options.has("keyed")
    if schema.name == TodoTimersApp.schema {
      model = TodoTimersModel(isPhone: isPhone, isKeyed: isKeyed)
    } else {
      model = SchemaModel(isPhone: isPhone, schema, shape, isKeyed ? .text : .data)
    }
    isPrompt = !options.has("lazy")
  }

  /// By kind: the fields that whole records carry; nil for all.
  static func carried(_ schema: Schema) -> [Name: Set<Name>]? {
    ShippedSchemas.codecs.first { $0.schema == schema.name }?.fields
  }

  /// - Parameter clock: milliseconds since 1970.
  func set(clock: Int64) { now = max(0, Double(clock - 978_307_200_000) / 1000) }

  /// Whether a field had shown a value by a moment, or what may be shown for it.
  func hadShown(_ value: Datum, _ field: Field, by moment: Int) -> Bool {
    guard let kind = schema[field.target.kind], let register = kind[field.name] else {
      return false
    }
    return shown[field]?.contains { $1 <= moment && kind.mayShow(value, of: register, as: $0) }
      ?? false
  }

  /// Whether a root was gone by a moment, or it had been told so.
  func wasGone(_ root: Target, by moment: Int) -> Bool { gone[root].map { $0 <= moment } ?? false }

  /// Whether it ever did something without a date to a record's root, such as a tick.
  func hasActed(on target: Target) -> Bool {
    model.ordered.root(of: target).map { acted.contains($0.target) } ?? false
  }

  /// The roots that it shows, in no order that means anything.
  var roots: [Target] { model.shown.map(\.target).sorted() }

  /// Those of a kind, as it shows them.
  private func order(of kind: Name) -> [Target] {
    model.shown.map(\.target).filter { $0.kind == kind }
  }

  // MARK: Lines

  /// Takes in a dictionary of the hub's.
  ///
  /// - Returns: what it answers; nil where it cannot read that.
  func ingest(_ dictionary: [UInt8]) -> [Said]? {
    guard let message = model.read(dictionary) else { return nil }
    let (roots, copies) =
      switch message {
      case .all(let records, _): (records.map(\.target), records)
      case .copy(let record, _): ([record.target], [record])
      case .deleted(let target, let held): ([target], [held].compactMap(\.self))
      case .acted, .request: ([Target](), [WholeRecord]())
      }
    for root in roots { sent[root] = sessions }
    if case .deleted(let target, _) = message {
      for index in touches.indices where touches[index].old?.target == target {
        touches[index].isCrossed = true
      }
    }
    for index in touches.indices where copies.contains(where: touches[index].mayBeUpon) {
      touches[index].isSettled = false
    }
    let held = Set(model.ordered.map(\.target))
    for copy in copies where !held.contains(copy.target) && isBeingDeleted(copy.target) {
      returned[copy.target] = sessions
    }
    delivered = atHub()
    unacknowledged.formUnion(roots)
    let answers = model.apply(dictionary, now: now)
    show()
    if case .deleted(let target, _) = message, gone[target] == nil { gone[target] = moment }
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
    guard acknowledges == 0 else { return }
    for kind in arrangements.keys { arrangements[kind]!.settle() }
  }

  /// A session begins. What was acknowledged in the last one, and not taken, may be unknown there.
  func begin() {
    sessions += 1
    for kind in arrangements.keys { arrangements[kind]!.begin(isSettled: acknowledges == 0) }
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

  /// Whether what it was last sent of a record's root, it was sent and has acknowledged in this session.
  private func isSettled(_ target: Target) -> Bool {
    guard refusedIn != sessions, let root = model.ordered.root(of: target)?.target else {
      return false
    }
    return !unacknowledged.contains(root) && !acted.contains(root)
      && sent[root] ?? sessions == sessions && returned[root] != sessions
  }

  /// Whether its person deleted a root last, and the server has not said that it knows.
  private func isBeingDeleted(_ root: Target) -> Bool {
    guard let last = touches.last(where: { $0.target == root }), last.what == .delete else {
      return false
    }
    return last.transfer.map { acceptedIn[$0] == nil } ?? true
  }

  /// A message of its own goes out.
  func note(_ message: Incoming) {
    switch message {
    case .copy(let record, _): copies.append(record)
    case .acted(_, _, let root): acted.insert(root)
    case .all, .deleted, .request: break
    }
  }

  var fullSync: Said { model.fullSync(now: now) }

  /// Everything that it had stored is gone.
  func reset() {
    model.reset()
    copies = []
    for kind in arrangements.keys { arrangements[kind]!.reset() }
    incarnation += 1
  }

  /// Its person puts all lists into another order.
  ///
  /// - Parameter number: which: its last digit to the base of the list's length says what comes first, the
  ///   next one what of the rest, and so on.
  func rearrange(_ number: Int) -> [Said] {
    let orders = arrangements.keys.map { ($0, order(of: $0)) }
    let messages = model.rearrange(now: now) { count in
      var (rest, number) = (Array(0..<count), number)
      return (0..<count).map { _ in
        defer { number /= max(1, rest.count + 1) }
        return rest.remove(at: number % rest.count)
      }
    }
    for target in model.ordered.flatMap(\.targets) {
      touches.append(
        Touch(
          target: target, what: .move, moment: moment,
          edit: Edit(target.kind, target.record, .move(after: nil, into: nil))))
    }
    for (kind, order) in orders { arrange(kind, from: order) }
    show()
    return messages
  }

  /// Its person has put roots of a kind into the order that is shown now.
  private func arrange(_ kind: Name, from order: [Target]) {
    arrangements[kind]?.arrange(
      from: order, to: self.order(of: kind), isWaiting: acknowledges > 0, isSettled)
  }

  // MARK: What is shown

  private func show() {
    moment += 1
    for kind in arrangements.keys { arrangements[kind]!.show(order(of: kind)) }
    let roots = Set(model.shown.map(\.target))
    for root in present.subtracting(roots) where gone[root] == nil { gone[root] = moment }
    present = roots
    for record in model.shown {
      for (field, value) in record.shown where shown[field]?[value] == nil {
        shown[field, default: [:]][value] = moment
      }
    }
  }

  // MARK: Edits

  /// Its person edits a record.
  ///
  /// - Parameter seen: what a device held that shows the same.
  /// - Returns: what it sends; nil where this app cannot do that, or nothing was changed.
  func edit(_ edit: Edit, seen: () -> VersionVector) -> [Said]? {
    var edited = model
    guard let messages = edited.perform(edit, now: now) else { return nil }
    var touches = touches(from: model.ordered, to: edited.ordered, edit)
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
    let order = order(of: edit.kind)
    model = edited
    if touches.contains(where: { $0.what == .move || $0.what == .create }) {
      arrange(edit.kind, from: order)
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

  private func touches(
    from old: [WholeRecord], to new: [WholeRecord], _ edit: Edit
  ) -> [Touch] {
    let old = Dictionary(old.map { ($0.target, $0) }, uniquingKeysWith: { $1 })
    let new = Dictionary(new.map { ($0.target, $0) }, uniquingKeysWith: { $1 })
    var touches: [Touch] = []
    var copies: (old: WholeRecord?, new: WholeRecord?)
    func add(_ target: Target, _ what: Touch.What, replacing replaced: Datum? = nil) {
      touches.append(
        Touch(
          target: target, what: what, moment: 0, replaced: replaced, edit: edit, old: copies.old,
          new: copies.new))
    }
    for root in Set(old.keys).union(new.keys).sorted() {
      copies = (old[root], new[root])
      let (before, after) = (copies.old?.shown ?? [:], copies.new?.shown ?? [:])
      let targets = (copies.old?.targets ?? []).union(copies.new?.targets ?? [])
      for target in targets.sorted() {
        let was = copies.old?.targets.contains(target) ?? false
        let isThere = copies.new?.targets.contains(target) ?? false
        if !was { add(target, .create) }
        if !isThere {
          // What a record contains goes with it.
          let container = target == root ? nil : copies.old?.child(target)?.container ?? root
          let isWithIt = container.map { copies.new?.targets.contains($0) != true } ?? false
          if !isWithIt { add(target, .delete) }
          continue
        }
        for register in schema[target.kind]?.registers ?? [] {
          let field = Field(target: target, name: register.name)
          guard let value = after[field], value != before[field],
            before[field] != nil || register.form == .text
              || value != register.whole({ _ in nil })
          else { continue }
          add(
            target, register.form == .text ? .text(register.name) : .write(register.name, value),
            replacing: before[field])
        }
      }
    }
    if case .move = edit.change { add(Target(edit.kind, edit.record), .move) }
    return touches
  }
}

extension WholeRecord {
  /// The record and what it contains.
  var parts: [WholeRecord] { [self] + ordered }
  var targets: Set<Target> { Set([target] + children.map(\.target)) }

  /// What is seen of them, by register.
  var shown: [WholeRecord.Field: Datum] {
    var shown: [WholeRecord.Field: Datum] = [:]
    for part in [self] + children {
      for (name, value) in part.values {
        shown[WholeRecord.Field(target: part.target, name: name)] = value
      }
    }
    return shown
  }

  /// What is seen of one of them, field by field, as the schema has them.
  func shownFields(_ schema: Schema) -> [Datum.Member] {
    guard let kind = schema[target.kind] else { return [] }
    let values = fieldValues(kind)
    return kind.wholeRegisters.flatMap(\.fields).compactMap { field in
      values[field.name].map { Datum.Member(field.name, $0) }
    }
  }
}
