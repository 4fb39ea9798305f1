package import Wire

/// Something that can be typed: `rename NAME`.
package struct Command: Hashable, Sendable {
  package var word: String
  /// What follows it, as `help` shows it; empty for nothing.
  package var arguments: String
  /// A sentence without a period.
  package var summary: String

  package init(_ word: String, _ arguments: String, _ summary: String) {
    self.word = word
    self.arguments = arguments
    self.summary = summary
  }

  package init(_ word: String, _ summary: String) { self.init(word, "", summary) }
}

/// A line that was typed: a word, and what follows it.
package struct CommandLine: Hashable, Sendable {
  /// Lower case; empty for a blank line.
  package let word: String
  /// Without the blanks around it.
  package let rest: String

  package init(_ line: String) {
    let words = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
    word = words.first.map { $0.lowercased() } ?? ""
    guard words.count > 1 else {
      rest = ""
      return
    }
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var text = words[1].drop(while: blanks)
    while let last = text.last, blanks(last) { text.removeLast() }
    rest = String(text)
  }

  /// A number from 1 to `count`, as lists on screens are numbered.
  ///
  /// - Throws: 4004 that says what to type.
  package func index(in count: Int, of what: String) throws(WireError) -> Int {
    guard let number = Int(rest), (1...max(1, count)).contains(number), count > 0 else {
      throw WireError(
        .invalidField,
        count == 0
          ? "there is no \(what) here"
          : "\(word) takes the number of a \(what), from 1 to \(count)")
    }
    return number - 1
  }

  /// The error for a word that is not among those of the screen.
  package func unknown(among commands: [Command]) -> WireError {
    let nearest = Nearest.word(to: word, among: commands.map(\.word))
    return WireError(
      .malformedJSON,
      "there is no \(word.quoted) here; "
        + (nearest.map { "did you mean \($0)? " } ?? "") + "type help for what there is")
  }
}
