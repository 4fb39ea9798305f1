package import Merge

/// Finds out which whole records may show something else than before, by what has come to the log.
///
/// It goes through new operations, through the orders of records that are sent by themselves, which one move changes for
/// many, and through what names a record that is shown now, or hidden.
package struct RecordWatch {
  /// The position of the log up to which it has looked.
  private var position: UInt64 = 0
  /// By kind of those that are sent by themselves; empty where it has not looked yet.
  private var arrangements: [Name: Arrangement] = [:]
  private var hasLooked = false
  /// What each living record in a list of another stood in.
  private var containers: [Target: Target] = [:]
  private var references = References()

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
    var touched: Set<Target> = []
    for root in shape.roots {
      guard let order = schema[root]?.order else { continue }
      let new = fold.arrangement(root, by: order)
      touched.formUnion(fold.moved(in: new, since: arrangements[root]))
      arrangements[root] = new
    }
    if hasLooked {
      var changed: Set<Target> = []
      for operation in operations {
        for action in operation.actions { note(action, shape, fold, schema, &touched, &changed) }
      }
      for target in references.shownOrHidden(by: changed, shape, fold, schema) {
        root(of: target, shape).map { _ = touched.insert($0) }
      }
    } else {
      lookAtAll(shape, fold, schema, &touched)
    }
    return touched
  }

  private mutating func lookAtAll(
    _ shape: RecordShape, _ fold: Fold, _ schema: Schema, _ touched: inout Set<Target>
  ) {
    hasLooked = true
    for root in shape.roots where schema[root]!.order == nil {
      touched.formUnion(fold.records(of: root).filter { fold.isVisible($0, schema) })
    }
    for list in shape.kinds where !shape.isRoot(list) {
      for entry in fold.contained(list, by: schema[list]!.order!) {
        containers[entry.record] = entry.container
      }
    }
    references = References(shape, fold, schema)
  }

  /// An action touches the record that it is about, what that stands in and stood in, here and at its writer, and may
  /// bring these back.
  private mutating func note(
    _ action: Action, _ shape: RecordShape, _ fold: Fold, _ schema: Schema,
    _ touched: inout Set<Target>, _ changed: inout Set<Target>
  ) {
    let targets = [action.target, action.home, action.into].compactMap(\.self)
    changed.formUnion(targets)
    touched.formUnion(targets.compactMap { root(of: $0, shape) })
    for target in targets where shape.isListed(target.kind) {
      // A dead one stands nowhere; what is collected is not kept here.
      containers[target] = fold.isAlive(target) ? fold.container(of: target, schema) : nil
    }
    touched.formUnion(targets.compactMap { root(of: $0, shape) })
    references.note(action, fold, schema)
  }

  /// The record that one is sent with, by what stands in what.
  private func root(of target: Target, _ shape: RecordShape) -> Target? {
    shape.root(of: target) { containers[$0] }
  }
}

/// Which records name which: while one is hidden, what names it shows otherwise, or is hidden too.
private struct References {
  private struct Named {
    /// Records that name it, or once did.
    var by: Set<Target> = []
    var isVisible: Bool
    /// What it stands in: so does what is in that through it.
    var container: Target?
  }

  /// By kind: the registers that name records.
  private var registers: [Name: [Schema.Register]] = [:]
  /// By kind: the lists in it whose records may be named, or what they contain.
  private var lists: [Name: [(kind: Name, order: Name)]] = [:]
  private var named: [Target: Named] = [:]
  /// How many names may come before those are forgotten that are of no use any more.
  private var left = Self.least
  private static let least = 1024

  init() {}

  init(_ shape: RecordShape, _ fold: Fold, _ schema: Schema) {
    var kinds: Set<Name> = []
    for kind in shape.kinds.compactMap({ schema[$0] }) {
      let naming = kind.registers.filter { $0.fields.contains { $0.reference != nil } }
      guard !naming.isEmpty else { continue }
      registers[kind.name] = naming
      kinds.formUnion(naming.flatMap { $0.fields.compactMap(\.reference) })
    }
    guard !registers.isEmpty else { return }
    func areNamed(_ kind: Name) -> Bool {
      kinds.contains(kind) || shape.lists(in: kind).contains(where: areNamed)
    }
    for kind in shape.kinds {
      let named = shape.lists(in: kind).filter(areNamed)
      if !named.isEmpty { lists[kind] = named.map { ($0, schema[$0]!.order!) } }
    }
    for (kind, registers) in registers {
      for target in fold.records(of: kind) {
        for register in registers {
          guard let value = fold.value(target, register.name) else { continue }
          note(value, of: register, by: target, fold, schema)
        }
      }
    }
  }

  mutating func note(_ action: Action, _ fold: Fold, _ schema: Schema) {
    guard case .write(let name, let value) = action.body,
      let register = registers[action.target.kind]?.first(where: { $0.name == name })
    else { return }
    note(value, of: register, by: action.target, fold, schema)
  }

  private mutating func note(
    _ value: Datum, of register: Schema.Register, by target: Target, _ fold: Fold, _ schema: Schema
  ) {
    for field in register.fields {
      guard let kind = field.reference,
        let record = (register.form == .group ? value[field.name] : value)?.text
      else { continue }
      let other = Target(kind, record)
      var entry = named[other] ?? state(of: other, fold, schema)
      entry.by.insert(target)
      named[other] = entry
      left -= 1
    }
    if left < 0 { forget(fold) }
  }

  private func state(of target: Target, _ fold: Fold, _ schema: Schema) -> Named {
    Named(
      isVisible: fold.isVisible(target, schema), container: fold.container(of: target, schema))
  }

  /// What is collected names nothing.
  private mutating func forget(_ fold: Fold) {
    var count = 0
    for (target, entry) in named {
      let by = entry.by.filter(fold.isKnown)
      named[target]!.by = by
      count += by.count
    }
    named = named.filter { !$0.value.by.isEmpty }
    left = max(Self.least, count)
  }

  /// Records that may show something else, as one that they name is shown or hidden since it was asked last, or stands in
  /// something else.
  ///
  /// - Parameter changed: all to which anything was done.
  mutating func shownOrHidden(
    by changed: Set<Target>, _ shape: RecordShape, _ fold: Fold, _ schema: Schema
  ) -> Set<Target> {
    guard !registers.isEmpty else { return [] }
    var found: Set<Target> = []
    var (next, seen) = (Array(changed), changed)
    func follow(_ targets: some Sequence<Target>) {
      for target in targets where seen.insert(target).inserted { next.append(target) }
    }
    while let target = next.popLast() {
      for list in lists[target.kind] ?? [] {
        follow(fold.records(of: list.kind, by: list.order, in: target))
      }
      guard let before = named[target] else { continue }
      let now = state(of: target, fold, schema)
      guard now.isVisible != before.isVisible || now.container != before.container else { continue }
      named[target]!.isVisible = now.isVisible
      named[target]!.container = now.container
      found.formUnion(before.by)
      follow(before.by)
    }
    return found
  }
}
