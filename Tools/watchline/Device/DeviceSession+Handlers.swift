internal import AppModels
internal import Device
internal import EventLoop
internal import Wire

extension DeviceSession: ServerConnectionHandler {
  func connectionDidOpen(_ connection: ServerConnection) {
    guard self.connection === connection else { return connection.close() }
    opened()
    do throws(ConnectionFailure) {
      try connection.startReading()
    } catch {
      connection.close()
      lost(error.message)
    }
    advance()
  }

  func connection(_ connection: ServerConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard self.connection === connection else { return }
    let isShort = incoming.split(bytes) { line in
      var end = line.count
      if end > 0, line[end - 1] == 0x0A { end -= 1 }
      device.didReceive(Array(line[..<end]), now: now)
      return true
    }
    if !isShort {
      connection.close()
      lost("a line is longer than \(LineSplitter.longestLine) bytes")
    }
    advance()
  }

  func connectionDidEnd(_ connection: ServerConnection) {
    connection.close()
    guard self.connection === connection else { return }
    lost("the server closed it")
    advance()
  }

  func connection(_ connection: ServerConnection, didFail failure: ConnectionFailure) {
    guard self.connection === connection else { return }
    connection.close()
    lost(failure.message)
    advance()
  }

  func connectionDidWrite(_ connection: ServerConnection) { flush() }

  func connectionDidClose(_ connection: ServerConnection) {}
}

extension DeviceSession: InputHandler {
  func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer) {
    if let typing { return typing.read(bytes) }
    let isShort = typedLines.split(bytes) { line in
      typed.append(Console.printable(line))
      return true
    }
    if !isShort {
      typedLines = LineSplitter()
      say("a typed line is longer than \(LineSplitter.longestLine) bytes and was dropped")
    }
    advance()
  }

  func inputDidEnd(_ input: StandardInput, error: UVError?) {
    if let error { return finish(Ending(1, "the input cannot be read: \(error.message)")) }
    let rest = typedLines.takeRest()
    if !rest.isEmpty { typed.append(rest.withUnsafeBytes { Console.printable($0) }) }
    inputHasEnded = true
    advance()
  }

  /// Does a typed line, of which `wait` is the program's own.
  func perform(_ line: String) {
    display.echo(line)
    let words = line.split(separator: " ")
    if words.first == "expect" {
      let text = line.drop { $0 == " " }.dropFirst(6).drop { $0 == " " }
      guard !text.isEmpty else { return refuse("expect takes a text that the screen shows") }
      return waiting = .shown(String(text), by: LocalTime.milliseconds + Self.patience)
    }
    if let word = words.first, word == "backup" || word == "restore" {
      let path = AppModels.CommandLine(line).rest
      guard !path.isEmpty else { return refuse("\(word) takes the path of a file") }
      return word == "backup" ? backUp(to: path) : restore(from: path)
    }
    guard words.first == "wait", words.count <= 2 else {
      if words.isEmpty || words == ["look"] { display.repeatScreen() }
      return device.type(line, now: now)
    }
    guard words.count == 2 else { return waiting = .synced }
    guard let seconds = Double(words[1]), seconds >= 0, seconds <= 86_400 else {
      return refuse("wait takes seconds, up to 86400, or nothing to wait until all is synced")
    }
    wait(Int64(seconds * 1000))
  }

  private func backUp(to path: String) {
    do throws(FileFailure) {
      guard try File.read(path) == nil else {
        return refuse("\(path) is there already; a backup is written to a new file")
      }
      let lines = device.backup
      try File.replace(path, with: Array(lines.map { $0 + [0x0A] }.joined()))
      say("\(lines.count - 1) record\(lines.count == 2 ? "" : "s") written to \(path)")
    } catch {
      refuse(error.message)
    }
  }

  private func restore(from path: String) {
    do throws(FileFailure) {
      guard let bytes = try File.read(path) else { return refuse("there is no file \(path)") }
      device.restore(backup: bytes.split(separator: 0x0A).map(Array.init), now: now)
    } catch {
      refuse(error.message)
    }
  }

  /// A line of the program's own cannot be done.
  private func refuse(_ reason: String) {
    display.show(device.styledScreen(now: now), [.error(reason)], device.records)
    if options.isStrict { finish(Ending(1, reason)) }
  }
}

extension DeviceSession: TypedInputHandler {
  func submitted(_ line: String) {
    typed.append(line)
    advance()
  }

  func submittedNothing() {
    display.repeatScreen()
    advance()
  }

  func typedEnd() {
    inputHasEnded = true
    finish(leaving)
  }

  func typedInterrupt() { finish(leaving) }

  func wasEnded(by signal: Int32) { finish(Ending(by: signal)) }

  func failed(_ reason: String) { finish(Ending(1, reason)) }
}

extension HeadlessDevice {
  /// What Tab makes of the word before the cursor.
  func completion(_ line: String) -> Completion? {
    guard !line.contains(" ") else { return nil }
    return Completion(prefix: line, names: commands.map(\.word), suffix: " ")
  }
}
