import Merge

/// Whether fields that belong together stayed together.
extension Judge {
  /// Fields that are always set together end as somebody set them together.
  mutating func judgeGroups(_ target: Target, _ indices: [Int], _ record: Shown.Record) {
    for register in schema[target.kind]?.registers ?? [] where register.form == .group {
      let names = register.fields.map(\.name).filter { isJudged($0, target) }
      let written = indices.filter { index in
        writes[index].field.map(names.contains) ?? false
      }
      guard names.count > 1, !written.isEmpty,
        !isLeftBehind(names, newest(written), indices, record)
      else { continue }
      let shown = names.map { record[$0] ?? Array("null".utf8) }
      let edits = Set(written.map { writes[$0].edit }).sorted()
      let isWhole = edits.contains { number in
        let given = world.edits[number].given
        return names.map { name in given.first { $0.name == name }?.value ?? [] } == shown
      }
      guard !isWhole else { continue }
      let newestWrites = newest(written)
      let latest = edits.filter { number in newestWrites.contains { writes[$0].edit == number } }
      let sources = latest.map { number in
        let edit = world.edits[number]
        return "the \(world.places[edit.device].name) set \(told(names, edit.given)) at "
          + ExchangeWorld.clock(edit.at)
      }
      add(
        "I15", "split-group", "Fields that belong together end as nobody set them together.",
        [
          "\(label(target)): \(sources.joined(separator: "; ")).",
          "All devices end with \(told(names, record.fields)).",
        ] + clocks(latest.map { world.edits[$0].writes.lowerBound }),
        field: group(target, names, edits, latest),
        path: path(world.edits[latest[0]].writes.lowerBound))
    }
  }

  private func told(_ names: [Name], _ fields: [Shown.Field]) -> String {
    names.map { name in
      let value = fields.first { $0.name == name }?.value ?? Array("null".utf8)
      return "\(name) = \(text(value))"
    }.joined(separator: ", ")
  }

  /// What was done to fields that belong together, as if they were one.
  private func group(
    _ target: Target, _ names: [Name], _ edits: [Int], _ newest: [Int]
  ) -> Finding.Field {
    let rows = edits.map { number in
      let edit = world.edits[number]
      let isOver = edits.contains { later in
        edit.writes.contains { world.edits[later].seen.contains($0) }
      }
      return Finding.Write(
        step: edit.step, device: world.places[edit.device].name, value: told(names, edit.given),
        seen: edits.indices.filter { other in
          world.edits[edits[other]].writes.contains { edit.seen.contains($0) }
        }, fate: isOver ? "overwritten" : "shown in part")
    }
    return Finding.Field(
      kind: target.kind.text, record: target.record.text,
      name: names.map(\.text).joined(separator: " and "), writes: rows,
      ends: settlement.states.enumerated().map { device, state in
        (world.places[device].name, told(names, state[target]?.fields ?? []))
      }, acceptable: newest.map { told(names, world.edits[$0].given) })
  }
}
