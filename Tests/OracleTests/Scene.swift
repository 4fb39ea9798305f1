import Merge
import Oracle

/// A few devices that write, each operation spelled out: what the cases of the rules are made of.
struct Scene {
  enum Device: Int { case phone, watch, tablet }

  /// What the writer had been shown.
  enum Seeing {
    /// All that has been written by anybody.
    case everything
    /// Its own operations alone.
    case own
    case nothing
    /// These operations and what they follow.
    case only([Operation])
  }

  static let start: UInt64 = 1_790_000_000_000
  private(set) var operations: [Operation] = []

  static func replica(_ device: Device) -> ReplicaID {
    ReplicaID(device: Identifier(high: 2 - UInt64(device.rawValue), low: 7), incarnation: 1)
  }

  /// - Parameter ms: what the device's clock says, after the scene's start.
  @discardableResult
  mutating func write(
    _ device: Device, at ms: UInt64, seeing: Seeing = .everything, _ actions: Action...
  ) -> Operation {
    let replica = Self.replica(device)
    let own = UInt64(operations.count { $0.dot.replica == replica })
    var shown = VersionVector()
    switch seeing {
    case .everything: for operation in operations { shown.insert(operation.dot) }
    case .own: shown[replica] = own
    case .nothing: break
    case .only(let seen):
      for operation in seen {
        shown.merge(operation.context.vector(of: operation.dot.replica))
        shown.insert(operation.dot)
      }
    }
    let latest = operations.filter { shown.contains($0.dot) || $0.dot.replica == replica }
      .map(\.stamp).max()
    let operation = Operation(
      dot: Dot(replica, own + 1),
      stamp: .mint(
        time: Self.start + ms, rank: device == .phone ? 2 : 1, replica: replica, after: latest),
      context: Context(shown, of: replica), wall: Int64(Self.start + ms), actions: actions)
    operations.append(operation)
    return operation
  }

  var oracle: Oracle { Oracle(operations) }

  func isVisible(_ target: Target) -> Bool {
    oracle.isVisible(target, HistorySchemas.everything)
  }

  /// The ids of a kind's records in the view's order.
  func shown(_ kind: Name) -> [Name] { records(kind).compactMap { $0["id"]?.text } }

  func records(_ kind: Name) -> [Datum] {
    guard case .array(let records)? = oracle.view(HistorySchemas.everything)[kind] else {
      return []
    }
    return records
  }

  func shown(_ target: Target, _ field: Name) -> Datum? {
    records(target.kind).first { $0["id"]?.text == target.record }?[field]
  }

  /// The feed as its operations.
  var feed: [Dot] { oracle.feed().map(\.dot) }

  /// The element that an operation inserted.
  static func element(_ operation: Operation, _ index: UInt32 = 0) -> ElementID {
    ElementID(operation.dot, index)
  }
}

// MARK: Records and actions

let timer = Target("timer", "timer1")
let timer2 = Target("timer", "timer2")
let todo = Target("todo", "todo1")
let client = Target("client", "client1")
let client2 = Target("client", "client2")
let project = Target("project", "project1")
let task = Target("task", "task1")

func create(_ target: Target, home: Target? = nil) -> Action {
  Action(target, .create, home: home)
}

func delete(_ target: Target, home: Target? = nil) -> Action {
  Action(target, .delete, home: home)
}

func write(_ target: Target, _ field: Name, _ value: Datum, home: Target? = nil) -> Action {
  Action(target, .write(field: field, value: value), revives: true, home: home)
}

func move(
  _ target: Target, _ side: Side = .right, of parent: ElementID? = nil, into list: Target? = nil,
  home: Target? = nil
) -> Action {
  Action(target, .move(field: "place", to: Anchor(parent, side)), home: home, into: list)
}

/// Puts a project or a task under an owner.
func own(_ target: Target, by client: Target, through project: Target? = nil, home: Target? = nil)
  -> Action
{
  let owner = Datum.string(client.record)
  let field: Name = target.kind == "task" ? "owner" : "client"
  let value =
    target.kind == "task"
    ? Datum.sorted([
      .init("client", owner), .init("project", project.map { .string($0.record) } ?? .null),
    ]) : owner
  return Action(
    target, .write(field: field, value: value), home: home, into: client, via: project)
}

func insert(_ target: Target, _ text: Name, at anchor: Anchor) -> Action {
  Action(target, .insert(field: "notes", at: anchor, text: text), revives: true)
}

func erase(_ target: Target, _ first: ElementID, _ count: UInt32 = 1) -> Action {
  Action(target, .erase(field: "notes", [ElementRun(first, count: count)]), revives: true)
}
