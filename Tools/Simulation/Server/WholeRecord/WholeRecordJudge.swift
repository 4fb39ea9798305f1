import Bridge
import LaneModel
import Merge
import Oracle
import Wire

/// Compares what a device with whole records did, and was shown, with the operations that the bridge
/// made of it.
struct WholeRecordJudge {
  private let run: ServerRun
  private let node: ServerNode
  let app: WholeRecordApp
  let view: View
  let oracle: Oracle
  let author: ReplicaID
  /// The hub's own replicas for the other devices with whole records.
  let otherAuthors: Set<ReplicaID>
  private let isUnread: Bool
  /// What was collected: whoever writes has seen it (clause 12.9).
  let collected: VersionVector
  /// The bridge's actions for this device, but for writes that it has given a higher stamp.
  private(set) var entries: [Oracle.Entry]
  /// The hub's log, as far as a new device was sent it.
  let log: [Dot]

  /// - Parameters:
  ///   - view: what everybody shows.
  ///   - oracle: of all operations that were ever accepted and read.
  ///   - isUnread: whether there are others.
  init?(
    _ run: ServerRun, _ node: ServerNode, _ view: View, _ oracle: Oracle, isUnread: Bool,
    collected: VersionVector, log: [Dot]
  ) {
    self.log = log
    self.isUnread = isUnread
    self.collected = collected
    guard let app = node.app, let store = node.lanes.store else { return nil }
    self.run = run
    self.node = node
    self.app = app
    self.view = view
    self.oracle = oracle
    let author = Self.author(of: node, store, run)
    self.author = author
    otherAuthors = Set(
      run.nodes.filter { $0.app != nil && $0.name != node.name }.compactMap { other in
        other.lanes.store.map { Self.author(of: other, $0, run) }
      })
    entries = oracle.entries.filter { $0.dot.replica == author }
    entries.removeAll(where: isWrittenAgain)
  }

  /// The hub's own replica for a device.
  private static func author(of node: ServerNode, _ store: String, _ run: ServerRun) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "bridge", store, "default", run.site.pair, run.schema?.name.text ?? "none",
        node.name),
      incarnation: 0)
  }

  func check() {
    checkShown()
    checkUntouched()
    note()
    // What nobody has read cannot be compared.
    guard !isUnread, !run.isLong else { return }
    checkTouched()
    checkTexts()
    checkTextsOnce()
    checkArranged()
    for entry in entries { checkContext(entry) }
    checkOwn()
    checkDeletes()
    checkReplaced()
    checkAhead()
  }

  func report(_ invariant: String, _ slug: String, _ headline: String, _ story: String) {
    run.report(invariant, slug, headline, "The \(node.name), which knows whole records: \(story)")
  }

  // MARK: What it shows

  private func checkShown() {
    // An inactive watch is given nothing, and without a phone nobody selects it.
    guard
      node.device.isPhone || run.nodes.contains(where: \.device.isPhone)
        || run.nodes.count == 1
    else { return }
    guard let (here, there) = app.difference(from: view) else { return }
    report(
      "I2", "whole-record-differs",
      "A device with whole records does not show what the others do.",
      "it shows \(here), and they show \(there).")
  }

  // MARK: What the bridge made of it

  /// A field that its person did not touch is never an edit of that device's, and one edit is one.
  private func checkUntouched() {
    var made: [Target: [WholeRecordApp.Touch.What: Set<Dot>]] = [:]
    for entry in entries {
      let target = entry.action.target
      guard let what = what(entry.action), !(what.isText && isAside(entry.dot)) else { continue }
      made[target, default: [:]][what, default: []].insert(entry.dot)
    }
    for (target, whats) in made.sorted(by: { $0.key < $1.key }) {
      let touches = app.touches.filter { $0.target == target }
      for (what, dots) in whats.sorted(by: { Self.spelled($0.key) < Self.spelled($1.key) }) {
        let count = touches.count { $0.what == what }
        let isCreated = touches.contains { $0.what == .create }
        let allowed =
          switch what {
          case .create: count > 0 || isMadeAnew(target) && !touches.isEmpty
          case .delete: count > 0
          // A move gives others new numbers too, and which of them moved cannot be told.
          case .move: isCreated || hasMoved(target.kind)
          case .write, .text: dots.count <= count
          }
        guard !allowed else { continue }
        report(
          "I17", "untouched-edited",
          "A field that nobody touched on a whole-record device was taken for edited.",
          "\(Self.spelled(what)) of \(target.kind) \(target.record) was made \(dots.count) times, "
            + "and its person did that \(count) times.")
      }
    }
  }

  /// Whether others made a record once more: a change of it by who had not seen that makes it too (clause 12.6).
  private func isMadeAnew(_ target: Target) -> Bool {
    oracle.operations.count { operation in
      operation.dot.replica != author
        && operation.actions.contains { $0.target == target && $0.body == .create }
    } > 1
  }

  private func hasMoved(_ kind: Name) -> Bool {
    app.touches.contains { $0.what == .move && $0.target.kind == kind }
  }

  private func what(_ action: Action) -> WholeRecordApp.Touch.What? {
    switch action.body {
    case .create: .create
    case .delete: .delete
    case .move: .move
    case .insert(let field, _, _), .erase(let field, _): .text(field)
    case .write(let field, _) where field == app.schema[action.target.kind]?.creationDate: nil
    case .write(let field, let value): .write(field, value)
    case .restore, .unknown: .write("restore", .null)
    }
  }

  /// Whether an operation erases just what it inserts: no text is another for it.
  func isAside(_ dot: Dot) -> Bool {
    guard let operation = oracle.operations.first(where: { $0.dot == dot }) else { return false }
    var erased = 0
    for action in operation.actions {
      switch action.body {
      case .insert: continue
      case .erase(_, let runs) where runs.allSatisfy({ $0.first.dot == dot }):
        erased += runs.reduce(0) { $0 + Int($1.count) }
      default: return false
      }
    }
    return erased == operation.actions.reduce(0) { $0 + Int($1.elements) }
  }

  private static func spelled(_ what: WholeRecordApp.Touch.What) -> String {
    switch what {
    case .create: "the record"
    case .delete: "a delete"
    case .move: "a move"
    case .text(let field): "a change of the \(field)"
    case .write(let field, let value):
      "\(field) = \(String(decoding: value.canonical, as: UTF8.self))"
    }
  }

  // MARK: What it has stored

  /// What its person did and the server has accepted is an edit.
  ///
  /// A value that had been shown there before may be taken for an echo (clause 13.4).
  private func checkTouched() {
    for touch in app.touches {
      guard isTaken(touch), !isMade(touch) else { continue }
      switch touch.what {
      // Somebody else has made one of the same name: then this one is a change of that.
      case .create
      where oracle.entries.contains(where: {
        $0.action.target == touch.target && $0.action.body == .create
      }): continue
      case .create: break
      case .write(let name, let value) where touch.isFresh:
        // What somebody else has written alike is not written once more.
        guard isWritten(touch.target, name, value) || isOutrun(touch.target, name, value) else {
          break
        }
        continue
      case .delete
      where touch.isSettled && app.acceptedIn[touch.transfer!] == touch.session && !isSaved(touch):
        break
      default: continue
      }
      report(
        "I27", "whole-record-edit-lost",
        "An edit of a whole-record device that the server had accepted is nowhere.",
        "\(touch.edit.spelled).")
    }
  }

  /// Whether the server has accepted what carries a touch.
  func isTaken(_ touch: WholeRecordApp.Touch) -> Bool {
    touch.transfer.map { run.lanes[$0].isAccepted && !run.lanes[$0].isForgotten } ?? false
  }

  /// Also what went with a record that was collected and made anew is an edit.
  private func isMade(_ touch: WholeRecordApp.Touch) -> Bool {
    oracle.operations.contains { operation in
      operation.dot.replica == author
        && operation.actions.contains { $0.target == touch.target && what($0) == touch.what }
    }
  }

  private func isWritten(_ target: Target, _ name: Name, _ value: Datum) -> Bool {
    oracle.operations.contains { operation in
      operation.actions.contains {
        $0.target == target && $0.body == .write(field: name, value: value)
      }
    }
  }

  /// Whether a value came when a later one of the field had been collected: it changes nothing (clause 13.4).
  private func isOutrun(_ target: Target, _ name: Name, _ value: Datum) -> Bool {
    let field = WholeRecordApp.Field(target: target, name: name)
    let made = app.copies.filter { $0.shown[field] == value }
      .map { RecordDate.milliseconds($0.children.reduce($0.updatedAt) { max($0, $1.updatedAt) }) }
      .max()
    guard let made else { return false }
    let rank: UInt8 = node.device.isPhone ? 2 : 1
    return oracle.writes(target, name).contains {
      collected.contains($0.dot) && ($0.stamp.ms, $0.stamp.rank) >= (made, rank)
    }
  }

  /// Whether somebody touched a record unseen that was deleted, or deleted it too.
  private func isSaved(_ touch: WholeRecordApp.Touch) -> Bool {
    isDoneElsewhere { $0.target == touch.target && $0.body == .delete && !touch.seen.contains($1) }
      || oracle.entries.contains { entry in
        entry.dot.replica != author
          && (!touch.seen.contains(entry.dot) || isHidden(entry, from: touch))
          && (entry.action.target == touch.target || entry.action.home == touch.target
            || entry.action.into == touch.target)
      }
  }

  /// Whether a write lost to one that had not seen it, and that was shown where its record was deleted: what is shown is
  /// the same with it and without, so nobody can say that it was seen there.
  private func isHidden(_ entry: Oracle.Entry, from touch: WholeRecordApp.Touch) -> Bool {
    guard case .write(let name, _) = entry.action.body else { return false }
    let field = WholeRecordApp.Field(target: entry.action.target, name: name)
    return oracle.writes(entry.action.target, name).contains { other in
      entry < other && !other.follows(entry)
        && other.action.written.map { app.hadShown($0, field, by: touch.moment) } ?? false
    }
  }

  // MARK: What it had seen

  /// An edit claims to have seen a value of its field only where that had been shown, or one that has replaced it or
  /// wins over it: with such a one shown, what is shown is the same with the value and without.
  private func checkContext(_ entry: Oracle.Entry) {
    let target = entry.action.target
    let names: [Name]
    switch entry.action.body {
    case .write(let name, _): names = [name]
    case .delete: names = registers(of: target.kind)
    default: return
    }
    let what = what(entry.action)
    guard
      let index = app.touches.lastIndex(where: { $0.target == target && $0.what == what })
    else { return }
    let touch = app.touches[index]
    for name in names {
      let field = WholeRecordApp.Field(target: target, name: name)
      func wasShown(_ write: Oracle.Entry) -> Bool {
        write.action.written.map { app.hadShown($0, field, by: touch.moment) } ?? false
      }
      let writes = oracle.writes(target, name).filter { $0.dot != entry.dot }
      guard let latest = writes.filter(entry.follows).max(by: <), !collected.contains(latest.dot),
        let value = latest.action.written, !wasShown(latest), !isUnderDelete(latest, entry, touch),
        !writes.contains(where: { ($0.follows(latest) || latest < $0) && wasShown($0) })
      else { continue }
      report(
        "I47", "whole-record-context",
        "An edit of a whole-record device claims to have seen what had not been shown there.",
        "\(touch.edit.spelled) claims to have seen \(name) = "
          + "\(String(decoding: value.canonical, as: UTF8.self)).")
    }
  }

  /// Whether a record of which there is one was made again after it was gone, and a value went with that delete: nothing
  /// of it is shown then, and it is told as lost to nobody.
  private func isUnderDelete(
    _ write: Oracle.Entry, _ entry: Oracle.Entry, _ touch: WholeRecordApp.Touch
  ) -> Bool {
    guard app.schema[entry.action.target.kind]?.fixedID != nil,
      app.wasGone(entry.action.target, by: touch.moment)
    else { return false }
    return oracle.entries.contains {
      $0.action.body == .delete && $0.action.target == entry.action.target && write < $0
        && entry.follows($0)
    }
  }

  /// A device has seen all that it did before: none of it is told as lost to what it did later.
  private func checkOwn() {
    let inOrder = entries.sorted { $0.dot.seq < $1.dot.seq }
    for (earlier, later) in zip(inOrder, inOrder.dropFirst())
    where earlier.dot != later.dot && !later.follows(earlier) {
      report(
        "I47", "whole-record-context",
        "An edit of a whole-record device has not seen an earlier one of its own.",
        "operation \(later.dot.seq), of \(later.action.target.kind) \(later.action.target.record), has not seen "
          + "operation \(earlier.dot.seq), of \(earlier.action.target.kind) \(earlier.action.target.record)."
      )
    }
  }

  /// What its person sees of a record, but for texts.
  private func registers(of kind: Name) -> [Name] {
    let carried = WholeRecordApp.carried(app.schema)
    return (app.schema[kind]?.wholeRegisters ?? []).filter {
      $0.form != .text && carried?[kind]?.contains($0.name) ?? true
    }.map(\.name)
  }

  // MARK: What was replaced

  /// No value comes back that its person had seen and replaced.
  private func checkReplaced() {
    let all = app.shape.records(view, app.schema)
    for (index, touch) in app.touches.enumerated() {
      guard case .write(let name, let value) = touch.what, touch.isFresh,
        let old = touch.replaced, isTaken(touch), !hasGone(touch), !isEcho(touch),
        oracle.writes(touch.target, name).count(where: { $0.action.written == old }) == 1,
        !app.touches[(index + 1)...].contains(where: {
          $0.target == touch.target && $0.what == .write(name, old)
        })
      else { continue }
      let shown = touch.new.flatMap { all[$0.target] }?.shown
      // What names a hidden record shows as if it named none.
      guard shown?[WholeRecordApp.Field(target: touch.target, name: name)] == old,
        let winner = oracle.winner(touch.target, name), winner.action.written == old,
        winner.dot.replica == author || !isMadeElsewhere(touch.target)
      else { continue }
      report(
        "I15", "replaced-is-back", "A value is back that a whole-record device had replaced.",
        "\(touch.edit.spelled) replaced \(String(decoding: old.canonical, as: UTF8.self)) with "
          + "\(String(decoding: value.canonical, as: UTF8.self)), and it is shown again.")
    }
  }

  /// Whether somebody else made a record that its person made too, and may have meant what that had.
  private func isMadeElsewhere(_ target: Target) -> Bool {
    app.touches.contains { $0.target == target && $0.what == .create }
      && isDoneElsewhere { action, _ in action.target == target && action.body == .create }
  }

  /// Whether somebody else ever did something, in an operation of a name.
  private func isDoneElsewhere(_ isIt: (Action, Dot) -> Bool) -> Bool {
    oracle.operations.contains { operation in
      operation.dot.replica != author && operation.actions.contains { isIt($0, operation.dot) }
    }
  }

  /// Whether somebody else wrote what its person did, so that it could be taken for an echo of that (clause 13.4).
  private func isEcho(_ touch: WholeRecordApp.Touch) -> Bool {
    guard case .write(let name, let value) = touch.what, !isMade(touch) else { return false }
    return isDoneElsewhere { action, _ in
      action.target == touch.target && action.body == .write(field: name, value: value)
    }
  }

  /// Whether what a touch said went with its record, which was collected and then made anew, or came too late for that
  /// (clause 12.9).
  private func hasGone(_ touch: WholeRecordApp.Touch) -> Bool {
    isMade(touch)
      && !entries.contains { $0.action.target == touch.target && what($0.action) == touch.what }
  }

  /// Counts what was rare.
  private func note() {
    let others = oracle.entries.filter { $0.dot.replica != author }
    let conflicts = entries.count { entry in
      guard case .write(let name, _) = entry.action.body else { return false }
      return others.contains { other in
        guard other.action.target == entry.action.target, other.isConcurrent(with: entry),
          case .write(let written, _) = other.action.body
        else { return false }
        return written == name
      }
    }
    run.coverage.note("wholeRecordConflict", conflicts)
  }
}
