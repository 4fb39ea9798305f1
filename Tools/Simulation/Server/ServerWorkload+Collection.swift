import Merge
import Seeded

/// Episodes about what is collected while devices are away, or begin anew.
extension ServerWorkload {
  /// The middle of a text is erased. A device that begins with nothing gets that with a snapshot, and saves the text from
  /// a form that was opened before its last edit.
  mutating func beginAnew(_ writer: ServerNode) {
    guard options.faults.isSuperset(of: [.backup, .collection]), let shown = shown(writer) else {
      return
    }
    let typed = edits!.retype(shown, &draw)
    guard let erased = typed.dropLast().last else { return }
    // What is older than that is in a snapshot, and the erased middle is not collected yet.
    at += 86_400_000 * 91
    next.append(TraceEvent(at: at, "server", .commit))
    for edit in typed.dropLast() { add(edit, at: writer) }
    add(.flow, at: writer)
    add(.goBack, at: writer)
    add(.connect, at: writer)
    add(.flow, at: writer)
    let first = next.count
    for edit in edits!.typeOn(erased, &draw) { add(edit, at: writer) }
    next[first].name = "e\(count)"
    next[first + 2].edit?.since = "e\(count)"
    add(.flow, at: writer)
  }

  /// A record is deleted, and long after that another device brings it back while it is away: before it has promised
  /// to leave the record alone, or after.
  mutating func bringBack(_ writer: ServerNode, _ other: ServerNode) {
    guard options.faults.isSuperset(of: [.collection, .cut]), let shown = shown(writer),
      shown.records.count > 1
    else { return }
    let target = draw.pick(shown.records).target
    let kept = draw.pick(shown.records.filter { $0.target != target }).target
    add(Edit(target.kind, target.record, .delete), at: writer)
    for node in [writer, other, writer] { add(.flow, at: node) }
    let hasPromised = draw.percent(50)
    if !hasPromised { add(.drop, at: other) }
    at += 86_400_000 * 31
    next.append(TraceEvent(at: at, "server", .commit))
    add(edits!.change(kept, shown, &draw), at: writer)
    if hasPromised {
      // The writer hears of nothing, and has promised nothing.
      add(.up, at: writer)
      next.append(TraceEvent(at: at, "server", .commit))
      add(.flow, at: other)
      add(.drop, at: other)
    }
    add(Edit(target.kind, target.record, .restore), at: other)
    add(.flow, at: writer)
    add(edits!.change(kept, shown, &draw), at: writer)
    for _ in 0..<2 { add(.flow, at: writer) }
    add(.connect, at: other)
    add(.flow, at: other)
  }

  /// A character is erased. Who knows that puts something in at its place, and is away until it is collected.
  mutating func typeAway(_ writer: ServerNode, _ other: ServerNode) {
    guard options.faults.isSuperset(of: [.collection, .cut]), let shown = shown(writer),
      let (erasing, inserting) = edits!.replaceSecond(shown, &draw)
    else { return }
    add(erasing, at: writer)
    for node in [writer, other, writer] { add(.flow, at: node) }
    add(.drop, at: other)
    add(inserting, at: other)
    for _ in 0..<2 {
      add(edits!.change(Target(erasing.kind, erasing.record), shown, &draw), at: writer)
      add(.flow, at: writer)
    }
    add(.connect, at: other)
    add(.flow, at: other)
  }
}
