import AppModels
import Foundation
import Merge
import Wire

/// A device that knows whole records only, over TCP: its model, what it has yet to send, and what it
/// has processed outlive its connections.
final class WholeRecordClient {
  let name: String
  var model: WholeRecordDevice
  private let pair: String
  private var client: LineClient?
  private var received = 0
  /// Sent and not finished, by `n`.
  private var queue: [(n: Int, payload: [UInt8])] = []
  private var last = 0
  private(set) var errors: [Line] = []
  /// Seconds since 2001: its clock, which a test sets.
  var now = 785_412_000.0
  var envelope = TodoTimersEnvelope()

  init(_ role: WholeRecordDevice.Role, pair: String = "demo") {
    name = role == .phone ? "phone" : "watch"
    model = WholeRecordDevice(role)
    self.pair = pair
  }

  func connect(_ server: ServerProcess) throws {
    leave()
    client = try server.device(
      name, pair: pair,
      ["bridge": "todoTimers", "received": ["userInfo": received], "store": store ?? ""])
    store = client?.activation?.string("store")
    for item in queue { try send(item) }
  }

  private var store: String?

  func leave() {
    client?.close()
    client = nil
  }

  /// Does something on the device and sends what follows from it, now or with the next connection.
  func act(_ body: (inout WholeRecordDevice) throws -> [TodoTimersMessage]) throws {
    try say(try body(&model))
  }

  func say(_ messages: [TodoTimersMessage]) throws {
    for message in messages {
      last += 1
      queue.append((last, envelope.dictionary(message)))
      if client != nil { try send(queue[queue.count - 1]) }
    }
  }

  private func send(_ item: (n: Int, payload: [UInt8])) throws {
    let head = Array("{\"type\":\"transferUserInfo\",\"n\":\(item.n),\"payload\":".utf8)
    try client?.send(bytes: head + item.payload + Array("}\n".utf8))
  }

  /// Sends a line of another kind on the same connection; the answer to it.
  func ask(_ line: String) throws -> Line {
    guard let client else { throw Failure("\(name) is not connected") }
    try client.send(line)
    while true {
      let answer = try client.first("the answer to \(line)") { line in
        if line.string("re") == "ask" { return true }
        try self.read(line)
        return false
      }
      return answer
    }
  }

  /// Takes what has come in. Everything that was sent has been answered when it returns true.
  func step() throws -> Bool {
    guard let client else { return true }
    while let line = try client.lineNow() { try read(line) }
    return queue.isEmpty
  }

  private func read(_ line: Line) throws {
    switch line.type {
    case "didFinishUserInfoTransfer": queue.removeAll { $0.n == line.integer("n") }
    case "didReceiveUserInfo": try deliver(line)
    case "error": errors.append(line)
    default: break
    }
  }

  private func deliver(_ line: Line) throws {
    guard let seq = line.integer("seq"), seq > received else { return }
    var answers: [TodoTimersMessage] = []
    if line.string("from") == "hub" {
      let message = try Array(line.text.utf8).withUnsafeBytes { bytes in
        var envelope = Envelope()
        try envelope.scan(bytes)
        return try TodoTimersEnvelope.read(envelope[.payload]!, bytes)?.message
      }
      guard let message else { throw Failure("the hub speaks otherwise: \(line)") }
      answers = model.apply(message, now: now)
    }
    received = seq
    try say(answers)
    try client?.send("{\"type\":\"acknowledge\",\"seq\":\(seq)}")
  }

  /// The timers, as people would compare them.
  var shown: [[String: String]] {
    model.ordered.map { timer in
      [
        "name": timer.name.text, "seconds": "\(timer.durationInSeconds)",
        "notes": timer.notes?.text ?? "",
        "todos": timer.todoItems.sorted { ($0.sortOrder ?? 0) < ($1.sortOrder ?? 0) }
          .map { "\($0.isCompleted ? "x" : "o") \($0.text.text)" }.joined(separator: ", "),
      ]
    }
  }
}
