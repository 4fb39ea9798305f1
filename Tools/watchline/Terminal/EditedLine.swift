internal import EventLoop

/// The line being typed: what a person sees as characters, and where the cursor is among them.
package struct EditedLine: Equatable {
  /// A character and how many columns it takes on the screen.
  package struct Cell: Equatable {
    package let character: Character
    package let width: UInt8

    /// What the terminal is sent: control characters, of which tabs alone are typed, must not take
    /// effect there.
    var shown: [UInt8] {
      guard character.unicodeScalars.first!.properties.generalCategory == .control else {
        return Array(character.utf8)
      }
      return [UInt8](repeating: 0x20, count: Int(width))
    }

    init(_ character: Character) {
      self.character = character
      width = Self.width(of: character)
    }

    private static func width(of character: Character) -> UInt8 {
      let first = character.unicodeScalars.first!
      if first.value < 0x7F { return 1 }
      // Variation selector 16 asks for the picture, which is wide.
      if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
      return UInt8(terminalColumns(of: first))
    }
  }

  package private(set) var cells: [Cell] = []
  /// 0...cells.count: the cell before which text is inserted.
  package private(set) var cursor = 0
  /// What was deleted last by a kill, for `yank`.
  private var killed: [Cell] = []

  package init() {}

  package var text: String { String(cells.map(\.character)) }

  package var textBeforeCursor: String { String(cells[..<cursor].map(\.character)) }

  package var isEmpty: Bool { cells.isEmpty }

  /// Puts another text in its place, with the cursor at its end.
  package mutating func replace(with text: String) {
    cells = text.map(Cell.init)
    cursor = cells.count
  }

  package mutating func insert(_ text: String) {
    // A combining mark joins the character before it.
    guard cursor > 0, !text.isEmpty else { return insert(text.map(Cell.init)) }
    let joined = String(cells[cursor - 1].character) + text
    cells.replaceSubrange(cursor - 1..<cursor, with: [])
    cursor -= 1
    insert(joined.map(Cell.init))
  }

  /// Replaces the `count` characters before the cursor.
  package mutating func replaceBefore(_ count: Int, with text: String) {
    cells.removeSubrange(cursor - count..<cursor)
    cursor -= count
    insert(text)
  }

  package mutating func deleteBefore() {
    if cursor > 0 { replaceBefore(1, with: "") }
  }

  package mutating func deleteAfter() {
    if cursor < cells.count { cells.remove(at: cursor) }
  }

  package mutating func moveLeft() { cursor = max(0, cursor - 1) }
  package mutating func moveRight() { cursor = min(cells.count, cursor + 1) }
  package mutating func moveToStart() { cursor = 0 }
  package mutating func moveToEnd() { cursor = cells.count }
  package mutating func moveWordLeft() { cursor = wordStart }
  package mutating func moveWordRight() { cursor = wordEnd }

  package mutating func killToEnd() { kill(cursor..<cells.count) }
  package mutating func killToStart() { kill(0..<cursor) }
  package mutating func killWordBefore() { kill(wordStart..<cursor) }
  package mutating func killWordAfter() { kill(cursor..<wordEnd) }
  package mutating func yank() { insert(killed) }

  private mutating func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    killed = Array(cells[range])
    cells.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func insert(_ new: [Cell]) {
    cells.insert(contentsOf: new, at: cursor)
    cursor += new.count
  }

  private var wordStart: Int {
    var at = cursor
    while at > 0, !isWord(at - 1) { at -= 1 }
    while at > 0, isWord(at - 1) { at -= 1 }
    return at
  }

  private var wordEnd: Int {
    var at = cursor
    while at < cells.count, !isWord(at) { at += 1 }
    while at < cells.count, isWord(at) { at += 1 }
    return at
  }

  private func isWord(_ index: Int) -> Bool {
    let character = cells[index].character
    return character.isLetter || character.isNumber
  }
}
