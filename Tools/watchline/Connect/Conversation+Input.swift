internal import EventLoop
internal import Glibc

extension Conversation: InputHandler {
  func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer) {
    if console.style == .edited { return typed(bytes) }
    guard phase == .open else { return }
    let isShort = typedLines.split(bytes) { line in
      sent(line)
      return true
    }
    // It is sent as it is; the copy that finds the lines may be dropped.
    if !isShort { typedLines = LineSplitter() }
    outgoing += bytes
    flush()
    if connection?.isWriting == true { input.stop() }
  }

  func inputDidEnd(_ input: StandardInput, error: UVError?) {
    if let error { return finish(Ending(1, "the input cannot be read: \(error.message)")) }
    if console.style == .edited { return finish(rule.left()) }
    let rest = typedLines.takeRest()
    if !rest.isEmpty { rest.withUnsafeBytes { sent($0) } }
    // What is waited for may come from others: the connection stays open for it.
    guard !rule.waitsForLines else { return }
    endInput()
  }

  private func endInput() {
    rule.inputEnded()
    if let connection, connection.isOpen { endOutput(of: connection) }
  }

  // MARK: A terminal

  func prepareTerminal() throws(UVError) {
    try input.setRaw(true)
    console.windowSize = { [unowned self] in
      input.windowSize.map { EditorView.Size(columns: $0.columns, rows: $0.rows) }
    }
    signals = [
      Signal(loop: loop, number: SIGWINCH) { [unowned self] in console.redraw() },
      Signal(loop: loop, number: SIGTERM) { [unowned self] in end(by: SIGTERM) },
      Signal(loop: loop, number: SIGHUP) { [unowned self] in end(by: SIGHUP) },
      Signal(loop: loop, number: SIGINT) { [unowned self] in end(by: SIGINT) },
    ]
    console.begin()
    input.start()
  }

  private func end(by number: Int32) {
    signal = number
    finish(Ending(1))
  }

  private func typed(_ bytes: UnsafeRawBufferPointer) {
    var pressed: [EditorKey] = []
    keys.decode(bytes, into: &pressed)
    console.update {
      for key in pressed where ending == nil { act(console.editor.apply(key)) }
    }
  }

  private func act(_ action: LineEditor.Action) {
    switch action {
    case .none: break
    case .submit(let text): submit(text)
    case .list(let names): console.list(names)
    case .bell: console.ring()
    case .endOfInput: endTyping()
    case .interrupt: finish(rule.left())
    case .suspend:
      // The terminal must have been told before the process stops.
      console.pause()
      isSuspending = true
    case .clearScreen: console.clearScreen()
    }
  }

  private func submit(_ text: String) {
    guard !text.allSatisfy(\.isWhitespace) else {
      if phase == .waiting {
        delay.stop()
        connect()
      }
      return
    }
    if console.editor.remember(text) { keep(text) }
    if phase == .open, !rule.inputHasEnded {
      send(text)
    } else {
      console.notice("not sent, for there is no connection; the arrow key brings it back: \(text)")
    }
  }

  private func keep(_ line: String) {
    do throws(HistoryFile.Failure) {
      try historyFile?.append(line)
    } catch {
      console.notice("the history cannot be kept: \(error.message)")
    }
  }

  private func endTyping() {
    guard phase == .open, !rule.inputHasEnded else { return finish(rule.left()) }
    console.notice("the input has ended; the server answers what it owes and closes")
    endInput()
  }

  /// Stops the process as Ctrl-Z does elsewhere; returns when it is continued.
  func suspend() {
    guard ending == nil else { return }
    isSuspending = false
    do throws(UVError) {
      try input.setRaw(false)
      raise(SIGTSTP)
      try input.setRaw(true)
    } catch {
      return finish(Ending(1, "the terminal cannot be set: \(error.message)"))
    }
    console.begin()
  }
}
