import Wire

extension Fold {
  /// An operation that is not here yet, and what it inserts.
  final class Coming {
    let operation: Operation
    private lazy var insertions = Insertions(operation)

    private init(_ operation: Operation) { self.operation = operation }

    /// nil where it has nothing to do with sequences.
    static func of(_ operation: Operation) -> Coming? {
      operation.actions.contains(where: \.namesElements) ? Coming(operation) : nil
    }

    /// Whether actions before `end` insert all of a run there.
    func inserts(_ run: ElementRun, _ name: SequenceName, before end: Int) -> Bool {
      guard let actions = insertions.actions(of: run), actions.upperBound < end else {
        return false
      }
      return SequenceName(operation.actions[actions.lowerBound]) == name
    }
  }

  /// Whether every element that an operation names is here, was purged, or is its own.
  ///
  /// - Parameters:
  ///   - earlier: operations of the same replica that come before it and are not here yet.
  ///   - first: the number of the first of them.
  func checkElements(
    _ coming: Coming, after earlier: [Coming?] = [], from first: UInt64 = 0
  ) throws(WireError) {
    let operation = coming.operation
    for index in operation.actions.indices where operation.actions[index].namesElements {
      let action = operation.actions[index]
      guard let name = SequenceName(action) else { continue }
      switch action.body {
      case .move(_, let anchor), .insert(_, let anchor, _):
        try check(anchor, name, coming, index, earlier, first)
      case .erase(_, let runs):
        for run in runs { try check(run, name, coming, index, earlier, first) }
      default: break
      }
    }
  }

  private func check(
    _ anchor: Anchor, _ name: SequenceName, _ coming: Coming, _ index: Int, _ earlier: [Coming?],
    _ first: UInt64
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
    try check(ElementRun(parent, count: 1), name, coming, index, earlier, first)
  }

  private func check(
    _ run: ElementRun, _ name: SequenceName, _ coming: Coming, _ index: Int, _ earlier: [Coming?],
    _ first: UInt64
  ) throws(WireError) {
    let dot = coming.operation.dot
    let isKnown: Bool
    if run.first.dot == dot {
      isKnown = coming.inserts(run, name, before: index)
    } else if !earlier.isEmpty, run.first.dot.replica == dot.replica, run.first.dot.seq >= first,
      run.first.dot.seq < dot.seq
    {
      let other = earlier[Int(run.first.dot.seq - first)]
      isKnown = other?.inserts(run, name, before: .max) ?? false
    } else if base.contains(run.first.dot) {
      isKnown = true
    } else {
      isKnown = isHere(run, name)
    }
    guard isKnown else {
      throw WireError(
        .invalidField,
        "action \(index + 1) of operation \(dot.seq) names \(run.first), which is not in that sequence"
      )
    }
  }

  /// Whether every element of a run is in a sequence, or is of an action that found no place there: what builds upon
  /// such a one finds none either.
  private func isHere(_ run: ElementRun, _ name: SequenceName) -> Bool {
    guard let position = replicas.position(of: run.first.dot) else { return false }
    let dot = run.first.dot
    func isInSequence(_ elements: Range<Int>) -> Bool {
      guard let first = element(ElementID(dot, UInt32(elements.lowerBound))),
        let sequence = sequence(name)
      else { return false }
      return sequence.containsAll(ElementRange(first, count: elements.count))
    }
    var index = Int(run.first.index)
    let end = index + Int(run.count)
    if isInSequence(index..<end) { return true }
    // They are in the order of the operations and their actions, and one that inserts moves the elements of the next on.
    var next = recovered.countBelow { ($0.operation, $0.element) <= (position, run.first.index) }
    while index < end {
      if next > 0, recovered[next - 1].operation == position {
        let place = recovered[next - 1]
        let action = action(place)
        if index < Int(place.element) + action.elements {
          guard SequenceName(action) == name else { return false }
          index = Int(place.element) + action.elements
        }
      }
      // What is between two of them is in the sequence.
      let isMore = next < recovered.count && recovered[next].operation == position
      let until = isMore ? min(end, Int(recovered[next].element)) : end
      if index < until {
        guard isInSequence(index..<until) else { return false }
        index = until
      }
      next += 1
    }
    return true
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
  private struct Part {
    var action: Int
    var elements: Range<Int>
    /// The same for all in a row that insert into one sequence.
    var group: Int
  }

  /// By action that inserts.
  private var parts: [Part] = []

  init(_ operation: Operation) {
    var (first, group) = (0, 0)
    var name: SequenceName?
    for (index, action) in operation.actions.enumerated() {
      let count = action.elements
      guard count > 0 else { continue }
      if SequenceName(action) != name {
        group += 1
        name = SequenceName(action)
      }
      parts.append(Part(action: index, elements: first..<first + count, group: group))
      first += count
    }
  }

  /// The first and the last of the actions that insert a run into one sequence; nil where they do not.
  func actions(of run: ElementRun) -> ClosedRange<Int>? {
    let first = Int(run.first.index)
    guard run.count > 0, let one = part(of: first),
      let other = part(of: first + Int(run.count) - 1),
      one.group == other.group
    else { return nil }
    return one.action...other.action
  }

  private func part(of element: Int) -> Part? {
    let index = parts.countBelow { $0.elements.upperBound <= element }
    return index < parts.count ? parts[index] : nil
  }
}
