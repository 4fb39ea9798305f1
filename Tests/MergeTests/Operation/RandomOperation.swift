import Seeded
import Merge
import Oracle

/// Operations of every form, for tests of their coding.
struct RandomOperation {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func replica() -> ReplicaID {
    ReplicaID(
      device: Identifier(high: 0, low: UInt64(below(4))), incarnation: [0, 1, .max][below(3)])
  }

  mutating func name() -> Name {
    let parts = [
      "", "a", "\"", "\\", "\u{0}", "\u{1f}", "\n\t\r\u{8}\u{c}", "é", "e\u{301}", "\u{e000}",
      "\u{ffff}", "😀", "\u{2028}", "/", "\u{7f}", "אב", "👩‍👧",
    ]
    return Name((0..<below(4)).map { _ in parts[below(parts.count)] }.joined())
  }

  mutating func datum(_ depth: Int = 3) -> Datum {
    switch below(depth > 0 ? 6 : 4) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2, 3: return .string(name())
    case 4: return .array((0..<below(4)).map { _ in datum(depth - 1) })
    default:
      var members: [Name: Datum] = [:]
      for _ in 0..<below(5) { members[name()] = datum(depth - 1) }
      return .sorted(members.map { Datum.Member($0.key, $0.value) })
    }
  }

  mutating func vector(without replica: ReplicaID) -> VersionVector {
    var vector = VersionVector()
    for _ in 0..<below(5) {
      vector[self.replica()] = [1, 2, 3, UInt64(below(1 << 40)), .max][below(5)]
    }
    vector[replica] = 0
    return vector
  }

  mutating func element() -> ElementID {
    ElementID(
      Dot(replica(), 1 + UInt64(below(1 << 40))),
      [0, UInt32(below(100)), ElementID.indexLimit - 2][below(3)])
  }

  mutating func anchor() -> Anchor {
    Anchor(below(3) == 0 ? nil : element(), below(2) == 0 ? .left : .right)
  }

  mutating func target() -> Target { Target(name(), name()) }

  mutating func action() -> Action {
    let body: Action.Body
    switch below(8) {
    case 0: body = .create
    case 1: body = .delete
    case 2: body = .restore
    case 3: body = .write(field: name(), value: datum())
    case 4: body = .move(field: name(), to: anchor())
    case 5: body = .insert(field: name(), at: anchor(), text: name())
    case 6:
      body = .erase(
        field: name(),
        (0...below(3)).map { _ in ElementRun(element(), count: 1 + UInt32(below(2))) })
    default:
      guard case .object(let members) = datum(1) else { return action() }
      let kept = members.filter { !["action", "kind", "record"].contains($0.name) }
      let target = target()
      let more = [
        Datum.Member("action", .string(Name("newer" + name().text))),
        Datum.Member("kind", .string(target.kind)), Datum.Member("record", .string(target.record)),
      ]
      return Action(target, .unknown(.sorted(kept + more)))
    }
    return Action(
      target(), body, revives: below(2) == 0, home: below(2) == 0 ? target() : nil,
      into: below(3) == 0 ? target() : nil, via: below(3) == 0 ? target() : nil)
  }

  mutating func operation(after previous: Merge.Operation? = nil) -> Merge.Operation {
    let replica = previous?.dot.replica ?? self.replica()
    let seq = previous.map { $0.dot.seq + 1 } ?? 1 + UInt64(below(3))
    var others = previous?.context.others ?? vector(without: replica)
    // Entries go up, down and out, and new ones come.
    if below(2) == 0 {
      let new = vector(without: replica)
      if below(2) == 0 { others = new } else { others.merge(new) }
    }
    return Merge.Operation(
      dot: Dot(replica, seq),
      stamp: Stamp(
        ms: UInt64(below(1 << 48)), rank: UInt8(below(256)), counter: UInt16(below(1 << 16)),
        replica: replica),
      context: Context(own: below(3) == 0 ? UInt64(below(Int(seq))) : seq - 1, others: others),
      wall: [0, -1, .max, .min, Int64(below(1 << 48))][below(5)],
      actions: (0...below(3)).map { _ in action() })
  }
}
