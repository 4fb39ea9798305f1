/// What happened in a run, step by step, for people to look at.
package struct Recording: Equatable, Sendable {
  /// The columns: devices, and `server` where there is one.
  package var places: [String]
  /// When it starts, in milliseconds since 1970.
  package var start: Int64
  package var steps: [Step]

  package struct Step: Equatable, Sendable {
    /// Milliseconds since the start.
    package var at: Int64
    package var place: String
    package var kind: Kind
    /// What happened, in a few words: `set t1 color = "color5"`.
    package var text: String
    /// Index of the step in which what arrives here was sent.
    package var from: Int?
    /// What this place holds afterwards, where that has changed: by `kind/record`, the record's
    /// fields as JSON text in order; no fields where it is hidden.
    package var records: [Record]?

    package init(
      at: Int64, _ place: String, _ kind: Kind, _ text: String, from: Int? = nil,
      records: [Record]? = nil
    ) {
      self.at = at
      self.place = place
      self.kind = kind
      self.text = text
      self.from = from
      self.records = records
    }
  }

  package enum Kind: String, Sendable {
    case edit, send, receive, fault, note
  }

  package struct Record: Equatable, Sendable {
    package var kind: String
    package var record: String
    package var fields: [(name: String, value: String)]

    package init(kind: String, record: String, fields: [(name: String, value: String)]) {
      self.kind = kind
      self.record = record
      self.fields = fields
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.kind == right.kind && left.record == right.record
        && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
  }

  package init(places: [String], start: Int64, steps: [Step] = []) {
    self.places = places
    self.start = start
    self.steps = steps
  }
}
