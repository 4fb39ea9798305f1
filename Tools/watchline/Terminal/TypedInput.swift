internal import EventLoop
internal import Glibc
internal import Relay

/// Receives what a person does at a terminal.
protocol TypedInputHandler: AnyObject {
  /// Enter was pressed on a line that is not blank.
  func submitted(_ line: String)
  /// Enter was pressed on a blank line.
  func submittedNothing()
  /// Ctrl-D was pressed on an empty line.
  func typedEnd()
  /// Ctrl-C was pressed.
  func typedInterrupt()
  /// The process was sent a signal to end.
  func wasEnded(by signal: Int32)
  /// The terminal cannot be set any more.
  func failed(_ reason: String)
}

/// A terminal that lines are typed at: keys in, lines out; history, suspending, signals.
///
/// It lives as long as its handler and belongs to the loop's thread.
final class TypedInput {
  private let console: Console
  private let input: StandardInput
  private unowned let handler: any TypedInputHandler
  private let historyFile: HistoryFile?
  private var keys = KeyDecoder()
  private var signals: [Signal] = []
  private var mustSuspend = false
  private var hasEnded = false

  init(
    _ console: Console, _ input: StandardInput, historyFile: HistoryFile?,
    handler: any TypedInputHandler
  ) {
    self.console = console
    self.input = input
    self.historyFile = historyFile
    self.handler = handler
  }

  /// Begins to edit.
  func begin(loop: EventLoop) throws(UVError) {
    try input.setRaw(true)
    console.windowSize = { [input] in
      input.windowSize.map { EditorView.Size(columns: $0.columns, rows: $0.rows) }
    }
    signals = [Signal(loop: loop, number: SIGWINCH) { [unowned self] in console.redraw() }]
    for number in [SIGTERM, SIGHUP, SIGINT] {
      signals.append(
        Signal(loop: loop, number: number) { [unowned self] in handler.wasEnded(by: number) })
    }
    console.begin()
    input.start()
  }

  /// Nothing typed is looked at any more.
  func end() {
    hasEnded = true
    for signal in signals { signal.close() }
    signals = []
  }

  /// Bytes have come from the terminal.
  func read(_ bytes: UnsafeRawBufferPointer) {
    var pressed: [EditorKey] = []
    keys.decode(bytes, into: &pressed)
    console.update {
      for key in pressed where !hasEnded { act(console.editor.apply(key)) }
    }
  }

  private func act(_ action: LineEditor.Action) {
    switch action {
    case .none: break
    case .submit(let text): submit(text)
    case .list(let names): console.list(names)
    case .bell: console.ring()
    case .endOfInput: handler.typedEnd()
    case .interrupt: handler.typedInterrupt()
    case .suspend:
      // The terminal must have been told before the process stops.
      console.pause()
      mustSuspend = true
    case .clearScreen: console.clearScreen()
    }
  }

  private func submit(_ text: String) {
    guard !text.allSatisfy(\.isWhitespace) else { return handler.submittedNothing() }
    // A secret is remembered for as long as the program runs.
    if console.editor.remember(text), !text.contains(Token.prefix) { keep(text) }
    handler.submitted(text)
  }

  private func keep(_ line: String) {
    do throws(FileFailure) {
      try historyFile?.append(line)
    } catch {
      console.notice("the history cannot be kept: \(error.message)")
    }
  }

  /// Everything shown has reached the terminal.
  func outputDrained() {
    if mustSuspend { suspend() }
  }

  /// Stops the process as Ctrl-Z does elsewhere; returns when it is continued.
  private func suspend() {
    guard !hasEnded else { return }
    mustSuspend = false
    do throws(UVError) {
      try input.setRaw(false)
      raise(SIGTSTP)
      try input.setRaw(true)
    } catch {
      return handler.failed("the terminal cannot be set: \(error.message)")
    }
    console.begin()
  }
}
