/// Finds the word that was probably meant.
package enum Nearest {
  /// The word of `among` with the fewest edits from `to`, case aside; the first of equals.
  ///
  /// An edit is a letter inserted, deleted, replaced, or exchanged with its neighbour (Damerau 1964,
  /// "optimal string alignment": no letter is edited twice). Nil where the nearest is more than
  /// three edits away, or more than half the length of `to`.
  package static func word(to: String, among: [String]) -> String? {
    let typed = Array(to.lowercased().utf8)
    let limit = min(3, typed.count / 2)
    var best: (word: String, distance: Int)?
    var rows = Rows(typed.count + limit + 1)
    for word in among {
      // Most are ruled out by this.
      guard abs(word.utf8.count - typed.count) <= limit else { continue }
      let candidate = Array(word.lowercased().utf8)
      let nearest = best.map { $0.distance - 1 } ?? limit
      guard abs(candidate.count - typed.count) <= nearest,
        let distance = rows.distance(typed, candidate, atMost: nearest)
      else { continue }
      best = (word, distance)
    }
    return best?.word
  }

  /// `did you mean NEAREST?`, for the end of an error; `other` where nothing is near enough.
  package static func advice(
    for typed: String, among words: [String], else other: @autoclosure () -> String
  ) -> String {
    word(to: typed, among: words).map { "did you mean \($0)?" } ?? other()
  }

  /// Rows of the table of distances between the starts of two words; only the last three are needed.
  private struct Rows {
    private var beforeLast: [Int]
    private var last: [Int]
    private var current: [Int]

    init(_ width: Int) {
      let row = [Int](repeating: 0, count: width)
      (beforeLast, last, current) = (row, row, row)
    }

    /// - Returns: nil where it is more than `most`.
    mutating func distance(_ left: [UInt8], _ right: [UInt8], atMost most: Int) -> Int? {
      for column in 0...right.count { last[column] = column }
      for row in 0..<left.count {
        current[0] = row + 1
        var lowest = row + 1
        for column in 0..<right.count {
          let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
          var fewest = min(replaced, last[column + 1] + 1, current[column] + 1)
          if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
            fewest = min(fewest, beforeLast[column - 1] + 1)
          }
          current[column + 1] = fewest
          lowest = min(lowest, fewest)
        }
        // What comes below is no lower.
        guard lowest <= most else { return nil }
        swap(&beforeLast, &last)
        swap(&last, &current)
      }
      return last[right.count] <= most ? last[right.count] : nil
    }
  }
}
