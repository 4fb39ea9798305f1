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
      let merged = TextMerge.merge(from: old, to: text.new, onto: present?.text?.text ?? "")
      var draft = draft(now)
      draft.set(text.field, text: merged)
      mint(draft.actions, now, time: time, above: nil)
    } else if isNewer {
      var draft = draft(now)
      draft.set(text.field, text: text.new)
      mint(draft.actions, now, time: time, above: nil)
    } else if !text.new.isEmpty {
      var draft = draft(shown)
      draft.setAside(text.field, text: text.new)
      mint(draft.actions, shown, time: time, above: nil)
    }
  }

  /// Whether a field once had a value, of which nobody knows who was shown it.
  ///
  /// - Parameter room: deliveries that the device may hold, and of which nothing but their positions is known.
  func isOld(_ value: Datum, of field: WholeRecord.Field, _ room: Track.Room?) -> Bool {
    guard schema[field.target.kind]?[field.name]?.form == .text else {
      return fold.hasWritten(value, to: field.name, of: field.target)
    }
    return room.map { wasShown(value, of: field, from: $0.position) } ?? false
  }

  /// How many states of a text are looked at.
  private static let stateLimit = 256

  /// Whether a text was as it is given at a position of the log, or later on.
  private func wasShown(
    _ value: Datum, of field: WholeRecord.Field, from position: UInt64
  ) -> Bool {
    let start = max(position, oldest, replica.base)
    guard var vector = replica.vector(at: start) else { return false }
    func isShown() -> Bool {
      Editor(fold, schema, shown: vector).present(field.target)[field.name] == value
    }
    if isShown() { return true }
    var states = 0
    for entry in replica.log.suffix(Int(replica.position - start)) {
      guard let operation = entry.operation?.operation else { continue }
      vector[operation.dot.replica] = operation.dot.seq
      guard
        operation.actions.contains(where: { $0.target == field.target && $0.writesText(field.name) }
        )
      else { continue }
      states += 1
      if states > Self.stateLimit { return false }
      if isShown() { return true }
    }
    return false
  }
}

extension Action {
  fileprivate func writesText(_ name: Name) -> Bool {
    switch body {
    case .insert(let field, _, _), .erase(let field, _): field == name
    default: false
    }
  }
}
