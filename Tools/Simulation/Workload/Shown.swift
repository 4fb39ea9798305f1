package import Merge

/// What a device shows, and what it keeps for people to take back.
package struct Shown: Equatable, Sendable {
  /// Kind by kind; records of ordered kinds as they stand in their lists.
  package var records: [Record]
  package var kept: [Kept]

  package init(records: [Record] = [], kept: [Kept] = []) {
    self.records = records
    self.kept = kept
  }

  package struct Record: Equatable, Sendable {
    package var target: Target
    package var fields: [Field]

    package init(_ target: Target, _ fields: [Field]) {
      self.target = target
      self.fields = fields
    }

    package subscript(field: Name) -> [UInt8]? { fields.first { $0.name == field }?.value }
  }

  package struct Field: Equatable, Sendable {
    package var name: Name
    /// JSON in one spelling (`Spelling`): equal values have equal bytes.
    package var value: [UInt8]

    package init(_ name: Name, _ value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// A value that lost and can be taken back.
  package struct Kept: Equatable, Sendable {
    package var target: Target
    package var field: Name
    package var value: [UInt8]

    package init(_ target: Target, _ field: Name, _ value: [UInt8]) {
      self.target = target
      self.field = field
      self.value = value
    }
  }

  package subscript(target: Target) -> Record? { records.first { $0.target == target } }

  package func has(_ target: Target) -> Bool { records.contains { $0.target == target } }

  /// The same with the order taken out that means nothing: records of unordered kinds by id, those
  /// of ordered ones list by list.
  package func inOrder(_ schema: Schema) -> [Record] {
    var places: [(kind: Name, container: [UInt8], id: Name, index: Int)] = []
    for (index, record) in records.enumerated() {
      let kind = schema[record.target.kind]
      let isListed = kind?.order != nil
      let container = isListed ? kind?.container.flatMap { record[$0.field] } ?? [] : []
      let id = isListed ? Name(utf8: []) : record.target.record
      places.append((record.target.kind, container, id, index))
    }
    places.sort { left, right in
      if left.kind != right.kind { return left.kind < right.kind }
      if left.container != right.container {
        return left.container.lexicographicallyPrecedes(right.container)
      }
      if left.id != right.id { return left.id < right.id }
      return left.index < right.index
    }
    return places.map { records[$0.index] }
  }
}
