internal import Simulation
internal import Usage

/// `--against tcp:HOST:PORT`: a server that runs, and the command that starts it.
struct RunningServerOptions {
  static let prefix = "tcp:"

  var endpoint: Endpoint
  /// What the shell starts it with; nil: it is there already, and is never killed.
  var command: String?
  /// How long a failure is made smaller, in milliseconds.
  var shrinkingLimit: Int64 = 30_000

  static let options = [
    Option("server", value: "COMMAND", "with tcp: start the server so, kill it and restart it")
  ]
  /// Of `fuzz` alone.
  static let shrinking = Option(
    "shrinking", value: "S", "with tcp: seconds to make a finding smaller; 30 if left out")

  /// What cannot be tried at a process with a disk and a clock of its own.
  static let notTested = [
    "writes that fail or are torn", "the server's clock", "90 days of silence", "collection",
  ]

  init(_ target: String, _ arguments: Arguments) throws(UsageError) {
    command = arguments.string("server")
    if command?.allSatisfy(\.isWhitespace) ?? false {
      throw UsageError("--server is the command that starts the server, not nothing")
    }
    if let limit = try arguments.seconds("shrinking", longest: 86_400) {
      shrinkingLimit = max(1, limit / 1000)
    }
    endpoint = try Endpoint(
      String(target.dropFirst(Self.prefix.count)), lowestPort: command == nil ? 1 : 0)
  }

  /// - Parameter command: see `command`.
  init(_ endpoint: Endpoint, command: String?) {
    self.endpoint = endpoint
    self.command = command
  }

  /// The faults that can be drawn.
  var faults: Set<Fault> {
    let always: Set<Fault> = [
      .delay, .cut, .restart, .takeover, .membership, .duplicate, .clock, .backup, .versions,
    ]
    return command == nil ? always : always.union([.crash])
  }

  /// What cannot take place there, whatever a trace says.
  var impossible: Set<TraceEvent.Verb> {
    let always: Set<TraceEvent.Verb> = [
      .commit, .fail, .recover, .suspend, .claim, .freeze, .thaw, .trim, .arrive, .lose, .lag,
    ]
    return command == nil ? always.union([.kill, .stop]) : always
  }

  var words: [String] {
    ["--against", Self.prefix + endpoint.description] + (command.map { ["--server", $0] } ?? [])
  }
}
