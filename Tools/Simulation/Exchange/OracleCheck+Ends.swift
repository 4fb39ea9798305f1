import Merge
import Oracle

/// What devices show in the end, beside the oracle.
extension OracleCheck {
  mutating func checkEnds(_ oracle: Oracle) {
    let view = oracle.view(ours.schema)
    let feed = oracle.feed()
    for (index, device) in ours.devices.enumerated() {
      let place = world.places[index].name
      let missing = world.edits.filter {
        $0.operation.map { !device.fold.vector.contains($0.dot) } ?? false
      }
      if let edit = missing.first {
        add(
          "I2", "edit-missing", "After everything was exchanged, a device lacks an edit.",
          "The \(place) never got \(world.describe(edit.edit)).", path: [edit.step])
        continue
      }
      // Devices that show the same are compared once.
      guard index == 0 || !isAlike(index) else { continue }
      compare(device.fold, view, feed, "the \(place)")
    }
  }

  private func isAlike(_ device: Int) -> Bool {
    settlement.states[device].records == settlement.states[0].records
      && ours.devices[device].fold.feed() == ours.devices[0].fold.feed()
  }

  mutating func compare(
    _ fold: Fold, _ view: Datum, _ feed: [OracleFeedEntry], _ place: String
  ) {
    let found = fold.view(ours.schema).canonical
    if found != view {
      let (invariant, slug, story) = difference(view, found)
      add(
        invariant, slug,
        "A device shows something else than what was written amounts to.", "On \(place): \(story)")
    }
    let listed = fold.feed().map {
      OracleFeedEntry(
        target: $0.target, field: $0.field, dot: $0.dot, actionIndex: Int($0.actionIndex),
        stamp: $0.stamp, wall: $0.wall, value: $0.value, lostTo: $0.lostTo)
    }
    if listed != feed {
      let lost = feed.first { !listed.contains($0) } ?? listed.first { !feed.contains($0) }
      add(
        "I28", "feed-differs", "The list of what lost to something else is not what it should be.",
        "On \(place): "
          + (lost.map { "\(ExchangeWorld.label($0.target)), \($0.field?.text ?? "its deletion")" }
            ?? "the order differs") + ".")
    }
  }

  /// Where two views part, and which rule it is about.
  private func difference(_ right: Datum, _ found: Datum) -> (String, String, String) {
    for kind in ours.schema.kinds {
      guard case .array(let wanted)? = right[kind.name], case .array(let shown)? = found[kind.name],
        wanted != shown
      else { continue }
      func id(_ record: Datum) -> Name { record["id"]?.text ?? "" }
      for record in wanted {
        let name = ExchangeWorld.label(Target(kind.name, id(record)))
        guard let other = shown.first(where: { id($0) == id(record) }) else {
          return ("I19", "visibility-differs", "\(name) is missing.")
        }
        guard other != record, case .object(let members) = record else { continue }
        let member = members.first { other[$0.name] != $0.value }
        let text = member.map {
          "\($0.name) is \(String(decoding: (other[$0.name] ?? .null).canonical, as: UTF8.self)), "
            + "not \(String(decoding: $0.value.canonical, as: UTF8.self))"
        }
        let isOrder = member?.name == "sortOrder"
        let isText = member.map { kind[$0.name]?.form == .text } ?? false
        return (
          isOrder ? "I24" : isText ? "I25" : "I15",
          isOrder ? "order-broken" : isText ? "text-differs" : "value-differs",
          "\(name): \(text ?? "it has other fields")."
        )
      }
      if let extra = shown.first(where: { record in !wanted.contains { id($0) == id(record) } }) {
        let name = ExchangeWorld.label(Target(kind.name, id(extra)))
        return ("I19", "visibility-differs", "\(name) should not be there.")
      }
      return ("I24", "order-broken", "the \(kind.name) records stand in another order.")
    }
    return ("I4", "view-differs", "the records differ.")
  }
}
