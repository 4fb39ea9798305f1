import Merge

/// How often rare things took place.
extension Judge {
  func note(_ newest: [Int], _ written: [Int]) {
    guard newest.count > 1 else { return }
    world.coverage.note("concurrentSameField")
    let first = writes[newest[0]]
    if newest.contains(where: { writes[$0].value != first.value }) {
      world.coverage.note("conflictDecided")
    }
    if case .text = first.kind { world.coverage.note("concurrentText") }
    let times = newest.map { (world.edits[writes[$0].edit].now, writes[$0].device) }
    if times.contains(where: { time in
      times.contains { $0.0 == time.0 && $0.1 != time.1 }
    }) {
      world.coverage.note("tie")
    }
  }

  func noteConflicts(
    _ target: Target, _ indices: [Int], _ deletes: [Int], _ isVisible: Bool
  ) {
    for delete in deletes {
      let against = indices.filter {
        writes[$0].kind != .delete && !writes[delete].seen.contains($0)
          && !writes[$0].seen.contains(delete) && writes[$0].device != writes[delete].device
      }
      guard !against.isEmpty else { continue }
      world.coverage.note("deleteAgainstEdit")
      if Set(indices.map { writes[$0].device }).count > 2 {
        world.coverage.note("deleteAgainstEdit3")
      }
      if isVisible { world.coverage.note("revive") }
    }
    let moves = indices.filter { writes[$0].kind == .move }
    for (offset, one) in moves.enumerated() {
      for other in moves[(offset + 1)...] where !writes[other].seen.contains(one) {
        world.coverage.note("concurrentMove")
      }
      let goal = world.edits[writes[one].edit].edit.change
      for other in writes.indices[(one + 1)...]
      where writes[other].kind == .move && !writes[other].seen.contains(one)
        && world.edits[writes[other].edit].edit.change == goal
        && writes[other].target.kind == target.kind
      {
        world.coverage.note("moveToOneSlot")
      }
    }
  }
}
