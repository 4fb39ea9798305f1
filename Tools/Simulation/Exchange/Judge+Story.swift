import Merge

/// Findings in words.
extension Judge {
  func label(_ target: Target) -> String { ExchangeWorld.label(target) }

  func author(_ index: Int) -> String { "the \(world.places[writes[index].device].name)" }

  func possessive(_ device: Int) -> String { "The \(world.places[device].name)'s" }

  func time(_ index: Int) -> String { ExchangeWorld.clock(world.edits[writes[index].edit].at) }

  func text(_ value: [UInt8]) -> String { String(decoding: value, as: UTF8.self) }

  /// Everything that was done to a field, or where `name` is nil to a record's life.
  func field(_ target: Target, _ name: Name?, acceptable: [Int]) -> Finding.Field {
    let indices = writes.indices.filter { index in
      guard writes[index].target == target else { return false }
      guard let name else {
        return [.create, .delete, .restore].contains(writes[index].kind)
          || world.edits[writes[index].edit].writes.first == index
      }
      return writes[index].field == name || writes[index].kind == .delete
    }
    let rows = indices.map { index in
      Finding.Write(
        step: world.edits[writes[index].edit].step, device: world.places[writes[index].device].name,
        value: value(index),
        seen: indices.indices.filter { writes[index].seen.contains(indices[$0]) },
        fate: fate(index, indices))
    }
    var values: [String] = []
    for index in acceptable where !values.contains(text(writes[index].value)) {
      values.append(text(writes[index].value))
    }
    return Finding.Field(
      kind: target.kind.text, record: target.record.text, name: name?.text, writes: rows,
      ends: settlement.states.enumerated().map { device, state in
        (world.places[device].name, end(state, target, name))
      }, acceptable: values)
  }

  private func end(_ state: Shown, _ target: Target, _ name: Name?) -> String {
    guard let record = state[target] else { return "no such record" }
    guard let name else { return "the record is there" }
    return text(record[name] ?? Array("null".utf8))
  }

  private func value(_ index: Int) -> String {
    switch writes[index].kind {
    case .create: "created"
    case .delete: "deleted"
    case .restore: "brought back"
    case .move: "moved"
    case .field, .text: text(writes[index].value)
    }
  }

  private func fate(_ index: Int, _ among: [Int]) -> String {
    let write = writes[index]
    let places = settlement.states.indices.filter { shows(settlement.states[$0], write) }
    if places.count == settlement.states.count { return "shown" }
    if !places.isEmpty {
      return "shown on " + places.map { "the \(world.places[$0].name)" }.joined(separator: ", ")
    }
    if let later = among.firstIndex(where: {
      writes[$0].seen.contains(index)
        && (writes[$0].field == write.field || writes[$0].kind == .delete)
    }) {
      return "overwritten by \(later + 1)"
    }
    if let field = write.field {
      if isMerged(index, field) { return "shown, merged with others" }
      return isKept(index, write.target, field) ? "kept" : "lost"
    }
    return "lost"
  }

  /// Whether a device shows what was written there.
  private func shows(_ state: Shown, _ write: Write) -> Bool {
    guard let field = write.field else {
      return state.has(write.target) == (write.kind != .delete)
    }
    return state[write.target]?[field] == write.value
  }

  /// Whether what was typed is part of the text that some device shows.
  private func isMerged(_ index: Int, _ field: Name) -> Bool {
    guard let sign = sign(index) else { return false }
    return settlement.states.contains { state in
      let text = state[writes[index].target]?[field].flatMap(Spelling.text)
      return text?.unicodeScalars.contains(sign) ?? false
    }
  }

  /// The steps of an edit, and of what carried it on.
  func path(_ index: Int) -> [Int] {
    guard world.isRecorded else { return [] }
    var steps = [world.edits[writes[index].edit].step]
    var reached: Set<Int> = [writes[index].device]
    for parcel in world.parcels where parcel.held.contains(index) && !reached.contains(parcel.to) {
      guard
        let arrival = world.recording.steps.firstIndex(where: {
          $0.kind == .receive && $0.from == parcel.step
        })
      else { continue }
      reached.insert(parcel.to)
      steps += [parcel.step, arrival]
    }
    return steps.sorted()
  }

  /// The steps of all that was done to a field.
  func path(_ field: Finding.Field) -> [Int] { Array(Set(field.writes.map(\.step))).sorted() }
}
