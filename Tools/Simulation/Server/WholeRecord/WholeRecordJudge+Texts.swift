import Bridge
import LaneModel
import Merge
import Oracle

/// Texts, which whole records have as a whole.
extension WholeRecordJudge {
  /// What its person wrote into a text is somewhere: in the text, or among what lost. What others wrote there as well
  /// may be theirs.
  func checkTexts() {
    for touch in app.touches where isTaken(touch) {
      guard case .text(let name) = touch.what else { continue }
      var more = Self.counts(touch.text(name).new)
      for (scalar, count) in Self.counts(touch.text(name).old) { more[scalar, default: 0] -= count }
      let inserted = inserted(into: touch.target, name)
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

  /// What others wrote into a text is not written once more, though it comes back with what its person wrote there: no more
  /// is inserted than that person changed. Of a device that was reset it is not known what that was.
  func checkTextsOnce() {
    guard app.incarnation == 0 else { return }
    for target in Set(app.touches.map(\.target)).sorted() {
      for register in app.schema[target.kind]?.registers ?? [] where register.form == .text {
        checkOnce(target, register.name)
      }
    }
  }

  private func checkOnce(_ target: Target, _ name: Name) {
    let touches = app.touches.filter {
      $0.target == target && ($0.what == .text(name) || $0.what == .create)
    }
    guard !touches.isEmpty else { return }
    let changed = touches.reduce(0) { $0 + Self.changed($1.text(name).old, $1.text(name).new) }
    let inserted = inserted(into: target, name).reduce(0) {
      // What is put aside is in no text, and may come again in a newer one.
      $0 + ($1.dot.replica == author && !isAside($1.dot) ? $1.text.text.count : 0)
    }
    guard inserted > changed else { return }
    report(
      "I25", "whole-record-text-twice",
      "A whole-record device is taken to have written more than its person did.",
      "into the \(name) of \(target.record) it is taken to have written \(inserted) characters, and its person changed "
        + "\(changed).")
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

  /// What was ever put into a record's text, also what went with a record that was collected and made anew.
  private func inserted(into target: Target, _ name: Name) -> [(dot: Dot, text: Name)] {
    oracle.operations.flatMap { operation in
      operation.actions.compactMap { action in
        guard action.target == target, case .insert(name, _, let text) = action.body else {
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

extension WholeRecordApp.Touch {
  /// A text before and after it.
  fileprivate func text(_ name: Name) -> (old: Name?, new: Name?) {
    let field = WholeRecordApp.Field(target: target, name: name)
    return (old?[field]?.text, new?[field]?.text)
  }
}
