/// Finds the word that was probably meant.
package enum Nearest {
  /// The word of `among` with the fewest edits from `to`, case aside; the first of equals.
  ///
  /// An edit is a letter inserted, deleted, replaced, or exchanged with its neighbour (Damerau 1964,
  /// "optimal string alignment": no letter is edited twice). Nil where the nearest is more than
  /// three edits away, or more than half the length of `to`.
  package static func word(to: String, among: [String]) -> String? {
    let typed = Array(to.lowercased().utf8)
    var best: (word: String, distance: Int)?
    for word in among {
      let candidate = Array(word.lowercased().utf8)
      let limit = min(3, typed.count / 2)
      guard abs(candidate.count - typed.count) <= limit else { continue }
      let distance = distance(typed, candidate)
      if distance <= limit, distance < best?.distance ?? .max { best = (word, distance) }
    }
    return best?.word
  }

  /// `did you mean NEAREST?`, for the end of an error; `other` where nothing is near enough.
  package static func advice(
    for typed: String, among words: [String], else other: @autoclosure () -> String
  ) -> String {
    word(to: typed, among: words).map { "did you mean \($0)?" } ?? other()
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var fewest = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          fewest = min(fewest, beforeLast[column - 1] + 1)
        }
        current.append(fewest)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
