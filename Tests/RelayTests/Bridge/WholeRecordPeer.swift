import AppModels
import Foundation
import Merge
import RelaySupport
import Wire

/// A whole-record device at the end of a connection: its model, what it has yet to send, and what it
/// has processed. Both outlive its connections.
///
/// It sends what it did before it acknowledges anything, and numbers its transfers.
final class WholeRecordPeer {
  let name: String
  var model: WholeRecordDevice
  private let world: World
  private(set) var isConnected = false
  /// Leaves what comes in unread.
  var holdsInput = false
  /// Says what it has processed.
  var acknowledges = true
  /// Has processed deliveries up to this one.
  private(set) var received: UInt64 = 0
  /// Sent and not finished, by `n`.
  private(set) var queue: [(n: Int, payload: [UInt8])] = []
  private var nextNumber = 1
  private var incarnation = 0
  var envelope = TodoTimersEnvelope()
  /// Every message of the hub's that it has processed.
  private(set) var history: [TodoTimersMessage] = []
  private(set) var errors: [Answer] = []
  private var isReading = false
  /// Its clock is that far from the world's, in seconds.
  var skew = 0.0

  init(_ name: String, _ role: WholeRecordDevice.Role, _ world: World) {
    self.name = name
    self.world = world
    model = WholeRecordDevice(role)
  }

  /// Seconds since 2001.
  var now: Double { max(0, Double(world.now / 1000 - 978_307_200_000) / 1000 + skew) }

  // MARK: The connection

  func connect(received told: UInt64? = nil) {
    disconnect()
    world.open(name)
    isConnected = true
    let role = model.role == .phone ? "phone" : "watch"
    world.send(
      """
      {"type":"activate","pair":"p","role":"\(role)","device":"\(name)","bridge":"todoTimers",\
      "incarnation":"\(incarnation)","received":{"userInfo":\(told ?? received)},"store":"memory"}
      """, on: name)
    for item in queue { send(item) }
    settle()
  }

  func disconnect() {
    guard isConnected else { return }
    isConnected = false
    world.close(name)
  }

  /// The relay has ended, and with it the connection.
  func wasCut() { isConnected = false }

  /// It loses all that it stored, and comes back as new.
  func reset() {
    disconnect()
    model = WholeRecordDevice(model.role)
    queue = []
    received = 0
    nextNumber = 1
    incarnation += 1
  }

  private func send(_ item: (n: Int, payload: [UInt8])) {
    var line = Array("{\"type\":\"transferUserInfo\",\"n\":\(item.n),\"payload\":".utf8)
    line += item.payload
    line += [0x7D, 0x0A]
    world.send(line, on: name)
  }

  // MARK: What it does

  /// Sends messages, now or as soon as it is connected.
  func say(_ messages: [TodoTimersMessage]) {
    for message in messages {
      queue.append((nextNumber, envelope.dictionary(message)))
      nextNumber += 1
      if isConnected { send(queue[queue.count - 1]) }
    }
    settle()
  }

  /// Sends a message once more, as another lane would bring it late.
  func repeatLast(_ message: TodoTimersMessage) {
    guard isConnected else { return }
    let text = String(decoding: envelope.dictionary(message), as: UTF8.self)
    world.send("{\"type\":\"sendMessage\",\"payload\":\(text)}", on: name)
    settle()
  }

  /// Reads what has come in, unless that is held. Returns whether there was anything.
  @discardableResult
  func settle() -> Bool {
    world.settle()
    // What comes while a line is processed is read after the lines that are at hand.
    guard isConnected, !holdsInput, !isReading else { return false }
    isReading = true
    defer { isReading = false }
    var hasMoved = false
    while true {
      let lines = world.client(name).lines
      guard !lines.isEmpty else { return hasMoved }
      world.client(name).lines = []
      hasMoved = true
      for line in lines { read(line) }
      world.settle()
    }
  }

  private func read(_ line: [UInt8]) {
    let answer = Answer(String(decoding: line, as: UTF8.self))
    switch answer.type {
    case "didFinishUserInfoTransfer":
      if let n = answer["n"] as? Int { queue.removeAll { $0.n == n } }
    // One that it was away for has a number in a lane of its own, which it lets lie.
    case "didReceiveUserInfo": deliver(line, answer)
    case "error": errors.append(answer)
    default: break
    }
  }

  private func deliver(_ line: [UInt8], _ answer: Answer) {
    guard let seq = answer["seq"] as? Int, UInt64(seq) > received else { return }
    var answers: [TodoTimersMessage] = []
    if answer["from"] as? String == "hub" {
      let message = line.withUnsafeBytes { bytes in
        var envelope = Envelope()
        try? envelope.scan(bytes)
        return (try? TodoTimersEnvelope.read(envelope[.payload]!, bytes))?.message
      }
      if let message {
        history.append(message)
        answers = model.apply(message, now: now)
      }
    }
    received = UInt64(seq)
    say(answers)
    if acknowledges { world.send("{\"type\":\"acknowledge\",\"seq\":\(seq)}", on: name) }
  }

  /// Takes away what has come behind so many deliveries, as if it were still on its way.
  func takeUnread(behind count: Int) -> [[UInt8]] {
    let lines = world.client(name).lines
    let last = lines.indices.filter {
      Answer(String(decoding: lines[$0], as: UTF8.self)).type == "didReceiveUserInfo"
    }[count - 1]
    world.client(name).lines = Array(lines[...last])
    return Array(lines[(last + 1)...])
  }

  func giveBack(_ lines: [[UInt8]]) { world.client(name).lines = lines + world.client(name).lines }

  func takeHistory() -> [TodoTimersMessage] {
    defer { history = [] }
    return history
  }
}

/// Texts of messages, as tests compare them.
extension TodoTimersMessage {
  /// Its name; of an update what became of the timer.
  var kind: String { String(short.prefix { $0 != " " }) }

  var short: String {
    switch self {
    case .syncRequest: "syncRequest"
    case .fullSync(let sync): "fullSync \(sync.timers.map(\.short))"
    case .timerUpdate(let update):
      "\(update.type.rawValue) \(update.timer?.short ?? update.timerID.description)"
    case .quickAction(let action): "quickAction \(action.timerID.description.prefix(4))"
    case .timerState: "timerState"
    }
  }
}

extension TimerDTO {
  fileprivate var short: String {
    let todos = orderedTodos.map { "\($0.id.description.prefix(4))\($0.isCompleted ? "!" : "")" }
    return
      "\(id.description.prefix(4)) \(name) \(durationInSeconds) \(sortOrder ?? -1) @\(updatedAt - 785_412_000) \(todos)"
  }
}
