import Merge

/// Where records of ordered kinds stand.
extension Judge {
  /// The last thing that was done to an order, by someone who had seen all that was done to it before,
  /// has to show: the record stands where it was put in the list that this person had before them.
  ///
  /// Whole records carry numbers for places, of which the server makes out what was moved (PROTOCOL.md
  /// clause 13): with them that judge is the server world's.
  mutating func judgeOrder() {
    guard world.started.can.contains(.move), world.settings.wholeRecords == 0 else { return }
    for kind in schema.kinds where kind.order != nil {
      let changes = writes.indices.filter { isChangeOfOrder($0, kind) }
      guard
        let last = changes.last(where: { index in
          changes.allSatisfy {
            writes[$0].edit == writes[index].edit || writes[index].seen.contains($0)
          }
        })
      else { continue }
      judgeOrder(world.edits[writes[last].edit], last, kind)
    }
  }

  /// A set may put a record into another list.
  private func isChangeOfOrder(_ index: Int, _ kind: Schema.Kind) -> Bool {
    let write = writes[index]
    guard write.target.kind == kind.name else { return false }
    switch write.kind {
    case .create, .restore, .move: return true
    case .delete: return false
    case .field(let name), .text(let name): return name == kind.container?.field
    }
  }

  private mutating func judgeOrder(_ edit: PromisedEdit, _ index: Int, _ kind: Schema.Kind) {
    guard edit.edit.since == nil, let before = edit.order else { return }
    let list: [UInt8]
    var expected: [Target]
    switch edit.edit.change {
    case .create:
      list = Self.list(edit.given, kind)
      expected = before.filter { $0.list == list && $0.target != edit.target }.map(\.target)
      expected.append(edit.target)
    case .move(let after, let into):
      let present = before.first { $0.target == edit.target }
      list = into.map { Spelling.string($0.text) } ?? present?.list ?? []
      expected = before.filter { $0.list == list && $0.target != edit.target }.map(\.target)
      var place = 0
      if let after {
        guard let found = expected.firstIndex(of: Target(kind.name, after)) else { return }
        place = found + 1
      }
      expected.insert(edit.target, at: place)
    case .set, .delete, .restore, .splice: return
    }
    let shown = final.records.filter { record in
      record.target.kind == kind.name && Self.list(record.fields, kind) == list
        && expected.contains(record.target)
    }.map(\.target)
    guard shown.contains(edit.target) else { return }
    expected.removeAll { !shown.contains($0) }
    guard expected != shown else { return }
    func told(_ targets: [Target]) -> String { targets.map(label).joined(separator: ", ") }
    let isMove = writes[index].kind == .move
    add(
      "I24", isMove ? "lost-move" : "misplaced",
      isMove
        ? "A record does not stand where it was put, and nobody moved anything since."
        : "A new record does not stand last, and nobody moved anything since.",
      [
        "\(possessive(edit.device)) edit at \(time(index)): \(world.describe(edit.edit)). It had before "
          + "it \(told(before.filter { $0.list == list }.map(\.target)).ifEmpty("nothing")).",
        "All devices end with \(told(shown)), and not with \(told(expected)).",
      ] + clocks([index]), path: path(index))
  }

  /// The list that a record stands in: the value of the field that names its container, where lists are
  /// containers' own.
  static func list(_ fields: [Shown.Field], _ kind: Schema.Kind) -> [UInt8] {
    guard kind.isListedInContainer, let rule = kind.container else { return [] }
    return fields.first { $0.name == rule.field }?.value ?? []
  }
}

extension String {
  fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}
