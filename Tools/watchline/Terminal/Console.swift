internal import EventLoop

/// Shows the conversation: as it is for a program, or with times and arrows for a person, above the
/// line being typed where there is one.
final class Console {
  enum Style {
    /// Wire lines only.
    case raw
    /// With times and arrows.
    case plain
    /// The same, with an edited line below.
    case edited
  }

  let style: Style
  var editor: LineEditor
  /// Tells how large the terminal is now. It is asked before each update, for a line may come
  /// between a resize and its signal.
  var windowSize: () -> EditorView.Size? = { nil }
  private var view: EditorView
  private let usesColor: Bool
  private let output: StandardOutput
  /// What the update under way has shown.
  private var shown: [UInt8] = []
  private var isUpdating = false
  private var isPaused = false
  private var isOver = false

  init(
    style: Style, usesColor: Bool, editor: LineEditor, output: StandardOutput
  ) {
    self.style = style
    self.usesColor = usesColor
    self.editor = editor
    view = EditorView(size: EditorView.Size(columns: 80, rows: 24))
    self.output = output
  }

  // MARK: Lines

  /// Shows a line from the server, with its LF if it had one.
  func received(_ line: UnsafeRawBufferPointer, isError: Bool) {
    update {
      switch style {
      case .raw: shown += line
      case .plain: decorate("←", line, isError ? .red : .plain)
      case .edited: unfold("←", line, isError: isError)
      }
    }
  }

  /// Help as text, other JSON in colours and folded.
  private func unfold(_ arrow: String, _ line: UnsafeRawBufferPointer, isError: Bool) {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: line[..<end])
    if let text = HelpText.text(line) { return show(text + "\n", .plain) }
    let head = "\(arrow) \(LocalTime.now()) "
    guard let rows = FoldedJSON.rows(line, columns: view.size.columns, after: head.count) else {
      return decorate(arrow, line, isError ? .red : .plain)
    }
    show(head, .dim)
    for row in rows {
      for piece in row { show(piece.text, isError ? .red : piece.look) }
      shown.append(0x0A)
    }
  }

  /// Shows a line that goes to the server.
  func sent(_ line: UnsafeRawBufferPointer) {
    if style != .raw { update { decorate("→", line, .plain) } }
  }

  /// Says something about the conversation, which is not part of it.
  func notice(_ text: String) {
    guard style != .raw else { return }
    update { show("* \(text)\n", .dim) }
  }

  /// A part of a line that looks alike.
  typealias Piece = (text: String, look: Look)

  /// Shows lines in the place of everything above; below it where nothing can be taken back.
  func page(_ lines: [[Piece]]) {
    update {
      if style == .edited { shown += Array("\u{1B}[H\u{1B}[2J".utf8) }
      for line in lines {
        for piece in line { show(piece.text, piece.look) }
        shown.append(0x0A)
      }
    }
  }

  /// Lists names in columns.
  func list(_ names: [String]) {
    update {
      let width = (names.map(\.count).max() ?? 0) + 2
      let columns = max(1, view.size.columns / width)
      let rows = (names.count + columns - 1) / columns
      for row in 0..<rows {
        let line = stride(from: row, to: names.count, by: rows).map { names[$0] }
        let padded = line.dropLast().map { $0 + String(repeating: " ", count: width - $0.count) }
        show(padded.joined() + (line.last ?? "") + "\n", .plain)
      }
    }
  }

  // MARK: The edited line

  /// Has the edited line away while `body` shows things, and writes all of it at once.
  func update(_ body: () -> Void) {
    if isUpdating || isOver { return isOver ? () : body() }
    isUpdating = true
    if style == .edited, !isPaused {
      view.size = windowSize() ?? view.size
      view.clear(into: &shown)
    }
    body()
    if style == .edited, !isPaused { view.draw(editor.line, into: &shown) }
    isUpdating = false
    output.write(shown)
    shown.removeAll(keepingCapacity: true)
  }

  /// Begins to edit. Pasted text is marked by the terminal from now on, so that tabs and line ends
  /// in it are told from keys.
  func begin() {
    isPaused = false
    if style == .edited { update { shown += Array("\u{1B}[?2004h".utf8) } }
  }

  /// Shows nothing more, and leaves the terminal as it was.
  func end() {
    guard !isOver else { return }
    if style == .edited { pause() }
    isOver = true
  }

  /// Leaves the terminal to others until `begin()`.
  func pause() {
    update {
      shown += Array("\u{1B}[?2004l".utf8)
      isPaused = true
    }
  }

  func clearScreen() {
    update { shown += Array("\u{1B}[H\u{1B}[2J".utf8) }
  }

  func ring() {
    if style == .edited { output.write([0x07]) }
  }

  /// Draws the edited line anew, in a window of another size.
  func redraw() {
    update {}
  }

  // MARK: Text

  /// The SGR parameters that a text is shown with (ECMA-48 section 8.3.117).
  struct Look: Equatable {
    let parameters: String

    static let plain = Look(parameters: "")
    static let dim = Look(parameters: "2")
    static let red = Look(parameters: "31")
    /// Of JSON: a member's name, a string, a number, and true, false and null.
    static let name = Look(parameters: "36")
    static let string = Look(parameters: "32")
    static let number = Look(parameters: "33")
    static let word = Look(parameters: "35")
  }

  private func decorate(_ arrow: String, _ line: UnsafeRawBufferPointer, _ look: Look) {
    show("\(arrow) \(LocalTime.now()) ", .dim)
    show(Self.printable(line), look)
    shown.append(0x0A)
  }

  private func show(_ text: String, _ look: Look) {
    guard usesColor, look != .plain else { return shown += Array(text.utf8) }
    shown += Array("\u{1B}[\(look.parameters)m\(text)\u{1B}[0m".utf8)
  }

  /// The line without its end, and with control characters spelled out, so that none of them takes
  /// effect on the terminal.
  static func printable(_ line: UnsafeRawBufferPointer) -> String {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let text = String(decoding: line[..<end], as: UTF8.self)
    let isControl = { (scalar: UnicodeScalar) in
      scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
    }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var plain = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        let digits = String(scalar.value, radix: 16)
        plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }
}
