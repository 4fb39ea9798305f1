internal import EventLoop
internal import Relay
internal import Usage
internal import Wire

/// `watchline token`: makes, lists and withdraws the tokens of a server.
enum TokenCommand: Subcommand {
  static let syntax = Syntax(
    name: "token",
    summary: "Make, list and withdraw the tokens that a server asks for.",
    operands: "create | list | revoke ID | rotate ID",
    maximumOperands: 2, actions: ["create", "list", "revoke", "rotate"],
    options: [
      Option("tokens", value: "FILE", "the server's file of tokens (watchline-tokens)"),
      Option("pair", value: "NAME,…", "create: the pairs that it is for; * stands for anything"),
      Option("role", value: "ROLE", "create: phone or watch (either)", among: ["phone", "watch"]),
      Option("device", value: "NAME", "create: the device's name; * stands for anything (*)"),
      Option("grant", value: "G,…", "create: what it is good for, of \(grants) (connect)"),
      Option(
        "certificate", value: "NAME",
        "create: who shows a certificate of that name holds it, and no token is made"),
      Option(
        "expires", value: "WHEN", "create: 90m, 12h, 30d, or a moment as 2027-01-01T00:00:00Z"),
      Option("quota", value: "NAME=N,…", "create: bounds of \(quotas) (none)"),
      Option("json", "print JSON: an object of the token, or a line for each"),
    ],
    notes: """
      create and rotate print the token once. The file has its SHA-256 alone, so keep what is printed.
      A server started with --tokens FILE sees a change within a second, and ends the sessions of a
      token that is revoked.

        watchline token create --pair 'team-ios-*' --role watch --expires 30d
        watchline-server --tokens watchline-tokens --tls-listen 0.0.0.0:9283 …
        activate pair=team-ios-1 role=watch token=wl1_…

      Commands of watchline that connect to a server take the token from WATCHLINE_TOKEN.
      """)

  private static var quotas: String { Quota.names.map(\.name).joined(separator: ", ") }
  private static var grants: String { Grant.allCases.map(\.rawValue).joined(separator: ", ") }

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    guard let action = arguments.operands.first else {
      throw UsageError("token needs one of \(syntax.actions.joined(separator: ", ")); see --help")
    }
    let path = arguments.string("tokens") ?? "watchline-tokens"
    let id = arguments.operands.dropFirst().first
    do throws(TokenFailure) {
      switch action {
      case "create":
        try refuseID(id, action)
        let request = try TokenRequest(arguments)
        return try print(TokenStore(path).create(request), arguments)
      case "list":
        try refuseID(id, action)
        return try list(TokenStore(path).tokens(), arguments)
      case "revoke":
        let token = try TokenStore(path).revoke(try wantedID(id, action))
        complain("token \(token.id) is revoked")
        return 0
      default:
        return try print(TokenStore(path).rotate(try wantedID(id, action)), arguments)
      }
    } catch {
      switch error {
      case .usage(let error): throw error
      case .file(let message):
        complain(message)
        return 1
      }
    }
  }

  private static func wantedID(_ id: String?, _ action: String) throws(TokenFailure) -> String {
    guard let id else {
      throw .usage(UsageError("\(action) needs the token's id, as token list shows it"))
    }
    return id
  }

  private static func refuseID(_ id: String?, _ action: String) throws(TokenFailure) {
    if let id { throw .usage(UsageError("unexpected \(id) after \(action); see --help")) }
  }

  // MARK: What is printed

  private static func print(
    _ made: (token: Token, text: String?), _ arguments: Arguments
  ) -> Int32 {
    if arguments.has("json") {
      var json = JSONWriter()
      json.object { json in
        json.member("id", made.token.id)
        if let text = made.text { json.member("token", text) }
      }
      Swift.print(String(decoding: json.bytes, as: UTF8.self))
    } else {
      if let text = made.text { Swift.print(text) }
      let once = made.text == nil ? "" : "; it is shown this once"
      complain("token \(made.token.id) \(rights(made.token))\(once)")
    }
    return 0
  }

  private static func list(_ tokens: [Token], _ arguments: Arguments) -> Int32 {
    for token in tokens {
      if arguments.has("json") {
        Swift.print(String(decoding: TokenFile.line(token), as: UTF8.self), terminator: "")
      } else {
        Swift.print("\(token.id)  \(rights(token))")
      }
    }
    return 0
  }

  private static func rights(_ token: Token) -> String {
    let pairs = token.pairs.map(\.text).joined(separator: ", ")
    let device = token.device.text == "*" ? "any device" : "device \(token.device.text)"
    let grants = Grant.allCases.filter(token.grants.contains).map(\.rawValue)
    var text = "pairs \(pairs); \(token.role?.rawValue ?? "phone or watch"); \(device); "
    text += grants.isEmpty ? "good for nothing" : "may \(grants.joined(separator: ", "))"
    if case .certificate(let name) = token.proof { text += "; by certificate \(name.text)" }
    for (name, value) in token.quota.all { text += "; \(name) at most \(value)" }
    if let expires = token.expires {
      let isOver = expires <= LocalTime.milliseconds * 1000
      text += "; \(isOver ? "expired" : "expires") \(CivilTime(ms: expires / 1000))"
    }
    return text
  }
}

/// What a new token is to be good for.
struct TokenRequest {
  var pairs: [String]
  var role: Role?
  var device: String
  /// nil for a token to show.
  var certificate: String?
  var grants: Set<Grant>
  var expires: Int64?
  var quota: Quota

  init(_ arguments: Arguments) throws(TokenFailure) {
    do throws(UsageError) {
      pairs = (arguments.string("pair") ?? "").split(separator: ",").map(String.init)
      guard !pairs.isEmpty else {
        throw UsageError("--pair is missing: the pairs that the token is for, such as 'demo-*'")
      }
      role = arguments.string("role").flatMap(Role.init)
      device = arguments.string("device") ?? "*"
      guard !device.isEmpty else { throw UsageError("--device is a name, or * for any") }
      certificate = arguments.string("certificate")
      if certificate == "" { throw UsageError("--certificate is a name, such as ci-*.example.com") }
      grants = try Self.grants(arguments.string("grant") ?? Grant.connect.rawValue)
      quota = try Self.quota(arguments.string("quota"))
      expires = try arguments.string("expires").map { (text) throws(UsageError) in
        try Self.expiry(text, now: LocalTime.milliseconds * 1000)
      }
    } catch {
      throw .usage(error)
    }
  }

  private static func grants(_ text: String) throws(UsageError) -> Set<Grant> {
    var grants: Set<Grant> = []
    for word in text.split(separator: ",") {
      guard let grant = Grant(rawValue: String(word)) else {
        throw UsageError.unknown(
          "grant", String(word), among: Grant.allCases.map(\.rawValue),
          help: "watchline token --help")
      }
      grants.insert(grant)
    }
    return grants
  }

  private static func quota(_ text: String?) throws(UsageError) -> Quota {
    var quota = Quota()
    for part in text?.split(separator: ",") ?? [] {
      let parts = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard let member = Quota.names.first(where: { $0.name == parts[0] }) else {
        throw UsageError.unknown(
          "quota", parts[0], among: Quota.names.map(\.name), help: "watchline token --help")
      }
      guard parts.count == 2, let value = Int(parts[1]), (1...Quota.most).contains(value) else {
        throw UsageError("--quota \(parts[0])=N has a whole number from 1 to \(Quota.most)")
      }
      quota[keyPath: member.path] = value
    }
    return quota
  }

  /// - Parameter now: microseconds since 1970.
  private static func expiry(_ text: String, now: Int64) throws(UsageError) -> Int64 {
    if let seconds = Period.seconds(text) { return now + seconds * 1_000_000 }
    guard let moment = TokenFile.moment(text) else {
      throw UsageError(
        "--expires is 90m, 12h, 30d or a moment such as 2027-01-01T00:00:00Z, not \(text)")
    }
    guard moment > now else { throw UsageError("--expires \(text) is over already") }
    return moment
  }
}

enum TokenFailure: Error {
  case usage(UsageError)
  case file(String)
}
