import AppModels
import LaneModel
import Merge
import Oracle

/// Notes, which whole records have as a whole.
extension WholeRecordJudge {
  /// What its person wrote into notes is somewhere: in the notes, or among what lost. What others wrote there as well
  /// may be theirs.
  func checkTexts() {
    for touch in app.touches where touch.what == .text && isTaken(touch) {
      var more = Self.counts(touch.new?.notes)
      for (scalar, count) in Self.counts(touch.old?.notes) { more[scalar, default: 0] -= count }
      let inserted = inserted(into: touch.target)
      let lost = more.filter { $0.value > 0 }.keys.filter { scalar in
        !inserted.contains { $0.text.text.unicodeScalars.contains(scalar) }
      }
      guard let scalar = lost.min() else { continue }
      report(
        "I27", "whole-record-edit-lost",
        "An edit of a whole-record device that the server had accepted is nowhere.",
        "\(scalar) in \(touch.edit.spelled).")
    }
  }

  /// What others wrote into notes is not written once more, though it comes back with what its person wrote there: no more
  /// is inserted than that person changed. Of a device that was reset it is not known what that was.
  func checkTextsOnce() {
    guard app.incarnation == 0 else { return }
    let touches = app.touches.filter { $0.what == .text || $0.what == .create }
    for target in Set(touches.map(\.target)).sorted() {
      let changed = touches.reduce(0) { changed, touch in
        changed + (touch.target == target ? Self.changed(touch.old?.notes, touch.new?.notes) : 0)
      }
      let inserted = inserted(into: target).reduce(0) {
        $0 + ($1.dot.replica == author ? $1.text.text.count : 0)
      }
      guard inserted > changed else { continue }
      report(
        "I25", "whole-record-text-twice",
        "A whole-record device is taken to have written more than its person did.",
        "into the notes of \(target.record) it is taken to have written \(inserted) characters, and its person changed "
          + "\(changed).")
    }
  }

  /// How many characters were taken out and put in between what two texts begin and end with alike.
  private static func changed(_ old: Name?, _ new: Name?) -> Int {
    // Two characters that look the same are two.
    let (old, new) = (
      (old?.text ?? "").map(\.unicodeScalars), (new?.text ?? "").map(\.unicodeScalars)
    )
    let start = zip(old, new).prefix { $0.elementsEqual($1) }.count
    let rest = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0.elementsEqual($1) }.count
    return old.count + new.count - 2 * (start + end)
  }

  /// What was ever put into a record's texts, also what went with a record that was collected and made anew.
  private func inserted(into target: Target) -> [(dot: Dot, text: Name)] {
    oracle.operations.flatMap { operation in
      operation.actions.compactMap { action in
        guard action.target == target, case .insert(_, _, let text) = action.body else {
          return nil
        }
        return (operation.dot, text)
      }
    }
  }

  private static func counts(_ text: Name?) -> [Unicode.Scalar: Int] {
    (text?.text ?? "").unicodeScalars.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
