import Wire

/// Writes a fold down.
struct SnapshotWriter {
  private let fold: Fold
  /// Numbers of replicas within the fold, by replica.
  private let order: [UInt32]
  /// A replica's place in `order`, by number.
  private var places: [Int]
  /// Indices of the records by their targets: to move records about costs more.
  private let recordsInOrder: [Int]
  private var pieces: [[UInt8]] = []

  init(_ fold: Fold) {
    self.fold = fold
    let table = fold.replicas
    order = table.entries.indices.map { UInt32($0) }.filter { table[$0].seq > 0 }
      .sorted { table[$0].id < table[$1].id }
    places = Array(repeating: -1, count: table.entries.count)
    for (place, number) in order.enumerated() { places[Int(number)] = place }
    recordsInOrder = fold.records.indices.sorted {
      fold.records[$0].target < fold.records[$1].target
    }
  }

  mutating func write() -> [[UInt8]] {
    addRecords()
    addOperations()
    addTexts()
    addLists()
    addTombstones()
    return [header(pieces.count + 1).canonical] + pieces
  }

  /// Items in pieces of bounded size, each with the same other members. Of what a snapshot costs most is to write items,
  /// so each is written once.
  private mutating func add(
    _ part: Snapshot.Part, _ key: Name, _ items: [Datum], _ members: [Datum.Member] = []
  ) {
    guard !items.isEmpty else { return }
    let (head, tail) = ends(
      of: key, members + [Datum.Member(Key.part, .string(part.name))])
    let limit = Snapshot.pieceLimit - head.count - tail.count
    var batch: [UInt8] = []
    var item: [UInt8] = []
    for datum in items {
      item.removeAll(keepingCapacity: true)
      datum.append(to: &item)
      // A comma for each.
      if !batch.isEmpty, batch.count + 1 + item.count + 1 > limit {
        pieces.append(head + batch + tail)
        batch.removeAll(keepingCapacity: true)
      }
      if !batch.isEmpty { batch.append(0x2C) }
      batch += item
    }
    pieces.append(head + batch + tail)
  }

  /// What is before and behind the items of a piece, whose members are in the order of their names.
  private func ends(of key: Name, _ members: [Datum.Member]) -> ([UInt8], [UInt8]) {
    let before = Datum.sorted(members.filter { Datum.precedes($0.name, key) }).canonical
    let behind = Datum.sorted(members.filter { Datum.precedes(key, $0.name) }).canonical
    var head = Array(before.dropLast())
    if head.count > 1 { head.append(0x2C) }
    head.append(quoted: key)
    head += ":[".utf8
    var tail: [UInt8] = [0x5D]
    if behind.count > 2 { tail.append(0x2C) }
    return (head, tail + behind.dropFirst())
  }

  private func header(_ count: Int) -> Datum {
    let replicas = order.map { number in
      let entry = fold.replicas[number]
      var item = Item()
      item.add(Key.replica, "\(entry.id)")
      item.add(Key.seq, entry.seq)
      if entry.base > 0 { item.add(Key.base, entry.base) }
      if let stamp = entry.baseStamp { item.add(Key.stamp, stamp) }
      let sealed = fold.seal.frontier[entry.id]
      if sealed > entry.base { item.add(Key.sealed, sealed) }
      return item.datum
    }
    var item = Item()
    item.add(Key.part, Snapshot.Part.header.name)
    item.add(Key.format, Snapshot.format)
    item.add(Key.pieces, count)
    item.add(Key.horizon, fold.seal.horizon)
    item.add(Key.unknown, fold.unknownActions)
    item.members.append(Datum.Member(Key.replicas, .array(replicas)))
    return item.datum
  }

  // MARK: Records

  private mutating func addRecords() {
    let items = recordsInOrder.map { index in
      let record = fold.records[index]
      var item = Item(record.target)
      if record.isCreated { item.members.append(Datum.Member(Key.created, .bool(true))) }
      if let touch = record.touch { item.add(Key.touch, spelled(touch)) }
      if let inside = record.touchInside { item.add(Key.inside, spelled(inside)) }
      item.add(Key.changes, record.changes.vector.entries.map { spelled(Dot($0.replica, $0.seq)) })
      let recreations = record.recreations.sorted {
        $0.replica != $1.replica ? $0.replica < $1.replica : $0.seq < $1.seq
      }
      item.add(Key.exhumed, recreations.map(spelled))
      return item.datum
    }
    add(.records, Key.records, items)
  }

  private mutating func addTombstones() {
    let tombstones = fold.tombstones.sorted { $0.key < $1.key }.map { target, mark in
      var item = Item(target)
      item.add(Key.mark, spelled(mark))
      return item.datum
    }
    add(.graves, Key.graves, tombstones)
  }

  // MARK: Operations

  /// What an action is still there for.
  private struct Role {
    var place: Record.Place
    var isArchived = false
    var lostTo: Mark?
    var isRecovered = false
  }

  /// By operation, in the order in which the actions were written.
  private func roles() -> [[Role]] {
    var roles = Array(repeating: [Role](), count: fold.operations.count)
    func add(_ role: Role) { roles[Int(role.place.operation)].append(role) }
    for record in fold.records {
      for delete in record.deletes { add(Role(place: delete.place, lostTo: delete.lostTo)) }
      for register in record.registers {
        for write in register.writes {
          add(Role(place: write.place, isArchived: write.isArchived))
        }
      }
    }
    for place in fold.recovered { add(Role(place: place, isRecovered: true)) }
    for position in roles.indices where roles[position].count > 1 {
      roles[position].sort { $0.place.index < $1.place.index }
    }
    return roles
  }

  private mutating func addOperations() {
    let roles = roles()
    var positions = Array(repeating: [Int](), count: order.count)
    for (position, operation) in fold.operations.enumerated() {
      positions[place(operation.dot.replica)].append(position)
    }
    for (place, positions) in positions.enumerated() {
      var previous: Context?
      let bySeq = positions.sorted { fold.operations[$0].dot.seq < fold.operations[$1].dot.seq }
      let items = bySeq.map { position in
        defer { previous = fold.operations[position].context }
        return item(fold.operations[position], roles[position], after: previous)
      }
      add(
        .operations, "operations", items,
        [Datum.Member(Key.replica, .string(Name("\(place)")))])
    }
  }

  private func item(_ operation: Operation, _ roles: [Role], after previous: Context?) -> Datum {
    var item = Item()
    item.add(Key.seq, operation.dot.seq)
    item.add(Key.stamp, operation.stamp)
    item.add(Key.wall, operation.wall)
    let context = operation.contextDifference(previous)
    if !context.isEmpty { item.members.append(Datum.Member(Key.context, .sorted(context))) }
    item.add(Key.actions, roles.map { self.item($0, operation) })
    if !fold.base.contains(operation.dot) {
      let recovered = roles.filter(\.isRecovered).map { Int($0.place.action) }
      let erased = operation.actions.indices.filter { index in
        guard case .erase = operation.actions[index].body else { return false }
        return !recovered.contains(index)
      }
      item.add(Key.erased, erased.map { operation.actions[$0].datum })
    }
    return item.datum
  }

  private func item(_ role: Role, _ operation: Operation) -> Datum {
    var item = Item()
    let action = operation.actions[Int(role.place.action)]
    item.members.append(Datum.Member(Key.action, action.datum))
    if role.place.index > 0 { item.add(Key.index, role.place.index) }
    if role.place.element > 0 { item.add(Key.element, role.place.element) }
    if role.isArchived { item.members.append(Datum.Member(Key.archived, .bool(true))) }
    if let lostTo = role.lostTo { item.add(Key.lostTo, spelled(lostTo)) }
    if role.isRecovered { item.members.append(Datum.Member(Key.recovered, .bool(true))) }
    return item.datum
  }

  // MARK: Sequences

  private mutating func addTexts() {
    for index in recordsInOrder {
      let record = fold.records[index]
      for text in record.texts.sorted(by: { $0.field < $1.field }) {
        var item = Item(record.target)
        item.add(Key.field, text.field)
        add(.text, Key.runs, runs(of: text.sequence), item.members)
      }
    }
  }

  private mutating func addLists() {
    for (list, sequence) in fold.lists.sorted(by: { $0.key < $1.key }) {
      var item = Item()
      item.add(Key.kind, list.kind)
      if let into = list.container { item.members.append(Datum.Member(Key.into, into.datum)) }
      add(.list, Key.runs, runs(of: sequence), item.members)
    }
  }

  private func runs(of sequence: Fugue) -> [Datum] {
    let canonical = CanonicalRuns(sequence, deadAt: fold.sequenceNumbers(within: fold.base))
    return canonical.runs.flatMap { $0.parts(of: Snapshot.runLimit) }.map { run in
      var item = Item()
      item.add(Key.first, spelled(run.elements.first))
      if run.elements.count > 1 { item.add(Key.count, run.elements.count) }
      if run.elements.step == .seq { item.add(Key.step, "seq") }
      item.add(Key.rank, run.rank)
      if let parent = run.origin.parent { item.add(Key.parent, spelled(parent)) }
      if run.origin.side == .left { item.add(Key.side, "left") }
      if let key = run.key { item.add(Key.key, "\(spelled(key.element))/\(key.rank)") }
      if !run.isVisible { item.members.append(Datum.Member(Key.dead, .bool(true))) }
      if !run.text.isEmpty { item.add(Key.text, Name(run.text)) }
      return item.datum
    }
  }

  // MARK: Spelling

  private func place(_ replica: ReplicaID) -> Int { places[Int(fold.replicas.known(replica)!)] }

  private func spelled(_ dot: Dot) -> Name {
    var text: [UInt8] = []
    append(dot, to: &text)
    return Name(utf8: text)
  }

  private func spelled(_ mark: Mark) -> Name {
    var text: [UInt8] = []
    append(mark.dot, to: &text)
    text.append(0x2F)
    text.append(spelled: mark.stamp)
    return Name(utf8: text)
  }

  private func append(_ dot: Dot, to text: inout [UInt8]) {
    text.append(decimal: place(dot.replica))
    text.append(0x2F)
    text.append(decimal: dot.seq)
  }

  private func spelled(_ element: Element) -> Name {
    var text: [UInt8] = []
    text.append(decimal: places[Int(element.replica)])
    text.append(0x2F)
    text.append(decimal: element.seq)
    text.append(0x2F)
    text.append(decimal: element.index)
    return Name(utf8: text)
  }
}

/// An object in the making.
private struct Item {
  var members: [Datum.Member] = []

  init() {}

  init(_ target: Target) {
    add(Key.kind, target.kind)
    add(Key.record, target.record)
  }

  var datum: Datum { .sorted(members) }

  mutating func add(_ name: Name, _ text: Name) {
    members.append(Datum.Member(name, .string(text)))
  }

  mutating func add(_ name: Name, _ text: String) { add(name, Name(text)) }

  /// A list; an empty one is left out.
  mutating func add(_ name: Name, _ items: [Datum]) {
    if !items.isEmpty { members.append(Datum.Member(name, .array(items))) }
  }

  mutating func add(_ name: Name, _ texts: [Name]) { add(name, texts.map { .string($0) }) }

  mutating func add(_ name: Name, _ number: some FixedWidthInteger) {
    var text: [UInt8] = []
    text.append(decimal: number)
    add(name, Name(utf8: text))
  }

  mutating func add(_ name: Name, _ stamp: Stamp) {
    var text: [UInt8] = []
    text.append(spelled: stamp)
    add(name, Name(utf8: text))
  }
}
