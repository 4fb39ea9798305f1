import Merge
import Oracle
import Simulation

/// A merge with one rule wrong: the oracle, given operations or a schema bent so that the right
/// rules have the wrong result.
///
/// Bent stamps are set right again where they would show in the feed, so that a mutant differs by
/// what it decides alone.
struct Mutant: FoldUnderTest, Sendable {
  let name: String
  /// What makes of the operations, in the order in which they came, others with the same dots.
  var bend: @Sendable ([Operation]) -> [Operation] = { $0 }
  var bendSchema: @Sendable (Schema) -> Schema = { $0 }
  var bendFeed: @Sendable (Oracle, [OracleFeedEntry]) -> [OracleFeedEntry] = { $1 }
  private var operations: [Operation] = []

  init(
    _ name: String, bend: @escaping @Sendable ([Operation]) -> [Operation] = { $0 },
    bendSchema: @escaping @Sendable (Schema) -> Schema = { $0 },
    bendFeed: @escaping @Sendable (Oracle, [OracleFeedEntry]) -> [OracleFeedEntry] = { $1 }
  ) {
    self.name = name
    self.bend = bend
    self.bendSchema = bendSchema
    self.bendFeed = bendFeed
  }

  mutating func apply(_ operation: Operation) { operations.append(operation) }

  func view(_ schema: Schema) -> Datum { Oracle(bend(operations)).view(bendSchema(schema)) }

  func feed() -> [OracleFeedEntry] {
    let oracle = Oracle(bend(operations))
    let entries = oracle.feed().map { entry in
      var entry = entry
      entry.stamp = operations.first { $0.dot == entry.dot }?.stamp ?? entry.stamp
      return entry
    }
    return bendFeed(oracle, entries).sorted {
      $0.stamp != $1.stamp ? $0.stamp < $1.stamp : $0.actionIndex < $1.actionIndex
    }
  }
}

extension Mutant {
  /// The mutants, each caught by some history.
  static let all: [Mutant] = stamps + lives + sequences + feeds + views

  private static func stamped(
    _ name: String, _ change: @escaping @Sendable (inout Stamp) -> Void
  ) -> Mutant {
    each(name) { operation, _ in change(&operation.stamp) }
  }

  /// - Parameter change: is given an operation and how many came before it.
  private static func each(
    _ name: String, _ change: @escaping @Sendable (inout Operation, Int) -> Void
  ) -> Mutant {
    Mutant(name) { operations in
      operations.enumerated().map { index, operation in
        var operation = operation
        change(&operation, index)
        return operation
      }
    }
  }

  /// - Parameter change: is given an action and what came before its operation.
  private static func actions(
    _ name: String,
    _ change: @escaping @Sendable (inout Action, ArraySlice<Operation>) -> Void
  ) -> Mutant {
    Mutant(name) { operations in
      operations.indices.map { index in
        var operation = operations[index]
        for action in operation.actions.indices {
          change(&operation.actions[action], operations[..<index])
        }
        return operation
      }
    }
  }

  /// An action that does nothing, in the place of another.
  private static let nothing = Action.Body.unknown(.null)

  private static let stamps = [
    stamped("the earliest wins") { $0.ms = Stamp.msLimit - $0.ms },
    stamped("rank before time") { $0.ms += UInt64($0.rank) << 50 },
    stamped("the watch wins the millisecond") { $0.rank = 255 - $0.rank },
    stamped("counter ignored") { $0.counter = 0 },
    stamped("time alone, then the replica") { ($0.rank, $0.counter) = (1, 0) },
    stamped("seconds") { $0.ms -= $0.ms % 1000 },
    each("the last to arrive wins") { $0.stamp.ms = UInt64($1) },
    Mutant("the last to write a record wins it whole") { operations in
      operations.map { operation in
        var operation = operation
        for index in operation.actions.indices {
          let action = operation.actions[index]
          guard case .write = action.body else { continue }
          let isOld = operations.contains { later in
            operation.stamp < later.stamp
              && later.actions.contains {
                guard case .write = $0.body else { return false }
                return $0.target == action.target
              }
          }
          if isOld { operation.actions[index].body = nothing }
        }
        return operation
      }
    },
    actions("composed as it comes") { action, _ in
      guard case .write(let field, .string(let text)) = action.body else { return }
      if text == "e\u{301}" { action.body = .write(field: field, value: "\u{E9}") }
    },
  ]

  private static let lives = [
    Mutant("a delete always wins") { operations in
      let deleted = Oracle(operations).entries.filter { $0.action.body == .delete }
        .map(\.action.target)
      return operations.map { operation in
        var operation = operation
        for index in operation.actions.indices
        where operation.actions[index].body == .create
          && deleted.contains(operation.actions[index].target)
        {
          operation.actions[index].body = nothing
        }
        return operation
      }
    },
    actions("an older edit brings back") { action, _ in
      if action.body == .delete { action.body = nothing }
    },
    Mutant("a tombstone is dropped where the record is not known") { operations in
      operations.indices.map { index in
        var operation = operations[index]
        for action in operation.actions.indices
        where operation.actions[action].body == .delete
          && !operations[..<index].contains(where: {
            $0.actions.contains { $0.target == operation.actions[action].target }
          })
        {
          operation.actions[action].body = nothing
        }
        return operation
      }
    },
    Mutant("a reorder brings back") { operations in
      operations.map { operation in
        var operation = operation
        for action in operation.actions {
          if case .move = action.body {
            operation.actions.append(Action(action.target, .restore))
          }
        }
        return operation
      }
    },
    actions("children do not keep their container") { action, _ in action.home = nil },
    actions("a delete of a child keeps its container") { action, _ in
      if action.body == .delete { action.into = action.into ?? action.home; action.home = nil }
    },
    actions("whatever is written brings back") { action, _ in
      if case .write = action.body { action.revives = true }
    },
    actions("nothing but restores brings back") { action, _ in action.revives = false },
    Mutant("a delete of a container deletes what is in it") { operations in
      operations.indices.map { index in
        var operation = operations[index]
        for action in operation.actions where action.body == .delete {
          for child in Oracle(Array(operations[..<index])).entries
          where child.action.home == action.target {
            operation.actions.append(Action(child.action.target, .delete))
          }
        }
        return operation
      }
    },
    actions("a restore is a write") { action, _ in
      if action.body == .restore { action.body = .write(field: "restored", value: .null) }
    },
  ]

  private static let sequences = [
    actions("left is right") { action, _ in
      switch action.body {
      case .insert(let field, let anchor, let text):
        action.body = .insert(field: field, at: Anchor(anchor.parent, .right), text: text)
      case .move(let field, let anchor):
        action.body = .move(field: field, to: Anchor(anchor.parent, .right))
      default: break
      }
    },
    actions("erased characters stay") { action, _ in
      if case .erase = action.body { action.body = nothing }
    },
    actions("the first character of each run goes alone") { action, _ in
      if case .erase(let field, let runs) = action.body {
        action.body = .erase(field: field, runs.map { ElementRun($0.first, count: 1) })
      }
    },
    Mutant("the first move wins") { operations in
      operations.indices.map { index in
        var operation = operations[index]
        for action in operation.actions.indices {
          guard case .move(_, let anchor) = operation.actions[action].body else { continue }
          let target = operation.actions[action].target
          let wasMoved = operations[..<index].contains {
            $0.actions.contains { $0.target == target && $0.elements == 1 && $0.register != nil }
          }
          // The slot stays, for others to hang on.
          if wasMoved { operation.actions[action].body = .move(field: "unused", to: anchor) }
        }
        return operation
      }
    },
  ]

  private static let feeds = [
    Mutant("no feed", bendFeed: { _, _ in [] }),
    each("the feed lists what was overwritten") { operation, _ in
      operation.context = Context(own: 0)
    },
    Mutant(
      "the feed lists drafts",
      bendFeed: { oracle, feed in
        var feed = feed
        for target in oracle.targets {
          for register in registers(oracle, target) {
            guard let winner = oracle.winner(target, register) else { continue }
            for entry in oracle.archive(target, register)
            where !entry.action.writesSame(as: winner.action)
              && !feed.contains(where: {
                $0.dot == entry.dot && $0.actionIndex == entry.index
              })
            {
              feed.append(
                OracleFeedEntry(
                  target: target, field: register, dot: entry.dot, actionIndex: entry.index,
                  stamp: entry.stamp, wall: entry.operation.wall,
                  value: entry.action.written ?? .null, lostTo: winner.dot))
            }
          }
        }
        return feed
      }),
    Mutant("the feed forgets deletes", bendFeed: { _, feed in feed.filter { $0.field != nil } }),
    Mutant(
      "the feed forgets what a later write has seen",
      bendFeed: { oracle, feed in
        feed.filter { entry in
          guard let field = entry.field,
            let winner = oracle.winner(entry.target, field)
          else { return true }
          return !winner.operation.follows(entry.dot)
        }
      }),
  ]

  private static func registers(_ oracle: Oracle, _ target: Target) -> [Name] {
    var names: [Name] = []
    for case let name? in oracle.entries(of: target).map(\.action.register)
    where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  private static let views = [
    Mutant(
      "projects do not carry their tasks",
      bendSchema: { schema in
        changed(schema) { $0.container?.through = nil }
      }),
    Mutant(
      "references to the hidden show",
      bendSchema: { schema in
        changed(schema) { kind in
          guard kind.container == nil else { return }
          for index in kind.registers.indices {
            for field in kind.registers[index].fields.indices {
              kind.registers[index].fields[field].reference = nil
            }
          }
        }
      }),
    Mutant(
      "what stands in the hidden shows",
      bendSchema: { schema in
        changed(schema) { if $0.name == "project" { $0.container = nil } }
      }),
  ]

  private static func changed(_ schema: Schema, _ change: (inout Schema.Kind) -> Void) -> Schema {
    var schema = schema
    for index in schema.kinds.indices { change(&schema.kinds[index]) }
    return schema
  }
}
