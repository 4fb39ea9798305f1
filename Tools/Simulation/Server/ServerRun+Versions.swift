import Device
import Merge

/// A device of a newer version beside others that do not know what it does.
extension ServerRun {
  /// It does something that the schema does not have: by the number an action, a field of a record
  /// that is shown, or a record of another kind. All that the others have to do is to keep it and to
  /// pass it on, byte for byte (clause 12.1).
  func extend(_ node: ServerNode, _ number: Int) -> Bool {
    guard let device = node.sync, let schema else { return false }
    let (fold, shown) = (device.fold, device.vector)
    let shownRecord = schema.kinds.filter { $0.container == nil }.lazy
      .compactMap { fold.view($0.name, schema).first?.target }.first
    guard fold.vector.contains(shown), let target = shownRecord else { return false }
    let value = Datum.sorted([
      .init("later", .array([.string(Name("\(number)")), .null, .bool(true)])),
      .init("\u{E9}", .string("\u{1F469}\u{200D}\u{1F467}")),
    ])
    var actions: [Action]
    switch abs(number) % 3 {
    case 0:
      let datum = Datum.sorted([
        .init("action", .string("annotate")), .init("kind", .string(target.kind)),
        .init("note", value), .init("record", .string(target.record)),
      ])
      actions = [Action(target, .unknown(datum))]
    case 1:
      actions = [
        Action(target, .write(field: "laterField", value: value), revives: number % 2 == 0)
      ]
    default:
      let gadget = Target("gadget", Name("gadget \(abs(number) % 5)"))
      actions = [
        Action(gadget, .create), Action(gadget, .write(field: "part", value: value), revives: true),
      ]
    }
    // A form saves all at once, and what is known with it.
    guard !actions.contains(where: fold.changesLongDeleted) else { return false }
    let before = fold.latest
    do {
      let now = clock(node)
      try device.write(actions, shown: shown, now: now)
      device.clock = now
    } catch {
      coverage.note("refusedEdit")
      return false
    }
    coverage.note("newerVersion")
    let edit = Edit(
      target.kind, target.record, .set(fields: Array("{\"of a newer version\":\(number)}".utf8)))
    return wrote(node, edit, shown: shown, after: before)
  }
}
