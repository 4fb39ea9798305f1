import Merge

/// Texts, which whole records have as a whole.
extension Intake {
  /// A whole text has become another: what was changed in it is changed in the present one. Of a text that
  /// comes out of nowhere it is not known what was changed: the newer one stays, and the other is kept in
  /// the log.
  func write(_ text: Changes.Text, isNewer: Bool, _ shown: VersionVector, _ time: UInt64) {
    let now = replica.vector
    let present = Editor(fold, schema, shown: now).present(text.field.target)[text.field.name]
    if let old = text.old {
      let merged = TextMerge.merge(from: old, to: text.new, onto: present?.text ?? "")
      var draft = draft(now)
      draft.set(text.field, text: merged)
      mint(draft.actions, now, time: time, above: nil)
    } else if isNewer {
      var draft = draft(now)
      draft.set(text.field, text: text.new.text)
      mint(draft.actions, now, time: time, above: nil)
    } else if !text.new.text.isEmpty {
      var draft = draft(shown)
      draft.setAside(text.field, text: text.new.text)
      mint(draft.actions, shown, time: time, above: nil)
    }
  }

  /// Whether a field once had a value, of which nobody knows who was shown it; also one that may have shown as this.
  /// Of texts that is not known.
  func isOld(_ field: WholeRecord.Field, _ value: Datum) -> Bool {
    guard let kind = schema[field.target.kind], let register = kind[field.name],
      register.form != .text
    else { return false }
    return fold.hasWritten(
      to: field.name, of: field.target, { kind.mayShow($0, of: register, as: value) })
      || value == register.whole { _ in nil } && fold.wasMadeWithout(field.name, field.target)
  }
}
