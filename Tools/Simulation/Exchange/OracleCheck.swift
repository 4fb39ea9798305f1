import Merge
import Oracle

/// Holds our merge's devices against the oracle and against what the harness itself has recorded:
/// what an edit asked for, and what its writer had been shown.
struct OracleCheck {
  let world: ExchangeWorld
  let ours: OurMerge
  let settlement: Settlement
  private(set) var findings: [Finding] = []
  /// Every operation of a promised edit, in the order of writing.
  let operations: [Operation]
  /// The same by the number of the edit's first write.
  private let written: [(edit: Int, first: Int, dot: Dot, stamp: Stamp)]

  init(_ world: ExchangeWorld, _ ours: OurMerge, _ settlement: Settlement) {
    self.world = world
    self.ours = ours
    self.settlement = settlement
    operations = world.edits.compactMap(\.operation)
    written = world.edits.enumerated().compactMap { index, edit in
      edit.operation.map { (index, edit.writes.lowerBound, $0.dot, $0.stamp) }
    }
  }

  mutating func add(
    _ invariant: String, _ slug: String, _ headline: String,
    _ story: String, path: [Int] = []
  ) {
    guard !findings.contains(where: { $0.slug == slug }) else { return }
    findings.append(
      Finding(
        invariant: invariant, slug: slug, headline: headline, story: [story], path: path))
  }

  mutating func check() -> [Finding] {
    for edit in world.edits { check(edit) }
    let oracle = Oracle(operations)
    checkEnds(oracle)
    if world.settings.isThorough { checkThoroughly(oracle) }
    return findings
  }

  // MARK: How edits were written

  private mutating func check(_ edit: PromisedEdit) {
    checkUnwritten(edit)
    guard let operation = edit.operation else { return }
    var shown = VersionVector()
    for other in written {
      if edit.seen.contains(other.first) { shown.insert(other.dot) }
      if edit.held.contains(other.first), !(other.stamp < operation.stamp) {
        let earlier = world.edits[other.edit]
        add(
          "I12", "stamp-not-above", "An edit was dated before one that its device already had.",
          "The \(words(edit)) is dated before the \(world.describe(earlier.edit)), which was there.",
          path: [earlier.step, edit.step])
      }
      if other.stamp == operation.stamp, other.dot != operation.dot {
        let earlier = world.edits[other.edit]
        add(
          "I3", "equal-stamps", "Two edits have the same date, so that neither can win.",
          "The \(words(edit)) and \(world.describe(earlier.edit)).",
          path: [earlier.step, edit.step])
      }
    }
    if operation.context.vector(of: operation.dot.replica) != shown {
      add(
        "I47", "dishonest-context",
        "An edit claims to have seen something else than its writer had been shown.",
        "The \(words(edit)) does not name what its device had shown when the form was opened.",
        path: [edit.step])
    }
    checkIntent(edit, operation)
  }

  /// An edit in words.
  private func words(_ edit: PromisedEdit) -> String {
    "\(world.places[edit.device].name)'s edit at \(ExchangeWorld.clock(edit.at)) "
      + "(\(world.describe(edit.edit)))"
  }

  /// What was not written must have been as the edit wanted it.
  private mutating func checkUnwritten(_ edit: PromisedEdit) {
    guard case .set = edit.edit.change else { return }
    let fields = edit.given.filter { field in
      !edit.writes.contains { world.writes[$0].field == field.name }
    }
    guard !fields.isEmpty else { return }
    let seen = Oracle(
      world.edits.filter { edit.seen.contains($0.writes.lowerBound) }.compactMap(\.operation))
    for field in fields where !isAlready(field, edit, seen) {
      add(
        "I27", "edit-dropped", "An edit was taken and then not written.",
        "The \(world.places[edit.device].name) set \(field.name) at "
          + "\(ExchangeWorld.clock(edit.at)), and nothing came of it.", path: [edit.step])
    }
  }

  private func isAlready(_ field: Shown.Field, _ edit: PromisedEdit, _ seen: Oracle) -> Bool {
    guard let kind = ours.schema[edit.target.kind], let found = kind.field(field.name) else {
      return true
    }
    if found.register.form == .text {
      return Spelling.text(field.value) == seen.text(edit.target, field.name).text
    }
    if field.name == kind.container?.field || found.field.name == kind.container?.through {
      return true
    }
    let value = seen.fieldValue(edit.target, kind, field.name) ?? .null
    var bytes: [UInt8] = []
    found.field.type.append(readable: value, to: &bytes)
    return bytes == field.value
  }

  /// The operation does what was asked for, and nothing else.
  private mutating func checkIntent(
    _ edit: PromisedEdit, _ operation: Operation
  ) {
    var asked: [Shown.Field] = []
    var isFree = false
    switch edit.edit.change {
    case .set: asked = edit.given
    case .create: isFree = true
    default: break
    }
    let kind = ours.schema[edit.target.kind]
    for action in operation.actions {
      if action.target != edit.target {
        add(
          "I17", "other-record", "An edit changed another record than the one it was of.",
          "The \(words(edit)).", path: [edit.step])
      }
      guard case .write(let name, let value) = action.body, !isFree,
        let register = kind?[name]
      else { continue }
      let fields = register.fields.compactMap { field in
        asked.first { $0.name == field.name }.map { (field, $0) }
      }
      if fields.isEmpty {
        add(
          "I17", "untouched-field-written",
          "An edit wrote a field that its writer had not touched.",
          "The \(words(edit)) wrote \(name) too, and would win over someone who did change that.",
          path: [edit.step])
      }
      for (field, wanted) in fields {
        var bytes: [UInt8] = []
        let part = register.form == .group ? value[field.name] ?? .null : value
        field.type.append(readable: part, to: &bytes)
        if bytes != wanted.value {
          add(
            "I15", "other-value", "An edit wrote another value than the one that was entered.",
            "The \(words(edit)) wrote \(String(decoding: bytes, as: UTF8.self)).", path: [edit.step]
          )
        }
      }
    }
    checkText(edit, operation)
  }

  /// What a text has in common before and after keeps its characters.
  private mutating func checkText(
    _ edit: PromisedEdit, _ operation: Operation
  ) {
    guard case .splice(_, _, _, _, let result) = edit.edit.change,
      let splice = world.writes[edit.writes.lowerBound].splice, edit.edit.since == nil
    else { return }
    let (before, after) = (Array(splice.before), Array(result))
    var prefix = 0
    while prefix < min(before.count, after.count), same(before[prefix], after[prefix]) {
      prefix += 1
    }
    var suffix = 0
    while suffix < min(before.count, after.count) - prefix,
      same(before[before.count - 1 - suffix], after[after.count - 1 - suffix])
    {
      suffix += 1
    }
    func scalars(_ text: [Character]) -> Int {
      text[prefix..<text.count - suffix].reduce(0) { $0 + $1.unicodeScalars.count }
    }
    var erased = 0
    var inserted = 0
    for action in operation.actions {
      switch action.body {
      case .insert: inserted += action.elements
      case .erase(_, let runs): erased += runs.reduce(0) { $0 + Int($1.count) }
      default: break
      }
    }
    if erased > scalars(before) || inserted > scalars(after) {
      add(
        "I48", "text-rewritten", "Saving a text replaced characters that had not changed.",
        "The \(words(edit)) removed \(erased) and inserted \(inserted) characters where "
          + "\(scalars(before)) and \(scalars(after)) are enough.", path: [edit.step])
    }
  }

  private func same(_ one: Character, _ other: Character) -> Bool {
    one.unicodeScalars.elementsEqual(other.unicodeScalars)
  }
}
