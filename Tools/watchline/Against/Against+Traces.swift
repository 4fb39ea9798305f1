internal import Simulation

extension Against {
  /// What only the server in memory can be made to do.
  private static let simulatedOptions = ["collect", "sparse", "narrow", "lobby", "parts", "silent"]

  /// A trace as the target can play it.
  ///
  /// - Returns: notes say in one sentence each what is passed over.
  /// - Throws: where nothing of it can be played.
  func adapted(_ trace: Trace) throws(HarnessFailure) -> (trace: Trace, notes: [String]) {
    var adapted = trace
    var skipped: [String: Int] = [:]
    switch self {
    case .program:
      if trace.world != .exchange {
        guard trace.events.contains(where: { $0.edit != nil }) else {
          throw HarnessFailure("it has no edits, and a merge has nothing to do without them")
        }
        (adapted, skipped) = trace.amongDevices
      }
    case .server(let options):
      if trace.world == .exchange { (adapted, skipped) = trace.atServer }
      for event in adapted.events where options.impossible.contains(event.verb) {
        skipped[event.verb.rawValue, default: 0] += 1
      }
    }
    var notes: [String] = []
    let list = skipped.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)×" }
    if !list.isEmpty {
      notes.append("passed over, since the target cannot do it: \(list.joined(separator: ", "))")
    }
    let options = trace.options.map(\.name).filter { Self.simulatedOptions.contains($0) }
    if trace.world != .exchange, !options.isEmpty {
      notes.append("means nothing to the target: the option \(options.joined(separator: ", "))")
    }
    return (adapted, notes)
  }
}
