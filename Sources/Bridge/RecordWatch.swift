package import Merge

/// Finds out which whole records may show something else than before, by what has come to the log.
///
/// It goes through new operations, and through the order of the root's records, which one move changes for many.
package struct RecordWatch {
  /// The position of the log up to which it has looked.
  private var position: UInt64 = 0
  /// nil where it has not looked yet.
  private var arrangement: Arrangement?
  /// What each living contained record stood in.
  private var containers: [Target: Target] = [:]

  package init() {}

  /// The records sent whole that may show something else than when it was asked last; all that are shown where it is
  /// asked for the first time.
  package mutating func next(
    _ shape: RecordShape, _ replica: Replica, _ schema: Schema
  ) -> Set<Target> {
    defer { position = replica.position }
    // What the log no longer has was collected: bridged devices had been sent it.
    let new = replica.log.suffix(Int(replica.position - max(position, replica.base)))
    return next(
      shape, replica.fold, schema, after: new.lazy.compactMap { $0.operation?.operation })
  }

  /// - Parameter operations: what has come since it was asked last.
  package mutating func next(
    _ shape: RecordShape, _ fold: Fold, _ schema: Schema, after operations: some Sequence<Operation>
  ) -> Set<Target> {
    let new = fold.arrangement(shape.root, by: schema[shape.root]!.order!)
    var touched = Set(fold.moved(in: new, since: arrangement))
    if arrangement == nil {
      for kind in shape.children {
        for entry in fold.contained(kind, by: schema[kind]!.order!) {
          containers[entry.record] = entry.container
        }
      }
    } else {
      for operation in operations {
        for action in operation.actions { note(action, shape, fold, schema, &touched) }
      }
    }
    arrangement = new
    return touched
  }

  /// An action touches the record that it is about, what that stands in and stood in, here and at its writer.
  private mutating func note(
    _ action: Action, _ shape: RecordShape, _ fold: Fold, _ schema: Schema,
    _ touched: inout Set<Target>
  ) {
    let target = action.target
    var roots = [target, action.home, action.into]
    if shape.children.contains(target.kind) {
      let container = fold.container(of: target, schema)
      roots += [containers[target], container]
      // A dead one stands nowhere; what is collected is not kept here.
      containers[target] = fold.isAlive(target) ? container : nil
    }
    touched.formUnion(roots.lazy.compactMap(\.self).filter { $0.kind == shape.root })
  }
}
