internal import Wire

/// Values by their types: mostly right, often at a limit, sometimes beyond it.
extension Author {
  /// A value of a member: what only the state of the session can tell, else what the server told under
  /// that name, else anything of its type.
  mutating func value(
    of member: MemberDescription, in request: MessageDescription, _ place: Int
  ) -> JSON {
    // Two worlds must not meet in one pair.
    if member.name == "pair" { return .string(pairName(place)) }
    if choices.percent(94), let value = meant(member.name, request.name, place) { return value }
    let told = worlds[clients[place].world].told(member.name)
    if !told.isEmpty, choices.percent(50) { return nearby(choices.one(of: told)) }
    // Another pair's names and numbers, unless its tag is in them.
    if choices.percent(2), let other = choices.one(of: worlds).told(member.name).last,
      isOfAll(other)
    {
      return other
    }
    return value(member.type, place)
  }

  private func isOfAll(_ value: JSON) -> Bool {
    let text = String(decoding: value.bytes, as: UTF8.self)
    return text.utf8.count < 60 && !text.contains("~w") && !text.contains("fnc")
  }

  /// The value, or the number beside it.
  private mutating func nearby(_ value: JSON) -> JSON {
    guard let number = value.number, choices.percent(25) else { return value }
    return .integer(number &+ Int64(choices.one(of: [-1, 1])))
  }

  mutating func value(_ type: MemberType, _ place: Int) -> JSON {
    let world = clients[place].world
    switch type {
    case .text(let length): return .string(text(length ?? 0...1_000, world))
    case .words(let words):
      return .string(choices.percent(96) ? choices.one(of: words) : text(0...20, world))
    case .hexadecimal(let count):
      let digits = Array("0123456789abcdefABCDEF")
      let length = choices.percent(90) ? count : count + choices.one(of: [-1, 1])
      return .string(String((0..<length).map { _ in choices.one(of: digits) }))
    case .integer(let range): return integer(range)
    case .seconds, .moment:
      return choices.percent(60)
        ? .integer(choices.below(100)) : .plain(choices.one(of: Self.edgesOfSeconds))
    case .boolean: return .bool(choices.percent(70))
    case .flag: return .bool(choices.percent(97))
    case .dictionary: return payload(place)
    case .base64: return .string(data(world))
    case .identifier: return identifier(world)
    case .object(let members):
      return .object(
        members.filter { $0.isRequired || choices.percent(40) }.map {
          .init($0.name, value($0.type, place))
        })
    case .message: return .object([.init("type", .string("ping"))])
    case .digits: return .string("\(choices.below(20))")
    case .replica: return .string(newReplica())
    case .vector:
      return choices.percent(50)
        ? .object([])
        : .object([.init(newReplica(), .string("\(choices.below(20))"))])
    case .operation: return operation(place) ?? .object([])
    case .null: return .plain("null")
    case .any: return anything(world, depth: 2)
    case .map(let type):
      return .object(
        (0..<choices.below(3)).map { number in
          let told = worlds[world].told("transfer").last?.text
          return .init(told ?? text(1...20, world) + "\(number)", value(type, place))
        })
    case .list(let type):
      return .array((0..<choices.below(4)).map { _ in value(type, place) })
    case .either(let types): return value(choices.one(of: types), place)
    }
  }

  // MARK: Numbers

  private static let edgesOfSeconds = [
    "0", "0.000001", "0.0000004", "1", "5.5", "300", "86399.999999", "86400", "999999999.999999",
    "1000000000", "1000000000.000001", "1e9", "1e-9", "1e308", "-0", "-1", "1e400",
  ]

  /// Those of 64 bits, of smaller words, and what is no whole number.
  static let edges = [
    "0", "-1", "1", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295",
    "4294967296", "17592186044415", "17592186044416", "9007199254740993", "9223372036854775806",
    "9223372036854775807", "9223372036854775808", "-9223372036854775807", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e308", "0.5", "-0",
    "99999999999999999999999999999999999999",
  ]

  mutating func integer(_ range: ClosedRange<Int64>) -> JSON {
    if choices.percent(50) {
      let reach = Int(
        min(range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue, 20))
      return .integer(range.lowerBound &+ Int64(choices.below(max(1, reach + 1))))
    }
    if choices.percent(50) {
      let limit = choices.one(of: [range.lowerBound, range.upperBound])
      let (number, overflow) = limit.addingReportingOverflow(Int64(choices.below(3) - 1))
      // One above the largest of 64 bits.
      return overflow ? .plain("9223372036854775808") : .integer(number)
    }
    return .plain(choices.one(of: Self.edges))
  }

  // MARK: Texts

  mutating func identifier(_ world: Int) -> JSON {
    switch choices.below(10) {
    case 0: .string(text(0...64, world))
    case 1: .plain(choices.one(of: Self.edges))
    case 2: .string(worlds[world].tag + "é\u{1F600}\"\\")
    default: .integer(choices.below(1000))
    }
  }

  /// With the tag of its world where there is room for it.
  mutating func text(_ length: ClosedRange<Int>, _ world: Int) -> String {
    let tag = worlds[world].tag
    if choices.percent(60) { return tag + choices.one(of: ["", "a", " b", "\u{E9}", "7"]) }
    let limit = choices.one(of: [length.lowerBound, length.upperBound])
    let count = max(0, limit + choices.below(3) - 1)
    let filler = choices.one(of: ["x", "é", "\u{1F600}", "\u{0}", "\n", "\"", "\u{2028}"])
    var text = count < tag.utf8.count ? "" : tag
    while text.utf8.count + filler.utf8.count <= count { text += filler }
    while text.utf8.count < count { text += "y" }
    return text
  }

  /// Base64 that begins with the world's tag.
  mutating func data(_ world: Int) -> String {
    let count = choices.one(of: [0, 1, 2, 3, 5, 100, 100, 49_151, 49_152, 49_153, 65_536, 65_537])
    let base64 = Step.base64(content(count, world))
    return choices.percent(98) ? base64 : String(base64.dropLast())
  }

  /// So many bytes, all of them tags.
  func content(_ count: Int, _ world: Int) -> [UInt8] {
    let tag = Array(worlds[world].tag.utf8)
    return (0..<count).map { tag[$0 % 3] }
  }

  mutating func anything(_ world: Int, depth: Int) -> JSON {
    switch choices.below(depth > 0 ? 9 : 6) {
    case 0: .plain(choices.one(of: Self.edges))
    case 1: .plain("null")
    case 2: .bool(choices.percent(50))
    case 3...5: .string(text(0...30, world))
    case 6: .array((0..<choices.below(4)).map { _ in anything(world, depth: depth - 1) })
    default:
      .object(
        (0..<choices.below(4)).map { .init("m\($0)", anything(world, depth: depth - 1)) })
    }
  }

  // MARK: Payloads

  mutating func payload(_ place: Int) -> JSON {
    let world = clients[place].world
    let tag = JSON.string(worlds[world].tag)
    if choices.percent(clients[place].bridge == nil ? 5 : 70) { return wholeRecords(place) }
    switch choices.below(100) {
    case ..<50: return .object([.init("t", tag)])
    case ..<55: return .object([])
    case ..<60:
      // About as large as it may be.
      let limit = choices.one(of: [65_536, 262_144])
      let filler = String(repeating: "x", count: limit - 60 + choices.below(64))
      return .object([.init("t", tag), .init("f", .string(filler))])
    case ..<70:
      let special = choices.one(of: [
        JSON.object([.init("$data", .string(data(world)))]),
        .object([.init("$date", .string("2026-03-01T12:00:00Z"))]),
        .object([.init("$date", .plain(choices.one(of: Self.edges)))]),
        .object([.init("$real", .string(choices.one(of: ["nan", "infinity", "-infinity", "NaN"])))]
        ),
        .object([.init("$dictionary", .object([.init("$data", tag)]))]),
        .object([.init("$wrong", tag)]), .plain("null"),
      ])
      return .object([.init("t", tag), .init("s", special)])
    case ..<74:
      var deep = tag
      for _ in 0..<choices.one(of: [10, 46, 47, 48, 61, 62, 63, 64]) { deep = .array([deep]) }
      return .object([.init("d", deep)])
    case ..<78:
      return .object(
        (0..<choices.one(of: [63, 64, 65, 500])).map { .init("m\($0)", .integer($0)) })
    default: return .object([.init("t", tag), .init("v", anything(world, depth: 3))])
    }
  }
}
