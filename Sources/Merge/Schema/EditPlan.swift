package import Wire

/// What an edit that a person typed comes to: the registers that it writes.
package struct EditPlan: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    /// The value of a single or a group.
    case value(Datum)
    /// What a text is to be as a whole. The caller finds the insertions and deletions.
    case text(Name)
  }

  package struct Write: Equatable, Sendable {
    package var register: Schema.Register
    package var content: Content

    package init(_ register: Schema.Register, _ content: Content) {
      self.register = register
      self.content = content
    }
  }

  /// In the order of the schema.
  package var writes: [Write] = []
  /// The container that the edit puts the record into; nil where it stays in its own, or has none.
  package var container: Target?

  package init(writes: [Write] = [], container: Target? = nil) {
    self.writes = writes
    self.container = container
  }
}

/// What an edit has to know about other records.
package struct Neighbours {
  /// Whether the view shows the record.
  package var isVisible: (Target) -> Bool
  /// The record that contains it in the view.
  package var container: (Target) -> Name?
  /// The record of a kind that people mean by a text which may be only the start of its id; nil
  /// where the text is to be taken as it is.
  package var find: (_ kind: Name, _ text: String) throws(WireError) -> Name?

  package init(
    isVisible: @escaping (Target) -> Bool, container: @escaping (Target) -> Name?,
    find: @escaping (_ kind: Name, _ text: String) throws(WireError) -> Name? = { _, _ in nil }
  ) {
    self.isVisible = isVisible
    self.container = container
    self.find = find
  }
}

extension Schema.Kind {
  /// Plans a create from fields as people write them: `{"name":"Tea","durationInSeconds":300}`.
  ///
  /// Fields that are not given get their defaults. What stays null or empty is not written, for the
  /// view shows the same without.
  ///
  /// - Parameters:
  ///   - fields: an object of the line.
  ///   - now: milliseconds since 1970, for dates that start as the time of the create.
  /// - Throws: 4003 where a field is missing, 4004 where one is unknown or not of its type, the
  ///   rule's error where a value breaks a rule.
  package func plan(
    creating fields: Value, _ line: UnsafeRawBufferPointer, now: Int64, among others: Neighbours
  ) throws(WireError) -> EditPlan {
    var form = EditForm(kind: self, present: [:], now: now, others: others)
    try form.read(fields, line)
    return try form.plan()
  }

  /// Plans a change of a record.
  ///
  /// Only registers whose value differs from the present one are written, groups as a whole.
  ///
  /// - Parameter present: by register, what was shown when the edit began: the value of a single or
  ///   group, a text as a string, for the order's register the container's id. Left out where there
  ///   is no write.
  /// - Throws: as for a create; fields that only a create writes are 4004.
  package func plan(
    setting fields: Value, _ line: UnsafeRawBufferPointer, present: [Name: Datum],
    among others: Neighbours
  ) throws(WireError) -> EditPlan {
    var form = EditForm(kind: self, present: present, now: nil, others: others)
    try form.read(fields, line)
    return try form.plan()
  }
}

extension Schema.Field {
  /// The canonical form of a value as people write it.
  ///
  /// - Throws: 4004 with what it must be.
  package func canonical(
    _ value: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> Datum {
    if value.kind == .null, isOptional { return type == .text ? .string("") : .null }
    guard let datum = type.read(value, line) else {
      throw WireError(
        .invalidField,
        "\(name) must be \(type.wanted)\(isOptional ? ", or null" : ""), found "
          + excerpt(value, line))
    }
    guard isTrimmed, let text = datum.text else { return datum }
    return .string(text.trimmed)
  }
}
