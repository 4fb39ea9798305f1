import Merge
package import Wire

/// What a device says in payloads that are made from a schema.
struct SaidWholeRecords: SaidRecords {
  let message: Incoming
  let envelope: UInt64
  let schema: Schema
  let shape: RecordShape

  func check(_ known: KnownRecords) throws(WireError) -> [RefusedRecord] {
    switch message {
    case .request, .deleted, .acted: return []
    case .copy(let record, _):
      try check(record, known, besides: [])
      return []
    case .all(let records, let date):
      try PayloadDate.check(date, "syncTimestamp")
      var taken: Set<Target> = []
      return try known.check(list: shape.sorted(records)) { record throws(WireError) in
        try check(record, known, besides: taken)
        taken.formUnion([record.target] + record.children.map(\.target))
      }
    }
  }

  /// - Parameter others: what else the message makes.
  private func check(
    _ record: WholeRecord, _ known: KnownRecords, besides others: Set<Target>
  ) throws(WireError) {
    let copies = known.copies(of: record.target)
    try checkContainer(of: record, copies, known, besides: others)
    var targets: Set<Target> = []
    for part in [record] + record.children {
      guard targets.insert(part.target).inserted else {
        throw WireError(
          .invalidField, "\(part.target.words) occurs twice in \(record.target.words)")
      }
      if let place = part.place, place < 0 {
        throw WireError(
          .invalidField, "place of \(part.target.words) is \(place); it must be 0 or more")
      }
      try PayloadDate.check(part.createdAt, "createdAt of \(part.target.words)")
      try PayloadDate.check(part.updatedAt, "updatedAt of \(part.target.words)")
      try checkValues(part, of: copies)
    }
    try known.checkContained(record)
  }

  /// What contains a record that is sent by itself has to be there, or have been, or that would show nowhere.
  private func checkContainer(
    of record: WholeRecord, _ copies: [WholeRecord], _ known: KnownRecords,
    besides others: Set<Target>
  ) throws(WireError) {
    let kind = schema[record.target.kind]!
    guard let container = record.named(kind), !known.isKnown(container),
      !others.contains(container), !copies.contains(where: { $0.named(kind) == container }),
      !known.isLate(record)
    else { return }
    throw WireError(
      .invalidField,
      "\(kind.container!.field) of \(record.target.words) is \(container.record), and there is no such \(container.kind)"
    )
  }

  /// - Parameter copies: of the record that is sent whole, as the device may have them. What was wrong before must not
  ///   refuse a change of something else.
  private func checkValues(
    _ record: WholeRecord, of copies: [WholeRecord]
  ) throws(WireError) {
    let kind = schema[record.target.kind]!
    var written: Set<Name> = []
    let values = record.fieldValues(kind)
    for register in kind.wholeRegisters {
      let field = WholeRecord.Field(target: record.target, name: register.name)
      guard !copies.contains(where: { $0[field] == record.values[register.name] }) else {
        continue
      }
      for part in register.fields {
        written.insert(part.name)
        guard values[part.name] == .null, !part.isOptional else { continue }
        throw WireError(
          .missingField,
          "\(part.name) of \(record.target.words) is missing; it must be \(part.type.wanted)")
      }
    }
    let broken = kind.validate(values, written: written, exists: { _ in true })
    if let broken { throw broken.error }
  }
}

extension Target {
  /// As errors name it.
  var words: String { "\(kind) \(record)" }
}

// MARK: Lists, and what records contain

extension KnownRecords {
  /// Looks at each record of a list by itself.
  ///
  /// - Returns: those that `check` refuses.
  /// - Throws: 4004 where a record occurs twice, or is new in two others.
  package func check(
    list: [WholeRecord], _ check: (WholeRecord) throws(WireError) -> Void
  ) throws(WireError) -> [RefusedRecord] {
    var targets: Set<Target> = []
    for record in list where !targets.insert(record.target).inserted {
      throw WireError(.invalidField, "\(record.target.words) occurs twice")
    }
    var refused: [RefusedRecord] = []
    var new: Set<Target> = []
    for record in list {
      do throws(WireError) {
        try check(record)
      } catch {
        refused.append(RefusedRecord(record.target, error))
        continue
      }
      for child in newChildren(of: record) where !new.insert(child).inserted {
        throw WireError(.invalidField, "\(child.words) occurs in two \(record.target.kind)s")
      }
    }
    return refused
  }

  /// What the device never had in this record must not be in another one. A copy that is late changes nothing, and may
  /// be of before it left that.
  ///
  /// - Throws: 4004.
  package func checkContained(_ record: WholeRecord) throws(WireError) {
    if isLate(record) { return }
    let copies = copies(of: record.target)
    for child in record.children where isCreated(child.target) {
      guard !copies.contains(where: { $0.child(child.target) != nil }),
        let owner = root(of: child.target), owner != record.target, !isUnknown(record.target)
      else { continue }
      throw WireError(
        .invalidField,
        "\(child.target.words) belongs to \(owner.words), not to \(record.target.words)")
    }
  }

  /// What nobody knows yet. What was sent to the device in two records, one after the other, it may have in both.
  private func newChildren(of record: WholeRecord) -> [Target] {
    if isLate(record) { return [] }
    let copies = copies(of: record.target)
    return record.children.map(\.target).filter { child in
      !isCreated(child) && !copies.contains { $0.child(child) != nil }
    }
  }
}
