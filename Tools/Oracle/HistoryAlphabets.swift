import Merge

extension HistoryEnumeration {
  private static let timer = Target("timer", "timer1")
  private static let todo = Target("todo", "todo1")
  private static let end = Target("timer", "timer2")

  /// The slot that the setup makes first.
  private static let firstSlot = ElementID(Dot(replicas[0], 1), 0)

  private static func write(
    _ target: Target, _ field: Name, _ value: Datum, home: Target? = nil
  ) -> Action {
    Action(target, .write(field: field, value: value), revives: true, home: home)
  }

  private static func move(
    _ seen: Oracle, _ target: Target, after left: Target?, into list: Target? = nil,
    home: Target? = nil
  ) -> Action {
    let anchor = Oracle.anchor(
      after: left.flatMap { seen.slot($0, "place") }, in: seen.slots(target.kind, in: list))
    return Action(target, .move(field: "place", to: anchor), home: home, into: list)
  }

  /// A timer and a to-do in it: what is written, deleted and brought back.
  package static let life = HistoryEnumeration(
    setup: [
      Action(timer, .create), move(Oracle([]), timer, after: nil),
      Action(todo, .create, home: timer),
      Action(todo, .move(field: "place", to: Anchor(nil, .right)), home: timer, into: timer),
    ],
    [
      ("name of timer1 := a new value", { _, value in [write(timer, "name", .string(value))] }),
      (
        "name of timer1 := the same value as others",
        { _, _ in [write(timer, "name", .string("same"))] }
      ),
      ("delete timer1", { _, _ in [Action(timer, .delete)] }),
      ("restore timer1", { _, _ in [Action(timer, .restore)] }),
      (
        "isCompleted of todo1 := true",
        { _, _ in [write(todo, "isCompleted", .bool(true), home: timer)] }
      ),
      ("delete todo1", { _, _ in [Action(todo, .delete, home: timer)] }),
      ("restore todo1", { _, _ in [Action(todo, .restore, home: timer)] }),
      (
        "todo1 to the end of its list",
        { seen, _ in [move(seen, todo, after: todo, into: timer, home: timer)] }
      ),
    ])

  /// Two timers: their order in the list, and a text.
  package static let order = HistoryEnumeration(
    setup: [
      Action(timer, .create), Action(timer, .move(field: "place", to: Anchor(nil, .right))),
      Action(end, .create),
      Action(end, .move(field: "place", to: Anchor(firstSlot, .right))),
      Action(timer, .insert(field: "notes", at: Anchor(nil, .right), text: "ab"), revives: true),
    ],
    [
      ("timer1 first", { seen, _ in [move(seen, timer, after: nil)] }),
      ("timer1 behind timer2", { seen, _ in [move(seen, timer, after: end)] }),
      ("timer2 behind timer1", { seen, _ in [move(seen, end, after: timer)] }),
      ("delete timer2", { _, _ in [Action(end, .delete)] }),
      (
        "notes of timer1: insert at the beginning",
        { seen, value in [insert(seen, value, after: 0)] }
      ),
      (
        "notes of timer1: insert behind the first character",
        { seen, value in [insert(seen, value, after: 1)] }
      ),
      ("notes of timer1: erase the first character", { seen, _ in erase(seen) }),
      (
        "notes of timer1: erase the first and insert behind it, and timer2 to the end",
        { seen, value in erase(seen) + [insert(seen, value, after: 1), move(seen, end, after: end)]
        }
      ),
    ])

  private static func live(_ seen: Oracle) -> [ElementID] {
    let erased = seen.erased(timer, "notes")
    return seen.characters(timer, "notes").map(\.id).filter { !erased.contains($0) }
  }

  private static func insert(_ seen: Oracle, _ text: Name, after position: Int) -> Action {
    let left = live(seen).prefix(position).last
    let anchor = Oracle.anchor(after: left, in: seen.characters(timer, "notes"))
    return Action(timer, .insert(field: "notes", at: anchor, text: text), revives: true)
  }

  /// The first character goes; where there is none the name is written.
  private static func erase(_ seen: Oracle) -> [Action] {
    guard let first = live(seen).first else { return [write(timer, "name", .null)] }
    return [Action(timer, .erase(field: "notes", [ElementRun(first, count: 1)]), revives: true)]
  }
}
