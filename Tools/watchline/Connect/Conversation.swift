internal import EventLoop
internal import TLS
internal import Glibc
internal import Wire

/// A connection to a server, what is typed or piped into it, and what comes back.
///
///     connecting ─▶ open ─┬─ the end (ExitRule) ─▶ leaving ─▶ run() returns
///         ▲               └─ lost, while a person types ─▶ waiting ─┐
///         └───────────── the delay is over, or Enter ◀──────────────┘
final class Conversation {
  enum Phase {
    case connecting, open, waiting, leaving
  }

  /// 1 MiB: what may wait for the server or the output before no more is read.
  static let mostWaiting = 1024 * 1024
  /// How long the server has to close the connection after we have ended: 0.5 s.
  static let leavingDelay: Int64 = 500_000

  let options: ConnectOptions
  let loop: EventLoop
  let console: Console
  let output: StandardOutput
  var input: StandardInput!
  var rule: ExitRule

  var phase = Phase.connecting
  let tls: TLSContext?
  /// A server has said hello.
  var wasGreeted = false
  var connection: ServerConnection?
  /// What the connection has not been given yet.
  var outgoing: [UInt8] = []
  var mustHalfClose = false
  var envelope = Envelope()
  var incomingLines = LineSplitter()
  var typedLines = LineSplitter()
  var deliveries = Deliveries()
  /// A file that is on its way to the server.
  var sending: FileSending?

  /// The activation to send after each connect: the options' or the last one typed.
  var activation: String?
  var backoff = Backoff()
  var hasBeenOpen = false
  /// Another connection has taken the session over: connecting again at once would take it back.
  var wasReplaced = false
  /// Where lines are typed at a terminal.
  var typing: TypedInput?

  /// Ends the phases that have a deadline: `waiting` and `leaving`.
  var delay: Timer!
  var timeout: Timer?
  var ending: Ending?
  /// `--timeout` is over: what is not written yet is not waited for.
  var isTimeUp = false

  init(
    _ options: ConnectOptions, _ tls: TLSContext?, loop: EventLoop, style: Console.Style
  ) throws(UVError) {
    self.tls = tls
    self.options = options
    self.loop = loop
    activation = options.activation
    rule = ExitRule(
      until: options.until ?? (options.count == nil ? nil : options.only), count: options.count,
      timeout: options.timeout)
    output = StandardOutput(loop: loop)
    let historyFile = style == .edited ? HistoryFile(environment) : nil
    var lines: [String] = []
    var trouble: String?
    do throws(FileFailure) {
      lines = try historyFile?.load() ?? []
    } catch {
      trouble = error.message
    }
    console = Console(
      style: style, usesColor: takesColor && style != .raw,
      editor: LineEditor(history: History(lines)), output: output)
    input = try StandardInput(loop: loop, handler: self)
    delay = Timer(loop: loop) { [unowned self] in delayIsOver() }
    output.onDrain = { [unowned self] in outputDrained() }
    output.onFail = { [unowned self] in outputFailed($0) }
    if style == .edited {
      typing = TypedInput(console, input, historyFile: historyFile, handler: self)
      try typing?.begin(loop: loop)
    }
    if let trouble { console.notice("the history cannot be read: \(trouble)") }
  }

  /// Talks until the end.
  func run() throws(UVError) -> Ending {
    if let microseconds = options.timeout {
      timeout = Timer(loop: loop) { [unowned self] in
        isTimeUp = true
        finish(rule.timedOut())
      }
      timeout?.start(after: microseconds)
    }
    connect()
    try loop.run()
    return ending ?? Ending(1, "the conversation ended without a reason")
  }

  /// Shows and sends nothing more, and takes its leave of the server.
  func finish(_ ending: Ending) {
    guard self.ending == nil else { return }
    self.ending = ending
    let wasOpen = phase == .open
    phase = .leaving
    console.end()
    input.close()
    timeout?.close()
    typing?.end()
    delay.stop()
    delay.start(after: Self.leavingDelay)
    guard wasOpen, let connection, connection.isOpen else {
      connection?.close()
      return finishLeaving()
    }
    if options.acknowledgesAutomatically, !rule.inputHasEnded {
      outgoing += deliveries.acknowledgements
    }
    // The server learns that this is an end and no failure; what it still sends is dropped.
    endOutput(of: connection)
    try? connection.startReading()
  }

  /// The connection has been closed: only output may still have to be written.
  func finishLeaving() {
    if phase == .leaving, !isTimeUp || output.waitingBytes == 0 { delay.close() }
  }

  private func delayIsOver() {
    switch phase {
    case .waiting: connect()
    case .leaving:
      connection?.close()
      delay.close()
      if isTimeUp, output.waitingBytes > 0 { loop.stop() }
    case .connecting, .open: break
    }
  }

  private func outputDrained() {
    typing?.outputDrained()
    if phase == .open { try? connection?.startReading() }
    if connection?.isOpen != true { finishLeaving() }
  }

  private func outputFailed(_ error: UVError) {
    finish(Ending(1, "the output cannot be written: \(error.message)"))
  }
}
