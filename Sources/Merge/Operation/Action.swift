/// What an action is about: a record of a kind, known to the schema or not.
package struct Target: Hashable, Comparable, Sendable {
  package var kind: Name
  package var record: Name

  package init(_ kind: Name, _ record: Name) {
    self.kind = kind
    self.record = record
  }

  /// Records of different kinds hardly ever have the same name.
  package func hash(into hasher: inout Hasher) { record.hash(into: &hasher) }

  package static func < (left: Target, right: Target) -> Bool {
    left.kind != right.kind ? left.kind < right.kind : left.record < right.record
  }
}

/// Where an inserted run hangs in the tree of its sequence: its first element is a child of
/// `parent`, the root where nil (Weidner and Kleppmann, "The Art of the Fugue", section 4).
package struct Anchor: Hashable, Sendable {
  package var parent: ElementID?
  package var side: Side

  package init(_ parent: ElementID?, _ side: Side) {
    self.parent = parent
    self.side = side
  }
}

/// Elements with consecutive indices of one operation.
package struct ElementRun: Hashable, Sendable {
  package var first: ElementID
  package var count: UInt32

  package init(_ first: ElementID, count: UInt32) {
    self.first = first
    self.count = count
  }
}

/// One change of one record. Everything that merging needs is frozen here at writing and never
/// looked up in a schema later.
package struct Action: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    case create
    case delete
    case restore
    /// A register is set, a group of fields as one object.
    case write(field: Name, value: Datum)
    /// The record goes to a new slot of the list in `into`, of the root's where that is nil.
    case move(field: Name, to: Anchor)
    case insert(field: Name, at: Anchor, text: Name)
    case erase(field: Name, [ElementRun])
    /// An action of a newer version: kept and relayed, and without effect here.
    case unknown(Datum)
  }

  private struct Parts: Hashable, Sendable {
    var target: Target
    var home: Target?
    var into: Target?
    var via: Target?
    var revives: Bool
    var body: Body
  }

  /// One reference: while an action is taken in it is handed on several times, and there are nine in it.
  private var parts: Shared<Parts>

  package var target: Target {
    _read { yield parts.value.target }
    _modify { yield &parts.value.target }
  }
  /// The container that the record stood in at writing.
  package var home: Target? {
    _read { yield parts.value.home }
    _modify { yield &parts.value.home }
  }
  /// The container that the action puts the record into.
  package var into: Target? {
    _read { yield parts.value.into }
    _modify { yield &parts.value.into }
  }
  /// A record whose container, while it is visible, is this record's too, before `into`.
  package var via: Target? {
    _read { yield parts.value.via }
    _modify { yield &parts.value.via }
  }
  /// Whether the action is content, which keeps its record visible against older deletes.
  package var revives: Bool {
    _read { yield parts.value.revives }
    _modify { yield &parts.value.revives }
  }
  package var body: Body {
    _read { yield parts.value.body }
    _modify { yield &parts.value.body }
  }

  package init(
    _ target: Target, _ body: Body, revives: Bool = false, home: Target? = nil,
    into: Target? = nil, via: Target? = nil
  ) {
    parts = Shared(
      Parts(target: target, home: home, into: into, via: via, revives: revives, body: body))
  }

  /// Whether it touches its record: creates, restores and content do, placement and deletes do not.
  package var touches: Bool {
    switch body {
    case .create, .restore: true
    case .write, .insert, .erase: revives
    case .delete, .move, .unknown: false
    }
  }

  /// Whether it says where in a sequence it takes place.
  package var namesElements: Bool {
    switch body {
    case .move, .insert, .erase: true
    case .create, .delete, .restore, .write, .unknown: false
    }
  }

  /// How many elements it inserts into a sequence.
  package var elements: Int {
    switch body {
    case .move: 1
    case .insert(_, _, let text):
      // Bytes that do not continue a character.
      text.utf8.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
    default: 0
    }
  }
}
