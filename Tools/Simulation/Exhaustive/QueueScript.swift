/// A short session of a phone and a watch with the server between them: what each does, in order.
/// How the two and the disk come between each other is not said; every way is tried.
package struct QueueScript: Sendable {
  package let name: String
  let phone: [Step]
  let watch: [Step]
  /// Whether the disk is given a second batch while it writes the first.
  let takesBatchesAhead: Bool

  /// What a device does.
  enum Step: Hashable, Sendable {
    /// Sends a user info, or what the complication shows, with the next `n`.
    case transfer(complication: Bool)
    /// Sends a user info with the same content each time.
    case same
    /// Sets the application context, to another one each time.
    case context
    /// Cancels its so many-th transfer, from 1.
    case cancel(Int)
    /// Acknowledges in every lane what has been delivered on this connection.
    case acknowledge
    /// Refuses the last delivery in the lane of user infos.
    case refuse
    /// Loses its connection.
    case leave
    /// Connects and activates, and sends again what it was not told to be accepted.
    case come

    var words: String {
      switch self {
      case .transfer(false): "transferUserInfo"
      case .transfer(true): "transferCurrentComplicationUserInfo"
      case .same: "transferUserInfo with the same payload"
      case .context: "updateApplicationContext"
      case .cancel(let number): "cancelTransfer \(number)"
      case .acknowledge: "acknowledge"
      case .refuse: "refuse"
      case .leave: "connection lost"
      case .come: "activate"
      }
    }
  }

  /// Who goes on, one step.
  enum Turn: Hashable, Sendable {
    case phone, watch
    /// The disk has synced its oldest batch.
    case disk
  }

  /// What happens in the end, before everything recovers.
  enum Trouble: CaseIterable, Sendable {
    case kill, phoneLost, watchLost, phoneTakenOver, watchTakenOver

    var words: String {
      switch self {
      case .kill: "the server is killed"
      case .phoneLost: "the phone's connection is lost"
      case .watchLost: "the watch's connection is lost"
      case .phoneTakenOver: "the phone activates on a second connection"
      case .watchTakenOver: "the watch activates on a second connection"
      }
    }
  }

  /// The script, for people: what each side does.
  package var words: [String] {
    [
      "\(name): phone \(phone.map(\.words).joined(separator: ", "))",
      "  watch \(watch.map(\.words).joined(separator: ", "))"
        + (takesBatchesAhead ? "; two batches on the way to the disk" : ""),
    ]
  }

  /// The shortest session that there is.
  package static let oneTransfer = QueueScript(
    name: "one transfer", phone: [.transfer(complication: false)], watch: [.acknowledge],
    takesBatchesAhead: false)

  /// The sessions that are tried.
  package static let all = [
    QueueScript(
      name: "two transfers",
      phone: [.transfer(complication: false), .transfer(complication: false)],
      watch: [.acknowledge, .acknowledge], takesBatchesAhead: true),
    QueueScript(
      name: "group commit",
      phone: [.transfer(complication: false), .transfer(complication: false)],
      watch: [.acknowledge, .acknowledge], takesBatchesAhead: false),
    QueueScript(
      name: "the phone comes back",
      phone: [.transfer(complication: false), .leave, .come], watch: [.acknowledge],
      takesBatchesAhead: true),
    QueueScript(
      name: "the watch comes back",
      phone: [.transfer(complication: false), .transfer(complication: false)],
      watch: [.leave, .come, .acknowledge], takesBatchesAhead: false),
    QueueScript(
      name: "a transfer is cancelled",
      phone: [.transfer(complication: false), .cancel(1)], watch: [.leave, .come, .acknowledge],
      takesBatchesAhead: true),
    QueueScript(
      name: "equal payloads", phone: [.same, .same], watch: [.acknowledge],
      takesBatchesAhead: false),
    QueueScript(
      name: "a delivery is refused",
      phone: [.transfer(complication: false), .transfer(complication: false)], watch: [.refuse],
      takesBatchesAhead: true),
    QueueScript(
      name: "contexts", phone: [.context, .context], watch: [.leave, .come, .acknowledge],
      takesBatchesAhead: true),
    QueueScript(
      name: "complications",
      phone: [.transfer(complication: true), .transfer(complication: true)],
      watch: [.leave, .come, .acknowledge], takesBatchesAhead: false),
  ]
}
