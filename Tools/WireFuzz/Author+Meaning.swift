internal import Merge
internal import Wire

/// What a member means between lines: which transfer, which record, whose bytes.
extension Author {
  /// nil where the type says all that there is to know.
  mutating func meant(_ member: String, _ request: String, _ place: Int) -> JSON? {
    let world = clients[place].world
    switch (request, member) {
    case ("selectWatch", "device"):
      let watches = clients.filter { $0.world == world && $0.role == "watch" }
      return watches.isEmpty ? nil : .string(choices.one(of: watches).device ?? "watch")
    case ("configure", "preconditionOrder"):
      let names = KnobDescription.all.first { $0.key == .preconditionOrder }?.standard ?? ""
      return .string(
        choices.shuffled(names.dropFirst().dropLast().split(separator: ",").map(String.init))
          .joined(separator: ","))
    case ("authenticate", "token"):
      return setting.hasTokens && choices.percent(80) ? .string(WorldTokens.text(world)) : nil
    case ("advance", "seconds"):
      // To the time of today's operations.
      if clock < 1_700_000_000_000, choices.percent(60) { return .integer(811_692_800) }
      return choices.percent(80) ? .integer(choices.one(of: [0, 1, 30, 86_400, 7_776_000])) : nil
    case ("outstandingTransfers", "after"), ("activate", _): return nil
    case ("help", "topic"):
      let all = MessageDescription.all.map(\.name) + KnobDescription.all.map(\.key.rawValue)
      return .string(choices.one(of: all + ["lanes", "knobs", "errors", "events", "sync", "4004"]))
    case ("reply", "re"):
      defer { if choices.percent(80) { clients[place].asked = nil } }
      return clients[place].asked
    case ("transferFile", _): return file(member, place)
    case ("fileChunk", _): return chunk(member, place)
    case ("transferUserInfo", "n"), ("transferCurrentComplicationUserInfo", "n"):
      let last = worlds[world].told("n").last?.number ?? 0
      return .integer(last &+ Int64(choices.one(of: [1, 1, 1, 0, 2])))
    case ("acknowledge", "seq"), ("refuse", "seq"):
      guard let seq = worlds[world].told("seq").last, choices.percent(70) else { return nil }
      return seq
    case (let name, _) where name.hasPrefix("sync."): return ofRecords(member, name, place)
    default: return nil
    }
  }

  /// The world's own, or one with its tag that is about as long as may be.
  mutating func pairName(_ place: Int) -> String {
    let world = worlds[clients[place].world]
    guard choices.percent(20) else { return world.pair }
    return world.tag + String(repeating: "p", count: choices.one(of: [1, 60, 61, 62]))
  }

  // MARK: Files

  private mutating func file(_ member: String, _ place: Int) -> JSON? {
    let world = clients[place].world
    switch member {
    case "transfer":
      return clients[place].upload?.transfer.map { .string($0) }
    case "size":
      let count = choices.one(of: [0, 1, 5, 100, 49_151, 49_152, 49_153, 120_000])
      clients[place].upload = (nil, content(count, world), 0)
      return .integer(count)
    case "sha256":
      var digest = SHA256()
      (clients[place].upload?.bytes ?? []).withUnsafeBytes { digest.update($0) }
      return .string(digest.hex)
    default: return nil
    }
  }

  private mutating func chunk(_ member: String, _ place: Int) -> JSON? {
    guard let upload = clients[place].upload, let transfer = upload.transfer else { return nil }
    switch member {
    case "transfer": return .string(transfer)
    case "offset": return .integer(upload.sent)
    case "data":
      // A multiple of three, so that the tag is seen in what comes out of it.
      let end = min(upload.bytes.count, upload.sent + choices.one(of: [3, 300, 60_000, 120_000]))
      clients[place].upload?.sent = end
      return .string(Step.base64(upload.bytes[upload.sent..<end]))
    default: return nil
    }
  }

  // MARK: Records

  private mutating func ofRecords(_ member: String, _ request: String, _ place: Int) -> JSON? {
    let person = clients[place]
    let schema = schemas.first { $0.name == person.schema }
    switch member {
    case "schema":
      if request == "sync.open" || schema == nil {
        // Half of them the same, so that devices meet.
        let name = choices.percent(50) ? schemas.last! : choices.one(of: schemas)
        return .string(name.name.text)
      }
      return .string(schema!.name.text)
    case "replica": return person.replica.map { .string($0) }
    case "at":
      return worlds[person.world].told(member).last.map { choices.percent(85) ? $0 : .integer(0) }
    case "asOf":
      return choices.percent(40)
        ? .string("lastSeen")
        : worlds[person.world].told(choices.one(of: ["at", "vector"])).last
    case "kind": return person.kind.map { .string($0.name.text) }
    case "record": return person.kind.flatMap { record($0, person.world) }
    case "set": return person.kind.map { fields($0, place) }
    case "move":
      guard let kind = person.kind else { return nil }
      var move = JSON.object([])
      for name in ["after", "before"] where choices.percent(40) {
        move[name] = record(kind, person.world)
      }
      if let owner = kind.container.flatMap({ schema?[$0.kind] }), choices.percent(40) {
        move["into"] = record(owner, person.world)
      }
      return move
    default: return nil
    }
  }

  /// A record's id, or the beginning of one.
  mutating func record(_ kind: Schema.Kind, _ world: Int) -> JSON? {
    if let fixed = kind.fixedID { return .string(fixed.text) }
    guard let known = worlds[world].records[kind.name], !known.isEmpty, choices.percent(93) else {
      return choices.percent(50) ? .string(newID()) : nil
    }
    let id = choices.one(of: known).id
    return .string(choices.percent(80) ? id : String(id.prefix(choices.one(of: [3, 4, 8, 35]))))
  }

  mutating func newID() -> String {
    let digits = (0..<4).map { _ in String(choices.below(16), radix: 16, uppercase: true) }.joined()
    return "\(digits)0000-0000-4000-8000-00000000\(digits)"
  }

  /// What an edit sets: each field that has to be there, and some of the others.
  mutating func fields(_ kind: Schema.Kind, _ place: Int) -> JSON {
    let world = clients[place].world
    var set = JSON.object([])
    let share = choices.one(of: [10, 40, 100])
    for register in kind.registers {
      for field in register.fields {
        let isNeeded = field.initial == nil && !field.isOptional && !field.startsNow
        guard choices.percent(isNeeded ? 96 : share) else { continue }
        set[field.name.text] = value(field, "\(kind.name).\(field.name)", world)
      }
    }
    if kind.order != nil, let container = kind.container, choices.percent(70) {
      let known = worlds[world].records[container.kind] ?? []
      if !known.isEmpty { set[container.field.text] = .string(choices.one(of: known).id) }
    }
    return set
  }

  mutating func value(_ field: Schema.Field, _ path: String, _ world: Int) -> JSON {
    if choices.percent(5) { return .plain("null") }
    for rule in field.rules {
      if case .oneOf(let values) = rule.test, choices.percent(80) {
        return JSON(datum: choices.one(of: values), field.type)
      }
    }
    switch field.type {
    case .int, .decimal, .double, .date:
      return choices.percent(85)
        ? .integer(1 + choices.below(1000)) : .plain(choices.one(of: Self.edges))
    case .uuid:
      let known = field.reference.flatMap { worlds[world].records[$0] } ?? []
      return .string(known.isEmpty ? newID() : choices.one(of: known).id)
    case .bool: return .bool(choices.percent(50))
    case .string: return .string(text(0...60, world))
    case .text: return .string(longText(path, world))
    }
  }

  /// A text that was changed here and there; now and then a long one, or another one as long.
  private mutating func longText(_ path: String, _ world: Int) -> String {
    let tag = worlds[world].tag
    var scalars = Array((worlds[world].texts[path] ?? tag).unicodeScalars)
    let isLong = scalars.count >= 1_000
    if choices.percent(isLong ? 30 : 8) {
      let count = isLong ? scalars.count : choices.one(of: [1_000, 20_000, 120_000])
      let alphabet = Array(
        choices.one(of: ["a", "ab", "abcdefgh ", "é", "a\u{301}"]).unicodeScalars)
      var state = choices.below(1 << 30)
      scalars = (0..<count).map { _ in
        state = (state &* 1_103_515_245 &+ 12_345) & 0x3FFF_FFFF
        return alphabet[(state >> 12) % alphabet.count]
      }
    }
    for _ in 0..<choices.one(of: [0, 1, 1, 3, 40]) {
      let at = choices.below(scalars.count + 1)
      if choices.percent(40) {
        scalars.removeSubrange(at..<min(scalars.count, at + 1 + choices.below(5)))
      } else {
        scalars.insert(
          contentsOf: choices.one(of: ["x", "é", "e\u{301}", "👩\u{200D}👧"]).unicodeScalars, at: at)
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    worlds[world].texts[path] = String(text)
    return String(text)
  }
}

extension JSON {
  /// A canonical value of a field, as people type it.
  fileprivate init(datum: Datum, _ type: FieldType) {
    switch (type, datum.text) {
    case (.int, let text?), (.decimal, let text?), (.double, let text?), (.date, let text?):
      self = .plain(text.text)
    default: self = .plain(String(decoding: datum.canonical, as: UTF8.self))
    }
  }
}
