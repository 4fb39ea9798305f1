import AppModels
package import JetStream
import Merge
package import PostgreSQL
package import Relay
import Storage
package import Usage
import Wire

/// The command line of `watchline-server`.
package struct Options {
  package var host = "127.0.0.1"
  package var port = 9282
  /// Where an operator asks by HTTP; nil for nowhere.
  package var admin: (host: String, port: Int)?
  /// Where TLS is spoken, beside that; nil for nowhere.
  package var secure: (host: String, port: Int)?
  /// Files in PEM.
  package var certificate: String?
  package var key: String?
  /// A file in PEM with what signs the certificates that clients may show; nil where they are not asked.
  package var clientAuthorities: String?
  /// A folder, or `:memory:`.
  package var data = "./watchline-data"
  package var limits = Limits()
  package var hasManualClock = false
  /// Seconds in which a connection has to activate; 0 for ever. nil: `standardActivateTimeout` for peers on
  /// other machines, for ever for those on this one.
  package var activateTimeout: Int64?
  package static let standardActivateTimeout: Int64 = 10
  package var logLevel = LogLevel.info
  package var logFormat = LogFormat.logfmt
  /// Files of the user's own schemas.
  package var schemas: [String] = []
  /// The file with the tokens that devices have to show; nil: nobody is asked.
  package var tokens: String?
  /// Whoever reaches it from another machine may be any device.
  package var allowsAnonymous = false
  /// Tokens and payloads may cross the network as plain text.
  package var isInsecure = false
  /// Serves a store that has lost commits, under a new name.
  package var acceptsLoss = false
  /// The log that it shares with other servers; nil: it is alone.
  package var cluster: Cluster?

  package enum Cluster {
    case jetStream(JetStreamSettings)
    case postgreSQL(PostgreSQLSettings)
  }
  /// Into how many logs pairs are spread; never another number for a cluster.
  package var shards = 1
  /// Where the other servers bring connections; nil: on any port of `host`.
  package var peers: (host: String, port: Int)?
  /// The monitoring ports of the nodes, with commas between.
  package var nodeMonitors: String?
  /// What is accepted may be lost when all nodes lose their power.
  package var allowsUnsynced = false
  /// Seconds of service after which pairs that nobody uses are erased; nil for never.
  package var forgetAfter: Int64?

  package static let version = "0.1.0"

  package static let syntax = Syntax(
    program: "watchline-server", name: "",
    summary: "A phone and a watch on Linux, over newline-delimited JSON.",
    options: [
      Option("listen", value: "HOST:PORT", "where to listen; port 0 picks one (127.0.0.1:9282)"),
      Option(
        "data", value: "DIR", "where queues are kept; :memory: keeps nothing (./watchline-data)"),
      Option(
        "accept-loss", "serve a store that has lost commits, under a new store name, not refuse it"),
      Option(
        "forget-after", value: "TIME",
        "90m, 12h or 30d: what nobody has used for so long while a server ran is erased (never)"),
      Option("limits", value: "NAME=N,…", "bounds; see below"),
      Option(
        "cluster", value: "URL,…",
        "servers that name the same log share it: nats://a:4222,nats://b:4222 or postgres://HOST/DB"
      ),
      Option(
        "shards", value: "N",
        "into how many logs pairs are spread, for good: each server serves some of them (1)"),
      Option(
        "peers", value: "HOST:PORT",
        "where the other servers reach this one (a port of its own on the host of --listen)"),
      Option(
        "replicas", value: "N", "on how many nodes of NATS it is kept (3)"),
      Option(
        "nats-monitor", value: "HOST:PORT,…",
        "the monitoring ports of nodes of NATS, which say whether they sync what they keep"),
      Option(
        "allow-unsynced",
        "a log that does not sync: when the power fails, what was accepted may be lost"),
      Option(
        "activate-timeout", value: "S",
        "seconds in which a connection has to activate (10; none from this machine without TLS)"),
      Option(
        "clock", value: "CLOCK",
        "manual: time comes from advance lines alone, so that no test sleeps",
        among: ["manual", "real"]),
      Option(
        "tokens", value: "FILE",
        "devices have to show a token of this file (watchline token create), which may change"),
      Option("tls-listen", value: "HOST:PORT", "where TLS 1.3 is spoken, beside --listen"),
      Option("tls-cert", value: "FILE", "its certificate, and the chain (PEM)"),
      Option("tls-key", value: "FILE", "the key of the certificate (PEM)"),
      Option(
        "tls-client-ca", value: "FILE",
        "a client's certificate that one of these (PEM) has signed stands for a token of its name"),
      Option(
        "insecure", "--listen may be elsewhere, with --tokens: what is sent can be read on the way"),
      Option("allow-anonymous", "other addresses than this machine's without --tokens"),
      Option(
        "admin", value: "HOST:PORT", "metrics, /healthz and /readyz by HTTP, on this machine alone"),
      Option(
        "schema", value: "FILE", "records of your own kinds; may be given more than once",
        missing: "a file with a schema of yours; without one there is "
          + ShippedSchemas.all.map(\.name.text).joined(separator: ", "),
        repeats: true),
      Option(
        "log-level", value: "LEVEL", "what goes to the standard error: error, info or debug (info)",
        among: LogLevel.allCases.map(\.rawValue)),
      Option(
        "log-format", value: "FORMAT", "logfmt or json (logfmt)",
        among: LogFormat.allCases.map(\.rawValue)),
    ] + Program.options,
    notes: """
      SIGTERM and SIGINT stop it, with all that is owed. SIGHUP has it read the files of --schema, --tokens
      and --tls-… again. Its log on the standard error may go unread: what does not fit is dropped and
      counted.

      When ready it prints one line: watchline-server listening on 127.0.0.1:9282
      Then: nc 127.0.0.1 9282, and type help.

      With --cluster one server at a time has a shard; the others keep a copy of it in their --data, bring connections
      to it, and one of them takes over when it ends or is not heard of for 3 seconds.

      Limits, with their defaults (bytes, seconds or counts):


      """ + limitsHelp)

  package static let program = Program(syntax: syntax, version: version, section: 8)

  private static var limitsHelp: String {
    let limits = Limits()
    return Limits.names.map { name, path in
      let value = limits[keyPath: path]
      let isDuration = Limits.durations.contains(name)
      let unit = isDuration || Limits.seconds.contains(name) ? " s" : ""
      let shown =
        value == 0 ? Limits.fallback(name) : "\(isDuration ? value / 1_000_000 : value)\(unit)"
      return "  " + name + String(repeating: " ", count: max(1, 22 - name.count)) + shown
    }.joined(separator: "\n")
  }

  /// - Parameter arguments: of which what asks about the program has been dealt with.
  /// - Throws: with one sentence for the standard error.
  package init(_ arguments: Arguments) throws(UsageError) {
    for option in Self.syntax.options
    where arguments.string(option.name) == "" && option.value != nil {
      throw UsageError("--\(option.name) needs a value; see --help")
    }
    acceptsLoss = arguments.has("accept-loss")
    allowsAnonymous = arguments.has("allow-anonymous")
    isInsecure = arguments.has("insecure")
    tokens = arguments.string("tokens")
    certificate = arguments.string("tls-cert")
    key = arguments.string("tls-key")
    clientAuthorities = arguments.string("tls-client-ca")
    schemas = arguments.strings("schema")
    secure = try Self.address("tls-listen", arguments)
    admin = try Self.address("admin", arguments)
    if let address = try Self.address("listen", arguments) { (host, port) = address }
    data = arguments.string("data") ?? data
    hasManualClock = arguments.string("clock") == "manual"
    try setCluster(arguments)
    activateTimeout = try arguments.integer("activate-timeout", in: 0...86_400).map(Int64.init)
    forgetAfter = try arguments.string("forget-after").map { (text) throws(UsageError) in
      guard let seconds = Period.seconds(text) else {
        throw UsageError("--forget-after is a time such as 90m, 12h or 30d, not \(text)")
      }
      return seconds
    }
    if let text = arguments.string("limits") { try setLimits(text) }
    logLevel = arguments.string("log-level").flatMap(LogLevel.init) ?? logLevel
    logFormat = arguments.string("log-format").flatMap(LogFormat.init) ?? logFormat
    guard (secure == nil) == (certificate == nil), (certificate == nil) == (key == nil) else {
      throw UsageError("--tls-listen, --tls-cert and --tls-key go together")
    }
    guard clientAuthorities == nil || secure != nil && tokens != nil else {
      throw UsageError(
        "--tls-client-ca goes with --tls-listen, and with --tokens, whose file says what a name is good for"
      )
    }
  }

  private mutating func setCluster(_ arguments: Arguments) throws(UsageError) {
    let replicas = try arguments.integer("replicas", in: 1...5)
    nodeMonitors = arguments.string("nats-monitor")
    allowsUnsynced = arguments.has("allow-unsynced")
    let shards = try arguments.integer("shards", in: 1...256)
    peers = try Self.address("peers", arguments)
    guard let servers = arguments.string("cluster") else {
      guard replicas == nil, nodeMonitors == nil, !allowsUnsynced, shards == nil, peers == nil
      else {
        throw UsageError(
          "--shards, --peers, --replicas, --nats-monitor and --allow-unsynced go with --cluster")
      }
      return
    }
    self.shards = shards ?? 1
    guard !hasManualClock, data != ":memory:", !acceptsLoss else {
      throw UsageError(
        "--clock manual, --data :memory: and --accept-loss are for a server alone, not for one with --cluster"
      )
    }
    if servers.hasPrefix("postgres://") || servers.hasPrefix("postgresql://") {
      guard replicas == nil, nodeMonitors == nil else {
        throw UsageError("--replicas and --nats-monitor are for nats://, not for postgres://")
      }
      var settings = PostgreSQLSettings(url: servers)
      settings.allowsUnsynced = allowsUnsynced
      cluster = .postgreSQL(settings)
      return
    }
    guard
      servers.split(separator: ",").allSatisfy({ $0.hasPrefix("nats://") || $0.hasPrefix("tls://") }
      )
    else {
      throw UsageError(
        "--cluster is nats://HOST:PORT,… or postgres://HOST/DB, not \(withoutSecrets(servers))")
    }
    guard allowsUnsynced != (nodeMonitors != nil) else {
      throw UsageError(
        "--cluster needs --nats-monitor with the nodes' monitoring ports, to see whether they sync what they keep; or "
          + "--allow-unsynced where that does not matter")
    }
    var settings = JetStreamSettings(servers: servers)
    settings.replicas = replicas ?? settings.replicas
    cluster = .jetStream(settings)
  }

  private static func address(
    _ name: String, _ arguments: Arguments
  ) throws(UsageError) -> (host: String, port: Int)? {
    guard let text = arguments.string(name) else { return nil }
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port), colon > text.startIndex
    else {
      throw UsageError(
        "--\(name) is HOST:PORT, such as 127.0.0.1:9282 or [::1]:9282, not \(text)")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return (host, port)
  }

  private mutating func setLimits(_ text: String) throws(UsageError) {
    for assignment in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("--limits is NAME=N,…, such as line=65536,connections=100, not \(text)")
      }
      guard let limit = Limits.names.first(where: { $0.name == parts[0] }) else {
        let known = Limits.names.map(\.name)
        let advice = Nearest.advice(for: parts[0], among: known, else: "see --help")
        throw UsageError("--limits has no \(parts[0]); \(advice)")
      }
      let unit = Limits.durations.contains(parts[0]) ? 1e6 : 1
      guard let number = Double(parts[1]), number >= 0, number * unit <= 1e15 else {
        throw UsageError(
          "--limits \(parts[0]) is a number up to \(Int(1e15 / unit)), not \(parts[1])")
      }
      let value = number * unit
      let least = Limits.least[parts[0]] ?? 1
      guard value == value.rounded(), value >= Double(least) else {
        throw UsageError(
          "--limits \(parts[0]) is a whole number of at least \(least), not \(parts[1])")
      }
      limits[keyPath: limit.path] = Int(value)
    }
  }
}
