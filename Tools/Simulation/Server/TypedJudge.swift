import Device
import LaneModel
import Merge
import Oracle
import Wire

/// Compares what the server answers to who types with what was typed, with the operation that it made of
/// it, and with what a device shows that holds the same (clauses 12.5 and 12.6).
struct TypedJudge {
  private let run: ServerRun
  private let node: ServerNode
  /// A device that holds all.
  private let last: SyncDevice
  private let schema: Schema
  /// Positions of the log are numbers of operations, and every operation is in the last device's log.
  private let isCounted: Bool

  init(_ run: ServerRun, _ node: ServerNode, _ last: SyncDevice, _ schema: Schema) {
    self.run = run
    self.node = node
    self.last = last
    self.schema = schema
    isCounted =
      last.fold.base == VersionVector()
      && run.nodes.allSatisfy { $0.app == nil }
  }

  func check() {
    guard isCounted else { return }
    var seq: UInt64 = 0
    for answer in node.typed.answers {
      let own = answer.seq(of: node.name)
      if answer.sum != answer.at {
        run.report(
          "I49", "vector-and-position", "An answer's vector is not that of its position.",
          "The \(node.name) was answered at \(answer.at) with \(answer.line.string("vector") ?? "")."
        )
      }
      let made = own == seq + 1 ? operation(own) : nil
      if let made { check(answer, made) }
      checkShown(
        answer, isMade: own == seq + 1,
        isTouch: made?.actions.contains { $0.isTouch } ?? (own == seq + 1))
      seq = own
    }
    checkChanges()
    checkView()
  }

  private var operations: [Operation] {
    last.current.replica.log.compactMap { $0.operation?.operation }
  }

  private func operation(_ seq: UInt64) -> Operation? {
    operations.first { $0.dot.replica.incarnation == 0 && $0.dot.seq == seq }
  }

  // MARK: Edits

  private func check(_ answer: TypedEdits.Answer, _ operation: Operation) {
    let rank: UInt8 = node.device.isPhone ? 2 : 1
    if operation.stamp.rank != rank {
      run.report(
        "I16", "typed-rank", "A typed edit has another rank than its writer's role.",
        "The \(node.name)'s edit \(operation.dot.seq) has rank \(operation.stamp.rank).")
    }
    let context = operation.context.vector(of: operation.dot.replica)
    let held = context.entries.reduce(0) { $0 + Int64($1.seq) }
    if let seen = answer.seen, held != seen {
      run.report(
        "I47", "typed-context", "A typed edit claims to have seen what its writer was not shown.",
        "The \(node.name) had been shown position \(seen), and its edit \(operation.dot.seq) has seen "
          + "\(held) operations.")
    }
  }

  /// Where nobody else has written since its writer looked, the record is as it was typed.
  ///
  /// - Parameters:
  ///   - isMade: the hub has made an operation of it.
  ///   - isTouch: that keeps the record. The field that says what the record stands in does not.
  private func checkShown(_ answer: TypedEdits.Answer, isMade: Bool, isTouch: Bool) {
    guard let seen = answer.seen, answer.at - seen <= (isMade ? 1 : 0),
      let kind = schema[answer.edit.kind]
    else { return }
    let record = answer.line.object("record")
    var typed: [Shown.Field] = []
    switch answer.edit.change {
    case .delete where record != nil:
      report(answer, "it is still shown")
    case .create(let fields), .set(let fields): typed = Spelling.fields(fields)
    case .splice(let field, _, _, _, let result):
      typed = [Shown.Field(field, Spelling.string(result))]
    default: return
    }
    guard let record else {
      // What changes nothing does not bring back what is hidden.
      if !typed.isEmpty, isTouch || isVisible(answer) { report(answer, "it is not shown") }
      return
    }
    let shown = fields(record)
    for field in typed {
      // A reference to what is hidden is not shown, nor are blanks at the ends.
      guard let type = kind.field(field.name)?.field.type, type != .uuid else { continue }
      let value = shown.first { $0.name == field.name }?.value
      // Null is an empty text.
      let isEmpty = type == .text && field.value == Array("null".utf8)
      let expected = isEmpty ? Array("\"\"".utf8) : field.value
      guard value != expected else { continue }
      report(
        answer,
        "\(field.name) was typed as \(String(decoding: field.value, as: UTF8.self)), and is said to be "
          + String(decoding: value ?? [], as: UTF8.self))
    }
  }

  /// Whether the record is shown by what the server held when it answered.
  private func isVisible(_ answer: TypedEdits.Answer) -> Bool {
    Oracle(Array(operations.prefix(Int(answer.at))))
      .isVisible(Target(answer.edit.kind, answer.edit.record), schema)
  }

  private func fields(_ record: Members) -> [Shown.Field] {
    record.all.map { name, _ in
      Shown.Field(Name(name), Self.spelled(record.raw(name) ?? []))
    }
  }

  /// A JSON value in its one spelling.
  private static func spelled(_ json: [UInt8]) -> [UInt8] {
    Spelling.fields(Array("{\"v\":".utf8) + json + [0x7D]).first?.value ?? json
  }

  private func report(_ answer: TypedEdits.Answer, _ what: String) {
    run.report(
      "I31", "typed-otherwise", "The answer to an edit does not show what was typed.",
      "\(answer.edit.spelled), typed by the \(node.name): \(what).")
  }

  // MARK: Looking

  /// Everything that others changed since it opened was told, and nothing else.
  private func checkChanges() {
    guard let opened = node.typed.openedAt, opened <= Int64(operations.count) else { return }
    let since = operations.dropFirst(Int(opened)).filter { $0.dot.replica.incarnation != 0 }
    let expected = Set(since.flatMap { $0.actions.map(\.target) })
    guard node.typed.changed != expected else { return }
    let missing = expected.subtracting(node.typed.changed)
    run.report(
      "I49", "changes-not-told", "Who edits here is not told what others have changed.",
      "The \(node.name) was told of \(node.typed.changed.count) records since position \(opened), and "
        + "\(expected.count) were changed; \(missing.sorted().first.map { "\($0.kind) \($0.record)" } ?? "none") "
        + "is missing.")
  }

  /// What `sync.view` answers is what a device shows that holds the same.
  private func checkView() {
    node.answers["view"] = []
    node.lanes.send("{\"type\":\"sync.view\",\"id\":\"view\"}")
    node.collect()
    run.flow(node)
    let lines = node.answers["view"] ?? []
    guard !lines.isEmpty else { return }
    for kind in schema.kinds {
      let told = lines.filter { $0.string("kind") == kind.name.text }
        .flatMap { $0.objects("records") ?? [] }.map(fields)
      let expected = last.fold.view(kind.name, schema).map { expectedFields($0, kind) }
      guard told.map(Self.sorted) != expected.map(Self.sorted) else { continue }
      run.report(
        "I49", "wrong-answer", "sync.view does not answer what a device shows.",
        "Of kind \(kind.name) it has \(told.count) records, and a device that holds the same shows "
          + "\(expected.count), or other values, or in another order.")
    }
  }

  private static func sorted(_ fields: [Shown.Field]) -> [Shown.Field] {
    fields.sorted { $0.name < $1.name }
  }

  /// A record's fields as people read them (clause 12.1): what is a number there is none in operations.
  private func expectedFields(_ record: RecordView, _ kind: Schema.Kind) -> [Shown.Field] {
    guard case .object(let members) = record.canonical else { return [] }
    return members.map { member in
      let type = kind.field(member.name)?.field.type
      let isNumber =
        switch type {
        case .int, .decimal, .double, .date: true
        case nil: member.name == "sortOrder" || kind.derived.contains { $0.name == member.name }
        default: false
        }
      let json =
        isNumber
        ? member.value.text.map { $0.utf8 } ?? member.value.canonical : member.value.canonical
      return Shown.Field(member.name, Self.spelled(json))
    }
  }
}
