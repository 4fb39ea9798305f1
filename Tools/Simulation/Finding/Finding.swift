/// Something that a run showed to be wrong, in the words of the one who uses the app.
package struct Finding: Equatable, Sendable {
  /// What sort of thing it is; findings of one sort count as one.
  ///
  /// The invariant's number and a word for files: `I27`, `lost-edit`.
  package var invariant: String
  package var slug: String
  /// One sentence: "An edit was lost, and nobody overwrote it."
  package var headline: String
  /// What happened, with devices, fields, values and times; a line each, no invariant's number.
  package var story: [String]
  /// The field that it is about, where it is about one.
  package var field: Field?
  /// Indices of the steps of the recording that lead to it: the losing path.
  package var path: [Int]

  package init(
    invariant: String, slug: String, headline: String, story: [String], field: Field? = nil,
    path: [Int] = []
  ) {
    self.invariant = invariant
    self.slug = slug
    self.headline = headline
    self.story = story
    self.field = field
    self.path = path
  }

  /// Every write of a field, and where it ended.
  package struct Field: Equatable, Sendable {
    package var kind: String
    package var record: String
    /// nil where it is about whether the record exists.
    package var name: String?
    package var writes: [Write]
    /// What each device shows at the end: the field's value, or that there is no such record.
    package var ends: [(device: String, value: String)]
    /// The values with which a correct merge may end.
    package var acceptable: [String]

    package init(
      kind: String, record: String, name: String?, writes: [Write],
      ends: [(device: String, value: String)], acceptable: [String]
    ) {
      self.kind = kind
      self.record = record
      self.name = name
      self.writes = writes
      self.ends = ends
      self.acceptable = acceptable
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.kind == right.kind && left.record == right.record && left.name == right.name
        && left.writes == right.writes && left.acceptable == right.acceptable
        && left.ends.elementsEqual(right.ends) { $0 == $1 }
    }
  }

  package struct Write: Equatable, Sendable {
    /// Index of the step in the recording.
    package var step: Int
    package var device: String
    /// As JSON or a word such as "deleted".
    package var value: String
    /// Indices into `writes` of those that its writer had seen.
    package var seen: [Int]
    /// What became of it: "shown", "overwritten by 3", "lost".
    package var fate: String

    package init(step: Int, device: String, value: String, seen: [Int], fate: String) {
      self.step = step
      self.device = device
      self.value = value
      self.seen = seen
      self.fate = fate
    }
  }
}
