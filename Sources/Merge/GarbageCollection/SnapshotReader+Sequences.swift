import Wire

extension SnapshotReader {
  /// Reads runs of a text or list, which may go on from the piece before.
  mutating func readRuns(_ name: SequenceName, _ reader: DatumReader) throws(WireError) {
    if sequence != name { try finishSequence() }
    sequence = name
    try reader.items("runs") { item throws(WireError) in runs.append(try run(name, item)) }
  }

  private func run(_ name: SequenceName, _ reader: DatumReader) throws(WireError) -> FugueRun {
    let first = try element("first", reader)
    let last = replicas[Int(first.replica)].seq
    let step: ElementRange.Step =
      reader.has("step") ? try reader.value("step", "seq") { $0.is("seq") ? .seq : nil } : .index
    let room = step == .seq ? last - first.seq + 1 : Element.indexLimit - UInt64(first.index)
    let count = reader.has("count") ? Int(try reader.number("count", below: room + 1)) : 1
    guard count > 0 else { throw reader.invalid("count", "from 1") }
    let rank = try reader.value("rank", "a whole number below 256") { text in
      UInt64(decimal: text).flatMap { UInt8(exactly: $0) }
    }
    var origin = Origin.root
    if reader.has("parent") { origin.parent = try element("parent", reader) }
    if reader.has("side") {
      origin.side = try reader.value("side", "left") { $0.is("left") ? .left : nil }
    }
    var key: Sibling?
    if reader.has("key") {
      key = try reader.value("key", "<replica's place>/<seq>/<index>/<rank>") {
        sibling($0)
      }
    }
    var text = ""
    if case .text = name { text = try reader.text("text", "the characters").text }
    guard text.unicodeScalars.count == count || text.isEmpty && !reader.has("text") else {
      throw reader.invalid("text", "as many characters as the run has elements")
    }
    return FugueRun(
      ElementRange(first, count: count, step: step), rank: rank,
      isVisible: !(try reader.flag("dead")), origin: origin, key: key, text: text)
  }

  /// Makes the sequence in hand of its runs.
  mutating func finishSequence() throws(WireError) {
    guard let name = sequence else { return }
    let restored: Fugue
    do throws(FugueError) {
      restored = try Fugue(restoring: runs)
    } catch {
      throw WireError(
        .invalidField, "the runs before piece \(count + 1) of the snapshot are no tree: \(error)")
    }
    sequence = nil
    runs = []
    switch name {
    case .list(let list):
      guard fold.lists.updateValue(restored, forKey: list) == nil else {
        throw WireError(.invalidField, "the list of \(list.kind) occurs twice in the snapshot")
      }
    case .text(let target, let field):
      guard let record = fold.recordIndices[target],
        !fold.records[record].texts.contains(where: { $0.field == field })
      else {
        throw WireError(
          .invalidField,
          "the text \(field) of \(target.kind) \(target.record) occurs twice in the snapshot, or without its record"
        )
      }
      fold.records[record].texts.append((field, restored))
    }
  }

  /// Erases what operations after the base erased.
  mutating func erase() throws(WireError) {
    for (action, dot) in erased {
      guard case .erase(let field, let runs) = action.body,
        let record = fold.recordIndices[action.target]
      else { continue }
      fold.erase(runs, field, record, dot)
    }
    erased = []
  }
}
