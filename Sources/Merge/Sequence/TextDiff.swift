/// One replacement that a save makes: what a whole-string save becomes before it is merged.
package struct TextEdit: Hashable, Sendable {
  /// In scalars of the old text.
  package var offset: Int
  /// Scalars of the old text that go.
  package var removed: Int
  package var inserted: String

  package init(offset: Int, removed: Int, inserted: String) {
    self.offset = offset
    self.removed = removed
    self.inserted = inserted
  }

  /// The replacements that make one text of another: ascending, with something kept between any
  /// two. All offsets refer to the old text.
  ///
  /// Whole grapheme clusters are replaced, compared by their exact scalars (not by canonical
  /// equivalence, as `==` of strings does). The common prefix and suffix are never touched. The
  /// middle gets a shortest edit script, or is replaced as a whole where that would take more than
  /// `Myers.editLimit` clusters or `Myers.stepLimit` steps.
  package static func edits(from old: String, to new: String) -> [TextEdit] {
    let ends = CommonEnds(old, new)
    let (prefix, suffix) = (ends.prefix, ends.suffix)
    let oldMiddle = middle(old, prefix, suffix)
    let newMiddle = middle(new, prefix, suffix)
    if oldMiddle.isEmpty, newMiddle.isEmpty { return [] }
    var offset = old.utf8.prefix(prefix).count { $0 & 0xC0 != 0x80 }
    func whole() -> TextEdit {
      TextEdit(
        offset: offset, removed: oldMiddle.unicodeScalars.count, inserted: String(newMiddle))
    }
    // Nothing is kept between two ends that meet: no clusters have to be found.
    guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return [whole()] }
    guard !differsInMany(oldMiddle, newMiddle) else { return [whole()] }

    var clusters = Clusters()
    let before = clusters.numbers(of: oldMiddle)
    let after = clusters.numbers(of: newMiddle)
    guard let kept = Myers(before, after).pairs() else { return [whole()] }
    var edits: [TextEdit] = []
    var (x, y) = (0, 0)
    for pair in kept + [(before.count, after.count)] {
      if x < pair.0 || y < pair.1 {
        let removed = clusters.scalarCount(before[x..<pair.0])
        edits.append(
          TextEdit(
            offset: offset, removed: removed, inserted: clusters.text(after[y..<pair.1])))
        offset += removed
      }
      if pair.0 < before.count { offset += clusters.scalarCount(before[pair.0...pair.0]) }
      (x, y) = (pair.0 + 1, pair.1 + 1)
    }
    return edits
  }

  /// Whether two ASCII texts surely need more edits than `Myers.editLimit`, by how often each character is in both: of
  /// long texts that is quicker than to look for a script.
  private static func differsInMany(_ old: Substring, _ new: Substring) -> Bool {
    var balance = Array(repeating: 0, count: 0x80)
    for (text, change) in [(old, -1), (new, 1)] {
      var text = text
      let isPlain = text.withUTF8 { bytes in
        // A CR may be one cluster with what follows.
        for byte in bytes {
          guard byte < 0x80, byte != 0x0D else { return false }
          balance[Int(byte)] += change
        }
        return true
      }
      guard isPlain else { return false }
    }
    return balance.reduce(0) { $0 + abs($1) } > Myers.editLimit
  }

  private static func middle(_ text: String, _ prefix: Int, _ suffix: Int) -> Substring {
    let start = text.utf8.index(text.startIndex, offsetBy: prefix)
    return text[start..<text.utf8.index(text.endIndex, offsetBy: -suffix)]
  }
}

/// Numbers for grapheme clusters, equal where the scalars are: a scalar that stands alone is its
/// own number, what has several gets the next one above.
private struct Clusters {
  private static let first: UInt32 = 0x11_0000
  private var several: [[Unicode.Scalar]] = []
  private var numbers: [[Unicode.Scalar]: UInt32] = [:]

  mutating func numbers(of text: Substring) -> [UInt32] {
    let scalars = Array(text.unicodeScalars)
    var result: [UInt32] = []
    result.reserveCapacity(scalars.count)
    var (at, byte) = (0, 0)
    while at < scalars.count {
      let scalar = scalars[at]
      if Self.standsAlone(scalar, before: at + 1 < scalars.count ? scalars[at + 1] : nil) {
        result.append(scalar.value)
        byte += UTF8.width(scalar)
        at += 1
        continue
      }
      let start = text.utf8.index(text.startIndex, offsetBy: byte)
      let cluster = scalars[at..<at + text[start].unicodeScalars.count]
      result.append(number(of: cluster))
      byte += cluster.reduce(0) { $0 + UTF8.width($1) }
      at = cluster.endIndex
    }
    return result
  }

  /// Whether a scalar with which a cluster begins is surely all of it. Below U+0300 nothing joins what is before it but
  /// LF a CR (Unicode Standard Annex #29, rules GB3 to GB999).
  private static func standsAlone(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    guard let next else { return true }
    return scalar.value < 0x300 && next.value < 0x300 && scalar != "\r"
  }

  private mutating func number(of cluster: ArraySlice<Unicode.Scalar>) -> UInt32 {
    if cluster.count == 1 { return cluster.first!.value }
    let cluster = Array(cluster)
    if let number = numbers[cluster] { return number }
    let number = Self.first + UInt32(several.count)
    numbers[cluster] = number
    several.append(cluster)
    return number
  }

  func scalarCount(_ numbers: ArraySlice<UInt32>) -> Int {
    numbers.reduce(0) { $0 + scalars($1).count }
  }

  func text(_ numbers: ArraySlice<UInt32>) -> String {
    String(String.UnicodeScalarView(numbers.flatMap(scalars)))
  }

  private func scalars(_ number: UInt32) -> [Unicode.Scalar] {
    Unicode.Scalar(number).map { [$0] } ?? several[Int(number - Self.first)]
  }
}

/// Eugene W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986): the
/// greedy algorithm of section 3, with bounds.
private struct Myers {
  /// The longest edit script, in items removed and inserted.
  static var editLimit: Int { 1_000 }
  /// The most comparisons; about ten milliseconds.
  static var stepLimit: Int { 4_000_000 }

  let old: [UInt32]
  let new: [UInt32]

  init(_ old: [UInt32], _ new: [UInt32]) {
    self.old = old
    self.new = new
  }

  /// The indices of the items that stay, in order; nil past the bounds.
  func pairs() -> [(Int, Int)]? {
    guard abs(old.count - new.count) <= Self.editLimit else { return nil }
    // furthest[k + center]: how far in `old` an edit script gets on diagonal k = x − y.
    let center = min(Self.editLimit, old.count + new.count) + 1
    var furthest = Array(repeating: 0, count: 2 * center + 1)
    var rounds: [[Int]] = []
    var steps = 0
    for edits in 0..<center {
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let at = diagonal + center
        var x =
          diagonal == -edits || diagonal != edits && furthest[at - 1] < furthest[at + 1]
          ? furthest[at + 1] : furthest[at - 1] + 1
        let start = x
        while x < old.count, x - diagonal < new.count, x >= 0, x >= diagonal,
          old[x] == new[x - diagonal]
        { x += 1 }
        steps += 1 + x - start
        furthest[at] = x
        if x >= old.count, x - diagonal >= new.count {
          return trace(rounds, edits: edits, diagonal: diagonal)
        }
      }
      if steps > Self.stepLimit { return nil }
      rounds.append(Array(furthest[center - edits...center + edits]))
    }
    return nil
  }

  /// Goes back from the end through what each round had reached.
  private func trace(_ rounds: [[Int]], edits: Int, diagonal: Int) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, diagonal) = (old.count, diagonal)
    for edits in stride(from: edits, to: 0, by: -1) {
      // Round `edits − 1` knew the diagonals from −(edits − 1) to edits − 1.
      let round = rounds[edits - 1]
      func reached(_ diagonal: Int) -> Int {
        let at = diagonal + edits - 1
        return round.indices.contains(at) ? round[at] : -1
      }
      let isInsertion =
        diagonal == -edits || diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1)
      let from = isInsertion ? reached(diagonal + 1) : reached(diagonal - 1) + 1
      while x > from {
        x -= 1
        pairs.append((x, x - diagonal))
      }
      x = isInsertion ? from : from - 1
      diagonal += isInsertion ? 1 : -1
    }
    while x > 0 {
      x -= 1
      pairs.append((x, x - diagonal))
    }
    return pairs.reversed()
  }
}
