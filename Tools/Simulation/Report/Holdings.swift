/// What each place of a recording holds, step by step.
struct Holdings {
  typealias Fields = [(name: String, value: String)]

  /// A record at a place; without fields it is hidden or gone.
  struct Holding {
    var kind: String
    var record: String
    var fields: Fields

    func isOf(_ kind: String, _ record: String) -> Bool {
      self.kind.isIdentical(to: kind) && self.record.isIdentical(to: record)
    }

    func value(_ field: String) -> String? {
      fields.first { $0.name.isIdentical(to: field) }?.value
    }
  }

  /// For each step, the records of its place that the step changed.
  private(set) var changes: [[Holding]] = []
  /// For each place, what it holds at the end, in the order in which the records came.
  private(set) var ends: [[Holding]]

  init(_ recording: Recording) {
    ends = recording.places.map { _ in [] }
    for step in recording.steps {
      changes.append([])
      guard let place = recording.index(of: step.place) else { continue }
      for record in step.records ?? [] {
        let now = Holding(kind: record.kind, record: record.record, fields: record.fields)
        if let index = ends[place].firstIndex(where: { $0.isOf(record.kind, record.record) }) {
          guard !Self.equal(ends[place][index].fields, now.fields) else { continue }
          ends[place][index] = now
        } else {
          guard !now.fields.isEmpty else { continue }
          ends[place].append(now)
        }
        changes[changes.count - 1].append(now)
      }
    }
  }

  static func equal(_ left: Fields, _ right: Fields) -> Bool {
    left.elementsEqual(right) {
      $0.name.isIdentical(to: $1.name) && $0.value.isIdentical(to: $1.value)
    }
  }
}

extension Recording {
  func index(of place: String) -> Int? {
    places.firstIndex { $0.isIdentical(to: place) }
  }
}
