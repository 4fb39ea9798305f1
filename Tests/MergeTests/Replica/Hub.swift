import AppModels
import Merge
import Wire

/// A hub and one who pushes to it, for tests of single rules.
struct Hub {
  static let now: UInt64 = 1_790_000_000_000
  static let schema = ShippedSchemas.named("todoTimers")!
  static let timer = Target("timer", "00000000-0000-0000-0000-0000000000A1")
  static let todo = Target("todo", "00000000-0000-0000-0000-0000000000B1")
  static let phone = ReplicaID(device: Identifier(high: 1, low: 1), incarnation: 1)
  static let watch = ReplicaID(device: Identifier(high: 2, low: 2), incarnation: 9)

  var replica = Replica()
  /// The contexts of what was made, by seq from 1.
  private var contexts: [ReplicaID: [Context]] = [:]

  static func stamp(_ replica: ReplicaID, _ ms: Int64, _ counter: UInt16 = 0) -> Stamp {
    Stamp(
      ms: UInt64(Int64(now) + ms), rank: replica == phone ? 2 : 1, counter: counter,
      replica: replica)
  }

  /// Canonical JSON of an operation, as its replica would push it.
  ///
  /// - Parameter at: milliseconds after `now`; its seq where nil.
  mutating func item(
    _ seq: UInt64, _ actions: [Action], by replica: ReplicaID = phone, at: Int64? = nil,
    context: Context? = nil
  ) -> Datum {
    let context =
      context ?? Context(own: seq - 1, others: contexts[replica]?.last?.others ?? .init())
    let previous = seq == 1 ? nil : contexts[replica]?.dropFirst(Int(seq) - 2).first
    contexts[replica, default: []] = Array((contexts[replica] ?? []).prefix(Int(seq) - 1))
    contexts[replica]!.append(context)
    let operation = Merge.Operation(
      dot: Dot(replica, seq), stamp: Self.stamp(replica, at ?? Int64(seq)), context: context,
      wall: 0, actions: actions)
    return operation.datum(after: previous)
  }

  @discardableResult
  func push(
    _ items: [Datum], from replica: ReplicaID = phone, rank: UInt8? = nil
  ) throws(PushRefusal) -> Admission {
    try push(texts: items.map { OperationText($0) }, from: replica, rank: rank)
  }

  @discardableResult
  func push(
    texts items: [OperationText], from replica: ReplicaID = phone, rank: UInt8? = nil
  ) throws(PushRefusal) -> Admission {
    let admission = try self.replica.admit(
      items, from: replica, rank: rank ?? (replica == Self.phone ? 2 : 1), now: Self.now,
      schema: Self.schema)
    for written in admission.operations {
      do throws(WireError) { try self.replica.append(written) } catch { throw .error(error) }
    }
    return admission
  }

  /// All that the hub has, to tell whether a refusal changed anything.
  var state: [[UInt8]] {
    replica.snapshot() + [replica.fold.view(Self.schema).canonical.canonical]
  }

  /// The error of a push, which must have changed nothing.
  func refusal(
    _ items: [Datum], from replica: ReplicaID = phone, rank: UInt8? = nil
  ) -> WireError? {
    let before = state
    do throws(PushRefusal) {
      try push(items, from: replica, rank: rank)
      return nil
    } catch {
      guard case .error(let refused) = error, state == before else { return nil }
      return refused
    }
  }
}

/// Actions of operations.
extension Hub {
  static func create(_ target: Target = Hub.timer, home: Target? = nil) -> Action {
    Action(target, .create, home: home)
  }

  static func name(_ text: String = "Tea", of target: Target = Hub.timer) -> Action {
    name(.string(Name(text)), of: target)
  }

  static func name(_ value: Datum, of target: Target = Hub.timer) -> Action {
    Action(target, .write(field: "name", value: value), revives: true)
  }

  static func type(
    _ text: String, at anchor: Anchor = Anchor(nil, .right), in target: Target = Hub.timer
  ) -> Action {
    Action(target, .insert(field: "notes", at: anchor, text: Name(text)), revives: true)
  }

  static func erase(_ runs: ElementRun..., in target: Target = Hub.timer) -> Action {
    Action(target, .erase(field: "notes", runs), revives: true)
  }

  static func place(_ target: Target = Hub.timer, at anchor: Anchor = Anchor(nil, .right)) -> Action
  {
    Action(target, .move(field: "place", to: anchor))
  }

  static func element(_ seq: UInt64, _ index: UInt32, of replica: ReplicaID = Hub.phone)
    -> ElementID
  {
    ElementID(Dot(replica, seq), index)
  }
}

extension Datum: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .string(Name(text)) }
}
