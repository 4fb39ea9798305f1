import Bridge
import Device
import Merge

/// Devices at the real server, in memory, among them such as know whole records only (PROTOCOL.md
/// clause 13): what the schedule says is done there, as `ServerTranslation` has it.
///
/// The hub hands on what it has. So that a device has seen there what the schedule says, an exchange
/// has to go both ways between a watch and the phone, with nothing between its sends and deliveries.
final class BridgedMerge: MergeUnderTest {
  let behaviour: UInt64 = 0
  private var run: ServerRun?
  private var translation = ServerTranslation([])
  private var schema = Schema(name: "none", kinds: [])
  private var columns: [Name: [FieldType]] = [:]
  /// The edit that comes next.
  private var next: TraceEvent?
  /// Every record that was ever made, and the device that made it.
  private var made: [Target: Int] = [:]

  func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started {
    guard let schema = settings.recordSchema else {
      throw .unavailable("there is no schema \(settings.schema)")
    }
    self.schema = schema
    columns = OurMerge.columns(schema)
    (next, made) = (nil, [:])
    let trace = Trace(world: .server, seed: random, schema: settings.schema, devices: devices)
    do throws(HarnessFailure) {
      run = try ServerRun(trace, isRecorded: false)
    } catch {
      throw .unavailable(error.description)
    }
    translation = ServerTranslation(devices)
    for event in translation.beginning { try perform(event) }
    return Started(.state, can: [.delete, .move, .text, .restart, .kept])
  }

  // MARK: What happens

  func happens(_ event: TraceEvent) throws(MergeFailure) {
    // Whether an edit makes sense is found out before it is asked for.
    guard event.verb != .edit else { return next = event }
    for event in translation.events(for: event) { try perform(event) }
  }

  @discardableResult
  private func perform(_ event: TraceEvent) throws(MergeFailure) -> Bool {
    let isDone = run!.perform(event)
    if let finding = run!.findings.first { throw .fault(finding) }
    return isDone
  }

  func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer {
    guard let event = next else { return .unsupported }
    next = nil
    guard try perform(event) else { return .refused("its app cannot do that") }
    if case .create = edit.change { made[Target(edit.kind, edit.record)] = device }
    return .done([])
  }

  func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body { .json([]) }

  func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer { .done([]) }

  func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer { .done([]) }

  /// Nothing fails any more, everyone connects, and the server's judges look at it.
  func finish() throws(MergeFailure) {
    run!.end()
    if let finding = run!.findings.first { throw .fault(finding) }
  }

  // MARK: What devices can do and show

  func fit(_ device: Int, _ edit: Edit) -> Edit {
    guard run!.nodes[device].app != nil, let carried = WholeRecordApp.carried(schema)?[edit.kind]
    else {
      return edit
    }
    let container = schema[edit.kind]?.container?.field
    func fit(_ fields: [UInt8]) -> [UInt8] {
      let kept = Spelling.fields(fields).filter {
        $0.name == container || carried.contains($0.name)
      }
      let members = kept.map { Spelling.string($0.name.text) + [0x3A] + $0.value }
      return [0x7B] + members.joined(separator: [0x2C]) + [0x7D]
    }
    var edit = edit
    switch edit.change {
    case .create(let fields): edit.change = .create(fields: fit(fields))
    case .set(let fields): edit.change = .set(fields: fit(fields))
    case .delete, .move, .splice, .restore: break
    }
    return edit
  }

  /// A tick is an undated action. Where a device's clock is further ahead than a bridge allows for
  /// (clause 13.4), its app may refuse what it is sent next: nothing is ticked then. And what others changed while
  /// a watch ticked, and the watch deletes, comes back once: nothing is deleted of a timer in which it has ticked.
  /// So does what it added to a timer and deletes again, where a delivery without it was on its way.
  func can(_ device: Int, _ edit: Edit) -> Bool {
    let node = run!.nodes[device]
    let target = Target(edit.kind, edit.record)
    guard let app = node.app else {
      guard let sync = node.sync else { return false }
      // Nobody makes a record under a name that only somebody else knows.
      if case .create = edit.change, made[target] != nil, !sync.fold.isCreated(target) {
        return false
      }
      let actions = try? edit.actions(sync.fold, schema, shown: sync.vector, now: sync.clock)
      return actions?.isEmpty == false
    }
    var model = app.model
    guard let messages = model.perform(edit, now: app.now), !messages.isEmpty else { return false }
    switch edit.change {
    // Its app gives every record an id of its own.
    case .create(let fields): return made[target] == nil && shows(model, target, fields)
    case .set(let fields):
      let isTick = isInside(edit) && !model.undated.isEmpty
      return shows(model, target, fields) && !(isTick && node.skew >= 60_000)
    case .delete:
      return !app.hasActed(on: target) && !(isInside(edit) && made[target] == device)
    case .move, .splice, .restore: return true
    }
  }

  /// Whether it is of a record in another one.
  private func isInside(_ edit: Edit) -> Bool { schema[edit.kind]?.container != nil }

  /// Whether all that an edit gives is shown after it: texts are read-only on a watch.
  private func shows(_ model: any RecordModel, _ target: Target, _ fields: [UInt8]) -> Bool {
    let record = Shown(model, schema)[target]
    return Spelling.fields(fields).allSatisfy { record?[$0.name] == $0.value }
  }

  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    let node = run!.nodes[device]
    if let app = node.app { return Shown(app.model, schema) }
    guard let sync = node.sync else { return Shown() }
    var shown = Shown()
    for (kind, views) in sync.view.kinds {
      shown.records += views.map { OurMerge.record($0, columns[kind]!) }
    }
    if withKept { shown.kept = OurMerge.kept(sync.current, schema) }
    return shown
  }
}

extension Shown {
  /// What a device with whole records shows, but for its dates.
  init(_ model: any RecordModel, _ schema: Schema) {
    let roots = model.ordered
    func record(_ record: WholeRecord, in container: Field?) -> Record {
      let kind = schema[record.target.kind]!
      let fields = record.shownFields(schema).map { member in
        var value: [UInt8] = []
        kind.field(member.name)!.field.type.append(readable: member.value, to: &value)
        return Field(member.name, value)
      }
      return Record(record.target, [container].compactMap(\.self) + fields)
    }
    self.init(
      records: roots.map { record($0, in: nil) }
        + roots.flatMap { root in
          root.ordered.map { child in
            let container = schema[child.target.kind]!.container!
            return record(
              child, in: Field(container.field, Spelling.string(root.target.record.text)))
          }
        })
  }
}
