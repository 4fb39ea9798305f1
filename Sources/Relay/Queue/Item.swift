import Journal
import Wire

/// The lines in which deliveries to one receiver are numbered (PROTOCOL.md clause 5.1).
package enum LaneName: UInt8, CaseIterable, Sendable {
  case userInfo, complication, context, file
  /// What became of the device's own transfers while it could not be told.
  case outcome
  /// Transfers of a watch that is not the active one: they have no number at the phone yet.
  case parked

  var name: StaticString {
    switch self {
    case .userInfo: "userInfo"
    case .complication: "complication"
    case .context: "context"
    case .file: "file"
    case .outcome: "outcome"
    case .parked: "parked"
    }
  }

  /// The lanes that a receiver sees, in the order in which they are listed.
  static let delivered: [LaneName] = [.userInfo, .complication, .context, .file, .outcome]
  /// The lane with this name on the wire.
  /// - Throws: 4004 with the names that there are.
  static func named(_ text: String) throws(WireError) -> LaneName {
    if let lane = delivered.first(where: { "\($0)" == text }) { return lane }
    let lanes = delivered.map { "\($0)" }.joined(separator: ", ")
    throw WireError(.invalidField, "lane is one of \(lanes), not \(text)")
  }

  /// The lanes whose content an app has to drain (`hasContentPending`).
  static let content: [LaneName] = [.complication, .context, .userInfo, .file]
}

/// Which transfer: unique in its pair for good.
struct TransferKey: Hashable {
  var sender: UInt16
  var incarnation: UInt16
  /// Whether the number is the sender's own `n`; else it is the server's counter.
  var isNumbered: Bool
  var number: UInt64
}

/// One waiting delivery. Its payload lies in a segment; only the place of it is here.
struct Item {
  var seq: UInt64
  /// Rises over all lanes of the receiver in the order of acceptance.
  var order: UInt64
  var transfer: TransferKey
  var reference: Reference
  /// The segment whose header has its record; mostly that of its payload.
  var home: UInt64
  /// The batch that covers it; delivered once that is committed.
  var batch: UInt64
  var flags: Flags
  /// For an outcome: the error's number, 0 for none.
  var code: UInt16 = 0
  /// For a parked item: the lane for which it is meant; for an outcome: `file` where it is a file's.
  var target: LaneName

  struct Flags: OptionSet {
    var rawValue: UInt8
    /// Dead, and waiting for those before it to go.
    static let removed = Flags(rawValue: 1)
    /// The commit that accepted it also says that it may have been handed out.
    static let offered = Flags(rawValue: 2)
    /// Tagged as the current complication info.
    static let currentComplication = Flags(rawValue: 4)
  }
}
