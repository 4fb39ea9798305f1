import LaneModel
import Wire

extension ServerRun {
  private static let appStates = ["foreground", "background", "suspended", "terminated"]

  /// What a device does with the lanes.
  func lane(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    if event.verb == .look { return look(node) }
    guard let what = act(node, event) else { return false }
    recorder.add(now - start, node.name, .note, what)
    node.collect()
    return true
  }

  /// - Returns: what it did, in words; nil where it could not.
  private func act(_ node: ServerNode, _ event: TraceEvent) -> String? {
    let lanes = node.lanes
    let count = Int(event.count ?? 0)
    switch event.verb {
    case .transfer: return transfer(node, event)
    case .context:
      lanes.setContext("context\(count)")
      return "sets its context to context\(count)"
    case .cancel:
      let unfinished = lanes.unfinished
      guard !unfinished.isEmpty, node.isActive else { return nil }
      let transfer = unfinished[count % unfinished.count]
      lanes.cancel(transfer)
      return "cancels transfer \(transfer)"
    default: return node.isActive ? actWhileActive(node, event, count) : nil
    }
  }

  private func transfer(_ node: ServerNode, _ event: TraceEvent) -> String? {
    let isPlain = event.flag ?? true
    let size = max(0, Int(event.count ?? 0))
    let id: Int
    if event.lane == "file" {
      id = node.lanes.begin(
        .file, content: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) },
        hasWrongDigest: !isPlain)
    } else {
      guard isPlain || node.isActive else { return nil }
      let isComplication = event.lane == "complication" && node.device.isPhone
      id = node.lanes.begin(
        isComplication ? .complication : .userInfo, content: event.payload ?? [],
        isNumbered: isPlain)
    }
    return "hands over \(node.lanes.checker[id].spelled)"
  }

  private func actWhileActive(
    _ node: ServerNode, _ event: TraceEvent, _ count: Int
  ) -> String? {
    let lanes = node.lanes
    switch event.verb {
    case .upload:
      guard lanes.upload(pieceSize: max(1, count)) else { return nil }
      return "sends a piece of its file"
    case .message:
      let expectsReply = event.flag ?? true
      lanes.message(expectsReply: expectsReply, content: event.payload)
      return expectsReply ? "sends a message, and awaits a reply" : "sends a message"
    case .reply:
      guard !lanes.messages.isEmpty else { return nil }
      lanes.reply()
      return "replies to a message"
    case .acknowledge:
      guard !lanes.seqs.isEmpty else { return nil }
      guard let lane = event.lane else {
        lanes.acknowledgeAll()
        return "acknowledges all that it has read"
      }
      lanes.acknowledge(lane, back: count)
      return "acknowledges lane \(lane)" + (count > 0 ? ", but for the last \(count)" : "")
    case .refuse:
      let lane = event.lane ?? "userInfo"
      lanes.refuse(lane, back: count)
      return "refuses a delivery of lane \(lane)"
    case .select:
      guard node.device.isPhone, let watch = event.to else { return nil }
      lanes.send("{\"type\":\"selectWatch\",\"device\":\"\(watch)\",\"id\":\"select\"}")
      return "is switched to the watch named \(watch)"
    case .appState:
      let state = Self.appStates[abs(count) % 4]
      lanes.setAppState(state)
      return "its app is now: \(state)"
    case .setDeviceState:
      guard let facts = Self.facts(event), lanes.setFacts(facts) else { return nil }
      let spelled = facts.sorted { $0.key < $1.key }.map { "\($0.key) to \($0.value)" }
      return "sets \(spelled.joined(separator: " and "))"
    case .configure:
      guard node.device.isPhone, 0...1_000_000 ~= count else { return nil }
      lanes.checker.complications.wanted = count
      lanes.checker.complications.began()
      lanes.configure()
      return "has \(count) complication transfers a day"
    case .hold:
      lanes.hold()
      return "holds its deliveries"
    case .release:
      lanes.release(event.count.map(Int.init))
      let some = event.count.map { "\($0) of " } ?? ""
      return "lets \(some)its deliveries come"
    default: return nil
    }
  }

  /// The booleans of an event's payload; nil where it has others.
  private static func facts(_ event: TraceEvent) -> [String: Bool]? {
    guard let members = event.payload.flatMap({ try? Members($0) }) else { return nil }
    let facts = members.all.map { ($0.name, members.flag($0.name)) }
    guard facts.allSatisfy({ $0.1 != nil }) else { return nil }
    return Dictionary(facts.map { ($0, $1!) }, uniquingKeysWith: { $1 })
  }

  /// Asks the server for a device's state when nothing is on its way.
  private func look(_ node: ServerNode) -> Bool {
    let hasMoved = flow(node)
    guard node.isActive, !site.isFailing, !site.isReal else { return hasMoved }
    node.lanes.look()
    node.collect()
    flow(node)
    if node.isActive { node.lanes.checkLooked() }
    return true
  }
}
