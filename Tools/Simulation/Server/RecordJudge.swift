import Device
import LaneModel
import Merge
import Oracle
import Wire

/// Compares what devices and the server show with what the operations amount to by themselves.
final class RecordJudge {
  private let run: ServerRun
  let oracle: Oracle
  private let schema: Schema
  private let view: Datum
  private let feed: [OracleFeedEntry]

  private let apart: Set<Effect>
  /// What everybody holds.
  private let fold: Fold
  /// Records of which only the last delete is known, or was when they were made anew.
  private var tombstones: [Target: Mark] { fold.tombstones }
  /// Whether something came that would have brought back what had been collected.
  let isLate: Bool
  /// Whether there are operations that no device has had in its log.
  let isUnread: Bool
  /// What went with records that were collected and then made anew.
  private let purged: Set<Effect>
  /// What the first device showed.
  private var first: Datum?

  /// - Parameters:
  ///   - operations: all that were ever accepted.
  ///   - apart: the actions that came too late for what had been collected.
  ///   - fold: what everybody holds.
  init(
    _ run: ServerRun, _ operations: [Operation], _ apart: Set<Effect>, _ fold: Fold,
    _ schema: Schema
  ) {
    self.run = run
    self.schema = schema
    self.apart = apart
    self.fold = fold
    let tombstones = fold.tombstones
    let (purged, touches) = Self.purged(operations, tombstones, apart)
    self.purged = purged
    if !purged.isEmpty { run.coverage.note("anew") }
    // Others' slots may hang at those of a record that is gone; its own new one stands above them.
    oracle = Oracle(
      operations, apart: apart.union(Self.withoutMoves(purged, operations)), collected: touches)
    let read = operations.reduce(into: [ReplicaID: UInt64]()) {
      $0[$1.dot.replica, default: 0] += 1
    }
    // What the server wrote for who typed it may come to all others in a snapshot alone.
    isUnread = fold.vector.entries.contains { read[$0.replica, default: 0] < $0.seq }
    if isUnread { run.coverage.note("unread") }
    isLate =
      !apart.isEmpty || isUnread
      || operations.contains { operation in
        operation.actions.contains { action in
          [action.home, action.into].contains { container in
            container.flatMap { tombstones[$0] }.map { $0.stamp < operation.stamp } ?? false
          }
        }
      }
    if isLate { run.coverage.note("late") }
    let latecomers = run.nodes.filter(\.isLatecomer).compactMap(\.sync?.replica.id.device)
    let tooLate = apart.filter { effect in
      guard case .action(let dot, _) = effect else { return true }
      return !latecomers.contains(dot.replica.device)
    }
    if !tooLate.isEmpty, !run.isLong, run.coverage["goBack"] == 0 {
      run.report(
        "I20", "kept-apart", "An edit came too late for what nobody had let go of.",
        "\(tooLate.count) actions are kept apart, and no device was away for 90 days, set back or "
          + "new.")
    }
    view = oracle.view(schema)
    feed = oracle.feed()
  }

  /// - Parameter vector: what a device holds that was filled when all was quiet.
  func checkUnion(_ vector: VersionVector) {
    for operation in oracle.operations where !vector.contains(operation.dot) {
      run.report(
        "I2", "operation-vanished", "An accepted edit is gone.",
        "Operation \(operation.dot.seq) of \(operation.dot.replica) had been handed out; a new "
          + "device does not get it.")
    }
    let times = oracle.operations.map(\.stamp.ms)
    if let latest = times.max(), latest > UInt64(max(run.now, run.latestTimeEver)) + 60_000 {
      run.report(
        "I13", "stamp-in-the-future", "An edit from the future was accepted.",
        "It is dated \(latest - UInt64(run.now)) ms ahead of the server.")
    }
    for operation in oracle.operations {
      for other in oracle.operations
      where operation.follows(other.dot) && !(other.stamp < operation.stamp) {
        run.report(
          "I11", "stamp-against-cause", "An edit is dated before one that its writer had seen.",
          "\(operation.dot) has seen \(other.dot): \(operation.stamp.spelled) and "
            + "\(other.stamp.spelled).")
      }
    }
  }

  /// A device at the end.
  ///
  /// What came too late for what had been collected has no effect, and what it would have brought
  /// back is not back; then devices are compared with one another alone.
  func check(_ fold: Fold, at place: String) {
    let shown = fold.view(schema).canonical
    guard !isLate else {
      if let first, first != shown {
        run.report(
          "I1", "not-converged", "Two devices that hold the same edits show different records.",
          "The \(place) shows \(Self.difference(first, shown).found)",
          "and another device \(Self.difference(first, shown).expected).")
      }
      first = shown
      return
    }
    if shown != view {
      let (expected, found) = Self.difference(view, shown)
      run.report(
        "I4", "wrong-view", "A device does not show what its edits amount to.",
        "The \(place) shows \(found)", "and by the rules it would be \(expected).")
    }
    let listed = fold.feed().map {
      OracleFeedEntry(
        target: $0.target, field: $0.field, dot: $0.dot, actionIndex: Int($0.actionIndex),
        stamp: $0.stamp, wall: $0.wall, value: $0.value, lostTo: $0.lostTo)
    }
    guard fold.base == VersionVector() else {
      return checkRetained(listed, since: fold.horizon, at: place)
    }
    if listed != feed {
      run.report(
        "I28", "wrong-feed", "The list of what lost is not right.",
        "The \(place) lists \(listed.count) writes that lost, and by the rules it is \(feed.count)."
      )
    }
  }

  /// Where the log was collected, what lost and is not too old is still in the feed, and nothing else is.
  /// What is issued anew finds what is left, and may have been concurrent with what is not.
  private func checkRetained(_ listed: [OracleFeedEntry], since horizon: UInt64, at place: String) {
    guard oracle.operations.allSatisfy({ $0.dot.replica.incarnation < 2 }) else { return }
    func isIn(_ entries: [OracleFeedEntry], _ entry: OracleFeedEntry) -> Bool {
      entries.contains {
        $0.dot == entry.dot && $0.actionIndex == entry.actionIndex && $0.field == entry.field
          && $0.value == entry.value
      }
    }
    let missing = feed.filter { $0.stamp.ms >= horizon && !isIn(listed, $0) }
    let wrong = listed.filter { !isIn(feed, $0) }
    guard let entry = missing.first ?? wrong.first else { return }
    run.report(
      "I29", "feed-collected", "What lost is not listed as before its log was collected.",
      "The \(place) \(missing.isEmpty ? "lists" : "does not list") \(entry.field ?? "the delete") of "
        + "\(entry.target.kind) \(entry.target.record).")
  }

  /// The first place at which two canonical views differ, with some of what surrounds it.
  static func difference(_ expected: Datum, _ found: Datum) -> (expected: String, found: String) {
    let one = Array(String(decoding: expected.canonical, as: UTF8.self).unicodeScalars)
    let other = Array(String(decoding: found.canonical, as: UTF8.self).unicodeScalars)
    let start = max(0, zip(one, other).prefix { $0 == $1 }.count - 60)
    func part(_ text: [Unicode.Scalar]) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: text.dropFirst(start).prefix(160))
      return (start > 0 ? "…" : "") + String(view)
    }
    return (part(one), part(other))
  }

  /// What the server itself says, asked for by a device that is up to date.
  func checkHub(by observer: ServerNode) {
    guard let device = observer.sync else { return }
    observer.lanes.send("{\"type\":\"sync.digest\",\"id\":\"digest\"}")
    observer.lanes.send("{\"type\":\"sync.conflicts\",\"id\":\"feed\"}")
    observer.answers = [:]
    observer.collect()
    run.flow(observer)
    guard let digest = observer.answers["digest"]?.first?.string("viewDigest") else {
      return run.report(
        "I42", "no-digest", "The server does not say what it shows.", "It did not answer.")
    }
    if digest != device.view.digest {
      run.report(
        "I1", "wrong-hub", "The server shows something else than the devices.",
        "They hold the same operations, and the digests of what they show differ.")
    }
    let entries = observer.answers["feed"]?.reduce(0) { $0 + ($1.array("entries")?.count ?? 0) }
    if entries != device.fold.feed().count {
      run.report(
        "I28", "wrong-hub-feed", "The server's list of what lost is not that of the devices.",
        "It lists \(entries ?? 0), and they \(device.fold.feed().count).")
    }
  }

  /// What a device has stored is in the end with everyone.
  func checkPromises() {
    // By what they do, those that do it.
    var there: [String: [Operation]] = [:]
    for operation in oracle.operations {
      there[SyncLedger.signature(operation), default: []].append(operation)
    }
    // What may be gone has no claim on what is there, nor has what has another name or date. The name of what
    // is not gone nobody gives again; what is stamped anew keeps it.
    let promises = run.sync.promises
    var others = promises.filter { !$0.mayBeDestroyed } + promises.filter(\.mayBeDestroyed)
    let kinds: [(SyncLedger.Promise, Operation) -> Bool] = [
      { $1.dot == $0.dot && $1.stamp.ms == $0.ms }, { $1.dot == $0.dot && !$0.mayBeDestroyed },
      { $1.stamp.ms == $0.ms && !$0.mayBeDestroyed }, { _, _ in true },
    ]
    for isIt in kinds {
      others.removeAll { promise in redeem(promise, &there) { isIt(promise, $0) } }
    }
    for promise in others {
      if !promise.mayBeDestroyed, !run.sync.isUnread(promise.dot, in: fold.vector) {
        run.report(
          "I27", "edit-lost", "An edit that a device had stored never reached the others.",
          "\(promise.edit.spelled), made at the \(promise.device), is with nobody in the end.")
      } else {
        run.coverage.note("destroyed")
      }
    }
    for promise in promises {
      for _ in 0..<promise.repeats { _ = there[promise.signature]?.popLast() }
    }
    checkOperations(there, Set(promises.map(\.signature)))
    for node in run.nodes {
      for answer in node.typed.answers.map(\.line) {
        guard let kind = answer.string("kind"), let record = answer.string("id") else { continue }
        let target = Target(Name(kind), Name(record))
        let isThere = oracle.operations.contains { operation in
          operation.actions.contains { $0.target == target }
        }
        if !isUnread, !isThere {
          run.report(
            "I37", "typed-edit-lost", "An edit that the server had confirmed is gone.",
            "\(answer.string("re") ?? "") of the \(node.name), about \(kind) \(record).")
        }
      }
    }
  }

  /// Takes an operation that does what was promised.
  ///
  /// - Returns: whether there is one.
  private func redeem(
    _ promise: SyncLedger.Promise, _ there: inout [String: [Operation]],
    where isIt: (Operation) -> Bool
  ) -> Bool {
    guard let index = there[promise.signature]?.firstIndex(where: isIt) else { return false }
    let time = there[promise.signature]!.remove(at: index).stamp.ms
    // Only a wrong clock is a reason to date an edit anew, or one to do so that nobody can exclude.
    if time != promise.ms, run.coverage["retime"] == 0, !isLifted(promise, to: time) {
      run.report(
        "I33", "dated-anew", "An edit has another date than when it was made.",
        "\(promise.edit.spelled), made at the \(promise.device), is dated "
          + "\(Int64(time) - Int64(promise.ms)) ms later.")
    }
    return true
  }

  /// What is with everyone was done by somebody, and once.
  ///
  /// - Parameters:
  ///   - rest: by what they do, the operations that stand for no promise.
  ///   - promised: what was done.
  private func checkOperations(_ rest: [String: [Operation]], _ promised: Set<String>) {
    // Of what came in a snapshot alone nobody can say what it was: better twice than lost (clause 12.2).
    guard run.coverage["snapshotJoin"] == 0, !isUnread else { return }
    let operation = oracle.operations.first {
      $0.dot.replica.incarnation != 0 && rest[SyncLedger.signature($0)]?.isEmpty == false
    }
    guard let operation else { return }
    let signature = SyncLedger.signature(operation)
    if promised.contains(signature) {
      run.report(
        "I27", "edit-twice", "An edit that was made once takes place twice.",
        "\(signature), of which one is \(operation.dot).")
    } else {
      run.report(
        "I15", "edit-invented", "There is an edit that nobody has made.",
        "\(signature), which is \(operation.dot).")
    }
  }

  /// Whether an edit that was issued anew has the time of the device's own that the server had already: a
  /// snapshot does not tell which of those the edit follows (clause 12.2).
  private func isLifted(_ promise: SyncLedger.Promise, to time: UInt64) -> Bool {
    run.coverage["snapshotJoin"] > 0 && time > promise.ms
      && oracle.operations.contains {
        $0.dot.replica.device == promise.dot.replica.device && $0.stamp.ms == time
          && SyncLedger.signature($0) != promise.signature
      }
  }

  /// Nothing that was accepted is lost.
  func checkEffects() {
    guard !isLate else { return checkLateCreates() }
    var restored: [Target: Oracle] = [:]
    for operation in oracle.operations {
      if operation.actions.indices.contains(where: {
        purged.contains(.action(operation.dot, $0))
      }) {
        continue
      }
      for _ in oracle.lost(of: operation, schema, &restored) {
        run.report(
          "I27", "effect-lost", "Part of an edit is neither shown nor listed.",
          "\(SyncLedger.signature(operation))")
      }
    }
  }

  /// Whether a record was made by an edit, and by the same issued anew.
  private func isMadeTwice(_ target: Target) -> Bool {
    oracle.entries.count { $0.action.target == target && $0.action.body == .create } > 1
  }

  /// Whether a record that was gone for good was made anew, maybe by what no device has had in its log.
  private func isMadeAnew(_ target: Target, above tombstone: Mark) -> Bool {
    isUnread && fold.isCreated(target)
      || oracle.entries.contains {
        $0.action.target == target && $0.action.body == .create && tombstone.stamp < $0.stamp
      }
  }

  /// What was made in a record that is gone for good is kept apart.
  private func checkLateCreates() {
    for operation in oracle.operations {
      for (index, action) in operation.actions.enumerated() where action.body == .create {
        guard let home = action.home, let tombstone = tombstones[home],
          tombstone.stamp < operation.stamp,
          tombstones[action.target] == nil, !apart.contains(.action(operation.dot, index)),
          !isMadeTwice(action.target), !isMadeAnew(home, above: tombstone)
        else { continue }
        run.report(
          "I27", "late-record-lost", "A new record is neither shown nor kept apart.",
          "\(SyncLedger.signature(operation)), in \(home.kind) \(home.record), which is gone.")
      }
    }
  }

  /// Counts what was rare.
  func note() {
    run.coverage.note("operations", oracle.operations.count)
    run.coverage.note("keptApart", apart.count)
    run.coverage.note("conflicts", feed.count)
    run.coverage.note("revive", feed.count { $0.field == nil })
    let stamps = oracle.operations.map { "\($0.stamp.ms)" }
    run.coverage.note("sameMillisecond", stamps.count - Set(stamps).count)
  }
}

extension View {
  /// What `sync.digest` calls the view's digest: SHA-256 in hexadecimal.
  var digest: String {
    var hash = SHA256()
    canonical.canonical.withUnsafeBytes { hash.update($0) }
    return hash.hex
  }
}
