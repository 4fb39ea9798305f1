import AppModels
import Merge

/// Notes, which come as a whole text and are merged by character.
extension BridgeIntake {
  /// - Parameters:
  ///   - own: what the device's text was before; nil where that is not known.
  ///   - isNewer: whether the copy was made after the last touch of what the hub shows.
  ///   - present: what the hub shows; nil where it shows no such timer.
  func writeNotes(
    _ text: Name, of id: Identifier, from own: Name?, isNewer: Bool, _ present: TimerDTO?,
    _ shown: VersionVector, time: UInt64
  ) {
    guard let own else {
      return writeUnknown(text, of: id, isNewer: isNewer, present, shown, time: time)
    }
    // The text that the device began with is looked for among those that the hub had: at the
    // window's start, with what the device wrote itself since, and now.
    let withOwn = withOwn(shown)
    // It has written that already, by a word and upon something older.
    if notes(of: id, withOwn) == text, notes(of: id, shown) != text { return }
    let now = hub.replica.vector
    for (view, context) in [(shown, shown), (withOwn, now), (now, now)]
    where notes(of: id, view) == own {
      return write(text, of: id, view: view, context: context, time: time)
    }
    write(text, of: id, view: shown, context: shown, time: time)
  }

  private func notes(of id: Identifier, _ shown: VersionVector) -> Name {
    Editor(fold, hub.schema, shown: shown).present(.timer(id))["notes"]?.text ?? ""
  }

  /// - Parameters:
  ///   - view: what the characters are looked for in.
  ///   - context: what the operation says it had seen; a set that the hub once held.
  private func write(
    _ text: Name, of id: Identifier, view: VersionVector, context: VersionVector, time: UInt64
  ) {
    var draft = BridgeDraft(self, shown: view)
    draft.setNotes(.timer(id), text)
    mint(draft.actions, context, time: time)
  }

  /// Of a text that comes out of nowhere it is not known what was changed: the newer one stays, and
  /// the other is kept in the log, where it is written and erased.
  private func writeUnknown(
    _ text: Name, of id: Identifier, isNewer: Bool, _ present: TimerDTO?, _ shown: VersionVector,
    time: UInt64
  ) {
    if isNewer {
      let now = hub.replica.vector
      return write(text, of: id, view: now, context: now, time: time)
    }
    guard !text.utf8.isEmpty else { return }
    var draft = BridgeDraft(self, shown: shown)
    draft.setNotesAside(.timer(id), text)
    mint(draft.actions, shown, time: time)
  }
}
