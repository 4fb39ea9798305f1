import Wire

extension Fold {
  /// An operation that is not here yet, and what it inserts.
  struct Coming {
    let operation: Operation
    let insertions: Insertions

    init(_ operation: Operation) {
      self.operation = operation
      insertions = Insertions(operation)
    }

    /// Whether an action, one before `end`, inserts all of a run there.
    func inserts(_ run: ElementRun, _ name: SequenceName, before end: Int) -> Bool {
      guard let index = insertions.action(of: run), index < end else { return false }
      return SequenceName(operation.actions[index]) == name
    }
  }

  /// Whether every element that an operation names is here, was purged, or is its own.
  ///
  /// - Parameter earlier: operations of the same replica that come before it and are not here yet.
  func checkElements(_ coming: Coming, after earlier: [Coming] = []) throws(WireError) {
    let operation = coming.operation
    for index in operation.actions.indices where operation.actions[index].namesElements {
      let action = operation.actions[index]
      guard let name = SequenceName(action) else { continue }
      switch action.body {
      case .move(_, let anchor), .insert(_, let anchor, _):
        try check(anchor, name, coming, index, earlier)
      case .erase(_, let runs):
        for run in runs { try check(run, name, coming, index, earlier) }
      default: break
      }
    }
  }

  private func check(
    _ anchor: Anchor, _ name: SequenceName, _ coming: Coming, _ index: Int, _ earlier: [Coming]
  ) throws(WireError) {
    guard let parent = anchor.parent else {
      guard anchor.side == .right else {
        throw WireError(
          .invalidField,
          "action \(index + 1) of operation \(coming.operation.dot.seq) needs a parent for side left"
        )
      }
      return
    }
    try check(ElementRun(parent, count: 1), name, coming, index, earlier)
  }

  private func check(
    _ run: ElementRun, _ name: SequenceName, _ coming: Coming, _ index: Int, _ earlier: [Coming]
  ) throws(WireError) {
    let dot = coming.operation.dot
    let isKnown: Bool
    if run.first.dot == dot {
      isKnown = coming.inserts(run, name, before: index)
    } else if let first = earlier.first?.operation.dot, run.first.dot.replica == first.replica,
      run.first.dot.seq >= first.seq, run.first.dot.seq < dot.seq
    {
      let other = earlier[Int(run.first.dot.seq - first.seq)]
      isKnown = other.inserts(run, name, before: other.operation.actions.count)
    } else if base.contains(run.first.dot) {
      isKnown = true
    } else if let first = element(run.first), let sequence = sequence(name),
      sequence.containsAll(ElementRange(first, count: Int(run.count)))
    {
      isKnown = true
    } else {
      isKnown = isRecovered(run, name)
    }
    guard isKnown else {
      throw WireError(
        .invalidField,
        "action \(index + 1) of operation \(dot.seq) names \(run.first), which is not in that sequence"
      )
    }
  }

  /// Whether an action that found no place inserted the run: what builds upon it finds none either.
  private func isRecovered(_ run: ElementRun, _ name: SequenceName) -> Bool {
    guard let position = replicas.position(of: run.first.dot) else { return false }
    // They are in the order of the operations and their actions, and one that inserts moves the
    // elements of the next on: the last one that starts no later is the only one it can be.
    var low = 0
    var high = recovered.count
    while low < high {
      let middle = (low + high) / 2
      let place = recovered[middle]
      if (place.operation, place.element) <= (position, run.first.index) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, recovered[low - 1].operation == position else { return false }
    let place = recovered[low - 1]
    let action = action(place)
    return SequenceName(action) == name
      && Int(run.first.index) + Int(run.count) <= Int(place.element) + action.elements
  }
}

/// A sequence of a fold: the items of a list, or the characters of a text.
enum SequenceName: Equatable {
  case list(Fold.ListName)
  case text(Target, Name)

  /// The one that an action changes.
  init?(_ action: Action) {
    switch action.body {
    case .move: self = .list(Fold.ListName(action))
    case .insert(let field, _, _), .erase(let field, _): self = .text(action.target, field)
    default: return nil
    }
  }
}

extension Fold {
  private func sequence(_ name: SequenceName) -> Fugue? {
    switch name {
    case .list(let list): lists[list]
    case .text(let target, let field): text(target, field)
    }
  }

  func contains(_ element: Element, in name: SequenceName) -> Bool {
    sequence(name)?.contains(element) ?? false
  }
}

extension Fugue {
  func containsAll(_ range: ElementRange) -> Bool {
    guard range.isValid, let index = contributor(range.first.replica) else { return false }
    return contributions[index].ordinals(of: range).reduce(0) { $0 + $1.count } == range.count
  }
}

/// Which elements the actions of an operation insert, found by their index.
struct Insertions {
  /// By action that inserts: its index, and its elements.
  private var parts: [(action: Int, elements: Range<Int>)] = []

  init(_ operation: Operation) {
    var first = 0
    for (index, action) in operation.actions.enumerated() {
      let count = action.elements
      guard count > 0 else { continue }
      parts.append((index, first..<first + count))
      first += count
    }
  }

  /// The action that inserts all of a run; nil where none does.
  func action(of run: ElementRun) -> Int? {
    let wanted = Int(run.first.index)..<Int(run.first.index) + Int(run.count)
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].elements.upperBound <= wanted.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < parts.count, parts[low].elements.lowerBound <= wanted.lowerBound,
      wanted.upperBound <= parts[low].elements.upperBound
    else { return nil }
    return parts[low].action
  }
}
