import Merge

extension History {
  /// A history with nothing in it that could be left out while `fails` stays true.
  ///
  /// Delta debugging, one operation or action at a time (Zeller and Hildebrandt, "Simplifying and
  /// Isolating Failure-Inducing Input", IEEE TSE 2002).
  package func shrunk(while fails: (History) -> Bool) -> History {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for index in smallest.operations.indices.reversed() {
        let candidate = smallest.removing(at: index)
        if candidate.isWellFormed, fails(candidate) {
          smallest = candidate
          isSmaller = true
        }
      }
      for index in smallest.operations.indices {
        for action in smallest.operations[index].actions.indices.reversed() {
          var candidate = smallest
          candidate.operations[index].actions.remove(at: action)
          if !candidate.operations[index].actions.isEmpty, candidate.isWellFormed, fails(candidate)
          {
            smallest = candidate
            isSmaller = true
          }
        }
      }
    }
    return smallest
  }

  /// Without one operation: its replica's later ones are renumbered wherever they are named.
  private func removing(at index: Int) -> History {
    let gone = operations[index].dot
    func renumbered(_ seq: UInt64, of replica: ReplicaID) -> UInt64 {
      replica == gone.replica && seq >= gone.seq ? seq - 1 : seq
    }
    func renumbered(_ id: ElementID) -> ElementID {
      // What hung on the operation itself is found nowhere afterwards.
      guard id.dot != gone else { return ElementID(Dot(gone.replica, UInt64.max), 0) }
      return ElementID(Dot(id.dot.replica, renumbered(id.dot.seq, of: id.dot.replica)), id.index)
    }
    func renumbered(_ anchor: Anchor) -> Anchor {
      Anchor(anchor.parent.map(renumbered), anchor.side)
    }
    var rest = operations
    rest.remove(at: index)
    return History(
      rest.map { operation in
        var operation = operation
        let replica = operation.dot.replica
        operation.dot.seq = renumbered(operation.dot.seq, of: replica)
        operation.context.own = renumbered(operation.context.own, of: replica)
        let seen = operation.context.others[gone.replica]
        operation.context.others[gone.replica] = renumbered(seen, of: gone.replica)
        for index in operation.actions.indices {
          switch operation.actions[index].body {
          case .move(let field, let anchor):
            operation.actions[index].body = .move(field: field, to: renumbered(anchor))
          case .insert(let field, let anchor, let text):
            operation.actions[index].body = .insert(
              field: field, at: renumbered(anchor), text: text)
          case .erase(let field, let runs):
            operation.actions[index].body = .erase(
              field: field, runs.map { ElementRun(renumbered($0.first), count: $0.count) })
          case .create, .delete, .restore, .write, .unknown: break
          }
        }
        return operation
      })
  }

  /// Whether each element that is named was inserted into the same sequence before.
  private var isWellFormed: Bool {
    var sequences: [ElementID: [Name]] = [:]
    for entry in Oracle(operations).entries {
      let action = entry.action
      let text = [action.target.kind, action.target.record]
      let list = [action.target.kind] + (action.into.map { [$0.kind, $0.record] } ?? [])
      var inserted: [Name] = []
      switch action.body {
      case .move(_, let anchor):
        inserted = ["list"] + list
        if let parent = anchor.parent, sequences[parent] != inserted { return false }
      case .insert(let field, let anchor, _):
        inserted = ["text", field] + text
        if let parent = anchor.parent, sequences[parent] != inserted { return false }
      case .erase(let field, let runs):
        for run in runs {
          for index in run.first.index..<run.first.index + run.count {
            let sequence = sequences[ElementID(run.first.dot, index)]
            if sequence != ["text", field] + text { return false }
          }
        }
      case .create, .delete, .restore, .write, .unknown: break
      }
      for offset in 0..<UInt32(action.elements) {
        sequences[ElementID(entry.dot, entry.firstElement + offset)] = inserted
      }
    }
    return true
  }
}

extension History: CustomStringConvertible {
  /// A line for each operation: its name, what it had seen, its stamp, its actions. Replicas are
  /// A, B, … by first appearance, and times are counted from the first.
  package var description: String {
    let start = operations.map(\.stamp.ms).min() ?? 0
    return operations.map { operation in
      let seen = operation.context.vector(of: operation.dot.replica).entries
        .map { "\($0.replica)/\($0.seq)" }.joined(separator: " ")
      let stamp = operation.stamp
      let actions = operation.actions.map { String(decoding: $0.datum.canonical, as: UTF8.self) }
      let line =
        "\(operation.dot) at +\(stamp.ms - start).\(stamp.rank).\(stamp.counter) seen [\(seen)] "
        + actions.joined(separator: " ")
      return shortened(line)
    }.joined(separator: "\n")
  }

  /// A text with letters in the place of replicas.
  package func shortened(_ text: String) -> String {
    var replicas: [ReplicaID] = []
    for operation in operations where !replicas.contains(operation.dot.replica) {
      replicas.append(operation.dot.replica)
    }
    var result = text
    for (index, replica) in replicas.enumerated() {
      let letter = String(UnicodeScalar(UInt8(0x41 + index % 26)))
      result = result.split(separator: replica.description, omittingEmptySubsequences: false)
        .joined(separator: letter)
    }
    return result
  }
}
