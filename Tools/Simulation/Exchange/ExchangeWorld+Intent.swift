import Merge

extension ExchangeWorld {
  /// Whether an edit gives all that has to be given together: groups as a whole, and with a create
  /// whatever would otherwise be filled in.
  ///
  /// - Parameter given: its fields.
  func isWhole(_ edit: Edit, _ given: [Shown.Field]) -> Bool {
    var isCreate = false
    switch edit.change {
    case .set: break
    case .create: isCreate = true
    default: return true
    }
    guard let kind = schema?[edit.kind] else { return true }
    let registers = kind.registers
    return registers.indices.allSatisfy { index in
      let fields = registers[index].fields
      let count = fields.count { field in given.contains { $0.name == field.name } }
      guard count == 0 else { return count == fields.count }
      guard isCreate, registers[index].form != .text, !fields[0].isFixed else { return true }
      return fields.allSatisfy { $0.isOptional && $0.initial ?? .null == .null }
    }
  }

  /// Whether a device of ours shows what was done on it just now: an edit is the newest of all that
  /// its device holds.
  ///
  /// - Parameter first: the number of its first write.
  func checkOutcome(
    _ edit: Edit, _ target: Target, _ device: Int, before: Shown, after: Shown, _ step: Int,
    first: Int
  ) {
    let record = after[target]
    let wasShown = before.has(target)
    var wrong: String?
    switch edit.change {
    case .delete:
      if record != nil { wrong = "it is still there" }
    case .create, .restore:
      // What it stands in may be hidden.
      guard schema?[target.kind]?.container == nil else { break }
      if record == nil { wrong = "it is not there" }
    case .set:
      guard wasShown else { break }
      guard let record else { return addOutcome(edit, device, "it is gone", step) }
      for write in writes[first...] {
        guard let name = write.field, let found = schema?[target.kind]?.field(name),
          found.field.reference == nil, found.register.form != .text || edit.since == nil,
          record[name] != write.value
        else { continue }
        wrong = "\(name) is \(String(decoding: record[name] ?? [], as: UTF8.self))"
      }
    case .move(let next, let into):
      guard wasShown, edit.since == nil, record != nil else { break }
      wrong = misplaced(target, behind: next, into, after)
    case .splice(let field, _, _, _, let result):
      guard wasShown, edit.since == nil else { break }
      if record?[field] != Spelling.string(result) {
        wrong = "\(field) is \(String(decoding: record?[field] ?? [], as: UTF8.self))"
      }
    }
    if let wrong { addOutcome(edit, device, wrong, step) }
    if edit.since == nil, let record = before[target] { checkHome(edit, record, device, step) }
  }

  /// Every action on a record says in what the record stood when it was written: that one is kept, or
  /// deleted, with it.
  private func checkHome(_ edit: Edit, _ record: Shown.Record, _ device: Int, _ step: Int) {
    guard let rule = schema?[edit.kind]?.container, let operation = ours?.written else { return }
    let home = record[rule.field].flatMap(Spelling.text).map { Target(rule.kind, Name($0)) }
    guard let action = operation.actions.first(where: { $0.home != home }),
      !findings.contains(where: { $0.slug == "wrong-home" })
    else { return }
    findings.append(
      Finding(
        invariant: "I19", slug: "wrong-home",
        headline: "An edit does not say in what its record stood.",
        story: [
          "The \(places[device].name), at \(Self.clock(at)): \(describe(edit)). It stood in "
            + "\(home.map(Self.label) ?? "nothing"), and the edit says "
            + "\(action.home.map(Self.label) ?? "nothing")."
        ], path: [step]))
  }

  private func misplaced(_ target: Target, behind: Name?, _ into: Name?, _ shown: Shown) -> String?
  {
    guard let kind = schema?[target.kind], let record = shown[target] else { return nil }
    let field = kind.container?.field
    if let into, let field, record[field] != Spelling.string(into.text) {
      return "it stands in another list"
    }
    let list = shown.records.filter { other in
      other.target.kind == target.kind && field.map { other[$0] == record[$0] } ?? true
    }
    guard let place = list.firstIndex(where: { $0.target == target }) else { return nil }
    guard let behind else { return place == 0 ? nil : "it is number \(place + 1) of its list" }
    guard list.contains(where: { $0.target.record == behind }) else { return nil }
    return place > 0 && list[place - 1].target.record == behind
      ? nil : "it is number \(place + 1) of its list"
  }

  private func addOutcome(_ edit: Edit, _ device: Int, _ wrong: String, _ step: Int) {
    guard !findings.contains(where: { $0.slug == "own-edit-not-shown" }) else { return }
    var invariant = "I31"
    switch edit.change {
    case .move: invariant = "I24"
    case .splice: invariant = "I25"
    default: break
    }
    findings.append(
      Finding(
        invariant: invariant, slug: "own-edit-not-shown",
        headline: "A device does not show what was just done on it.",
        story: [
          "The \(places[device].name), at \(Self.clock(at)): \(describe(edit)); afterwards \(wrong)."
        ], path: [step]))
  }
}
