import Bridge
import LaneModel
import Merge
import Oracle

/// The order of roots, which whole-record devices tell as a number each.
extension WholeRecordJudge {
  /// Those that nobody else has moved stand as its person arranged them, wherever they were made.
  func checkArranged() {
    guard app.touches.allSatisfy({ $0.transfer == nil || isTaken($0) }) else { return }
    for (kind, arrangement) in app.arrangements.sorted(by: { $0.key < $1.key }) {
      checkArranged(kind, arrangement)
    }
  }

  private func checkArranged(_ kind: Name, _ arrangement: Arrangement) {
    guard let arranged = arrangement.order else { return }
    let (moved, isAlone) = placedElsewhere(kind, arrangement)
    let shown = view[kind].map(\.target).filter { !moved.contains($0) }
    let wanted = arranged.filter(shown.contains)
    let found = shown.filter(arranged.contains)
    let isOtherwise = wanted.indices.contains { index in
      let first = wanted[index]
      return found[..<found.firstIndex(of: first)!].contains { second in
        wanted[index...].contains(second)
          && !arrangement.mayDiffer(first, second, isAlone: isAlone)
      }
    }
    guard isOtherwise else { return }
    report(
      "I23", "whole-record-order", "Records do not stand as a whole-record device arranged them.",
      "its person put them as \(wanted.map(\.record.text)), and they show \(found.map(\.record.text))."
    )
  }

  /// Roots that others have moved, or made too, with what stands behind these; and whether others have made none.
  private func placedElsewhere(
    _ kind: Name, _ arrangement: Arrangement
  ) -> (moved: Set<Target>, isAlone: Bool) {
    var (moved, foreign): (Set<Target>, Set<Target>) = ([], [])
    var made = Set(app.touches.filter { $0.what == .create }.map(\.target))
    for operation in oracle.operations where operation.dot.replica != author {
      let created = Set(operation.actions.filter { $0.body == .create }.map(\.target))
      moved.formUnion(created.intersection(made))
      made.formUnion(created)
      foreign.formUnion(created)
      for action in operation.actions where !created.contains(action.target) {
        if case .move = action.body { moved.insert(action.target) }
      }
    }
    moved.formUnion(
      arrangement.behind.keys.filter { !arrangement.line(from: $0).isDisjoint(with: moved) }
    )
    let isAlone = !foreign.union(moved).contains { $0.kind == kind }
    return (moved, isAlone)
  }
}
