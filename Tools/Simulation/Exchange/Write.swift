import Merge

/// The unit that is judged: what one edit did to one field, or to a record's life or place.
struct Write {
  enum Kind: Hashable {
    case create, delete, restore, move
    /// A field got a value.
    case field(Name)
    /// A text was changed; `value` is the whole of it.
    case text(Name)
  }

  /// The edit that it is part of, by its place among the promised ones.
  var edit: Int
  var device: Int
  var target: Target
  var kind: Kind
  /// In its one spelling.
  var value: [UInt8] = []
  /// What a splice put in, and where.
  var splice: Splice?
  /// The writes that its writer had seen.
  var seen: BitSet

  struct Splice {
    var inserted: String
    /// The text before.
    var before: String
  }

  var field: Name? {
    switch kind {
    case .field(let name), .text(let name): name
    case .create, .delete, .restore, .move: nil
    }
  }
}

/// An edit that a device has promised to keep.
struct PromisedEdit {
  var device: Int
  /// Milliseconds since the trace's start.
  var at: Int64
  /// The device's clock.
  var now: Int64
  var edit: Edit
  /// The fields that it gives.
  var given: [Shown.Field]
  var target: Target
  /// Its writes, by number.
  var writes: Range<Int>
  var seen: BitSet
  /// The step of the recording.
  var step: Int
  /// Of records of ordered kinds that were made or moved: what its device showed of the kind before, each
  /// with the list that it stood in.
  var order: [(target: Target, list: [UInt8])]?
  /// Of our merge: what it became, nil where it changed nothing.
  var operation: Operation?
  /// Of our merge: everything that the device held.
  var held: BitSet
}
