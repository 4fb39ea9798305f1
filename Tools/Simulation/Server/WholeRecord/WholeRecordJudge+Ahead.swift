import LaneModel
import Merge
import Oracle

/// Dates ahead of the hub's clock (clause 13.4): what was said to be later wins, and the phone's of the same date.
extension WholeRecordJudge {
  private func operation(_ entry: Oracle.Entry) -> Operation {
    oracle.operations.first { $0.dot == entry.dot }!
  }

  private func isAhead(_ operation: Operation) -> Bool {
    operation.wall > Int64(operation.stamp.ms)
  }

  private func isSaidEarlier(_ left: Operation, _ right: Operation) -> Bool {
    (left.wall, left.stamp.rank) < (right.wall, right.stamp.rank)
  }

  /// Writes of other devices with whole records to the register that an entry writes.
  private func rivals(of entry: Oracle.Entry) -> [Oracle.Entry] {
    guard case .write(let name, _) = entry.action.body else { return [] }
    return oracle.writes(entry.action.target, name).filter {
      otherAuthors.contains($0.dot.replica) && !entry.follows($0)
    }
  }

  /// Whether it is a write of before that was given a stamp above one that it had not seen, and that was said earlier.
  ///
  /// Whether either was ahead of the hub's clock is not asked: where a stamp stands above what others wrote, it does not
  /// tell. It is the person's own value with its own date either way.
  func isWrittenAgain(_ entry: Oracle.Entry) -> Bool {
    guard case .write(let name, _) = entry.action.body else { return false }
    let again = operation(entry)
    return oracle.writes(entry.action.target, name).contains { first in
      first.dot.replica == author && first < entry && first.action.writesSame(as: entry.action)
        && operation(first).wall == again.wall
        && rivals(of: entry).contains {
          first < $0 && $0 < entry && !first.follows($0) && isSaidEarlier(operation($0), again)
        }
    }
  }

  /// No value is shown over a later one that its writer had not seen, and that nobody else had written over. Ticks come
  /// without a date. What its writer replaced with it may have been later still, and had won over that.
  func checkAhead() {
    for entry in entries {
      guard case .write(let name, let value) = entry.action.body, !app.model.undated.contains(name),
        oracle.winner(entry.action.target, name)?.dot == entry.dot
      else { continue }
      let written = oracle.writes(entry.action.target, name).filter {
        $0.dot == entry.dot || $0.dot.replica == author && entry.follows($0)
      }.map(operation)
      for rival in rivals(of: entry) where !rival.follows(entry) && !collected.contains(rival.dot) {
        let isOverwritten = oracle.writes(entry.action.target, name).contains {
          rival < $0 && $0 < entry && $0.dot.replica != author
        }
        guard isAhead(operation(rival)), !isOverwritten,
          written.allSatisfy({ isSaidEarlier($0, operation(rival)) })
        else { continue }
        report(
          "I23", "whole-record-ahead",
          "An earlier write of a whole-record device won over a later one that was ahead of the hub's clock.",
          "\(name) = \(String(decoding: value.canonical, as: UTF8.self)) of "
            + "\(entry.action.target.record) is shown.")
      }
    }
  }
}
