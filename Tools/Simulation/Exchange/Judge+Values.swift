import Merge

extension Judge {
  /// Whether a field's final value is a newest write, and the other newest ones are kept.
  mutating func judgeValue(
    _ target: Target, _ name: Name, _ written: [Int], _ newest: [Int], _ record: Shown.Record
  ) {
    let shown = record[name] ?? Array("null".utf8)
    guard newest.contains(where: { writes[$0].value == shown }) else {
      return reportLost(target, name, written, newest, shown)
    }
    if phoneWinsTies { judgeWinner(target, name, newest, shown) }
    guard level == .everything else { return }
    for index in newest where writes[index].value != shown && !isKept(index, target, name) {
      let write = writes[index]
      add(
        "I27", "lost-to-conflict",
        "An edit lost to another one that had not seen it, and nothing of it is kept.",
        [
          "\(label(target)), \(name): \(author(index)) set \(text(write.value)) at "
            + "\(time(index)); all devices end with \(text(shown)).",
          "Neither of the two had seen the other. The one that lost is kept nowhere.",
        ] + clocks(newest), field: field(target, name, acceptable: newest), path: path(index))
    }
  }

  private mutating func reportLost(
    _ target: Target, _ name: Name, _ written: [Int], _ newest: [Int], _ shown: [UInt8]
  ) {
    let field = field(target, name, acceptable: newest)
    guard let index = newest.first else { return }
    let write = writes[index]
    let line =
      "\(label(target)), \(name): \(author(index)) set \(text(write.value)) at \(time(index)); "
      + "all devices end with \(text(shown))."
    guard let source = written.first(where: { writes[$0].value == shown }) else {
      return add(
        "I15", "invented-value", "A device shows a value that nobody wrote.", [line],
        field: field, path: path(index))
    }
    let edit = world.edits[write.edit]
    let culprit = world.edits.last { other in
      other.target == target && other.device != edit.device
        && !other.writes.contains { writes[$0].field == name }
        && !other.seen.contains(index)
    }
    var story = [line]
    if let culprit {
      let touched = culprit.writes.compactMap { writes[$0].field?.text }.joined(separator: ", ")
      story.append(
        "Nobody changed \(name) afterwards. \(possessive(culprit.device)) change of "
          + "\(touched.isEmpty ? "the record" : touched) at \(ExchangeWorld.clock(culprit.at)) "
          + "had not seen it and took \(name) back.")
      story += clocks([index, culprit.writes.lowerBound])
    } else {
      story.append(
        "\(text(shown)) was written by \(author(source)) at \(time(source)), and "
          + "\(author(index)) had seen that when it wrote.")
      story += deliveries([source], to: write.device) + clocks([source, index])
    }
    add(
      "I27", "lost-edit", "An edit was lost, and nobody overwrote it.", story, field: field,
      path: path(index))
  }

  /// Two devices wrote in one millisecond by their clocks: the phone's write has to win, where
  /// nothing that the watch had seen could have put its write later.
  private mutating func judgeWinner(
    _ target: Target, _ name: Name, _ newest: [Int], _ shown: [UInt8]
  ) {
    guard newest.count == 2 else { return }
    let ordered = newest.sorted {
      world.places[writes[$0].device].isPhone && !world.places[writes[$1].device].isPhone
    }
    let (phone, watch) = (ordered[0], ordered[1])
    guard world.places[writes[phone].device].isPhone, !world.places[writes[watch].device].isPhone
    else { return }
    let (one, other) = (world.edits[writes[phone].edit], world.edits[writes[watch].edit])
    guard one.now == other.now, writes[phone].value != writes[watch].value,
      writes[watch].value == shown,
      isEarlier(other)
    else { return }
    add(
      "I16", "watch-wins-tie", "Of two edits in one millisecond, the watch's won over the phone's.",
      [
        "\(label(target)), \(name): \(author(phone)) set \(text(writes[phone].value)) and "
          + "\(author(watch)) set \(text(shown)), both at \(time(phone)) by their clocks."
      ] + clocks([phone, watch]), field: field(target, name, acceptable: [phone]), path: path(phone)
    )
  }

  /// Whether everything that an edit's device had is so much older that no counting on from it comes
  /// near the edit's own time.
  private func isEarlier(_ edit: PromisedEdit) -> Bool {
    let held = world.edits.filter { other in
      other.writes.contains { edit.seen.contains($0) || edit.held.contains($0) }
    }
    return held.allSatisfy { $0.now + Int64(held.count) < edit.now }
  }

  /// What a delete hid without having seen it.
  mutating func judgeHidden(_ target: Target, _ name: Name, _ newest: [Int], _ deletes: [Int]) {
    for index in newest where writes[index].value != Array("null".utf8) {
      guard !deletes.contains(where: { writes[$0].seen.contains(index) }),
        !isKept(index, target, name), let delete = deletes.last
      else { continue }
      add(
        "I27", "delete-hid-edit",
        "A delete took an edit along that it had not seen, and nothing of it is kept.",
        [
          "\(label(target)), \(name): \(author(index)) set \(text(writes[index].value)) at "
            + "\(time(index)).",
          "\(possessive(writes[delete].device)) delete of \(label(writes[delete].target)) at "
            + "\(time(delete)) had not seen it. The record is gone on all devices.",
        ] + clocks([index, delete]), field: field(target, nil, acceptable: []), path: path(index))
    }
  }

  /// Whether some device keeps what was written there.
  func isKept(_ index: Int, _ target: Target, _ name: Name) -> Bool {
    let write = writes[index]
    return settlement.states.contains { state in
      state.kept.contains { kept in
        guard kept.target == target, kept.field == name else { return false }
        if kept.value == write.value { return true }
        guard case .text = write.kind else { return false }
        // A text may have been merged with others.
        guard let sign = sign(index), let text = Spelling.text(kept.value) else { return true }
        return text.unicodeScalars.contains(sign)
      }
    }
  }

  // MARK: Texts

  /// A text ends as one of the newest, or as all of them merged.
  mutating func judgeText(
    _ target: Target, _ name: Name, _ written: [Int], _ newest: [Int], _ record: Shown.Record
  ) {
    let shown = record[name] ?? Spelling.string("")
    let isNewest = newest.contains { writes[$0].value == shown }
    if isNewest, level != .everything || newest.count == 1 { return }
    guard newest.count > 1 else { return reportLost(target, name, written, newest, shown) }
    let text = Spelling.text(shown) ?? ""
    for index in written {
      guard let sign = sign(index), !text.unicodeScalars.contains(sign) else { continue }
      let isRemoved = written.contains { other in
        writes[other].seen.contains(index)
          && !(Spelling.text(writes[other].value) ?? "").unicodeScalars.contains(sign)
      }
      guard !isRemoved, !(isNewest && isKept(index, target, name)) else { continue }
      let token = Spelling.string(writes[index].splice?.inserted ?? "")
      add(
        "I25", "lost-text", "Something that was typed is gone, and nobody removed it.",
        [
          "\(label(target)), \(name): \(author(index)) typed \(self.text(token)) at "
            + "\(time(index)); all devices end with \(self.text(shown))."
        ] + clocks(newest), field: field(target, name, acceptable: newest), path: path(index))
    }
  }

  /// A character that a splice put in and nobody who had not seen it wrote; nil where there is none.
  func sign(_ index: Int) -> UnicodeScalar? {
    guard let splice = writes[index].splice else { return nil }
    return splice.inserted.unicodeScalars.first { scalar in
      !splice.before.unicodeScalars.contains(scalar)
        && !writes.contains { other in
          guard case .text = other.kind, other.edit != writes[index].edit,
            !other.seen.contains(index)
          else { return false }
          return text(other.value).unicodeScalars.contains(scalar)
        }
    }
  }
}
