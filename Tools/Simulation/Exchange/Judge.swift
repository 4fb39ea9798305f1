import Merge

/// What counts as loss.
package enum LossLevel: String, CaseIterable, Comparable, Sendable {
  /// An edit vanished although nobody overwrote it.
  case fields
  /// A delete also hid what it had not seen, and nothing of that is kept.
  case deletes
  /// Whatever was not overwritten knowingly is shown or kept.
  case everything

  package static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

/// Judges how a run ended by what people meant, who had seen what and what devices show. It knows
/// nothing of how the merge works, and where it cannot be sure it says nothing.
struct Judge {
  let world: ExchangeWorld
  let settlement: Settlement
  let level: LossLevel
  let phoneWinsTies: Bool
  let schema: Schema
  let writes: [Write]
  private(set) var findings: [Finding] = []
  /// Records that somebody created, in order.
  private(set) var targets: [Target] = []
  private var writesByTarget: [[Int]] = []

  init(
    _ world: ExchangeWorld, _ settlement: Settlement, _ schema: Schema, level: LossLevel,
    phoneWinsTies: Bool
  ) {
    self.world = world
    self.settlement = settlement
    self.schema = schema
    self.level = level
    self.phoneWinsTies = phoneWinsTies
    writes = world.writes
    for (index, write) in writes.enumerated() {
      if let known = targets.firstIndex(of: write.target) {
        writesByTarget[known].append(index)
      } else {
        targets.append(write.target)
        writesByTarget.append([index])
      }
    }
  }

  var final: Shown { settlement.states[0] }

  mutating func judge() -> [Finding] {
    guard settlement.isSettled else {
      add(
        "I42", "not-settled", "The devices never come to rest.",
        [
          "With all links working, they still had something to say to each other after "
            + "\(ExchangeWorld.mostRounds) rounds."
        ])
      return findings
    }
    guard hasConverged() else { return findings }
    if !settlement.isStable {
      add(
        "I7", "not-stable", "One more exchange changes what devices show, though nobody edited.",
        ["All devices showed the same, exchanged once more, and then one of them did not."])
    }
    judgeLists()
    judgeOrder()
    for index in targets.indices { judge(targets[index], writesByTarget[index]) }
    return findings
  }

  mutating func add(
    _ invariant: String, _ slug: String, _ headline: String, _ story: [String],
    field: Finding.Field? = nil, path: [Int] = []
  ) {
    guard !findings.contains(where: { $0.slug == slug }) else { return }
    findings.append(
      Finding(
        invariant: invariant, slug: slug, headline: headline, story: story, field: field,
        path: path))
  }

  // MARK: Agreement

  private mutating func hasConverged() -> Bool {
    let first = settlement.states[0].inOrder(schema)
    for (device, state) in settlement.states.enumerated().dropFirst() {
      let other = state.inOrder(schema)
      guard other != first else { continue }
      reportDivergence(first, other, device)
      return false
    }
    return true
  }

  private mutating func reportDivergence(
    _ first: [Shown.Record], _ other: [Shown.Record], _ device: Int
  ) {
    let headline = "The devices end with different records, and nothing is on its way."
    for target in (first + other).map(\.target) {
      let one = first.first { $0.target == target }
      let another = other.first { $0.target == target }
      guard one != another else { continue }
      let name: Name? =
        one == nil || another == nil
        ? nil
        : one!.fields.first { another![$0.name] != $0.value }?.name
          ?? another!.fields.first { one![$0.name] != $0.value }?.name
      let field = field(target, name, acceptable: [])
      let ends = field.ends.map { "\($0.device) ends with \($0.value)" }
      add(
        "I1", "not-converged", headline,
        ["\(label(target))\(name.map { ", \($0)" } ?? ""): \(ends.joined(separator: "; "))."]
          + clocks(
            newest(
              writes.indices.filter { index in
                writes[index].target == target && (name == nil || writes[index].field == name)
              })), field: field, path: path(field))
      return
    }
    let orders = [first, other].map { records in
      records.map { label($0.target) }.joined(separator: ", ")
    }
    add(
      "I1", "not-converged", "The devices end with different orders, and nothing is on its way.",
      [
        "\(world.places[0].name) ends with \(orders[0]).",
        "\(world.places[device].name) ends with \(orders[1]).",
      ])
  }

  private mutating func judgeLists() {
    var seen: Set<Target> = []
    for record in final.records {
      if !seen.insert(record.target).inserted {
        add(
          "I23", "listed-twice", "A record is shown twice.",
          ["\(label(record.target)) stands twice among the \(record.target.kind) records."])
      }
      if !targets.contains(record.target) {
        add(
          "I21", "invented-record", "A device shows a record that nobody made.",
          ["\(label(record.target)) was created by nobody."])
      }
    }
  }

  // MARK: One record

  private mutating func judge(_ target: Target, _ indices: [Int]) {
    let containers = containers(of: target, indices)
    let deletes = indices.filter { writes[$0].kind == .delete }
    var above: [Int] = []
    if !containers.isEmpty {
      above = writes.indices.filter {
        writes[$0].kind == .delete && containers.contains(writes[$0].target)
      }
    }
    let record = final[target]
    judgeLife(target, indices, deletes, above, record != nil)
    noteConflicts(target, indices, deletes, record != nil)
    if let record { judgeGroups(target, indices, record) }
    for (name, isText) in fields(indices) where isJudged(name, target) {
      let written = indices.filter { writes[$0].field == name }
      let newest = newest(written)
      note(newest, written)
      if let record {
        guard !isLeftBehind([name], newest, indices, record) else { continue }
        if isText {
          judgeText(target, name, written, newest, record)
        } else {
          judgeValue(target, name, written, newest, record)
        }
      } else if level >= .deletes, !deletes.isEmpty || !above.isEmpty {
        judgeHidden(target, name, newest, deletes + above)
      }
    }
  }

  /// Those of the writes that no other one had seen.
  func newest(_ written: [Int]) -> [Int] {
    written.filter { index in !written.contains { writes[$0].seen.contains(index) } }
  }

  func fields(_ indices: [Int]) -> [(name: Name, isText: Bool)] {
    var fields: [(name: Name, isText: Bool)] = []
    for index in indices {
      guard let name = writes[index].field, !fields.contains(where: { $0.name == name }) else {
        continue
      }
      var isText = false
      if case .text = writes[index].kind { isText = true }
      fields.append((name, isText))
    }
    return fields
  }

  /// A reference shows as nothing while what it names is hidden, and what stands in something
  /// through something else shows that one's place: both are left to merges that know of them.
  func isJudged(_ name: Name, _ target: Target) -> Bool {
    guard let kind = schema[target.kind], let field = kind.field(name)?.field else { return false }
    return field.reference == nil && !field.isFixed
  }

  /// Every record that it was ever put into, and what that stood in.
  func containers(of target: Target, _ indices: [Int]) -> Set<Target> {
    guard let rule = schema[target.kind]?.container else { return [] }
    var found: Set<Target> = []
    func add(_ kind: Name, _ value: Name) {
      let container = Target(kind, value)
      guard found.insert(container).inserted, schema[kind]?.container != nil,
        let index = targets.firstIndex(of: container)
      else { return }
      found.formUnion(containers(of: container, writesByTarget[index]))
    }
    for index in indices {
      guard let name = writes[index].field,
        let text = Spelling.text(writes[index].value)
      else {
        if writes[index].kind == .move,
          case .move(_, let into?) = world.edits[writes[index].edit].edit.change
        {
          add(rule.kind, into)
        }
        continue
      }
      if name == rule.field { add(rule.kind, Name(text)) }
      if name == rule.through, let other = schema[target.kind]?.field(name)?.field.reference {
        add(other, Name(text))
      }
    }
    return found
  }
}
