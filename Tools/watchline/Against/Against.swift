internal import Simulation
internal import Usage

/// `--against`: what is tried instead of our own code.
enum Against {
  /// Somebody else's merge.
  case program(ProgramOptions)
  /// A server that is a process of its own.
  case server(RunningServerOptions)

  static let target = Option(
    "against", value: "TARGET",
    "what is tried: command:'./my-merge' (Protocol/MERGE-UNDER-TEST.md) or tcp:HOST:PORT")

  /// What `fuzz` and `replay` take besides their own options.
  static let options = [target] + RunningServerOptions.options + ProgramOptions.options

  /// - Returns: nil where `--against` is left out.
  /// - Throws: for a target that there is not, and for options that belong to another one.
  init?(_ arguments: Arguments) throws(UsageError) {
    let target = arguments.string("against")
    let isServer = target?.hasPrefix(RunningServerOptions.prefix) ?? false
    let ofServers = RunningServerOptions.options + [RunningServerOptions.shrinking]
    for option in ofServers where !isServer && arguments.has(option.name) {
      throw UsageError(
        "--\(option.name) is about a server that runs; it needs --against tcp:HOST:PORT")
    }
    if target == nil || isServer {
      for option in ProgramOptions.options
      where (isServer || option.name != "network") && arguments.has(option.name) {
        throw UsageError(
          "--\(option.name) says how to judge a program; it needs --against command:'…'")
      }
    }
    guard let target else { return nil }
    if isServer {
      self = .server(try RunningServerOptions(target, arguments))
    } else {
      self = .program(try ProgramOptions(target, arguments))
    }
  }

  /// The harness that runs schedules against it. Each call starts a program, or a server, of its own.
  func harness() -> any Harness {
    switch self {
    case .program(let options): options.harness()
    case .server(let options): ServerHarness(RunningServer(options))
    }
  }

  /// The options as they were given, for a command that does the same again.
  var words: [String] {
    switch self {
    case .program(let options): options.words
    case .server(let options): options.words
    }
  }

  /// The world of the traces that it plays.
  var world: Trace.World {
    switch self {
    case .program: .exchange
    case .server: .server
    }
  }
}
