package import Wire

/// Lines to a connection: now, or after the commit that covers them.
extension Relay {
  /// Appends one line; `body` writes its JSON.
  package func answer(_ connection: Connection, _ body: (inout [UInt8]) -> Void) {
    guard !connection.isClosed else { return }
    connection.prepareOutput()
    let before = connection.output.count
    body(&connection.output)
    connection.output.append(0x0A)
    connection.position += UInt64(connection.output.count - before)
    scheduleOutput(connection)
  }

  /// Appends the opening of a line: its type, and `re` or else `of`.
  package static func begin(
    _ output: inout [UInt8], _ type: StaticString, re: String, of request: Request
  ) {
    output.append("{\"type\":\"")
    output.append(type)
    if re.isEmpty {
      output.append("\",\"of\":\"")
      output.append(bytes: request.text)
      output.append("\"")
    } else {
      output.append("\",\"re\":")
      output.append(text: re)
    }
  }

  /// The same for the answer to a call.
  static func begin(_ output: inout [UInt8], _ type: StaticString, _ call: Call) {
    output.append("{\"type\":\"")
    output.append(type)
    if let identifier = call.identifier {
      output.append("\",\"re\":")
      output.append(bytes: call.fields.bytes(identifier))
    } else {
      output.append("\",\"of\":\"")
      output.append(bytes: call.request.text)
      output.append(0x22)
    }
  }

  func send(
    _ error: WireError, to connection: Connection, re: String = "", of request: Request? = nil,
    line: Int? = nil
  ) {
    if let limit = error.limit { counts.limits[limit, default: 0] += 1 }
    answer(connection) { output in
      output.append("{\"type\":\"error\"")
      if !re.isEmpty {
        output.append(",\"re\":")
        output.append(text: re)
      } else if let request {
        output.append(",\"of\":", quoted: request.rawValue)
      }
      let line = line ?? connection.lines
      if line > 0 {
        output.append(",\"line\":")
        output.append(decimal: line)
      }
      output.append(",\"code\":")
      output.append(decimal: error.code.rawValue)
      output.append(",\"name\":", quoted: error.code.name)
      output.append(",\"message\":")
      output.append(jsonString: error.message)
      if let limit = error.limit { output.append(",\"limit\":", quoted: limit) }
      output.append(error.definite ? ",\"definite\":true}" : ",\"definite\":false}")
    }
  }

  /// Answers once the open batch is committed. The connection is owed it until then.
  package func answerAfterCommit(_ call: Call, _ body: (inout [UInt8]) -> Void) {
    answerAfter(open.number, call, body)
  }

  /// Answers once batch `number` is committed; at once where it is.
  package func answerAfter(_ number: UInt64, _ call: Call, _ body: (inout [UInt8]) -> Void) {
    call.kept.use { connection in
      if number <= committed { return answer(connection, body) }
      connection.owed += 1
      after(number) { $0.answers.add(call, connection, body) }
    }
  }

  /// Changes what follows a batch that is not committed.
  func after(_ number: UInt64, _ body: (inout AfterCommit) -> Void) {
    if number == open.number {
      body(&open.after)
    } else if let index = inFlight.firstIndex(where: { $0.number >= number }) {
      body(&inFlight[index].after)
    }
  }

  /// Tells a device something once the open batch is committed, should its session still last.
  ///
  /// - Parameter evenAfterSession: for news that its session has ended.
  package func tellAfterCommit(
    _ device: Device, evenAfterSession: Bool = false, _ body: (inout [UInt8]) -> Void
  ) {
    guard let connection = device.connection else { return }
    open.after.answers.add(
      connection, re: "", request: nil, line: 0, session: evenAfterSession ? 0 : device.session,
      body)
  }

  /// `accepted`, once the open batch is committed.
  package func acceptAfterCommit(_ call: Call) {
    answerAfterCommit(call) { Self.accepted(&$0, call) }
  }

  func acceptNow(_ call: Call) {
    answer(call.connection) { Self.accepted(&$0, call) }
  }

  private static func accepted(_ output: inout [UInt8], _ call: Call) {
    begin(&output, "accepted", call)
    output.append("}")
  }

  /// Brings the answers of a committed batch.
  func bring(_ answers: borrowing Answers) {
    answers.bytes.withUnsafeBytes { bytes in
      var index = 0
      while index < answers.entries.count {
        // Those that follow each other on one connection leave as one piece.
        let first = index
        index += 1
        while index < answers.entries.count,
          answers.entries[index].isLike(answers.entries[first])
        {
          index += 1
        }
        bring(
          answers.entries[first], times: index - first, to: answers.entries[index - 1].end, bytes)
      }
    }
  }

  /// Brings `count` entries like `entry`, whose lines end at `end`.
  private func bring(
    _ entry: Answers.Entry, times count: Int, to end: Int, _ bytes: UnsafeRawBufferPointer
  ) {
    let connection = entry.connection
    if entry.isOwed { connection.owed -= count }
    guard connection.takesAnswers, !entry.isAnswered else { return }
    guard entry.isOwed || entry.session == 0 || connection.device?.session == entry.session
    else { return }
    connection.prepareOutput()
    connection.output.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[entry.start..<end]))
    connection.position += UInt64(end - entry.start)
    scheduleOutput(connection)
  }

  /// The store has failed: whoever waits for a commit is told that it may or may not come.
  func answerUncommitted(_ reason: String) {
    for index in inFlight.indices { fail(&inFlight[index].after.answers, reason) }
    fail(&open.after.answers, reason)
  }

  private func fail(_ answers: inout Answers, _ reason: String) {
    for index in answers.entries.indices {
      let entry = answers.entries[index]
      guard !entry.isAnswered, let request = entry.request else { continue }
      answers.entries[index].isAnswered = true
      send(
        WireError(
          .overloaded,
          "the store cannot write at present (\(reason)); this may still take effect, so "
            + request.remedy,
          definite: false),
        to: entry.connection, re: entry.re, of: request, line: entry.line)
    }
  }
}

extension Request {
  /// How to find out what came of it.
  fileprivate var remedy: String {
    switch self {
    case .syncPush: "push it again"
    case .syncEdit, .syncRestore: "look at sync.view later"
    case .syncOpen, .syncView, .syncConflicts, .syncDigest, .syncAcknowledge: "ask again later"
    default: "retry with the same n or look at outstandingTransfers"
    }
  }
}

/// Lines that wait for a commit, in order.
struct Answers {
  var bytes: [UInt8] = []
  var entries: [Entry] = []
  /// Keeps the entries' connections, which mostly come in runs.
  private var connections: [Connection] = []
  private var latest: ObjectIdentifier?

  struct Entry {
    /// The answers keep it.
    let receiver: Unmanaged<Connection>
    var start: Int
    var end: Int
    var re: String
    /// nil for news that nobody asked for.
    var request: Request?
    /// Its connection is not closed before it.
    var isOwed: Bool
    var line: Int
    /// Of news: the session that they are for; 0 for the connection, whatever its session.
    var session: UInt64 = 0
    var isAnswered = false

    var connection: Connection { receiver.takeUnretainedValue() }

    /// Whether it goes where another goes, and under the same conditions.
    func isLike(_ other: Entry) -> Bool {
      receiver.toOpaque() == other.receiver.toOpaque() && session == other.session
        && isOwed == other.isOwed
        && isAnswered == other.isAnswered
    }
  }

  mutating func reserve(like last: Answers) {
    bytes.reserveCapacity(min(last.bytes.count + last.bytes.count / 8, 1 << 20))
    entries.reserveCapacity(min(last.entries.count + last.entries.count / 8, 1 << 14))
  }

  /// Adds the answer to a request, whose connection has done that much of its share of the turn.
  mutating func add(
    _ call: Call, _ connection: Connection, _ body: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    add(connection, re: call.id, request: call.request, line: connection.lines, body)
    connection.allowance -= bytes.count - start
  }

  mutating func add(
    _ connection: Connection, re: String, request: Request?, line: Int, session: UInt64 = 0,
    isOwed: Bool = false, _ body: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    body(&bytes)
    bytes.append(0x0A)
    if latest != ObjectIdentifier(connection) {
      latest = ObjectIdentifier(connection)
      connections.append(connection)
    }
    entries.append(
      Entry(
        receiver: .passUnretained(connection), start: start, end: bytes.count, re: re,
        request: request, isOwed: isOwed || request != nil, line: line, session: session))
  }
}
