/// What a person does at a keyboard, whatever bytes the terminal makes of it.
package enum EditorKey: Equatable {
  case text(String)
  case enter
  /// The end of a line within pasted text.
  case pastedNewline
  case tab
  case backspace, delete
  case left, right, wordLeft, wordRight, home, end
  case up, down
  case killToEnd, killToStart, killWordBefore, killWordAfter, yank
  case endOfInput, interrupt, suspend, clearScreen
}
