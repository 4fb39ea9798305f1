import Merge

extension Judge {
  /// Whether a record has to be there, may be, or must not.
  mutating func judgeLife(
    _ target: Target, _ indices: [Int], _ deletes: [Int], _ above: [Int], _ isVisible: Bool
  ) {
    switch existence(target, indices, deletes, above) {
    case .must where !isVisible:
      guard let created = indices.first(where: { writes[$0].kind == .create }) else { return }
      let restored = indices.last { index in
        deletes.contains { writes[index].seen.contains($0) }
      }
      let end =
        deletes.isEmpty
        ? "Nobody deleted it." : "\(author(restored ?? created)) edited it after its deletion."
      add(
        "I27", "record-vanished",
        deletes.isEmpty
          ? "A record vanished, and nobody had deleted it."
          : "A record is gone although it was edited by someone who knew that it was deleted.",
        ["\(label(target)) was created by \(author(created)) at \(time(created)). \(end)"]
          + (restored.map { deliveries(deletes, to: writes[$0].device) } ?? [])
          + clocks(deletes + [restored ?? created]),
        field: field(target, nil, acceptable: []), path: path(restored ?? created))
    case .mustNot where isVisible:
      guard let delete = deletes.last else { return }
      add(
        "I20", "delete-undone", "A deleted record came back, and nobody had edited it since.",
        [
          "\(label(target)) was deleted by \(author(delete)) at \(time(delete)), who had seen "
            + "everything that was ever done to it; the devices still show it."
        ] + deliveries(indices, to: writes[delete].device)
          + clocks(newest(indices.filter { $0 != delete }) + [delete]),
        field: field(target, nil, acceptable: []), path: path(delete))
    default: return
    }
  }

  enum Existence: String {
    case must, may
    case mustNot = "must not"
  }

  func existence(
    _ target: Target, _ indices: [Int], _ deletes: [Int], _ above: [Int]
  ) -> Existence {
    let isCreated = indices.contains { writes[$0].kind == .create }
    guard isCreated else { return .may }
    if above.isEmpty {
      let isBack = deletes.allSatisfy { delete in
        indices.contains { writes[$0].seen.contains(delete) && isContent($0) }
      }
      if isBack { return .must }
    }
    let inside = writes.indices.filter { index in
      let other = writes[index].target
      guard schema[other.kind]?.container != nil, other != target else { return false }
      return containers(of: other, writes.indices.filter { writes[$0].target == other })
        .contains(target)
    }
    let isFinal = deletes.contains { delete in
      (indices + inside).allSatisfy {
        $0 == delete || writes[$0].target == target && writes[$0].kind == .delete
          || writes[delete].seen.contains($0)
      }
    }
    return isFinal ? .mustNot : .may
  }

  /// Whether fields are empty because the record was made again: who makes anew what they know to be
  /// deleted may start without what it had.
  func isLeftBehind(
    _ names: [Name], _ newest: [Int], _ indices: [Int], _ record: Shown.Record
  ) -> Bool {
    let isEmpty = names.allSatisfy { name in
      record[name].map { [Array("null".utf8), Spelling.string("")].contains($0) } ?? true
    }
    return isEmpty
      && indices.contains { made in
        writes[made].kind == .create
          && indices.contains { delete in
            writes[delete].kind == .delete && writes[made].seen.contains(delete)
              && newest.allSatisfy { writes[delete].seen.contains($0) }
          }
      }
  }

  /// Whether it shows that somebody wanted the record: not a change of place.
  private func isContent(_ index: Int) -> Bool {
    switch writes[index].kind {
    case .create, .restore, .text: true
    case .field(let name): schema[writes[index].target.kind]?.field(name)?.register.revives ?? false
    case .delete, .move: false
    }
  }
}
