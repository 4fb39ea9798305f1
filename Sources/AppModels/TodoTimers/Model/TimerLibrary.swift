package import Merge

/// In which order timers are listed.
package enum TimerOrder: Hashable, Sendable {
  /// By `createdAt`, the newest first, as seed 000 has it.
  case newestFirst
  /// By place, as people have put them.
  case merged
  /// `merged` once somebody has reordered, else `newestFirst`.
  ///
  /// Somebody has reordered when at least one visible timer stands where a later operation than
  /// the one that made it has put it, on whichever device. It stays so until every such timer is
  /// deleted.
  case automatic
}

/// All timers with their to-dos, in the order of the list.
package struct TimerLibrary: Sendable {
  package let timers: [TimerRecord]
  /// Whether the list shows the merged order.
  package let isMergedOrder: Bool

  package init(_ records: Records, order: TimerOrder = .automatic) {
    var todos: [Name: [TodoRecord]] = [:]
    for record in records.all("todo") {
      guard let timer = record.container?.record else { continue }
      todos[timer, default: []].append(TodoRecord(record))
    }
    // By place already.
    let timers = records.all("timer").map { TimerRecord($0, todos: todos[$0.id] ?? []) }
    switch order {
    case .newestFirst: isMergedOrder = false
    case .merged: isMergedOrder = true
    case .automatic:
      isMergedOrder = timers.contains { records.isMoved("timer", $0.id, made: "createdAt") }
    }
    self.timers =
      isMergedOrder
      ? timers
      : timers.sorted { ($1.createdAt, $0.place, $0.id) < ($0.createdAt, $1.place, $1.id) }
  }

  package subscript(id: Name) -> TimerRecord? { timers.first { $0.id == id } }
}
