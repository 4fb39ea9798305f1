import AppModels
import Merge
package import Relay
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
  package var wantsHelp = false
  package var wantsVersion = false

  package static let version = "0.1.0"

  package static let help = """
    watchline-server: a phone and a watch on Linux, over newline-delimited JSON

    usage: watchline-server [options]

      --listen HOST:PORT    where to listen; port 0 picks one      (127.0.0.1:9282)
      --data DIR            where queues are kept; :memory: keeps nothing
                                                                   (./watchline-data)
      --accept-loss         serves a store that has lost commits, under a new store name;
                            without it, such a store is refused
      --limits NAME=N,…     bounds; see below
      --activate-timeout S  seconds in which a connection has to activate; 0: no bound, but of
                            10 with TLS          (10; no bound from this machine without TLS)
      --clock manual        time comes from advance lines alone, so that no test sleeps
      --tokens FILE         devices have to show one of these tokens (watchline token create);
                            read again when the file changes
      --tls-listen HOST:PORT, --tls-cert FILE, --tls-key FILE
                            TLS 1.3 there, beside --listen; SIGHUP reads both files again
      --insecure            --listen may be on another address than this machine's, with
                            --tokens: what is sent there can be read on the way
      --allow-anonymous     other addresses than this machine's without --tokens
      --admin HOST:PORT     metrics for Prometheus and /healthz, /readyz by HTTP, on this machine
      --schema FILE         records of your own kinds, beside todoTimers, timeTracker and
                            pomodoro; may be given several times
      --log-level LEVEL     error, info or debug, on stderr        (info)
      --log-format FORMAT   logfmt or json                         (logfmt)
      --version, --help

    SIGTERM and SIGINT stop it, with all that is owed; SIGHUP has it read the files of --schema,
    --tokens and --tls-… again. Its log on stderr may go unread: what does not fit is dropped and
    counted.

    When ready it prints one line: watchline-server listening on 127.0.0.1:9282
    Then: nc 127.0.0.1 9282, and type help.

    limits, with their defaults (bytes, seconds or counts):

    """ + limitsHelp

  private static var limitsHelp: String {
    let limits = Limits()
    return Limits.names.map { name, path in
      let value = limits[keyPath: path]
      let number = Limits.durations.contains(name) ? "\(value / 1_000_000) s" : "\(value)"
      let shown = value == 0 ? "none" : number
      return "  " + name + String(repeating: " ", count: max(1, 22 - name.count)) + shown + "\n"
    }.joined()
  }

  /// - Throws: `UsageError` with one sentence for stderr.
  package init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      var name = argument
      var attached: String?
      if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
        name = String(argument[..<equals])
        attached = String(argument[argument.index(after: equals)...])
      }
      switch name {
      case "--accept-loss": acceptsLoss = true
      case "--allow-anonymous": allowsAnonymous = true
      case "--tokens": tokens = try Self.value(name, attached, &rest)
      case "--help", "-h": wantsHelp = true
      case "--version": wantsVersion = true
      case "--insecure": isInsecure = true
      case "--tls-listen": secure = try Self.address(name, try Self.value(name, attached, &rest))
      case "--admin": admin = try Self.address(name, try Self.value(name, attached, &rest))
      case "--tls-cert": certificate = try Self.value(name, attached, &rest)
      case "--tls-key": key = try Self.value(name, attached, &rest)
      case "--listen":
        (host, port) = try Self.address(name, try Self.value(name, attached, &rest))
      case "--data": data = try Self.value(name, attached, &rest)
      case "--limits": try setLimits(try Self.value(name, attached, &rest))
      case "--schema":
        guard let path = attached ?? rest.popFirst(), !path.isEmpty else {
          let shipped = ShippedSchemas.all.map(\.name.text).joined(separator: ", ")
          throw UsageError(
            "--schema needs a file with a schema of yours; without one there is \(shipped)")
        }
        schemas.append(path)
      case "--activate-timeout":
        let text = try Self.value(name, attached, &rest)
        guard let seconds = Int64(text), (0...86_400).contains(seconds) else {
          throw UsageError("--activate-timeout is whole seconds from 0 to 86400, not \(text)")
        }
        activateTimeout = seconds
      case "--clock":
        let clock = try Self.value(name, attached, &rest)
        guard ["manual", "real"].contains(clock) else {
          throw UsageError("--clock is manual or real, not \(clock)")
        }
        hasManualClock = clock == "manual"
      case "--log-level":
        let text = try Self.value(name, attached, &rest)
        guard let level = LogLevel(rawValue: text) else {
          throw UsageError("--log-level is error, info or debug, not \(text)")
        }
        logLevel = level
      case "--log-format":
        let text = try Self.value(name, attached, &rest)
        guard let format = LogFormat(rawValue: text) else {
          throw UsageError("--log-format is logfmt or json, not \(text)")
        }
        logFormat = format
      default:
        let known = [
          "--help", "--version", "--listen", "--data", "--limits", "--clock", "--schema",
          "--log-level", "--log-format", "--activate-timeout", "--accept-loss", "--tokens",
          "--allow-anonymous",
          "--tls-listen", "--tls-cert", "--tls-key", "--insecure", "--admin",
        ]
        let advice = Nearest.advice(for: name, among: known, else: "see --help")
        throw UsageError("unknown argument \(argument); \(advice)")
      }
    }
    guard (secure == nil) == (certificate == nil), (certificate == nil) == (key == nil) else {
      throw UsageError("--tls-listen, --tls-cert and --tls-key go together")
    }
  }

  private static func value(
    _ name: String, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(name) needs a value; see --help")
    }
    return value
  }

  private static func address(
    _ name: String, _ text: String
  ) throws(UsageError) -> (host: String, port: Int) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port), colon > text.startIndex
    else {
      throw UsageError("\(name) is HOST:PORT, such as 127.0.0.1:9282 or [::1]:9282, not \(text)")
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

/// The command line cannot be understood: exit 2.
package struct UsageError: Error {
  package let message: String

  package init(_ message: String) { self.message = message }
}
