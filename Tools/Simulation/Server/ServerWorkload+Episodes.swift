import Device
import Merge
import Seeded

/// Edits on both sides of what is on its way to a device with whole records.
extension ServerWorkload {
  /// Most deliveries of a record that a device has yet to read (clause 13.4).
  private static let mostInFlight = 16

  /// Somebody changes a timer, once or more often than deliveries are kept. A device with whole records reads some of
  /// that, changes the timer as well, and has acknowledged nothing.
  mutating func overlap(_ run: ServerRun) {
    guard let reader = run.nodes.first(where: { $0.app != nil && $0.isActive }),
      let writer = run.nodes.first(where: { $0.sync != nil && $0.isActive }),
      let timers = reader.app?.timers, !timers.isEmpty, let fold = writer.sync?.fold, let schema
    else { return }
    let shown = Shown(fold, schema)
    let timer = draw.pick(timers)
    let (all, elsewhere) = (shown.records.map(\.target), timers.filter { $0 != timer })
    let inside = all.filter { fold.container(of: $0, schema) == timer }
    guard shown.has(timer) else { return }
    if options.faults.contains(.clock), draw.percent(30) {
      var event = TraceEvent(at: at, draw.percent(60) ? writer.name : reader.name, .clock)
      event.count = draw.pick([2_000, 70_000])
      next.append(event)
    }
    let rounds = draw.pick([(6, 1), (3, 2), (1, Self.mostInFlight + 1 + draw.below(3))])
    let read = draw.below(min(rounds, 4) + 1)
    for round in 0..<rounds {
      add(change(timer, inside, elsewhere, shown), at: writer)
      next.append(TraceEvent(at: at, writer.name, .flow))
      if round == read { next.append(TraceEvent(at: at, reader.name, .down)) }
    }
    add(edits!.change(draw.pick([timer] + inside), shown, &draw), at: reader)
    next.append(TraceEvent(at: at, reader.name, .up))
  }

  /// A change of a timer or of a to-do in it, which may go elsewhere or altogether.
  private mutating func change(
    _ timer: Target, _ inside: [Target], _ elsewhere: [Target], _ shown: Shown
  ) -> Edit? {
    guard !inside.isEmpty, draw.percent(60) else { return edits!.change(timer, shown, &draw) }
    let todo = draw.pick(inside)
    switch draw.below(3) {
    case 0: return Edit(todo.kind, todo.record, .delete)
    case 1 where !elsewhere.isEmpty:
      return Edit(
        todo.kind, todo.record, .move(after: nil, into: draw.pick(elsewhere).record))
    default: return edits!.change(todo, shown, &draw)
    }
  }

  private mutating func add(_ edit: Edit?, at node: ServerNode) {
    at += draw.pick([1, 40])
    var event = TraceEvent(at: at, node.name, .edit)
    event.edit = edit
    next.append(event)
  }
}
