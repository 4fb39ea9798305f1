internal import EventLoop
internal import Glibc
internal import Wire

extension Conversation: InputHandler {
  func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer) {
    if let typing { return typing.read(bytes) }
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
}

extension Conversation: TypedInputHandler {
  func submitted(_ line: String) {
    if phase == .open, !rule.inputHasEnded {
      if let path = FileSending.path(in: line) { sendFile(path) } else { send(line) }
    } else {
      console.notice("not sent, for there is no connection; the arrow key brings it back: \(line)")
    }
  }

  private func sendFile(_ path: String) {
    guard sending == nil else { return console.notice("one file at a time; wait for the first") }
    do throws(FileFailure) {
      let file = try FileSending(path)
      sending = file
      console.notice("sending \(file.name), \(file.bytes.count) bytes")
      carryOn(.send(file.announcement))
    } catch {
      console.notice("not sent: \(error.message)")
    }
  }

  func submittedNothing() {
    guard phase == .waiting else { return }
    delay.stop()
    connect()
  }

  func typedEnd() {
    guard phase == .open, !rule.inputHasEnded else { return finish(rule.left()) }
    console.notice("the input has ended; the server answers what it owes and closes")
    endInput()
  }

  func typedInterrupt() { finish(rule.left()) }

  func wasEnded(by signal: Int32) {
    finish(Ending(by: signal))
  }

  func failed(_ reason: String) { finish(Ending(1, reason)) }
}
