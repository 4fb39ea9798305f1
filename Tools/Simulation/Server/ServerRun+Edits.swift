import AppModels
import Device
import LaneModel
import Merge
import Wire

/// What people do with records, and what must hold of it at once.
extension ServerRun {
  func edit(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    guard let edit = event.edit, let schema else { return false }
    guard let device = node.sync else {
      return node.app.map { editWhole(node, $0, edit) } ?? type(edit, node)
    }
    let now = clock(node)
    let fold = device.fold
    var began = edit.since.flatMap { shown[$0]?.vector } ?? device.vector
    // What the form was opened on may be gone from a device that was set back since.
    if !device.vector.contains(began) || !fold.vector.contains(began) { began = device.vector }
    let acknowledged = device.current.promise.frontier
    if let held = device.formShown {
      if began.contains(held), !began.contains(acknowledged) {
        report(
          "I47", "form-outrun", "A device has acknowledged more than an open form was opened on.",
          "The \(node.name)'s form was opened on \(began), and it has acknowledged \(acknowledged)."
        )
      }
    } else {
      // Without a form nothing is held up: the writer was shown what has been acknowledged.
      began.merge(acknowledged)
    }
    let before = fold.latest
    let isFresh = began == device.vector && began == fold.vector
    let record = isFresh ? fold.view(Target(edit.kind, edit.record), schema) : nil
    do throws(WireError) {
      let actions = try edit.actions(fold, schema, shown: began, now: now)
      if actions.isEmpty { judgeText(edit, record, fold, node) }
      guard !actions.isEmpty, !actions.contains(where: fold.changesLongDeleted) else {
        return false
      }
      try device.write(actions, shown: began, now: now)
      // An edit that is not done leaves nothing behind: it is not in the trace.
      device.clock = now
    } catch {
      coverage.note("refusedEdit")
      return false
    }
    judgeText(edit, record, device.fold, node)
    judgeLength(edit, before: fold, shown: began, node)
    if began != device.vector, edit.since != nil { coverage.note("staleForm") }
    return wrote(node, edit, shown: began, after: before)
  }

  /// A device has just written an operation.
  func wrote(
    _ node: ServerNode, _ edit: Edit, shown: VersionVector, after latest: Stamp?
  ) -> Bool {
    guard let device = node.sync,
      let operation = device.current.replica.log.last?.operation?.operation
    else { return false }
    judge(operation, shown, latest, node)
    recorder.add(now - start, node.name, .edit, edit.spelled)
    sync.promise(edit, operation, by: node.name, step: recorder.last, at: now - start)
    sync.gather(device)
    node.collect()
    return true
  }

  /// What must hold of an operation when it is written.
  private func judge(
    _ operation: Operation, _ shown: VersionVector, _ latest: Stamp?, _ node: ServerNode
  ) {
    var expected = shown
    expected[operation.dot.replica] = min(shown[operation.dot.replica], operation.dot.seq - 1)
    if operation.context.vector(of: operation.dot.replica) != expected {
      report(
        "I47", "dishonest-context", "An edit claims to have seen what its writer was not shown.",
        "The \(node.name)'s operation \(operation.dot.seq) says that it had seen "
          + "\(operation.context.vector(of: operation.dot.replica)), and the form showed \(expected)."
      )
    }
    let acknowledged = node.sync?.current.promise.frontier ?? VersionVector()
    if !shown.contains(acknowledged) {
      report(
        "I20", "acknowledged-unseen", "An edit has not seen what its device had acknowledged.",
        "The \(node.name)'s form was opened on \(shown), and it had acknowledged \(acknowledged).")
    }
    if let latest, !(latest < operation.stamp) {
      report(
        "I12", "stamp-not-above", "An edit has an older stamp than what its device already had.",
        "The \(node.name) wrote with \(operation.stamp.spelled) and held \(latest.spelled).")
    }
    if operation.stamp.ms > UInt64(max(0, clock(node))) { coverage.note("tie") }
  }

  private func type(_ edit: Edit, _ node: ServerNode) -> Bool {
    guard node.isActive else { return false }
    let id = "edit \(typedCount + 1)"
    guard let line = edit.line(id, alias: { node.aliases[$0] ?? $0 }) else { return false }
    typedCount += 1
    if case .create = edit.change { node.creates[id] = edit.record }
    recorder.add(now - start, node.name, .edit, edit.spelled)
    node.typed.sent(id, edit)
    node.lanes.send(line)
    node.collect()
    return true
  }

  /// A saved text is compared with the text as it was shown, whatever has come in since (clause 12.6).
  private func judgeLength(
    _ edit: Edit, before fold: Fold, shown: VersionVector, _ node: ServerNode
  ) {
    guard case .splice(let field, let at, let remove, let insert, _) = edit.change, let schema,
      let written = node.sync?.current.replica.log.last?.operation?.operation
    else { return }
    let target = Target(edit.kind, edit.record)
    let present = Editor(fold, schema, shown: shown).present(target)[field]?.text?.text ?? ""
    let count = present.unicodeScalars.count
    let start = min(at, count)
    let expected = insert.unicodeScalars.count - (min(start + remove, count) - start)
    var change = 0
    for action in written.actions {
      switch action.body {
      case .insert(_, _, let text): change += text.text.unicodeScalars.count
      case .erase(_, let runs): change -= runs.reduce(0) { $0 + Int($1.count) }
      default: break
      }
    }
    guard change != expected else { return }
    report(
      "I25", "text-otherwise", "A saved text changes more than what was changed in the form.",
      "\(edit.spelled), at the \(node.name), makes the text longer by \(change), and the form did by "
        + "\(expected).")
  }

  /// What a person has typed is what their own device shows, scalar by scalar.
  ///
  /// - Parameter before: the record as it was shown when the edit began.
  private func judgeText(_ edit: Edit, _ before: RecordView?, _ fold: Fold, _ node: ServerNode) {
    guard case .splice(let field, let at, let remove, let insert, _) = edit.change, let schema,
      let old = before?[field]?.text?.text
    else { return }
    var text = Array(old.unicodeScalars)
    let start = min(at, text.count)
    text.replaceSubrange(start..<min(start + remove, text.count), with: insert.unicodeScalars)
    let shown = fold.view(Target(edit.kind, edit.record), schema)?[field]?.text?.text
    guard let shown, !shown.unicodeScalars.elementsEqual(text) else { return }
    if text.isEmpty { coverage.note("emptied") }
    report(
      "I31", "own-text-not-shown", "A device does not show what was typed there.",
      "\(edit.spelled), at the \(node.name), which shows \(Array(shown.unicodeScalars)) and should show "
        + "\(text).")
  }
}
