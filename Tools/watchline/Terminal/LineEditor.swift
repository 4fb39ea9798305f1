/// A line editor without a terminal: keys come in, what to do comes out.
package struct LineEditor {
  /// What a key asks of the program.
  package enum Action: Equatable {
    /// Only the line has changed.
    case none
    /// The line is done; the next one is empty.
    case submit(String)
    /// More than one name fits.
    case list([String])
    case bell
    case endOfInput, interrupt, suspend, clearScreen
  }

  package private(set) var line = EditedLine()
  package private(set) var history: History
  /// The last key was a Tab that changed nothing, so that the next one lists what fits.
  private var hasAskedForMore = false

  /// What Tab makes of the line up to the cursor.
  private let completion: (String) -> Completion?

  package init(
    history: History = History(), completion: @escaping (String) -> Completion? = Completion.init
  ) {
    self.history = history
    self.completion = completion
  }

  package mutating func apply(_ key: EditorKey) -> Action {
    let hadAsked = hasAskedForMore
    hasAskedForMore = false
    switch key {
    case .text(let text): line.insert(text)
    case .enter: return submit()
    case .pastedNewline:
      // JSON that was pasted over several lines is one line.
      if Self.isOpen(line.text) { line.insert(" ") } else { return submit() }
    case .tab: return complete(hadAsked)
    case .backspace: line.deleteBefore()
    case .delete: line.deleteAfter()
    case .left: line.moveLeft()
    case .right: line.moveRight()
    case .wordLeft: line.moveWordLeft()
    case .wordRight: line.moveWordRight()
    case .home: line.moveToStart()
    case .end: line.moveToEnd()
    case .up: return show(history.older(than: line.text))
    case .down: return show(history.newer())
    case .killToEnd: line.killToEnd()
    case .killToStart: line.killToStart()
    case .killWordBefore: line.killWordBefore()
    case .killWordAfter: line.killWordAfter()
    case .yank: line.yank()
    case .endOfInput:
      if line.isEmpty { return .endOfInput }
      line.deleteAfter()
    case .interrupt: return .interrupt
    case .suspend: return .suspend
    case .clearScreen: return .clearScreen
    }
    return .none
  }

  /// Keeps a line that was sent.
  ///
  /// - Returns: whether it is to be remembered.
  package mutating func remember(_ sent: String) -> Bool { history.add(sent) }

  private mutating func submit() -> Action {
    let text = line.text
    line.replace(with: "")
    return .submit(text)
  }

  private mutating func show(_ text: String?) -> Action {
    guard let text else { return .bell }
    line.replace(with: text)
    return .none
  }

  private mutating func complete(_ hadAsked: Bool) -> Action {
    guard let completion = completion(line.textBeforeCursor) else { return .bell }
    let before = line
    line.replaceBefore(completion.replaced, with: completion.text)
    guard line == before else { return .none }
    if hadAsked { return .list(completion.candidates) }
    hasAskedForMore = true
    return .bell
  }

  /// Whether the text starts an object or array that it does not end.
  private static func isOpen(_ text: String) -> Bool {
    guard text.first(where: { !$0.isWhitespace }) == "{" else { return false }
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in text.utf8 {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case 0x5C: isEscaped = isInString
      case 0x22: isInString.toggle()
      case 0x7B, 0x5B: depth += isInString ? 0 : 1
      case 0x7D, 0x5D: depth -= isInString ? 0 : 1
      default: break
      }
    }
    return depth > 0
  }
}
