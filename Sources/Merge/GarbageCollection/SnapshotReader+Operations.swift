import Wire

extension SnapshotReader {
  mutating func readOperations(_ reader: DatumReader) throws(WireError) {
    let next = Int(try reader.number("replica", below: UInt64(replicas.count)))
    guard next >= place else { throw reader.invalid("replica", "not below the one before it") }
    if next > place { previous = nil }
    place = next
    try reader.items("operations") { item throws(WireError) in try readOperation(item) }
  }

  private mutating func readOperation(_ reader: DatumReader) throws(WireError) {
    let replica = replicas[place].id
    let entry = fold.replicas[UInt32(place)]
    let dot = Dot(replica, try reader.number("seq", below: replicas[place].seq + 1))
    let isInBase = dot.seq <= entry.base
    guard isInBase ? dot.seq > previous?.dot.seq ?? 0 : dot.seq == entry.seq + 1 else {
      throw reader.invalid("seq", isInBase ? "above the one before it" : "\(entry.seq + 1)")
    }
    // Whoever wrote it down beside a log left out what that has.
    let logged = isInBase || reader.has("stamp") ? nil : logged[dot]
    let stamp =
      if let logged { logged.stamp } else {
        try reader.value("stamp", "<ms>.<rank>.<counter>") { Stamp($0, replica: replica) }
      }
    let lower = isInBase ? previous?.stamp : entry.stamp
    guard lower.map({ $0 < stamp }) ?? true, !isInBase || !(entry.baseStamp! < stamp) else {
      throw reader.invalid("stamp", "above the one before it, and within the header's")
    }
    let context = try Operation.context(
      reader.source.member("context"), reader, dot, previous?.context)
    guard fold.vector.contains(context.others) else {
      throw reader.invalid("context", "within the header's replicas")
    }
    let wall =
      if let logged { logged.wall } else {
        try reader.value("wall", "milliseconds since 1970") { Int64(spelled: $0) }
      }
    var operation = Operation(
      dot: dot, stamp: stamp, context: context, wall: wall, actions: logged?.actions ?? [])
    var last: UInt32?
    var recovered: Set<Int32> = []
    try reader.items("actions") { item throws(WireError) in
      try readAction(item, &operation, isLogged: logged != nil, &last, &recovered)
    }
    if let logged {
      for (index, action) in logged.actions.enumerated() {
        guard case .erase = action.body, !recovered.contains(Int32(index)) else { continue }
        try erase(action, dot, reader)
      }
    }
    try reader.items("erased") { item throws(WireError) in
      let action = try Action(item.source, item.place)
      operation.actions.append(action)
      try erase(action, dot, item)
    }
    if !isInBase {
      fold.replicas.append(Int32(fold.operations.count), stamp, to: UInt32(place))
    }
    fold.operations.append(Replica.Written(operation))
    previous = operation
  }

  /// Erases once the texts are there.
  private mutating func erase(
    _ action: Action, _ dot: Dot, _ reader: DatumReader
  ) throws(WireError) {
    guard case .erase = action.body, fold.recordIndices[action.target] != nil else {
      throw reader.invalid("action", "erase, of a record that is here")
    }
    erased.append((action, dot))
  }

  /// - Parameter isLogged: whether the operation has all of its actions already.
  private mutating func readAction(
    _ reader: DatumReader, _ operation: inout Operation, isLogged: Bool, _ last: inout UInt32?,
    _ recovered: inout Set<Int32>
  ) throws(WireError) {
    let index = reader.has("index") ? UInt32(try reader.number("index", below: 1 << 31)) : 0
    guard last.map({ $0 < index }) ?? true else {
      throw reader.invalid("index", "above that of the action before it")
    }
    last = index
    if isLogged {
      guard index < operation.actions.count else {
        throw reader.invalid("index", "that of an action of the log's operation")
      }
    } else {
      guard let datum = reader.source.member("action") else {
        throw reader.missing("action", "what was done")
      }
      operation.actions.append(try Action(datum, reader.place))
    }
    let number = isLogged ? Int(index) : operation.actions.count - 1
    let action = operation.actions[number]
    let place = Record.Place(
      operation: Int32(fold.operations.count), action: Int32(number), index: index,
      element: reader.has("element")
        ? UInt32(try reader.number("element", below: Element.indexLimit)) : 0)
    if try reader.flag("recovered") {
      recovered.insert(place.action)
      return fold.recovered.append(place)
    }
    guard let record = fold.recordIndices[action.target] else {
      throw reader.invalid("action", "about a record that is here")
    }
    switch action.body {
    case .write(let field, _), .move(let field, _):
      let isArchived = try reader.flag("archived")
      fold.records[record].append(
        Register.Write(place: place, ms: operation.stamp.ms, isArchived: isArchived),
        to: fold.shared(field))
    case .delete:
      fold.records[record].deletes.append(
        Record.Delete(
          place: place, mark: Mark(operation.stamp, operation.dot),
          lostTo: try mark("lostTo", reader)))
    default: throw reader.invalid("action", "write, move or delete, or recovered")
    }
  }

  // MARK: Registers

  mutating func finishRecords() throws(WireError) {
    for record in fold.records.indices {
      for register in fold.records[record].registers.indices {
        fold.records[record].registers[register].restore(fold.operations)
        for write in fold.records[record].registers[register].writes {
          let action = fold.action(write.place)
          guard case .move = action.body else { continue }
          guard let slot = fold.slotElement(write),
            fold.contains(slot, in: .list(Fold.ListName(action)))
          else {
            throw WireError(
              .invalidField, "the snapshot lacks the slot \(fold.slot(write.place)) of a move")
          }
        }
      }
    }
  }
}

extension Record {
  /// Adds a write of a snapshot, wherever it belongs.
  fileprivate mutating func append(_ write: Register.Write, to field: Name) {
    if let index = registers.firstIndex(where: { $0.name == field }) {
      registers[index].writes.append(write)
    } else {
      var register = Register(field)
      register.writes.append(write)
      registers.append(register)
    }
  }
}

extension Register {
  /// Puts writes of a snapshot into order.
  fileprivate mutating func restore(_ operations: [Replica.Written]) {
    func stamp(_ write: Write) -> Stamp { operations[Int(write.place.operation)].stamp }
    writes.sort { left, right in
      let (one, other) = (stamp(left), stamp(right))
      return one != other ? one < other : left.place.index < right.place.index
    }
    hasArchive = writes.contains(where: \.isArchived)
  }
}
