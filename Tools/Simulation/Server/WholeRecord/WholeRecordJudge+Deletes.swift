import LaneModel
import Merge
import Oracle

/// Deletes, which whole-record devices tell without saying what they had seen.
extension WholeRecordJudge {
  /// What the hub had of a record when a delete came, and the device had not seen, keeps the record: no such delete
  /// stands above that (clause 13.4).
  func checkDeletes() {
    let places = Dictionary(log.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
    for delete in entries where delete.action.body == .delete {
      guard let place = places[delete.dot] else { continue }
      let record = delete.action.target
      let over = oracle.entries.first { touch in
        touch.dot.replica != author && Self.keeps(touch.action, record)
          && places[touch.dot].map { $0 < place } ?? false && touch < delete
          && !delete.follows(touch) && !collected.contains(touch.dot)
      }
      guard let over else { continue }
      report(
        "I19", "whole-record-delete-won",
        "A delete of a whole-record device stands above a touch that it had not seen.",
        "\(delete.dot), which deletes \(record.kind) \(record.record), has not seen \(over.dot).")
    }
  }

  /// Whether an action keeps a record against older deletes.
  private static func keeps(_ action: Action, _ record: Target) -> Bool {
    if action.touches { return action.target == record || action.home == record }
    return action.into == record && action.home != record
  }
}
