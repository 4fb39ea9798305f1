package import Merge

/// Every history of a few operations after a common first one.
///
/// Each operation is written by any of three devices, the phone and two watches, in any state that
/// the device can be in, or in the one in which its last edit began; it makes any edit of the
/// alphabet, in the same millisecond as the one before it or a later one. Watches that have written
/// nothing yet are alike, so that only one of them is tried.
package struct HistoryEnumeration: Sendable {
  /// An edit, given what its writer sees and a value that no other operation writes.
  package typealias Edit = @Sendable (Oracle, Name) -> [Action]

  package var setup: [Action]
  /// What the edits are, for people.
  package var words: [String]
  package var alphabet: [Edit]

  package init(setup: [Action], _ alphabet: [(words: String, edit: Edit)]) {
    self.setup = setup
    words = alphabet.map(\.words)
    self.alphabet = alphabet.map(\.edit)
  }

  private struct State {
    var operations: [Operation]
    var held: [VersionVector]
    /// The state in which each device's last edit began; nil before its first.
    var began: [VersionVector?]
    var time: UInt64
  }

  package static let replicas: [ReplicaID] = (0..<3).map {
    // The phone's name is between the watches', so that no order of names stands in for rank.
    ReplicaID(device: Identifier(high: [2, 1, 3][$0], low: 0), incarnation: 0)
  }

  /// Calls `body` with each history of so many operations besides the first one.
  ///
  /// - Parameter stride: only each so many-th; all where it is 1.
  package func forEach(_ count: Int, stride: Int = 1, _ body: (History) -> Void) {
    let phone = Self.replicas[0]
    let first = Operation(
      dot: Dot(phone, 1),
      stamp: Stamp(ms: 1_790_000_000_000, rank: 2, counter: 0, replica: phone),
      context: Context(own: 0), wall: 1_790_000_000_000, actions: setup)
    let start = State(
      operations: [first],
      held: [VersionVector([.init(phone, 1)]), VersionVector(), VersionVector()],
      began: [nil, nil, nil], time: first.stamp.ms + 1)
    var number = 0
    extend(start, count) { history in
      if number % stride == 0 { body(history) }
      number += 1
    }
  }

  private func extend(_ state: State, _ count: Int, _ body: (History) -> Void) {
    guard count > 0 else { return body(History(state.operations)) }
    for device in Self.replicas.indices {
      if device == 2, state.began[1] == nil { continue }
      for held in states(state, device) {
        let earlier = state.began[device].map { [$0] } ?? []
        for shown in [held] + earlier.filter({ $0 != held }) {
          for wait in state.operations.count == 1 ? [0] : [0, 1] as [UInt64] {
            for edit in alphabet {
              let next = written(state, device, held, shown, state.time + wait, edit)
              extend(next, count - 1, body)
            }
          }
        }
      }
    }
  }

  /// Every state that a device can come to: what it holds and any closed part of the rest. All hold
  /// the first operation before they write.
  private func states(_ state: State, _ device: Int) -> [VersionVector] {
    let held = state.held[device]
    var states = [held]
    for operation in state.operations where !held.contains(operation.dot) {
      for known in states where History.isReady(operation, known) {
        var known = known
        known.insert(operation.dot)
        if !states.contains(known) { states.append(known) }
      }
    }
    return states.filter { $0[Self.replicas[0]] > 0 }
  }

  private func written(
    _ state: State, _ device: Int, _ held: VersionVector, _ shown: VersionVector, _ time: UInt64,
    _ edit: Edit
  ) -> State {
    let replica = Self.replicas[device]
    let latest = state.operations.filter { held.contains($0.dot) }.map(\.stamp).max()
    let dot = Dot(replica, held[replica] + 1)
    let seen = Oracle(state.operations.filter { shown.contains($0.dot) })
    let operation = Operation(
      dot: dot,
      stamp: .mint(time: time, rank: device == 0 ? 2 : 1, replica: replica, after: latest),
      context: Context(shown, of: replica), wall: Int64(time),
      actions: edit(seen, Name("\(state.operations.count)")))
    var next = state
    next.operations.append(operation)
    next.held[device] = held
    next.held[device].insert(dot)
    next.began[device] = shown
    next.time = time
    return next
  }
}
