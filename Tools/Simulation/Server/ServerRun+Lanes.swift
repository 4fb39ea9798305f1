import LaneModel

extension ServerRun {
  private static let appStates = ["foreground", "background", "suspended", "terminated"]

  /// What a device does with the lanes.
  func lane(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    let lanes = node.lanes
    let count = Int(event.count ?? 0)
    switch event.verb {
    case .transfer:
      let isPlain = event.flag ?? true
      switch event.lane {
      case "file":
        lanes.begin(
          .file, content: (0..<max(0, count)).map { UInt8(truncatingIfNeeded: $0 &* 7) },
          hasWrongDigest: !isPlain)
      case let lane:
        let isComplication = lane == "complication" && node.device.isPhone
        guard isPlain || node.isActive else { return false }
        lanes.begin(
          isComplication ? .complication : .userInfo, content: event.payload ?? [],
          isNumbered: isPlain)
      }
    case .context: lanes.setContext("context\(count)")
    case .cancel:
      let unfinished = lanes.unfinished
      guard !unfinished.isEmpty, node.isActive else { return false }
      lanes.cancel(unfinished[count % unfinished.count])
    default:
      guard node.isActive else { return false }
      switch event.verb {
      case .upload: guard lanes.upload(pieceSize: max(1, count)) else { return false }
      case .message:
        lanes.message(expectsReply: event.flag ?? true)
      case .look: return look(node)
      case .reply:
        guard !lanes.messages.isEmpty else { return false }
        lanes.reply()
      case .acknowledge:
        guard !lanes.seqs.isEmpty else { return false }
        if let lane = event.lane {
          lanes.acknowledge(lane, back: count)
        } else {
          lanes.acknowledgeAll()
        }
      case .refuse: lanes.refuse(event.lane ?? "userInfo", back: count)
      case .select:
        guard node.device.isPhone, let watch = event.to else { return false }
        lanes.send("{\"type\":\"selectWatch\",\"device\":\"\(watch)\",\"id\":\"select\"}")
      case .appState:
        lanes.setAppState(Self.appStates[abs(count) % 4])
      case .hold: lanes.hold()
      case .release: lanes.release(event.count.map(Int.init))
      default: return false
      }
    }
    recorder.add(now - start, node.name, .send, "\(event.verb.rawValue) \(event.lane ?? "")")
    node.collect()
    return true
  }

  /// Asks the server for a device's state when nothing is on its way.
  private func look(_ node: ServerNode) -> Bool {
    flow(node)
    guard node.isActive, !site.isFailing, !site.isReal else { return false }
    node.lanes.look()
    node.collect()
    flow(node)
    if node.isActive { node.lanes.checkLooked() }
    return true
  }
}
