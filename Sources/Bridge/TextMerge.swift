import Merge

/// The three-way merge of texts (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007), by
/// grapheme clusters; what both sides insert at one place stands there twice.
enum TextMerge {
  /// - Parameters:
  ///   - old: what a device started from.
  ///   - new: what it made of that.
  ///   - present: what others have made of it.
  /// - Returns: the present text with what the device changed.
  static func merge(from old: Name, to new: Name, onto present: Name) -> String {
    if old == present { return new.text }
    let (old, new, present) = (old.text, new.text, present.text)
    // For each scalar of the old text whether it is in the present one, and where it is or would be.
    let count = old.unicodeScalars.count
    var places = Array(repeating: 0, count: count + 1)
    var isThere = Array(repeating: true, count: count + 1)
    var shift = 0
    var at = 0
    for edit in TextEdit.edits(from: old, to: present) {
      for index in at..<edit.offset { places[index] = index + shift }
      at = edit.offset + edit.removed
      for index in edit.offset..<at {
        isThere[index] = false
        places[index] = edit.offset + shift
      }
      shift += edit.inserted.unicodeScalars.count - edit.removed
    }
    for index in at...count { places[index] = index + shift }
    return apply(TextEdit.edits(from: old, to: new), places, isThere, to: present)
  }

  private static func apply(
    _ edits: [TextEdit], _ places: [Int], _ isThere: [Bool], to present: String
  ) -> String {
    var text = Array(present.unicodeScalars)
    // From behind, so that places before stay.
    for edit in edits.reversed() {
      for index in (edit.offset..<edit.offset + edit.removed).reversed() where isThere[index] {
        text.remove(at: places[index])
      }
      text.insert(contentsOf: edit.inserted.unicodeScalars, at: places[edit.offset])
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: text)
    return String(result)
  }

  /// How many scalars differ: by the edits of a merge, or between what both begin and end with, whichever is fewer. A
  /// cluster that is broken up counts as a whole in a merge.
  static func distance(_ old: String, _ new: String) -> Int {
    let edited = TextEdit.edits(from: old, to: new).reduce(0) {
      $0 + $1.removed + $1.inserted.unicodeScalars.count
    }
    let (old, new) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    return min(edited, old.count + new.count - 2 * (start + end))
  }
}
