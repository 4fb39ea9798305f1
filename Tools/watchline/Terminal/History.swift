/// The lines that were sent, oldest first, and which of them is being looked at.
package struct History {
  /// The most lines kept; the oldest go first.
  package static let maximumLines = 1_000

  package private(set) var lines: [String]
  /// The line shown; `lines.count` is the one being typed.
  private var position: Int
  /// What was being typed when the first older line was looked at.
  private var draft = ""

  package init(_ lines: [String] = []) {
    self.lines = Array(lines.suffix(Self.maximumLines))
    position = self.lines.count
  }

  /// Keeps a line, unless it is blank or the same as the last.
  ///
  /// - Returns: whether it is kept.
  package mutating func add(_ line: String) -> Bool {
    let isKept = !line.allSatisfy(\.isWhitespace) && line != lines.last
    if isKept {
      lines.append(line)
      if lines.count > Self.maximumLines { lines.removeFirst() }
    }
    position = lines.count
    draft = ""
    return isKept
  }

  /// The line before the one shown; nil at the oldest.
  package mutating func older(than shown: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = shown }
    position -= 1
    return lines[position]
  }

  /// The line after the one shown; nil at the one being typed.
  package mutating func newer() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position == lines.count ? draft : lines[position]
  }
}
