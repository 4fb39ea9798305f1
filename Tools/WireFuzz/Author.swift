internal import Bridge
internal import Merge
internal import Wire

/// Decides what is done to a server, step by step, from what its clients have been told so far.
///
/// Every request, with its members, types and limits, comes from the protocol's descriptions
/// (`MessageDescription.requests`). What only makes sense between lines is beside them: names, numbers and
/// ids that the server told are said back (`Memory`), and what is written about records fits their schema.
///
/// Each session leaves some requests out and prefers others, so that what they would hide or end is
/// reached (Groce et al., "Swarm Testing", ISSTA 2012).
struct Author {
  var choices: Choices
  let setting: Setting
  let schemas: [Schema]
  var worlds: [Memory]
  var clients: [Person]
  /// The hub's clock, in milliseconds since 1970.
  var clock: Int64 = 978_307_200_000
  /// Of a hundred lines so many are spoiled.
  private let spoiled: Int
  private var weights: [(request: MessageDescription, weight: Int)] = []

  init(_ setting: Setting, _ choices: Choices) {
    self.setting = setting
    self.choices = choices
    schemas = setting.schemas
    worlds = []
    clients = []
    // Several pairs, and one name in several apps.
    for number in 0..<self.choices.one(of: [1, 1, 2, 3]) {
      // A token is for pairs, whatever their app.
      let isShared = self.choices.percent(40) && !setting.hasTokens
      worlds.append(
        Memory(
          number: number, pair: isShared ? "pair" : "pair" + Tag.text(number),
          app: isShared ? "app" + Tag.text(number) : "default"))
    }
    spoiled = self.choices.one(of: [0, 5, 20, 40])
    for request in MessageDescription.requests {
      let chance = self.choices.below(4)
      let weight = Self.rare[request.name] ?? 12
      weights.append((request, chance == 0 ? 0 : chance == 1 ? 4 * weight : weight))
    }
    for world in worlds {
      for role in ["phone", "watch", "watch", "phone"].prefix(2 + self.choices.below(3)) {
        addClient(world.number, role)
      }
    }
  }

  /// Requests that end what others need, or say little; the others have 12.
  private static let rare = [
    "quit": 1, "forgetPair": 1, "deactivate": 2, "advance": 3, "help": 2, "ping": 2, "activate": 5,
    "setDeviceState": 3, "setAppState": 5, "configure": 5, "selectWatch": 3, "hold": 12,
    "sync.open": 8, "sync.edit": 40, "sync.push": 20,
  ]

  private mutating func addClient(_ world: Int, _ role: String) {
    let others = clients.count { $0.world == world && $0.role == role }
    let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(clients.count % 26)))
    var person = Person(name: letter + "\(world)", world: world, role: role)
    // The second phone takes the first one's place.
    person.device =
      role == "phone" || others == 0
      ? nil
      : "watch\(others + 1)" + Tag.text(world) + choices.one(of: ["", "", "\"\\", "é"])
    if choices.percent(25) { person.bridge = choices.one(of: schemas) }
    person.replica = choices.percent(50) ? newReplica() : nil
    clients.append(person)
  }

  mutating func newReplica() -> String {
    let digits = (0..<12).map { _ in String(choices.below(16), radix: 16, uppercase: true) }
      .joined()
    return "6F0E3A52-0C55-4F6B-9E0E-\(digits).\(1 + choices.below(3))"
  }

  // MARK: Steps

  /// - Parameter isOpen: whether a client of that name is connected.
  mutating func next(_ isOpen: (String) -> Bool) -> Step {
    let place = choices.below(clients.count)
    let name = clients[place].name
    guard isOpen(name) else {
      clients[place].isLost()
      return activation(place)
    }
    switch choices.below(1000) {
    case ..<10: return .close(on: name)
    case ..<16: return .end(on: name)
    case ..<30: return .reads(on: name, choices.percent(60))
    case ..<38:
      return choices.percent(30) ? .restart : .kill(written: choices.one(of: [0, 0, 1, 2]))
    case ..<60:
      return .pass(choices.one(of: [1, 1_000_000, 5_000_000, 40_000_000, 86_400_000_000]))
    case ..<85:
      return .disk(
        choices.percent(75) ? choices.one(of: Self.remedies) : choices.one(of: Step.Disk.allCases))
    case ..<90:
      clients[place].bridge = clients[place].bridge == nil ? choices.one(of: schemas) : nil
    default: break
    }
    if !clients[place].isActive, choices.percent(85) { return activation(place) }
    var bytes = line(place)
    if choices.percent(10) {
      for _ in 0...choices.below(6) { bytes += line(place) }
    }
    // Torn: the rest comes with the next one.
    clients[place].isTorn = choices.percent(2) && bytes.count > 1
    if clients[place].isTorn { bytes.removeLast(1 + choices.below(bytes.count - 1)) }
    return .send(on: name, bytes)
  }

  private static let remedies: [Step.Disk] = [
    .go, .recover, .makeRoom, .releaseReads, .releasePairs, .commitOne,
  ]

  /// What a session ends with: everything works again, the server is killed, and everybody comes back and
  /// looks at what there is.
  func ending() -> [Step] {
    var steps: [Step] = Self.remedies.map { .disk($0) } + [.kill(written: 0)]
    for person in clients {
      let world = worlds[person.world]
      let lines = [
        #"{"type":"activate","pair":"\#(world.pair)","app":"\#(world.app)","role":"\#(person.role)""#
          + (person.device.map {
            #","device":"# + String(decoding: JSON.string($0).bytes, as: UTF8.self)
          } ?? "") + (setting.hasTokens ? #","token":"\#(WorldTokens.text(person.world))""# : "")
          + "}",
        "getState", "outstandingTransfers",
      ]
      for line in lines
        + schemas.suffix(1).flatMap({ schema in
          ["sync.open schema=\(schema.name)", "sync.view", "sync.conflicts", "sync.digest"]
        })
      {
        steps.append(.send(on: person.name, Array(line.utf8) + [0x0A]))
      }
    }
    return steps
  }

  private mutating func activation(_ place: Int) -> Step {
    let request = MessageDescription.requests.first { $0.name == "activate" }!
    let plain = choices.percent(75)
    let members = plain ? request.members.filter(\.isRequired) : request.members
    var line = JSON.object([.init("type", .string("activate"))])
    for member in members where member.isRequired || choices.percent(25) {
      line[member.name] = value(of: member, in: request, place)
    }
    for (name, value) in identity(place) { line[name] = value }
    if clients[place].device == nil, choices.percent(90) { line["device"] = nil }
    if let bridge = clients[place].bridge, choices.percent(90) {
      line["bridge"] = .string(bridge.name.text)
    }
    // Somebody's pair in the midst of its own line it would be told again, as its own words.
    if setting.hasTokens, choices.percent(15), !clients[place].isTorn { intrude(&line, place) }
    clients[place].isTorn = false
    return .send(on: clients[place].name, spelled(line))
  }

  /// Makes of an activation that of a stranger, for a pair that there may be.
  private mutating func intrude(_ line: inout JSON, _ place: Int) {
    let other = choices.one(of: worlds)
    let isOwn = other.number == clients[place].world
    line["pair"] = .string(other.pair)
    switch choices.below(3) {
    case 0 where !isOwn: break
    case 1: line["token"] = .string(WorldTokens.forged(other.number))
    default: line["token"] = nil
    }
  }

  /// Who a client is.
  func identity(_ place: Int) -> [(String, JSON)] {
    let (person, world) = (clients[place], worlds[clients[place].world])
    var members: [(String, JSON)] = [
      ("pair", .string(world.pair)), ("role", .string(person.role)), ("app", .string(world.app)),
    ]
    if let device = person.device { members.append(("device", .string(device))) }
    if setting.hasTokens { members.append(("token", .string(WorldTokens.text(world.number)))) }
    return members
  }

  // MARK: Lines

  /// A line with its LF; several where it is repeated.
  private mutating func line(_ place: Int) -> [UInt8] {
    var draw = choices.below(weights.reduce(1) { $0 + $1.weight })
    var request = MessageDescription.requests[0]
    for candidate in weights {
      if draw < candidate.weight {
        request = candidate.request
        break
      }
      draw -= candidate.weight
    }
    request = prepared(request, place)
    var json = self.request(request, place)
    let isSpoiled = choices.percent(spoiled)
    if isSpoiled, choices.percent(70) { spoil(&json) }
    // Without its app it would be in a pair that may be another world's.
    if request.name == "activate", json["app"] == nil {
      json["app"] = .string(worlds[clients[place].world].app)
    }
    if request.name == "sync.push", !isSpoiled { clients[place].hasPushed() }
    var bytes = spelled(json)
    // A pair's name with another byte in it might be another world's, and so might a tag.
    if isSpoiled, request.name != "activate", choices.percent(30) {
      let other = spoil(bytes)
      if Tag.foreign(to: clients[place].name.utf8.last!, in: other) == nil { bytes = other }
    }
    // Of two that take turns each may undo what the other has worked out: a flood may be of both.
    let before = clients[place].short
    if bytes.count < 200 { clients[place].short = bytes }
    if choices.percent(12) {
      let isFlood = bytes.count < 200 && choices.percent(1)
      var count = isFlood ? choices.one(of: [50, 300, 2_000]) : 2
      if isFlood, choices.percent(25) {
        // Short lines with short answers: a turn is too short for them by their number alone.
        (bytes, count) = (Array("ping\n".utf8), 6_000)
      } else if isFlood, choices.percent(50) {
        (bytes, count) = (before + bytes, count / 2)
      }
      bytes = Array(repeatElement(bytes, count: count).joined())
    }
    return bytes
  }

  /// What has to come before a request, most of the time, where it has not come yet.
  private mutating func prepared(
    _ request: MessageDescription, _ place: Int
  ) -> MessageDescription {
    var first: Request?
    if request.group == .sync, clients[place].schema == nil { first = .syncOpen }
    if request.name == "sync.push", clients[place].replica == nil { first = .syncEdit }
    if request.name != "reply", clients[place].asked != nil, choices.percent(20) { first = .reply }
    if request.name == "fileChunk", clients[place].upload?.transfer == nil { first = .transferFile }
    let isPhone = clients[place].role == "phone"
    if request.name == "transferCurrentComplicationUserInfo", !isPhone { first = .transferUserInfo }
    guard let first, choices.percent(90) else { return request }
    return MessageDescription.requests.first { $0.name == first.rawValue }!
  }

  /// A request with members of their types.
  mutating func request(_ request: MessageDescription, _ place: Int) -> JSON {
    clients[place].drawn = 0
    clients[place].kind = schemas.first { $0.name == clients[place].schema }.map {
      choices.one(of: $0.kinds)
    }
    var line = JSON.object([.init("type", .string(request.name))])
    if choices.percent(70) { line["id"] = identifier(clients[place].world) }
    let either = request.eitherOf.isEmpty ? [] : choices.one(of: request.eitherOf)
    let share = choices.one(of: [0, 20, 50])
    for member in request.members {
      let isChoice = request.eitherOf.contains { $0.contains(member.name) }
      let isWanted =
        either.contains(member.name) || (member.isRequired && choices.percent(99))
        || (isChoice ? choices.percent(3) : !member.isRequired && choices.percent(share))
      if isWanted { line[member.name] = value(of: member, in: request, place) }
    }
    complete(&line, request.name, place)
    return line
  }

  /// Optional members without which a request says little.
  private mutating func complete(_ line: inout JSON, _ request: String, _ place: Int) {
    guard choices.percent(92) else { return }
    switch request {
    case "sync.open":
      line["replica"] = clients[place].replica.map { .string($0) }
      if clients[place].replica == nil || choices.percent(70) { line["vector"] = nil }
    case "sync.edit":
      let kind = clients[place].kind
      if line["set"] != nil, kind?.fixedID != nil { line["record"] = nil }
      if line["set"] == nil, line["record"] == nil {
        line["record"] = kind.flatMap { record($0, clients[place].world) }
      }
    // A lane without a hold is released without a count.
    case "release": line["count"] = line["count"] ?? integer(1...Int64.max)
    case "sync.view", "sync.conflicts": if line["kind"] == nil { line["record"] = nil }
    default: break
    }
  }

  /// As JSON or as words, with its members in any order.
  private mutating func spelled(_ line: JSON) -> [UInt8] {
    var line = line
    if case .object(let members) = line, choices.percent(30) {
      line = .object(choices.shuffled(members))
    }
    if choices.percent(35), let words = words(line) { return words + [0x0A] }
    return line.bytes + [0x0A]
  }
}
