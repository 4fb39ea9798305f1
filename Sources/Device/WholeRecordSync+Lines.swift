import AppModels
import Merge
package import Wire

/// The lanes: what is sent in them, and what comes.
extension WholeRecordSync {
  package var activation: [UInt8] {
    var line: [UInt8] = []
    line.append(",\"bridge\":", quoted: schema.name.text)
    line.append(",\"incarnation\":", quoted: incarnation)
    if !store.isEmpty {
      line.append(",\"store\":", quoted: store)
      line.append(",\"received\":{" as StaticString)
      for (index, lane) in received.keys.sorted().enumerated() {
        line.append(index > 0 ? "," : "", quoted: lane)
        line.append(0x3A)
        line.append(decimal: received[lane]!)
      }
      line.append(0x7D)
    }
    return line
  }

  package func disconnected() {
    isActive = false
    isReachable = false
    waits = 0
    output = []
    owed = [:]
  }

  package func push() { send() }

  // MARK: Out

  /// The last number that was given.
  private var lastNumber: Int64 { queue.compactMap(\.number).reduce(accepted, max) }

  /// Sends what is not sent yet, in order, then acknowledges. A number that a refused request did not use
  /// up is given again, once all that were sent with it are answered.
  func send() {
    guard isActive, waits == 0 else { return }
    if let first = queue.firstIndex(where: { !$0.isSent }) {
      guard !queue[first...].contains(where: { $0.isSent && $0.lane.isNumbered }) else { return }
      var last = lastNumber
      for index in queue.indices where !queue[index].isSent {
        if queue[index].lane.isNumbered {
          last += 1
          queue[index].number = last
        }
        queue[index].isSent = true
        output.append(line(of: queue[index]))
      }
    }
    for lane in owed.keys.sorted() {
      output.append(
        Array("{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"seq\":\(owed[lane]!)}".utf8))
    }
    owed = [:]
  }

  private func line(of item: Item) -> [UInt8] {
    var line: [UInt8] = []
    line.append("{\"type\":", quoted: item.lane.rawValue)
    line.append(",\"id\":", quoted: "item\(item.id)")
    if let number = item.number {
      line.append(",\"n\":" as StaticString)
      line.append(decimal: number)
    }
    if item.lane == .message { line.append(",\"expectsReply\":true" as StaticString) }
    line.append(",\"payload\":" as StaticString)
    line += TodoTimersEnvelope().dictionary(item.message)
    line.append(0x7D)
    return line
  }

  // MARK: In

  package func ingest(_ line: Members) throws -> Bool {
    switch line.type {
    case "activationDidComplete":
      try activated(line)
      return true
    case "sessionReachabilityDidChange":
      isReachable = line.isTrue("isReachable")
      return true
    case "accepted", "didReceiveReply", "error": return answered(line)
    case "didFinishUserInfoTransfer":
      // One that ends as it is handed over has none.
      if line.has("seq") { process("outcome", Int64(try line.counted("seq"))) }
      send()
      return false
    case "didReceiveUserInfo":
      let lane = line.has("isCurrentComplicationInfo") ? "complication" : "userInfo"
      return try delivered(line, lane)
    case "didReceiveApplicationContext": return try delivered(line, "context")
    case "hasContentPendingDidChange":
      hasContentPending = line.isTrue("hasContentPending")
      return false
    default: return true
    }
  }

  private func activated(_ line: Members) throws {
    let told = line.has("n") ? Int64(try line.counted("n")) : 0
    isActive = true
    isReachable = line.isTrue("isReachable")
    hasContentPending = line.isTrue("hasContentPending")
    let name = line.string("store") ?? ""
    if name == store, told <= lastNumber {
      queue.removeAll { $0.number.map { $0 <= told } ?? false }
    } else if name != store {
      received = [:]
    }
    store = name
    accepted = told
    for index in queue.indices.reversed() { putBack(index) }
    send()
  }

  /// What was to go by a message goes as a dated copy of its timer, by user info.
  private func date(_ index: Int) {
    guard case .quickAction(let action) = queue[index].message else {
      queue[index].lane = .userInfo
      return
    }
    guard let timer = model.timers[action.timerID] else {
      queue.remove(at: index)
      return
    }
    queue[index].lane = .userInfo
    queue[index].message = .timerUpdate(TimerUpdateMessage(.updated, timer))
  }

  private func process(_ lane: String, _ seq: Int64) {
    received[lane] = max(received[lane] ?? 0, seq)
    owed[lane] = seq
  }

  /// - Returns: whether it is the counterpart's, for the app.
  private func delivered(_ line: Members, _ lane: String) throws -> Bool {
    let seq = Int64(try line.counted("seq"))
    let isNew = seq > received[lane] ?? 0
    defer { send() }
    process(lane, seq)
    guard isNew, line.string("from") == "hub" else { return isNew }
    guard let message = try line.message else {
      throw SyncFault("the hub says what no app understands: \(line.text.prefix(200))")
    }
    let answers = model.apply(message, now: date)
    showModel()
    enqueue(answers)
    return false
  }

  // MARK: Answers

  private func answered(_ line: Members) -> Bool {
    guard let re = line.string("re") else { return true }
    let isError = line.type == "error"
    guard re.hasPrefix("item"), let id = Int(re.dropFirst(4)),
      let index = queue.firstIndex(where: { $0.id == id })
    else { return !re.hasPrefix("item") }
    if isError {
      failed(index, line)
    } else {
      if let number = queue[index].number { accepted = max(accepted, number) }
      queue.remove(at: index)
      let refused = (line.objects("refused") ?? line.object("payload")?.objects("refused")) ?? []
      for record in refused {
        errors.append(
          "the hub refuses \(record.string("kind") ?? "a record") \(record.string("record") ?? ""): "
            + record.reason)
      }
    }
    send()
    return false
  }

  private func failed(_ index: Int, _ line: Members) {
    let code = line.integer("code").flatMap { ErrorCode(rawValue: Int($0)) }
    let isDefinite = line.flag("definite") ?? true
    switch code {
    case .overloaded?:
      // An indefinite one may still come, and is told when it does.
      guard isDefinite else { return }
      waits = Self.patience
      putBack(index)
    case .sequenceGap?: putBack(index)
    default:
      if !isDefinite { return putBack(index) }
      let item = queue.remove(at: index)
      errors.append("the hub refuses \(item.message.readable(model)): \(line.reason)")
    }
  }

  /// It is sent anew.
  private func putBack(_ index: Int) {
    queue[index].isSent = false
    queue[index].number = nil
    // Whether a message arrived is not known; done twice, it could undo what somebody did since.
    if queue[index].lane == .message { date(index) }
  }
}

extension TodoTimersMessage {
  /// As errors call it.
  fileprivate func readable(_ model: WholeRecordDevice) -> String {
    func timer(_ id: Identifier) -> String { model.timers[id]?.name.text.quoted ?? id.description }
    return switch self {
    case .syncRequest: "the wish for all timers"
    case .fullSync: "the list of timers"
    case .timerUpdate(let update): "timer \(timer(update.timerID))"
    case .quickAction(let action): "what was done to timer \(timer(action.timerID))"
    case .timerState(let state): "the countdown of timer \(timer(state.timerID))"
    }
  }
}
