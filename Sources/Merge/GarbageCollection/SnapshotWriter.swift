import Wire

/// Writes a fold down.
struct SnapshotWriter {
  private let fold: Fold
  /// Whether a log beside it has the operations after the base.
  private let hasLog: Bool
  /// Numbers of replicas within the fold, by replica.
  private let order: [UInt32]
  /// A replica's place in `order`, by number.
  private var places: [Int]
  /// Indices of the records by their targets: to move records about costs more.
  private let recordsInOrder: [Int]
  private var pieces: [[UInt8]] = []

  init(_ fold: Fold, hasLog: Bool) {
    self.fold = fold
    self.hasLog = hasLog
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

  /// Adds items, each with the same other members.
  private mutating func add(
    _ part: Snapshot.Part, _ key: Name, _ items: [Datum], _ members: [Datum.Member] = []
  ) {
    var list = ItemList(part, key, members)
    for datum in items {
      datum.append(to: &list.item)
      list.endItem()
    }
    pieces += list.end()
  }

  private func header(_ count: Int) -> Datum {
    let replicas = order.map { number in
      let entry = fold.replicas[number]
      var item = Item()
      item.add(Key.replica, "\(entry.id)")
      item.add(Key.seq, entry.seq)
      if entry.base > 0 { item.add(Key.base, entry.base) }
      if let stamp = entry.baseStamp { item.add(Key.stamp, stamp) }
      return item.datum
    }
    var item = Item()
    item.add(Key.part, Snapshot.Part.header.name)
    item.add(Key.format, Snapshot.format)
    item.add(Key.pieces, count)
    item.add(Key.horizon, fold.horizon)
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
      let bySeq = positions.sorted { fold.operations[$0].dot.seq < fold.operations[$1].dot.seq }
      var list = ItemList(
        .operations, "operations", [Datum.Member(Key.replica, .string(Name("\(place)")))])
      var previous: Context?
      for position in bySeq {
        append(
          fold.operations[position].operation, roles[position], after: previous, to: &list.item)
        list.endItem()
        previous = fold.operations[position].context
      }
      pieces += list.end()
    }
  }

  /// There are many of them, so they are written at once, without values that would be sorted first. Members are in the
  /// order of their names: actions, context, erased, seq, stamp, wall. What a log has of it is left out.
  private func append(
    _ operation: Operation, _ roles: [Role], after previous: Context?, to bytes: inout [UInt8]
  ) {
    let isInLog = hasLog && !fold.base.contains(operation.dot)
    bytes.append(0x7B)
    if !roles.isEmpty {
      bytes.append("\"actions\":[" as StaticString)
      for index in roles.indices {
        if index > 0 { bytes.append(0x2C) }
        append(roles[index], isInLog ? nil : operation, to: &bytes)
      }
      bytes.append("]," as StaticString)
    }
    let context = operation.contextDifference(previous)
    if !context.isEmpty {
      bytes.append("\"context\":" as StaticString)
      Datum.sorted(context).append(to: &bytes)
      bytes.append(0x2C)
    }
    if !isInLog { appendErased(operation, roles, to: &bytes) }
    bytes.append("\"seq\":\"" as StaticString)
    bytes.append(decimal: operation.dot.seq)
    if !isInLog {
      bytes.append("\",\"stamp\":\"" as StaticString)
      bytes.append(spelled: operation.stamp)
      bytes.append("\",\"wall\":\"" as StaticString)
      bytes.append(decimal: operation.wall)
    }
    bytes.append("\"}" as StaticString)
  }

  private func appendErased(_ operation: Operation, _ roles: [Role], to bytes: inout [UInt8]) {
    let erased = erased(operation, roles)
    guard !erased.isEmpty else { return }
    bytes.append("\"erased\":[" as StaticString)
    for index in erased.indices {
      if index > 0 { bytes.append(0x2C) }
      operation.actions[erased[index]].append(to: &bytes)
    }
    bytes.append("]," as StaticString)
  }

  /// The actions of an operation after the base that took characters away.
  private func erased(_ operation: Operation, _ roles: [Role]) -> [Int] {
    guard !fold.base.contains(operation.dot) else { return [] }
    return operation.actions.indices.filter { index in
      guard case .erase = operation.actions[index].body else { return false }
      return !roles.contains { $0.isRecovered && Int($0.place.action) == index }
    }
  }

  /// Members: action, archived, element, index, lostTo, recovered.
  ///
  /// - Parameter operation: nil where a log has the action.
  private func append(_ role: Role, _ operation: Operation?, to bytes: inout [UInt8]) {
    bytes.append(0x7B)
    var isFirst = true
    func begin(_ name: StaticString) {
      if !isFirst { bytes.append(0x2C) }
      isFirst = false
      bytes.append(0x22)
      bytes.append(name)
      bytes.append("\":" as StaticString)
    }
    if let operation {
      begin("action")
      operation.actions[Int(role.place.action)].append(to: &bytes)
    }
    func append(_ name: StaticString, if isSo: Bool) {
      guard isSo else { return }
      begin(name)
      bytes.append("true" as StaticString)
    }
    func append(_ name: StaticString, _ number: UInt32) {
      guard number > 0 else { return }
      begin(name)
      bytes.append(0x22)
      bytes.append(decimal: number)
      bytes.append(0x22)
    }
    append("archived", if: role.isArchived)
    append("element", role.place.element)
    append("index", role.place.index)
    if let lostTo = role.lostTo {
      begin("lostTo")
      bytes.append(quoted: spelled(lostTo))
    }
    append("recovered", if: role.isRecovered)
    bytes.append(0x7D)
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

/// Items in pieces of bounded size, each with the same other members. Of what a snapshot costs most is to write items, so
/// each is written once.
private struct ItemList {
  /// What is before and behind the items of a piece.
  private let head: [UInt8]
  private let tail: [UInt8]
  private var pieces: [[UInt8]] = []
  private var batch: [UInt8] = []
  /// The item that is being written.
  var item: [UInt8] = []

  init(_ part: Snapshot.Part, _ key: Name, _ members: [Datum.Member]) {
    let members = members + [Datum.Member(Key.part, .string(part.name))]
    // In the order of their names.
    let before = Datum.sorted(members.filter { Datum.precedes($0.name, key) }).canonical
    let behind = Datum.sorted(members.filter { Datum.precedes(key, $0.name) }).canonical
    var head = Array(before.dropLast())
    if head.count > 1 { head.append(0x2C) }
    head.append(quoted: key)
    self.head = head + ":[".utf8
    tail = [0x5D] + (behind.count > 2 ? [0x2C] : []) + behind.dropFirst()
  }

  mutating func endItem() {
    // A comma for each.
    let limit = Snapshot.pieceLimit - head.count - tail.count
    if !batch.isEmpty, batch.count + 1 + item.count + 1 > limit { endPiece() }
    if !batch.isEmpty { batch.append(0x2C) }
    batch += item
    item.removeAll(keepingCapacity: true)
  }

  private mutating func endPiece() {
    pieces.append(head + batch + tail)
    batch.removeAll(keepingCapacity: true)
  }

  /// The pieces; none where there is no item.
  consuming func end() -> [[UInt8]] {
    if !batch.isEmpty { endPiece() }
    return pieces
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
