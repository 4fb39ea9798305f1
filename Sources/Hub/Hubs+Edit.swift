import Merge
import Relay
import Wire

/// Edits typed at a keyboard: the hub mints their operations with a replica of its own.
extension Hubs {
  func edit(_ call: Call, _ device: Device) throws(WireError) {
    var draft = try draft(call, device)
    let fields = call.fields
    let wishes = [Key.set, .delete, .move].filter { fields[$0] != nil }
    guard wishes.count == 1 else {
      throw WireError(
        wishes.isEmpty ? .missingField : .invalidField,
        "an edit has one of set, delete and move; this one has \(wishes.isEmpty ? "none" : wishes.map(\.rawValue).joined(separator: " and "))"
      )
    }
    var actions: [Action] = []
    switch wishes[0] {
    case .set:
      let value = try fields.object(.set)
      let target = try draft.target(call, new: newRecord(draft.hub))
      actions = try draft.set(target, value, fields.line, now: Int64(nowMS))
    case .delete:
      guard try fields.bool(.delete) else {
        throw WireError(.invalidField, "delete is true, or left out")
      }
      actions = try draft.editor.delete(try draft.shown(call))
    default: actions = try draft.move(try draft.shown(call), try fields.object(.move), fields.line)
    }
    try finish(draft, actions, call, device)
  }

  func restore(_ call: Call, _ device: Device) throws(WireError) {
    var draft = try draft(call, device)
    let target = try draft.known(call)
    if let tombstone = draft.hub.replica.fold.tombstones[target] {
      throw WireError(
        .invalidField,
        "\(target.kind) \(target.record) was deleted at \(tombstone.stamp.ms) ms and is no longer kept"
      )
    }
    try finish(draft, try draft.editor.restore(target), call, device)
  }

  // MARK: Drafts

  private func draft(_ call: Call, _ device: Device) throws(WireError) -> EditDraft {
    call.connection.allowance -= Work.edit
    let session = try session(call, device)
    let hub = session.hub
    try checkRoom(hub)
    let kind = try hub.kind(try call.fields.string(.kind))
    let shown = try asOf(call, hub, device)
    return EditDraft(hub: hub, kind: kind, shown: shown)
  }

  /// What the writer had seen when the edit began.
  private func asOf(_ call: Call, _ hub: Hub, _ device: Device) throws(WireError) -> VersionVector {
    let now = hub.replica.position
    let value = call.fields[.asOf]
    let line = call.fields.line
    var vector: VersionVector?
    switch value?.kind {
    case nil: vector = try lastShown(hub, device)
    case .number:
      let position = decodeInteger(value!, line).flatMap { UInt64(exactly: $0) }
      vector = position.flatMap { hub.replica.vector(at: $0) }
    case .string:
      let text = decodeString(value!, line)
      vector = text == "lastSeen" ? try lastShown(hub, device) : hub.vector(short: text)
    case .object: vector = VersionVector(plain: value!, line)
    default: break
    }
    guard let vector else {
      throw WireError(
        .invalidField,
        "asOf must be an at from \(hub.replica.base) to \(now), a vector, its short form such as phone:4,watch:2, or lastSeen"
      )
    }
    guard hub.replica.vector.contains(vector) else {
      throw WireError(
        .invalidField,
        "asOf is beyond the hub, which is at \(now): \(hub.short(hub.replica.vector))")
    }
    guard vector.contains(hub.replica.baseVector) else {
      throw WireError(
        .invalidField,
        "asOf lies in the collected part of the log, before at \(hub.replica.base); now is at \(now)"
      )
    }
    return vector
  }

  /// What was last answered to a device; before anything was, it is taken to see what is there.
  private func lastShown(_ hub: Hub, _ device: Device) throws(WireError) -> VersionVector {
    let now = hub.replica.position
    let shown = hub.members.first { $0.device == device.index }?.shown ?? now
    guard let vector = hub.replica.vector(at: shown) else {
      throw WireError(
        .invalidField,
        "what this device was shown last, at \(shown), is no longer known; look at sync.view and edit again"
      )
    }
    return vector
  }

  private func newRecord(_ hub: Hub) -> Name {
    // Unique in all stores, and a letter first, so that it can be typed without quotes.
    var id = Identifier(
      digestOf: "record", relay.storeName(of: hub.pair), hub.pair.app, hub.pair.name,
      hub.schema.name.text,
      String(hub.replica.position))
    if id.high >> 60 < 10 { id.high |= 0xA << 60 }
    return Name(id.description)
  }

  // MARK: Minting

  private func finish(
    _ draft: EditDraft, _ actions: [Action], _ call: Call, _ device: Device
  ) throws(WireError) {
    let hub = draft.hub
    let standIn = hub.standIn(for: device, store: relay.storeName(of: device.pair))
    var dot: Dot?
    if !actions.isEmpty {
      var held = draft.shown
      held[standIn] = hub.replica.end(of: standIn).seq
      let written = hub.replica.mint(
        actions, by: standIn, rank: device.rank, shown: draft.shown, time: nowMS,
        wall: Int64(nowMS), after: hub.replica.fold.latest(within: held))
      try relay.checkQuota(ofBytes: written.bytes.count, device.pair)
      try append(written, hub)
      hub.addAuthor(standIn, device)
      dot = written.operation.dot
    }
    let at = hub.replica.position
    setShown(at, device, hub)
    let target = draft.record!
    let record = hub.replica.fold.view(target, hub.schema)
    let outcomes = dot.map { hub.sentences.outcomes(of: $0) } ?? []
    relay.answerAfterCommit(call) { output in
      Relay.begin(&output, "sync.edited", re: call.id, of: call.request)
      Self.append(hub, at: at, &output)
      output.append(",\"vector\":", quoted: hub.short(hub.replica.vector))
      output.append(",\"kind\":", quoted: target.kind.text)
      output.append(",\"id\":", quoted: target.record.text)
      output.append(",\"record\":")
      if let record {
        record.append(readable: hub.schema, to: &output)
      } else {
        output.append("null")
      }
      output.append(",\"outcomes\":[")
      for (index, outcome) in outcomes.enumerated() {
        if index > 0 { output.append(0x2C) }
        outcome.append(to: &output)
      }
      output.append("]}")
    }
  }

  /// What a device has been answered is what its next edit is taken to have seen.
  func setShown(_ position: UInt64, _ device: Device, _ hub: Hub) {
    let member = hub.member(device)
    hub.members[member].editorHeard = max(1, nowMS)
    hub.members[member].shown = position
    changed(hub)
    collect(hub)
  }
}

/// An edit being put together.
struct EditDraft {
  let hub: Hub
  let kind: Schema.Kind
  let shown: VersionVector
  var editor: Editor
  private(set) var record: Target?

  init(hub: Hub, kind: Schema.Kind, shown: VersionVector) {
    self.hub = hub
    self.kind = kind
    self.shown = shown
    editor = Editor(hub.replica.fold, hub.schema, shown: shown)
  }

  // MARK: Which record

  /// The record of an edit; a new one where it names none, or the only one of its kind.
  mutating func target(_ call: Call, new: Name) throws(WireError) -> Target {
    if call.fields[.record] == nil {
      let target = Target(kind.name, kind.fixedID ?? new)
      record = target
      return target
    }
    // A whole id may be that of a record to be.
    if let text = try? call.fields.string(.record), kind.allows(record: Name(text)),
      !hub.replica.fold.isKnown(Target(kind.name, Name(text)))
    {
      let target = Target(kind.name, Name(text))
      record = target
      return target
    }
    return try shown(call)
  }

  /// A record that its writer can see.
  mutating func shown(_ call: Call) throws(WireError) -> Target {
    let target = try known(call)
    let fold = hub.replica.fold
    if !fold.isVisible(target, hub.schema), fold.hasSeenDelete(of: target, within: shown) {
      throw WireError(
        .invalidField,
        "\(kind.name) \(target.record) is deleted; sync.restore kind=\(kind.name) record=\(target.record) brings it back"
      )
    }
    return target
  }

  /// A record by its id or the start of it.
  mutating func known(_ call: Call) throws(WireError) -> Target {
    let target = try hub.find(kind, call)
    record = target
    return target
  }

  // MARK: What to do

  mutating func set(
    _ target: Target, _ value: Value, _ line: UnsafeRawBufferPointer, now: Int64
  ) throws(WireError) -> [Action] {
    let fold = hub.replica.fold
    let isNew = !fold.isCreated(target)
    if !isNew, !fold.isVisible(target, hub.schema), fold.hasSeenDelete(of: target, within: shown) {
      throw WireError(
        .invalidField,
        "\(kind.name) \(target.record) is deleted; sync.restore kind=\(kind.name) record=\(target.record) brings it back"
      )
    }
    let others = Neighbours(
      isVisible: { [hub] in fold.isVisible($0, hub.schema) },
      container: { [hub] in fold.container(of: $0, hub.schema)?.record },
      find: { [hub] (kind, text) throws(WireError) in try hub.expand(kind, text) })
    guard isNew else {
      let plan = try kind.plan(
        setting: value, line, present: editor.present(target), among: others)
      return try editor.set(target, plan)
    }
    let plan = try kind.plan(creating: value, line, now: now, among: others)
    return try editor.create(target, plan)
  }

  mutating func move(
    _ target: Target, _ value: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> [Action] {
    var position = Editor.Position.last
    var container = hub.replica.fold.container(of: target, hub.schema)
    var reader = ObjectReader(value, line)
    while let (name, value) = reader.next() {
      switch name {
      case "after" where value.kind == .null: position = .first
      case "after": position = .after(try hub.find(kind.name, named: value, line).record)
      case "before": position = .before(try hub.find(kind.name, named: value, line).record)
      case "into":
        guard let rule = kind.container, kind.isListedInContainer else {
          throw WireError(.invalidField, "\(kind.name) records are in no list but the one")
        }
        container = try hub.find(rule.kind, named: value, line)
      default:
        throw WireError(.invalidField, "move has after, before and into; there is no \(name)")
      }
    }
    return try editor.move(target, to: position, in: container)
  }
}
