import Merge
import Wire

extension ExchangeWorld {
  /// Lets an event take place.
  ///
  /// - Parameter number: its place in the trace.
  /// - Returns: whether it made sense.
  @discardableResult
  func perform(_ event: TraceEvent, _ number: Int) throws(MergeFailure) -> Bool {
    guard let device = index(event.device) else { return false }
    let (before, steps) = (at, recording.steps.count)
    at = max(at, event.at)
    do throws(MergeFailure) {
      try subject.happens(event)
      guard try takePlace(event, device, number) else {
        at = before
        return false
      }
      // Asked here and nowhere between events, so that a run and its replay ask the same.
      _ = try shown(device)
    } catch {
      // What the subject did not survive is a step too.
      if recording.steps.count == steps { record(device, .edit, describe(event)) }
      throw error
    }
    return true
  }

  private func describe(_ event: TraceEvent) -> String {
    event.edit.map(describe) ?? "\(event.verb.rawValue)\(event.to.map { " \($0)" } ?? "")"
  }

  private func takePlace(
    _ event: TraceEvent, _ device: Int, _ number: Int
  ) throws(MergeFailure) -> Bool {
    switch event.verb {
    case .edit: return try edit(event, device, number)
    case .clock:
      devices[device].skew = event.count ?? 0
      coverage.note("clock")
      record(device, .fault, "its clock is wrong by \((event.count ?? 0)) ms from now on")
      return true
    case .restart:
      guard started.can.contains(.restart) else { return false }
      let answer = try subject.restart(device, now: now(device))
      coverage.note("restart")
      devices[device].restarts += 1
      devices[device].shown = nil
      let step = record(device, .fault, "the app ends and starts again")
      try took(answer, device, number, event.name, step)
      return true
    case .send: return try send(event, device)
    case .deliver: return try deliver(event, device, number)
    case .undelivered: return try undelivered(event, device, number)
    case .reachability:
      guard started.sync == .messages, let other = event.to.flatMap(index) else { return false }
      let isReachable = event.flag ?? true
      let answer = try subject.reachability(device, of: other, isReachable, now: now(device))
      let step = record(
        device, .note, "\(places[other].name) can \(isReachable ? "" : "not ")be reached")
      try took(answer, device, number, event.name, step)
      return true
    case .disconnect, .connect:
      devices[device].isConnected = event.verb == .connect
      record(device, .note, event.verb == .connect ? "is connected" : "is offline")
      return true
    default: return false
    }
  }

  // MARK: Edits

  private func edit(
    _ event: TraceEvent, _ device: Int, _ number: Int
  ) throws(MergeFailure) -> Bool {
    guard let edit = event.edit else { return false }
    let given = Self.fields(edit)
    guard isWhole(edit, given) else { return false }
    let known = word(edit.change)
    guard !unsupported.contains(known) else { return false }
    let mark = edit.since.flatMap(mark)
    if edit.since != nil, mark?.device != device { return false }
    guard try isPossible(edit, device, form: mark) else { return false }
    if let before = try splice(edit, device, mark) {
      guard before.isPossible else { return false }
      return try promise(event, edit, given, device, number, mark, before.text)
    }
    if !isOurs || isRecorded {
      let present = try shown(device)[target(edit)]
      // Who sets everything to what it is has touched nothing.
      if !isOurs, case .set = edit.change,
        !given.contains(where: { isChanged($0, target(edit), present) })
      {
        return false
      }
    }
    return try promise(event, edit, given, device, number, mark, nil)
  }

  /// The text before a splice; nil where the edit is none. One that was drawn for another text makes
  /// no sense.
  private func splice(
    _ edit: Edit, _ device: Int, _ mark: Mark?
  ) throws(MergeFailure) -> (text: String?, isPossible: Bool)? {
    guard case .splice(let field, let at, let remove, let insert, let result) = edit.change else {
      return nil
    }
    guard mark == nil else { return (nil, true) }
    let target = target(edit)
    guard let record = try shown(device)[target] else { return (nil, false) }
    let before = record[field].flatMap(Spelling.text) ?? ""
    var scalars = Array(before.unicodeScalars)
    guard at + remove <= scalars.count else { return (before, false) }
    scalars.replaceSubrange(at..<at + remove, with: insert.unicodeScalars)
    return (before, scalars.elementsEqual(result.unicodeScalars))
  }

  func target(_ edit: Edit) -> Target {
    Target(edit.kind, schema?[edit.kind]?.fixedID ?? edit.record)
  }

  /// The fields that an edit gives.
  static func fields(_ edit: Edit) -> [Shown.Field] {
    switch edit.change {
    case .create(let fields), .set(let fields): Spelling.fields(fields)
    case .delete, .restore, .move, .splice: []
    }
  }

  private func promise(
    _ event: TraceEvent, _ edit: Edit, _ given: [Shown.Field], _ device: Int, _ number: Int,
    _ mark: Mark?, _ before: String?
  ) throws(MergeFailure) -> Bool {
    let shownBefore = try shown(device)
    let now = event.now ?? self.now(device)
    let answer = try subject.edit(device, edit, now: now, since: mark?.moment)
    switch answer {
    case .refused(let message):
      coverage.note("refused")
      record(device, .note, "\(describe(edit)): refused: \(message)")
      return true
    case .unsupported:
      unsupported.insert(word(edit.change))
      return false
    case .done: break
    }
    let target = target(edit)
    let present = isOurs ? nil : shownBefore[target]
    devices[device].shown = nil
    let seen = mark?.seen ?? devices[device].held
    let held = devices[device].held
    let first = writes.count
    append(edit, given, target, device, seen, before, present)
    for index in first..<writes.count { devices[device].held.insert(index) }
    let step = record(device, .edit, describe(edit))
    edits.append(
      PromisedEdit(
        device: device, at: at, now: now, edit: edit, given: given, target: target,
        writes: first..<writes.count, seen: seen, step: step, order: order(edit, shownBefore),
        operation: ours?.written, held: held))
    if isRecorded { try recordState(device, step) }
    if isOurs {
      checkOutcome(
        edit, target, device, before: shownBefore, after: try shown(device), step,
        first: first)
    }
    coverage.note("edit")
    if mark != nil { coverage.note("staleForm") }
    try took(answer, device, number, event.name, step)
    return true
  }

  /// What a device shows of an edit's kind, where it changes an order.
  private func order(_ edit: Edit, _ shown: Shown) -> [(target: Target, list: [UInt8])]? {
    guard let kind = schema?[edit.kind], kind.order != nil else { return nil }
    switch edit.change {
    case .create, .move: break
    case .set, .delete, .restore, .splice: return nil
    }
    return shown.records.filter { $0.target.kind == kind.name }.map {
      ($0.target, Judge.list($0.fields, kind))
    }
  }

  private func append(
    _ edit: Edit, _ given: [Shown.Field], _ target: Target, _ device: Int, _ seen: BitSet,
    _ before: String?, _ present: Shown.Record?
  ) {
    let number = edits.count
    func add(_ kind: Write.Kind, _ value: [UInt8] = [], _ splice: Write.Splice? = nil) {
      writes.append(
        Write(
          edit: number, device: device, target: target, kind: kind, value: value, splice: splice,
          seen: seen))
    }
    switch edit.change {
    case .create:
      add(.create)
      for field in given { add(kind(of: field.name, target), field.value) }
    case .set:
      for field in given where isChanged(field, target, present) {
        add(kind(of: field.name, target), field.value)
      }
    case .delete: add(.delete)
    case .restore: add(.restore)
    case .move: add(.move)
    case .splice(let field, _, _, let insert, let result):
      add(
        .text(field), Spelling.string(result),
        Write.Splice(inserted: insert, before: before ?? ""))
    }
  }

  /// Whether a field is another one than before: what is set to what it was is no write.
  ///
  /// - Parameter present: the record before; our merge is asked what it has written instead, since
  ///   its forms may have been opened a while ago.
  private func isChanged(_ field: Shown.Field, _ target: Target, _ present: Shown.Record?) -> Bool {
    guard let register = schema?[target.kind]?.field(field.name)?.register else { return true }
    if let ours {
      return ours.written?.actions.contains { $0.body.field == register.name } ?? false
    }
    return present?[field.name] != field.value
  }

  private func kind(of field: Name, _ target: Target) -> Write.Kind {
    schema?[target.kind]?[field]?.form == .text ? .text(field) : .field(field)
  }

  private func word(_ change: Edit.Change) -> String {
    switch change {
    case .create: "create"
    case .set: "set"
    case .delete: "delete"
    case .restore: "restore"
    case .move: "move"
    case .splice: "text"
    }
  }

  /// What a device sends in answer goes on its way.
  func took(
    _ answer: Answer, _ device: Int, _ number: Int, _ name: String?, _ step: Int
  ) throws(MergeFailure) {
    // What it shows now is what its messages may be about.
    try noteMark(device, event: number, name: name)
    guard case .done(let dispatches) = answer else { return }
    var count = 0
    for dispatch in dispatches {
      for to in dispatch.to.map({ [$0] }) ?? neighbours(device) {
        let parcel = Parcel(
          name: "\(name ?? "e\(number)")/\(count)", from: device, to: to, lane: dispatch.lane,
          body: dispatch.body, held: BitSet(), sentAt: at,
          step: record(device, .send, "\(dispatch.lane.rawValue) to \(places[to].name)"))
        put(parcel)
        count += 1
      }
    }
  }
}

extension Action.Body {
  /// The register that is written, moved within or typed into.
  var field: Name? {
    switch self {
    case .write(let field, _), .move(let field, _), .insert(let field, _, _), .erase(let field, _):
      field
    case .create, .delete, .restore, .unknown: nil
    }
  }
}
