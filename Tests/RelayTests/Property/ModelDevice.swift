import RelaySupport
import TranscriptSupport
import Wire

/// A phone or a watch as a careful program would be one: it keeps its numbers, remembers the last
/// seq of each lane together with what it did, and retries by n what was not answered.
final class ModelDevice {
  enum Session { case none, asked, activated, inactive }

  let name: String
  let isPhone: Bool
  let world: World
  let ledger: Ledger

  // What it keeps in its own storage.
  private(set) var nextNumber = 1
  /// Numbered operations without an answer, in order.
  var unanswered: [Int] = []
  var mustRetry = false
  /// The last seq processed of each lane.
  var seqs: [String: Int] = [:]
  /// What came under each number.
  private var seen: [String: String] = [:]
  private var downloads: [String: (name: String, bytes: [UInt8])] = [:]
  /// The last context received of each sender.
  private(set) var contexts: [String: String] = [:]
  /// The order of the last user info of each sender.
  private var lastOrder: [String: Int] = [:]
  /// Transfers of its own that were accepted, for cancelling.
  private(set) var transfers: [String: Int] = [:]
  /// Uploads by operation: bytes sent.
  var uploads: [Int: Int] = [:]
  /// Context values set since the last one that was answered; the first is the last answered.
  var contextsSet: [String] = []

  // The session.
  var session = Session.none
  var messages: [String] = []
  private(set) var lastState: JSON?

  init(_ name: String, isPhone: Bool, _ world: World, _ ledger: Ledger) {
    self.name = name
    self.isPhone = isPhone
    self.world = world
    self.ledger = ledger
  }

  var client: Client? { world.lastClient(name).flatMap { $0.isClosed ? nil : $0 } }
  var isReading: Bool { client?.holdsOutput == false }

  func send(_ line: String) {
    ledger.log.append("\(name) > \(line)")
    world.send(line, on: name)
  }

  /// The connection is gone: what was not answered may or may not have been heard.
  func lost() {
    session = .none
    messages = []
    if !unanswered.isEmpty { mustRetry = true }
  }

  // MARK: Requests

  /// Sends an operation, for the first time or again.
  func request(_ id: Int) {
    let operation = ledger.operations[id]
    let number = operation.number.map { ",\"n\":\($0)" } ?? ""
    let head = "\"id\":\"op\(id)\"\(number)"
    switch operation.kind {
    case .userInfo, .complication:
      let type =
        operation.kind == .userInfo ? "transferUserInfo" : "transferCurrentComplicationUserInfo"
      let pad = String(repeating: "x", count: id * 37 % 200)
      send("{\"type\":\"\(type)\",\(head),\"payload\":{\"op\":\(id),\"pad\":\"\(pad)\"}}")
    case .file:
      var hash = SHA256()
      let content = operation.hasWrongDigest ? operation.content + [0] : operation.content
      content.withUnsafeBytes { hash.update($0) }
      send(
        "{\"type\":\"transferFile\",\(head),\"name\":\"op\(id)\",\"size\":\(operation.content.count)"
          + ",\"sha256\":\"\(hash.hex)\"}")
    }
  }

  /// A new numbered operation.
  func begin(_ kind: Ledger.Kind, content: [UInt8] = [], hasWrongDigest: Bool = false) throws {
    let id = ledger.add(kind, from: name, number: nextNumber, content: content)
    ledger.operations[id].hasWrongDigest = hasWrongDigest
    nextNumber += 1
    unanswered.append(id)
    request(id)
    try read()
  }

  /// Sends again, in order, what was not answered.
  func retry() throws {
    mustRetry = false
    for id in unanswered where unanswered.contains(id) {
      request(id)
      try read()
      if mustRetry { return }
    }
  }

  /// Sends the next piece of an upload.
  func upload(_ id: Int, pieceSize: Int) throws {
    guard let offset = uploads[id], let transfer = ledger.operations[id].transfer else { return }
    let content = ledger.operations[id].content
    guard offset < content.count else { return }
    let piece = content[offset..<min(content.count, offset + pieceSize)]
    uploads[id] = offset + piece.count
    var data: [UInt8] = []
    data.append(base64: piece)
    send(
      "{\"type\":\"fileChunk\",\"id\":\"chunk\(id)\",\"transfer\":\"\(transfer)\",\"offset\":\(offset)"
        + ",\"data\":\"\(String(decoding: data, as: UTF8.self))\"}")
    try read()
  }

  // MARK: Lines

  /// Takes in what has come.
  func read() throws {
    guard let client = world.lastClient(name) else { return }
    for line in client.takeLines() {
      ledger.log.append("\(name) < \(line)")
      do {
        try handle(try JSONReader.read(Array(line.utf8)))
      } catch {
        throw Ledger.Violation(description: "\(name): \(error) at \(line)")
      }
    }
    if client.isClosed, session != .none { lost() }
  }

  private func handle(_ line: JSON) throws {
    switch line["type"]?.string {
    case "activationDidComplete": session = .activated
    case "sessionDidBecomeInactive": session = .inactive
    case "sessionDidDeactivate":
      session = .none
      messages = []
    case "accepted": try accepted(line)
    case "error": try refused(line)
    case "didReceiveUserInfo":
      let lane = line["isCurrentComplicationInfo"] == nil ? "userInfo" : "complication"
      if try process(lane, line, what: line["payload"]?["op"]?.text ?? "") {
        try receive(line, lane)
      }
    case "didReceiveApplicationContext":
      let value = line["payload"]?["v"]?.string ?? ""
      if try process("context", line, what: value) {
        contexts[line["from"]?.string ?? ""] = value
      }
    case "didReceiveFile": announce(line)
    case "fileChunk": try take(line)
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": try finished(line)
    case "didReceiveMessage": if let id = line["id"]?.string { messages.append(id) }
    case "state": lastState = line
    default: break
    }
  }

  /// Whether a delivery is to be processed: it is new in its lane.
  private func process(_ lane: String, _ line: JSON, what: String) throws -> Bool {
    let seq = line["seq"]?.integer ?? 0
    let place = "\(lane) \(seq)"
    if let before = seen[place] {
      guard before == what else {
        throw Ledger.Violation(description: "\(place) was \(before)")
      }
      guard line["redelivered"] == .bool(true) || lane == "file" else {
        throw Ledger.Violation(description: "\(place) came again and does not say so")
      }
    }
    seen[place] = what
    guard seq > seqs[lane] ?? 0 else { return false }
    seqs[lane] = seq
    return true
  }

  private func receive(_ line: JSON, _ lane: String) throws {
    guard let id = line["payload"]?["op"]?.integer else { return }
    try ledger.delivered(id, to: name)
    let operation = ledger.operations[id]
    guard operation.kind == .userInfo, operation.number != nil else { return }
    if id < lastOrder[operation.sender] ?? 0 {
      throw Ledger.Violation(description: "op \(id) is out of order")
    }
    lastOrder[operation.sender] = id
  }

  // MARK: Answers

  private func accepted(_ line: JSON) throws {
    guard let re = line["re"]?.string else { return }
    if re.hasPrefix("op"), let id = Int(re.dropFirst(2)) {
      ledger.operations[id].isAccepted = true
      if let transfer = line["transfer"]?.string {
        ledger.operations[id].transfer = transfer
        transfers[transfer] = id
      }
      if let offset = line["offset"]?.integer { uploads[id] = offset }
      unanswered.removeAll { $0 == id }
    } else if re.hasPrefix("cancel"), let id = Int(re.dropFirst(6)) {
      try ledger.cancelled(id)
    } else if re.hasPrefix("context"), let index = contextsSet.firstIndex(of: re) {
      contextsSet.removeFirst(index)
    }
  }

  private func refused(_ line: JSON) throws {
    guard let re = line["re"]?.string else {
      throw Ledger.Violation(description: "an error that nothing asked for")
    }
    let isDefinite = line["definite"] == .bool(true)
    if re.hasPrefix("op"), let id = Int(re.dropFirst(2)) {
      guard let number = ledger.operations[id].number else {
        ledger.operations[id].isRefused = isDefinite
        return
      }
      if isDefinite, number == nextNumber - 1, !mustRetry, unanswered.last == id,
        !ledger.operations[id].isAccepted, !isRetried.contains(id)
      {
        ledger.operations[id].isRefused = true
        unanswered.removeLast()
        nextNumber -= 1
      } else {
        isRetried.insert(id)
        mustRetry = true
      }
    } else if re.hasPrefix("cancel"), isDefinite, let id = Int(re.dropFirst(6)) {
      if !isCancelUncertain.contains(id) { ledger.operations[id].mayBeCancelled = false }
    } else if re.hasPrefix("cancel"), let id = Int(re.dropFirst(6)) {
      isCancelUncertain.insert(id)
    } else if re.hasPrefix("chunk"), let id = Int(re.dropFirst(5)) {
      // Asks where to go on.
      if uploads[id] != nil, !unanswered.contains(id) {
        unanswered.append(id)
        unanswered.sort()
        isRetried.insert(id)
      }
      uploads[id] = nil
      mustRetry = true
    } else if re.hasPrefix("context"), isDefinite {
      contextsSet.removeAll { $0 == re }
    } else if re == "activate" {
      session = .none
      guard line["code"]?.integer == 4008 else {
        throw Ledger.Violation(description: "it cannot activate")
      }
    }
  }

  /// Operations that were sent more than once, or of which a first sending may have been heard.
  var isRetried: Set<Int> = []
  private var isCancelUncertain: Set<Int> = []

  func cancel(_ transfer: String) throws {
    guard let id = transfers[transfer], ledger.operations[id].result == nil else { return }
    if ledger.operations[id].mayBeCancelled { isCancelUncertain.insert(id) }
    ledger.operations[id].mayBeCancelled = true
    send("{\"type\":\"cancelTransfer\",\"id\":\"cancel\(id)\",\"transfer\":\"\(transfer)\"}")
    try read()
  }

  private func finished(_ line: JSON) throws {
    let code = line["error"]?["code"]?.integer ?? 0
    if line["seq"] != nil {
      _ = try process("outcome", line, what: line["transfer"]?.string ?? "")
    }
    var id = line["transfer"]?.string.flatMap { transfers[$0] }
    if id == nil, let re = line["re"]?.string, re.hasPrefix("op") { id = Int(re.dropFirst(2)) }
    guard let id else { return }
    uploads[id] = nil
    unanswered.removeAll { $0 == id }
    ledger.operations[id].isAccepted = true
    try ledger.finished(id, code: code)
  }

  // MARK: Files

  private func announce(_ line: JSON) {
    let transfer = line["transfer"]?.string ?? ""
    let offset = line["offset"]?.integer ?? 0
    var bytes = downloads[transfer]?.bytes ?? []
    bytes.removeSubrange(min(offset, bytes.count)...)
    downloads[transfer] = (line["name"]?.string ?? "", bytes)
  }

  private func take(_ line: JSON) throws {
    let transfer = line["transfer"]?.string ?? ""
    guard var download = downloads[transfer], line["offset"]?.integer == download.bytes.count else {
      throw Ledger.Violation(description: "a chunk out of its place")
    }
    download.bytes += decode(line["data"]?.string ?? "")
    downloads[transfer] = download
    guard line["last"] == .bool(true) else { return }
    downloads[transfer] = nil
    guard let id = Int(download.name.dropFirst(2)), try process("file", line, what: transfer) else {
      return
    }
    guard download.bytes == ledger.operations[id].content else {
      throw Ledger.Violation(description: "op \(id) has other bytes than were sent")
    }
    try ledger.delivered(id, to: name)
  }

  private func decode(_ text: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for letter in text.utf8 where letter != 0x3D {
      bits = bits << 6 | alphabet.firstIndex(of: letter)!
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  /// Bytes of unfinished downloads, as `files` of an activation.
  var offsets: String {
    downloads.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.bytes.count)" }
      .joined(separator: ",")
  }

  /// What `received` of an activation says.
  var received: String {
    seqs.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
  }

  /// The operation that came under a number.
  func operation(_ lane: String, _ seq: Int) -> Int? {
    guard let what = seen["\(lane) \(seq)"] else { return nil }
    if lane == "file" {
      return ledger.operations.firstIndex { $0.transfer == what }
    }
    return Int(what)
  }
}

extension JSON {
  var text: String? {
    switch self {
    case .number(let text), .string(let text): text
    default: nil
    }
  }

  var integer: Int? { text.flatMap { Int($0) } }
}
