internal import AppModels
internal import Hub
internal import Merge
internal import Relay
internal import Wire

/// How the server of a run was started: the first line of its file.
///
/// ```
/// {"wire":1,"seed":7,"clock":"manual","tokens":true,"quotas":true,"forgets":true,"lobby":true,"limits":{"line":4096},"schema":{…}}
/// ```
package struct Setting: Equatable {
  package var seed: UInt64 = 0
  var hasManualClock = true
  /// Each world has a token of its own (`WorldTokens`).
  var hasTokens = false
  /// Which has quotas.
  var hasQuotas = false
  /// Pairs that nobody uses for half a day are erased.
  var forgets = false
  /// Connections come to a lobby first (PROTOCOL.md clause 15.6).
  var hasLobby = false
  /// Those that are not as they are where nothing is said, in bytes, counts and microseconds.
  var limits: [String: Int] = [:]
  /// A schema of its own, beside those that ship.
  var schema: JSON?

  package init() {}

  /// Draws one. Limits are small now and then, so that lines meet them.
  init(seed: UInt64, _ choices: inout Choices) {
    self.seed = seed
    hasTokens = seed % 5 == 3
    hasQuotas = seed % 10 == 3
    forgets = seed % 3 == 1
    hasLobby = seed % 4 == 2
    hasManualClock = choices.percent(50)
    let small: [String: [Int]] = [
      "line": [512, 4096, 70_000], "firstLine": [256, 1024], "firstOutput": [512],
      "buffers": [1 << 20], "connections": [12], "waitingOutput": [1, 1000, 4096],
      "receiverGrace": [1, 1_000_000], "uncommittedInput": [1, 1000],
      "uncommittedTotal": [1, 100_000], "queueItems": [1, 3, 20], "queueBytes": [1, 200, 50_000],
      "pairBytes": [1, 400, 100_000],
      "outcomes": [1, 4], "pendingReplies": [1, 3], "holes": [1, 2, 8], "pairs": [2, 4],
      "watches": [1, 2], "incarnations": [1, 3, 6], "rememberedFailures": [1, 3],
      "syncLog": [1, 2, 5, 20], "syncEntries": [1, 6, 40], "syncRecords": [1, 3, 12],
    ]
    for (name, _) in Limits.names {
      guard let values = small[name], choices.percent(name == "syncLog" ? 60 : 12) else { continue }
      limits[name] = choices.one(of: values)
    }
    if choices.percent(50) { schema = RandomSchema.draw(&choices) }
  }

  /// The server asks for tokens, and every other one's have quotas.
  mutating func askForTokens() {
    hasTokens = true
    hasQuotas = seed % 2 == 1
  }

  var options: Relay.Options {
    var options = Relay.Options()
    options.hasManualClock = hasManualClock
    if hasTokens { options.access = WorldTokens.access(hasQuotas: hasQuotas) }
    if forgets { options.forgetAfter = 43_200_000_000 }
    if hasLobby { options.place = .shard(0, of: 1) }
    for (name, path) in Limits.names {
      if let value = limits[name] { options.limits[keyPath: path] = value }
    }
    options.hubs = Hubs.keeping(schemas, codecs: ShippedSchemas.codecs)
    options.deadAllowance = 1 << 12
    options.limits.aside = 1
    return options
  }

  var schemas: [Schema] {
    ShippedSchemas.all + (schema.flatMap { try? Schema(json: $0.bytes) }.map { [$0] } ?? [])
  }
}

extension Setting {
  /// Nearer to a server that is started without options.
  package var simpler: [Setting] {
    var all: [Setting] = []
    if !limits.isEmpty {
      all.append(self)
      all[0].limits = [:]
      for name in limits.keys.sorted() {
        all.append(self)
        all[all.count - 1].limits[name] = nil
      }
    }
    if schema != nil {
      all.append(self)
      all[all.count - 1].schema = nil
    }
    if hasManualClock {
      all.append(self)
      all[all.count - 1].hasManualClock = false
    }
    if forgets {
      all.append(self)
      all[all.count - 1].forgets = false
    }
    if hasLobby {
      all.append(self)
      all[all.count - 1].hasLobby = false
    }
    if hasQuotas {
      all.append(self)
      all[all.count - 1].hasQuotas = false
    } else if hasTokens {
      all.append(self)
      all[all.count - 1].hasTokens = false
    }
    return all
  }

  var json: JSON {
    var members = [
      JSON.Member("wire", .integer(1)), JSON.Member("seed", .integer(seed)),
      JSON.Member("clock", .string(hasManualClock ? "manual" : "system")),
    ]
    if hasTokens { members.append(JSON.Member("tokens", .bool(true))) }
    if hasQuotas { members.append(JSON.Member("quotas", .bool(true))) }
    if forgets { members.append(JSON.Member("forgets", .bool(true))) }
    if hasLobby { members.append(JSON.Member("lobby", .bool(true))) }
    let named = Limits.names.compactMap { name, _ in
      limits[name].map { JSON.Member(name, .integer($0)) }
    }
    if !named.isEmpty { members.append(JSON.Member("limits", .object(named))) }
    if let schema { members.append(JSON.Member("schema", schema)) }
    return .object(members)
  }

  /// nil where it is none.
  init?(_ json: JSON) {
    guard json["wire"]?.number == 1 else { return nil }
    if case .plain(let text)? = json["seed"] { seed = UInt64(text) ?? 0 }
    hasManualClock = json["clock"]?.text != "system"
    hasTokens = json["tokens"] != nil
    hasQuotas = json["quotas"] != nil
    forgets = json["forgets"] != nil
    hasLobby = json["lobby"] != nil
    for member in json["limits"]?.members ?? [] {
      limits[member.name] = member.value.number.map { Int($0) }
    }
    schema = json["schema"]
  }
}
