import Wire

extension Fold {
  /// Whether every element that an operation names is here, was purged, or is its own.
  ///
  /// - Parameter earlier: operations of the same replica that come before it and are not here yet.
  func checkElements(
    _ operation: Operation, after earlier: [Operation] = []
  ) throws(WireError) {
    for index in operation.actions.indices where operation.actions[index].namesElements {
      let action = operation.actions[index]
      guard let name = SequenceName(action) else { continue }
      switch action.body {
      case .move(_, let anchor), .insert(_, let anchor, _):
        try check(anchor, name, operation, index, earlier)
      case .erase(_, let runs):
        for run in runs { try check(run, name, operation, index, earlier) }
      default: break
      }
    }
  }

  private func check(
    _ anchor: Anchor, _ name: SequenceName, _ operation: Operation, _ index: Int,
    _ earlier: [Operation]
  ) throws(WireError) {
    guard let parent = anchor.parent else {
      guard anchor.side == .right else {
        throw WireError(
          .invalidField,
          "action \(index + 1) of operation \(operation.dot.seq) needs a parent for side left")
      }
      return
    }
    try check(ElementRun(parent, count: 1), name, operation, index, earlier)
  }

  private func check(
    _ run: ElementRun, _ name: SequenceName, _ operation: Operation, _ index: Int,
    _ earlier: [Operation]
  ) throws(WireError) {
    let isKnown: Bool
    if run.first.dot == operation.dot {
      isKnown = isOwn(run, name, operation.actions[..<index])
    } else if let first = earlier.first, run.first.dot.replica == first.dot.replica,
      run.first.dot.seq >= first.dot.seq, run.first.dot.seq < operation.dot.seq
    {
      let other = earlier[Int(run.first.dot.seq - first.dot.seq)]
      isKnown = isOwn(run, name, other.actions[...])
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
        "action \(index + 1) of operation \(operation.dot.seq) names \(run.first), which is not in that sequence"
      )
    }
  }

  /// Whether an action that found no place inserted the run: what builds upon it finds none either.
  private func isRecovered(_ run: ElementRun, _ name: SequenceName) -> Bool {
    recovered.contains { place in
      let action = action(place)
      return operations[Int(place.operation)].dot == run.first.dot
        && SequenceName(action) == name && run.first.index >= place.element
        && Int(run.first.index) + Int(run.count) <= Int(place.element) + action.elements
    }
  }

  /// Whether an earlier action of the same operation inserted all of the run there.
  private func isOwn(_ run: ElementRun, _ name: SequenceName, _ before: ArraySlice<Action>) -> Bool
  {
    var first = 0
    for action in before {
      let elements = action.elements
      if elements > 0, SequenceName(action) == name, run.first.index >= first,
        Int(run.first.index) + Int(run.count) <= first + elements
      {
        return true
      }
      first += elements
    }
    return false
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
    (0..<range.count).allSatisfy { contains(range[$0]) }
  }

  /// The parts of a range that are here.
  func present(_ range: ElementRange) -> [ElementRange] {
    var parts: [ElementRange] = []
    var start: Int?
    for offset in 0...range.count {
      let isHere = offset < range.count && contains(range[offset])
      if isHere {
        start = start ?? offset
      } else if let first = start {
        parts.append(ElementRange(range[first], count: offset - first, step: range.step))
        start = nil
      }
    }
    return parts
  }
}
