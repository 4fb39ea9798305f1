/// What a writer had been shown, and how elements are named in operations.
extension Fold {
  /// The value that a register had within a vector.
  package func value(
    _ target: Target, _ register: Name, within shown: VersionVector
  ) -> Datum? {
    guard let write = write(target, register, within: shown),
      case .write(_, let value) = action(write.place).body
    else { return nil }
    return value
  }

  /// The operation that gave a register the value which it had within a vector, and which of its actions did; nil
  /// where it had none.
  package func writer(
    of register: Name, _ target: Target, within shown: VersionVector
  ) -> (operation: Operation, action: Action)? {
    write(target, register, within: shown).map {
      (operations[Int($0.place.operation)].operation, action($0.place))
    }
  }

  /// Whether somebody once gave a register a value, as far as its history is still known.
  ///
  /// - Parameter isValue: whether a value is that one.
  package func hasWritten(
    to register: Name, of target: Target, _ isValue: (Datum) -> Bool
  ) -> Bool {
    record(target)?.registers.first { $0.name == register }?.writes.contains {
      guard case .write(_, let value) = action($0.place).body else { return false }
      return isValue(value)
    } ?? false
  }

  /// Whether a record was made without a value in a register, as far as its history is still known: of an operation that
  /// has lost an action before the write, that may have been the create.
  package func wasMadeWithout(_ register: Name, _ target: Target) -> Bool {
    record(target)?.registers.first { $0.name == register }?.writes.allSatisfy { write in
      Int(write.place.index) == Int(write.place.action)
        && !operations[Int(write.place.operation)].actions.contains {
          $0.target == target && $0.body == .create
        }
    } ?? true
  }

  /// Whether a register was written once, as far as its history is still known: a place, as the record was made.
  package func isWrittenOnce(_ register: Name, of target: Target) -> Bool {
    record(target)?.registers.first { $0.name == register }?.writes.count == 1
  }

  /// What a replica said it had seen when it last wrote a register; nil where it never did.
  package func context(
    of replica: ReplicaID, writing register: Name, of target: Target
  ) -> VersionVector? {
    record(target)?.registers.first { $0.name == register }?.writes.last {
      operations[Int($0.place.operation)].dot.replica == replica
    }.map { operations[Int($0.place.operation)].context.vector(of: replica) }
  }

  func write(
    _ target: Target, _ register: Name, within shown: VersionVector
  ) -> Register.Write? {
    record(target)?.registers.first { $0.name == register }?.writes.last {
      shown.contains(operations[Int($0.place.operation)].dot)
    }
  }

  /// Whether the writer had been shown the delete that hides the record.
  package func hasSeenDelete(of target: Target, within shown: VersionVector) -> Bool {
    if let tombstone = tombstones[target], recordIndices[target] == nil {
      return shown.contains(tombstone.dot) || base.contains(tombstone.dot)
    }
    guard let delete = record(target)?.newestDelete else { return false }
    return shown.contains(delete.mark.dot)
  }

  /// Whether a set of operations has with each what that one had seen. What a replica holds always
  /// does, and only then is "happened before" transitive.
  ///
  /// - Parameter context: what the operation had seen; nil where that is no longer known.
  package static func isClosed(
    _ vector: VersionVector, _ context: (Dot) -> Context?
  ) -> Bool {
    vector.entries.allSatisfy { entry in
      context(Dot(entry.replica, entry.seq)).map { vector.contains($0.others) } ?? true
    }
  }

  /// What an operation had seen; nil where it is not here, or lies within `base`.
  package func context(of dot: Dot) -> Context? {
    replicas.position(of: dot).map { operations[Int($0)].context }
  }

  /// The highest stamp of other replicas that an operation has seen, as far as it is known.
  func latest(below operation: Operation) -> Stamp? {
    operation.context.others.entries.compactMap { stamp(of: Dot($0.replica, $0.seq)) }.max()
  }

  /// A vector as sequences ask for it.
  func sequenceNumbers(within vector: VersionVector) -> (UInt32) -> UInt64 {
    { vector[self.replicas[$0].id] }
  }

  func anchor(_ origin: Origin) -> Anchor {
    Anchor(origin.parent.map(id), origin.side)
  }

  func id(_ element: Element) -> ElementID {
    ElementID(
      Dot(replicas[element.replica].id, element.seq), UInt32(element.index))
  }

  /// Elements as operations name them: runs of one operation each.
  func runs(_ range: ElementRange) -> [ElementRun] {
    switch range.step {
    case .index: [ElementRun(id(range.first), count: UInt32(range.count))]
    case .seq: (0..<range.count).map { ElementRun(id(range[$0]), count: 1) }
    }
  }
}
