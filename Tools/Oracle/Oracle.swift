package import Merge

/// What a set of operations means, written a second time from the rules alone and without regard
/// for speed: the judge of the merge that keeps its state as operations come.
///
/// Everything here is a function of the set: the order in which the operations are given, and
/// whether one is given twice, makes no difference. The cost is that of scanning the set, once or
/// more for each question.
package struct Oracle: Sendable {
  /// An action with the operation that it is part of.
  package final class Entry: Sendable {
    package let operation: Operation
    package let action: Action
    /// Its place among the operation's actions.
    package let index: Int
    /// The index of the first element that it inserts.
    package let firstElement: UInt32

    init(operation: Operation, index: Int, firstElement: UInt32) {
      self.operation = operation
      self.action = operation.actions[index]
      self.index = index
      self.firstElement = firstElement
    }

    package var dot: Dot { operation.dot }
    package var stamp: Stamp { operation.stamp }

    package func follows(_ other: Entry) -> Bool { operation.hasSeen(other.dot) }

    /// Whether neither had been seen when the other was written.
    package func isConcurrent(with other: Entry) -> Bool {
      !follows(other) && !other.follows(self)
    }

    /// The order of stamps; within an operation, that of its actions.
    package static func < (left: Entry, right: Entry) -> Bool {
      left.stamp != right.stamp ? left.stamp.isBelow(right.stamp) : left.index < right.index
    }
  }

  /// Each operation once.
  package let operations: [Operation]
  /// Each action of each of them.
  package let entries: [Entry]
  /// Actions on records that were collected since, of which only what they did for other records is left.
  let collected: [Entry]
  /// Each record that an action is about, sorted.
  package let targets: [Target]
  /// By target, in the order of `targets`.
  private let entriesByTarget: [[Entry]]
  /// The place of each among the targets.
  private let places: [Target: Int]

  /// So many targets are looked through; where there are more, they are looked up.
  private static let few = 8

  /// - Parameters:
  ///   - apart: the actions that have no effect, being about what had been collected.
  ///   - collected: the actions that have none on their own record, which was collected after them.
  package init(
    _ operations: [Operation], apart: Set<Effect> = [], collected: Set<Effect> = []
  ) {
    var known: Set<Dot> = []
    self.operations = operations.filter { known.insert($0.dot).inserted }
    var entries: [Entry] = []
    var former: [Entry] = []
    for operation in self.operations {
      let all = Self.entries(of: operation)
      if apart.isEmpty, collected.isEmpty {
        entries += all
      } else {
        for entry in all {
          let effect = Effect.action(operation.dot, entry.index)
          if collected.contains(effect) {
            former.append(entry)
          } else if !apart.contains(effect) {
            entries.append(entry)
          }
        }
      }
    }
    self.entries = entries
    self.collected = former
    targets = Set(entries.map(\.action.target)).sorted()
    var places: [Target: Int] = [:]
    for (place, target) in targets.enumerated() { places[target] = place }
    self.places = places
    var entriesByTarget = targets.map { _ in [Entry]() }
    for entry in entries { entriesByTarget[places[entry.action.target]!].append(entry) }
    self.entriesByTarget = entriesByTarget
  }

  /// An operation's actions.
  static func entries(of operation: Operation) -> [Entry] {
    var elements: UInt32 = 0
    return operation.actions.indices.map { index in
      let entry = Entry(operation: operation, index: index, firstElement: elements)
      elements += UInt32(entry.action.insertedElements)
      return entry
    }
  }

  /// The actions on a record.
  package func entries(of target: Target) -> [Entry] {
    let place = targets.count > Self.few ? places[target] : targets.firstIndex(of: target)
    return place.map { entriesByTarget[$0] } ?? []
  }
}

// MARK: Registers

extension Oracle {
  /// Every write of a register. A move is a write of the register that holds the record's place.
  package func writes(_ target: Target, _ register: Name) -> [Entry] {
    entries(of: target).filter { $0.action.writes(register) }
  }

  /// The write with the highest stamp.
  package func winner(_ target: Target, _ register: Name) -> Entry? {
    var winner: Entry?
    for entry in entries(of: target) where entry.action.writes(register) {
      if winner.map({ $0 < entry }) ?? true { winner = entry }
    }
    return winner
  }

  /// What the register holds; nil where it was never written.
  package func value(_ target: Target, _ register: Name) -> Datum? {
    winner(target, register)?.action.written
  }

  /// The writes that lost to one that they had not been seen by and had not seen: those with a
  /// concurrent write of a higher stamp.
  ///
  /// What a write overwrote knowingly is not among them, and a write stays even if a later one has
  /// seen both since.
  package func archive(_ target: Target, _ register: Name) -> [Entry] {
    writes(target, register).filter { isArchived($0, register) }
  }

  /// Whether a write of the register is in its archive.
  func isArchived(_ lost: Entry, _ register: Name) -> Bool {
    entries(of: lost.action.target).contains {
      $0.action.writes(register) && lost.stamp.isBelow($0.stamp) && $0.isConcurrent(with: lost)
    }
  }
}

extension Action {
  /// The register that it writes.
  package var register: Name? {
    switch body {
    case .write(let field, _), .move(let field, _): field
    default: nil
    }
  }

  /// Whether it writes a register.
  func writes(_ register: Name) -> Bool {
    switch body {
    case .write(let field, _), .move(let field, _): field == register
    default: false
    }
  }

  /// What it writes there. A place is shown as the list alone: the slot is nobody's concern.
  package var written: Datum? {
    switch body {
    case .write(_, let value): value
    case .move: .object([Datum.Member("list", into?.datum ?? .null)])
    default: nil
    }
  }

  /// Whether two writes put the same bytes there. No two moves do, as each makes a slot.
  package func writesSame(as other: Action) -> Bool {
    guard case .write(_, let value) = body, case .write(_, let another) = other.body else {
      return false
    }
    return value.canonical == another.canonical
  }
}
