import Bridge
import Device
import LaneModel
import Merge
import Wire

/// Devices that know whole records only.
extension ServerRun {
  func editWhole(_ node: ServerNode, _ app: WholeRecordApp, _ edit: Edit) -> Bool {
    let before = app.now
    app.set(clock: clock(node))
    guard let messages = app.edit(edit, seen: { shownAlike(app) }) else {
      app.now = before
      return false
    }
    recorder.add(now - start, node.name, .edit, edit.spelled)
    if let transfer = app.tell(messages, on: node.lanes) { app.carry(transfer) }
    coverage.note("wholeRecordEdit")
    node.collect()
    return true
  }

  /// The device with operations that shows most of what this one does; the first where there is none.
  func likeliest(_ app: WholeRecordApp?) -> SyncDevice? {
    let devices = nodes.compactMap(\.sync)
    guard let app, let schema else { return devices.first }
    func common(_ device: SyncDevice) -> Int {
      app.roots.count { device.fold.isVisible($0, schema) }
    }
    return devices.reduce(devices.first) { best, device in
      best.map { common($0) < common(device) } ?? true ? device : best
    }
  }

  /// What a device holds that shows just what this one does, as far as a delivery to this one can have had it:
  /// what came later and changed nothing that is shown, this one has not seen.
  private func shownAlike(_ app: WholeRecordApp) -> VersionVector {
    for node in nodes {
      guard let device = node.sync, app.difference(from: device.view) == nil else { continue }
      let known = known(device)
      return VersionVector(
        known.entries.map { .init($0.replica, min($0.seq, app.delivered[$0.replica])) })
    }
    return VersionVector()
  }

  /// What the server had taken in by now, as far as anybody knows.
  func atHub() -> VersionVector {
    nodes.compactMap(\.sync).reduce(into: VersionVector()) { $0.merge(known($1)) }
  }

  /// What a device holds and the server has.
  private func known(_ device: SyncDevice) -> VersionVector {
    var vector = device.vector
    let own = device.replica.id
    vector[own] = min(vector[own], device.replica.accepted)
    return vector
  }

  /// It sends all, asks for all, or sends an old copy.
  func records(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    guard let app = node.app else { return false }
    let before = app.now
    app.set(clock: clock(node))
    switch event.verb {
    case .fullSync where event.count != nil:
      if let transfer = app.tell(app.rearrange(Int(event.count!.magnitude)), on: node.lanes) {
        app.carry(transfer)
      }
      coverage.note("wholeRecordRearranged")
    case .fullSync: app.tell([app.fullSync], on: node.lanes)
    case .syncRequest: app.tell([app.model.request], on: node.lanes)
    default:
      // What was sent is older than what is still to be sent.
      guard node.isActive, node.lanes.unanswered.isEmpty, !app.copies.isEmpty else {
        app.now = before
        return false
      }
      let back = Int((event.count ?? 0).magnitude) % app.copies.count
      let copy = app.copies[app.copies.count - 1 - back]
      app.tellLate(app.model.late(copy), on: node.lanes)
    }
    recorder.add(now - start, node.name, .send, event.verb.rawValue)
    coverage.note("wholeRecordResend")
    node.collect()
    return true
  }

  /// At the end: it shows what a device with operations does, or there is none.
  func isDrained(_ app: WholeRecordApp) -> Bool {
    nodes.lazy.compactMap(\.sync).first.map { app.difference(from: $0.view) == nil } ?? true
  }

  /// Its storage is wiped.
  func reinstall(_ node: ServerNode) -> Bool {
    storage(node, "its storage is wiped") { () throws(WireError) in try node.goBack() }
    coverage.note("wholeRecordReset")
    return true
  }
}

extension WholeRecordApp {
  /// Compares what it shows with a view.
  ///
  /// - Returns: the first line that differs, here and there; nil where nothing does.
  func difference(from view: View) -> (here: String, there: String)? {
    let records = shape.records(view, schema)
    // Of a kind without an order nobody says in which its records are shown.
    func sorted(_ list: [WholeRecord], _ kind: Name) -> [WholeRecord] {
      let list = list.filter { $0.target.kind == kind }
      return schema[kind]?.order == nil ? list.sorted { $0.target < $1.target } : list
    }
    let shown = model.shown
    let here = shape.roots.flatMap { sorted(shown, $0) }.flatMap { $0.parts.map(Self.line) }
    let there = shape.roots.flatMap { kind in
      sorted(view[kind].compactMap { records[$0.target] }, kind)
    }.flatMap { $0.parts.map(Self.line) }
    guard here != there else { return nil }
    let index = zip(here, there).prefix { $0 == $1 }.count
    return (
      index < here.count ? here[index] : "nothing more",
      index < there.count ? there[index] : "nothing more"
    )
  }

  private static func line(_ record: WholeRecord) -> String {
    let values = record.values.sorted { $0.key < $1.key }.map { name, value in
      "\(name) = \(String(decoding: value.canonical, as: UTF8.self))"
    }
    let container = record.container.map { " in \($0.record)" } ?? ""
    return
      "\(record.target.kind) \(record.target.record)\(container) \(values.joined(separator: ", "))"
  }
}
