extension Fold {
  /// Drops operations within a vector, but for actions that something still refers to, and makes
  /// the vector the base.
  func compact(to base: VersionVector) {
    var needed = Array(repeating: [Int32](), count: operations.count)
    forEachPlace { needed[Int($0.operation)].append($0.action) }

    var kept: [Replica.Written] = []
    var moved = Array(repeating: Int32(-1), count: operations.count)
    for position in operations.indices {
      guard base.contains(operations[position].dot) else {
        needed[position] = []
        moved[position] = Int32(kept.count)
        kept.append(operations[position])
        continue
      }
      guard !needed[position].isEmpty else { continue }
      needed[position].sort()
      moved[position] = Int32(kept.count)
      var reduced = operations[position].operation
      reduced.actions = needed[position].map { reduced.actions[Int($0)] }
      kept.append(Replica.Written(reduced))
    }
    forEachPlace { place in
      let left = needed[Int(place.operation)]
      if !left.isEmpty { place.action = Int32(left.firstIndex(of: place.action)!) }
      place.operation = moved[Int(place.operation)]
    }
    replicas.rebase(to: base, operations, moved: moved)
    operations = kept
    self.base = base
  }

  /// All that refers to an action.
  private func forEachPlace(_ body: (inout Record.Place) -> Void) {
    for record in records.indices {
      for delete in records[record].deletes.indices {
        body(&records[record].deletes[delete].place)
      }
      for register in records[record].registers.indices {
        for write in records[record].registers[register].writes.indices {
          body(&records[record].registers[register].writes[write].place)
        }
      }
    }
    for index in recovered.indices { body(&recovered[index]) }
  }
}
