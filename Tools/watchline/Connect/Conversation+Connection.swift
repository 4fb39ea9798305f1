internal import EventLoop
internal import Wire

extension Conversation: ServerConnectionHandler {
  func connect() {
    phase = .connecting
    do throws(ConnectionFailure) {
      connection = try ServerConnection(options.endpoint, tls, loop: loop, handler: self)
    } catch {
      broken(error)
    }
  }

  func connectionDidOpen(_ connection: ServerConnection) {
    guard phase == .connecting else { return connection.close() }
    phase = .open
    deliveries = Deliveries()
    console.update {
      console.notice(
        hasBeenOpen
          ? "connected to \(options.endpoint) again"
          : "connected to \(options.endpoint); Tab completes, Ctrl-D ends the input, Ctrl-C leaves")
      hasBeenOpen = true
      if let activation { activate(activation) }
    }
    do throws(ConnectionFailure) {
      try connection.startReading()
    } catch {
      connection.close()
      return broken(error)
    }
    input.start()
  }

  func connection(_ connection: ServerConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard ending == nil else { return }
    var isTooLong = false
    console.update {
      isTooLong = !incomingLines.split(bytes) { line in
        received(line)
        return ending == nil
      }
    }
    guard ending == nil else { return }
    if isTooLong {
      finish(rule.failed("a line is longer than \(LineSplitter.longestLine) bytes"))
    } else if output.waitingBytes > Self.mostWaiting {
      connection.stopReading()
    }
  }

  func connectionDidEnd(_ connection: ServerConnection) {
    if ending == nil {
      let rest = incomingLines.takeRest()
      if !rest.isEmpty { rest.withUnsafeBytes { received($0) } }
    }
    connection.close()
    if ending == nil {
      if !wasGreeted {
        let advice = tls == nil ? "; it may speak TLS: see --tls" : ""
        finish(rule.failed("the server closed the connection without a word\(advice)"))
      } else if goesOn {
        lose("the server closed it")
      } else {
        finish(rule.closed())
      }
    }
    finishLeaving()
  }

  func connection(_ connection: ServerConnection, didFail failure: ConnectionFailure) {
    if ending == nil { broken(failure) }
    finishLeaving()
  }

  func connectionDidWrite(_ connection: ServerConnection) { flush() }

  func connectionDidClose(_ connection: ServerConnection) {
    if self.connection === connection { self.connection = nil }
  }

  // MARK: Receiving

  private func received(_ line: UnsafeRawBufferPointer) {
    let summary = LineSummary(line, &envelope)
    if options.only.map({ $0 == summary.type }) ?? true {
      console.received(line, isError: summary.type == "error")
    }
    if let next = sending?.received(line) { carryOn(next) }
    if summary.type == "hello" {
      wasGreeted = true
      backoff.reset()
    }
    if summary.type == "activationDidComplete" { wasReplaced = false }
    if summary.reason == "replaced" { wasReplaced = true }
    if let number = summary.delivery { deliveries.shown(number) }
    if let ending = rule.received(summary) { finish(ending) }
  }

  // MARK: Sending

  /// Sends the file's next line, or says what became of it.
  func carryOn(_ step: FileSending.Step) {
    switch step {
    case .send(let line):
      outgoing += line + [0x0A]
      flush()
    case .done(let text):
      sending = nil
      console.notice(text)
    }
  }

  /// Sends an activation, with the environment's token where it has none of its own. What is shown has none.
  private func activate(_ line: String) {
    guard let token = environmentToken, line.hasPrefix("{"),
      (try? Members(Array(line.utf8)))?.has("token") == false
    else { return send(line) }
    Array(line.utf8).withUnsafeBytes { sent($0) }
    outgoing += line.utf8.dropLast()
    outgoing.append(",\"token\":", quoted: token)
    outgoing += [0x7D, 0x0A]
    flush()
  }

  /// Sends a line that this program or a person has made.
  func send(_ line: String) {
    var bytes = Array(line.utf8)
    bytes.append(0x0A)
    bytes.withUnsafeBytes { sent($0) }
    outgoing += bytes
    flush()
  }

  /// Shows a line that goes to the server, and notes what it means for this side.
  func sent(_ line: UnsafeRawBufferPointer) {
    console.sent(line)
    // Only a script's short lines can be the one that matters; the rest is not looked into.
    if console.style == .raw, line.count > 64 { return }
    let text = Console.printable(line)
    switch LineSummary(sent: text, &envelope).type {
    case "quit": rule.inputEnded()
    case "activate": activation = text
    default: break
    }
  }

  /// Gives the connection what it takes, and ends it when that was all.
  func flush() {
    guard phase == .open || phase == .leaving, let connection, connection.isOpen,
      !connection.isWriting
    else { return }
    if !outgoing.isEmpty {
      // A server that is gone tells by the end of what it sends, of which there may still be some.
      let written = connection.tryWrite(outgoing)
      if written < outgoing.count { connection.write(outgoing, from: written) }
      outgoing = []
    }
    if connection.isWriting { return }
    if mustHalfClose { connection.shutdown() }
    if phase == .open { input.start() }
  }

  func endOutput(of connection: ServerConnection) {
    mustHalfClose = true
    flush()
  }

  // MARK: Losing

  /// Whether the loss of the connection is not the end: a person is there to go on.
  private var goesOn: Bool { console.style == .edited && hasBeenOpen && !rule.inputHasEnded }

  private func broken(_ error: ConnectionFailure) {
    // To write to, or to end, a connection that the server has reset fails with these.
    let isReset = phase == .open && ["ENOTCONN", "EPIPE"].contains(error.name)
    let message = isReset ? "connection reset by peer" : error.message
    if goesOn { return lose(message) }
    if hasBeenOpen { return finish(rule.failed(message)) }
    let hint = error.name == "ECONNREFUSED" ? " (is watchline-server running?)" : ""
    finish(Ending(1, "cannot connect to \(options.endpoint): \(message)\(hint)"))
  }

  private func lose(_ message: String) {
    let wasOpen = phase == .open
    phase = .waiting
    incomingLines = LineSplitter()
    outgoing = []
    sending = nil
    console.update {
      console.notice(
        wasOpen
          ? "connection lost: \(message); what was not answered may not have arrived"
          : "cannot connect: \(message)")
      if wasReplaced {
        console.notice("another connection has the session: Enter takes it back, Ctrl-C leaves")
        return
      }
      let seconds = backoff.next()
      let deed = activation == nil ? "connecting" : "connecting and activating"
      console.notice("\(deed) again in \(seconds) s: Enter does so now, Ctrl-C leaves")
      delay.start(after: Int64(seconds) * 1_000_000)
    }
  }
}
