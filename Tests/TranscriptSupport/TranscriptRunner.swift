/// How the lines that a transcript sends are cut on their way.
package enum Cut: Sendable, Equatable {
  case whole
  /// In two, after so many bytes; a shorter line stays whole.
  case after(Int)
  case everyByte
}

/// Plays a transcript against a server and compares what comes back.
package struct TranscriptRunner<Server: TranscriptServer> {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private struct Link {
    var number: Int
    /// Lines sent.
    var lines = 0
    var hasEnded = false
  }

  private var server: Server
  private let cut: Cut
  private var links: [String: Link] = [:]
  private var bindings = Bindings()
  private var pings = 0
  /// Every line either way, in the order in which the runner saw them.
  package private(set) var lines: [DialogueLine] = []

  package init(_ server: Server, cut: Cut = .whole) {
    self.server = server
    self.cut = cut
  }

  package mutating func run(_ transcript: Transcript) throws {
    for step in transcript.steps {
      do {
        try perform(step.action)
      } catch {
        throw Failure(description: "\(transcript.name).ndjson:\(step.line): \(error)")
      }
    }
    do {
      for name in links.keys.sorted() where !links[name]!.hasEnded { try requireQuiet(name) }
    } catch {
      throw Failure(description: "\(transcript.name).ndjson, after the last step: \(error)")
    }
  }

  private mutating func perform(_ action: Transcript.Action) throws {
    switch action {
    case .open(let name):
      try leave(name)
      links[name] = Link(number: try server.open())
    case .send(let name, let text):
      let line = Array(bindings.substitute(text).utf8)
      try send(line, on: name)
    case .bytes(let name, let bytes):
      var link = try link(name)
      link.lines += bytes.count { $0 == 0x0A }
      links[name] = link
      try write(bytes, link)
    case .receive(let name, let expected):
      let line = try receive(name)
      try bindings.match(line, expected)
    case .quiet(let name): try requireQuiet(name)
    case .end(let name):
      let link = try link(name)
      links[name]!.hasEnded = true
      try server.end(link.number)
    case .closed(let name):
      guard let link = links.removeValue(forKey: name) else {
        throw Failure(description: "\(name) has no connection")
      }
      if let line = try server.nextLine(on: link.number) {
        throw Failure(description: "\(name) was to be closed, and received \(text(line))")
      }
      guard try server.isClosed(link.number) else {
        throw Failure(description: "\(name) is still open")
      }
      try server.close(link.number)
    case .close(let name): try leave(name)
    case .restart:
      try server.restart()
      for name in links.keys { links[name]!.hasEnded = true }
    case .kill:
      try server.kill()
      links = [:]
    }
  }

  // MARK: Connections

  /// The connection of that name; a new one, with its `hello` read, where there is none.
  private mutating func link(_ name: String) throws -> Link {
    if let link = links[name] {
      guard link.hasEnded, try server.isClosed(link.number) else { return link }
    }
    let number = try server.open()
    let link = Link(number: number)
    links[name] = link
    let line = try receive(name)
    guard try JSONReader.read(line)["type"] == .string("hello") else {
      throw Failure(description: "\(name) was greeted with \(text(line))")
    }
    return link
  }

  /// The client closes its connection, where there is one; nothing may be unread.
  private mutating func leave(_ name: String) throws {
    guard let link = links[name] else { return }
    if !link.hasEnded { try requireQuiet(name) }
    links[name] = nil
    try server.close(link.number)
  }

  private mutating func send(_ line: [UInt8], on name: String) throws {
    var link = try link(name)
    link.lines += 1
    links[name] = link
    lines.append(
      DialogueLine(
        connection: name, isToServer: true, line: line, number: link.lines, link: link.number))
    try write(line + [0x0A], link)
  }

  private mutating func write(_ bytes: [UInt8], _ link: Link) throws {
    switch cut {
    case .whole: try server.send(bytes, on: link.number)
    case .after(let count):
      guard count > 0, count < bytes.count else { return try server.send(bytes, on: link.number) }
      try server.send(Array(bytes[..<count]), on: link.number)
      try server.send(Array(bytes[count...]), on: link.number)
    case .everyByte:
      for byte in bytes { try server.send([byte], on: link.number) }
    }
  }

  private mutating func receive(_ name: String) throws -> [UInt8] {
    guard let link = links[name] else {
      throw Failure(description: "\(name) has no connection to receive on")
    }
    guard let line = try server.nextLine(on: link.number) else {
      throw Failure(description: "\(name) received nothing")
    }
    lines.append(DialogueLine(connection: name, isToServer: false, line: line, link: link.number))
    return line
  }

  /// Nothing comes before the answer to a `ping`.
  private mutating func requireQuiet(_ name: String) throws {
    pings += 1
    try send(Array("{\"type\":\"ping\",\"id\":\"quiet \(pings)\"}".utf8), on: name)
    let line = try receive(name)
    guard try JSONReader.read(line)["re"] == .string("quiet \(pings)") else {
      throw Failure(description: "\(name) was to be quiet, and received \(text(line))")
    }
  }

  private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
}
