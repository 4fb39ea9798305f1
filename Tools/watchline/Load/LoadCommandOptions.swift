package import Load
package import Usage

/// What `watchline load` was asked for.
package struct LoadCommandOptions {
  /// Where the server comes from.
  package enum Target: Equatable {
    case connect(Endpoints)
    case spawn
    /// Two programs, each started in turn.
    case servers(String, String)
    /// No server: two files of saved runs.
    case compare(String, String)
  }

  package var target: Target
  package var load: LoadOptions
  package var isJSON: Bool
  package var html: String?
  package var rules: [FailureRule]
  package var repeats: Int
  /// The server's process, where it is not to be looked for.
  package var serverID: Int?
  /// The folder in which spawned servers get one of their own.
  package var folder: String?

  package static let syntax = Syntax(
    name: "load",
    summary: "Measure a server: messages a second, latencies, processor time, memory.",
    operands: "", maximumOperands: 1,
    options: [
      Option(
        "connect", value: "HOST:PORT,…",
        "a server that runs; several that share pairs, to which connections go in turn"),
      Option("spawn", "start one: a free port, a temporary folder, gone at the end"),
      Option(
        "workload", value: "W", "message, transfer, backlog, sync or connect (message)",
        among: LoadOptions.Workload.allCases.map(\.rawValue)),
      Option("pairs", value: "N", "phones with a watch each (50; of connect 5000)"),
      Option("window", value: "N", "closed loop: at most so many under way in a pair (256)"),
      Option("rate", value: "N", "open loop: so many a second over all pairs, come what may"),
      Option("payload", value: "BYTES", "size of a payload's JSON (200)"),
      Option("seconds", value: "S", "how long is measured (5)"),
      Option("warm-up", value: "S", "how long load runs before that (1)"),
      Option("timeout", value: "S", "give up after so long without an answer (30)"),
      Option("json", "print the result as one JSON object"),
      Option("html", value: "FILE", "write the result as a page of pictures as well"),
      Option("fail-if", value: "RULES", "exit 1 where one holds, such as p99>5,lost>0"),
      Option("server-cpu", value: "N", "bind the server to a processor"),
      Option("client-cpu", value: "N", "bind this program to a processor"),
      Option("server-pid", value: "N", "with --connect: the server's process on this machine"),
      Option("data", value: "DIR", "where spawned servers keep their temporary folders"),
      Option("repeat", value: "N", "run so often, each time on a new store"),
      Option("servers", value: "OLD,NEW", "spawn two server programs in turn and compare them"),
      Option("compare", value: "OLD NEW", "compare two files of saved results (--json)"),
    ] + TLSOptions.options,
    notes: """
      Workloads: message, live messages from phone to watch; transfer, guaranteed user info, counted
      at didFinish…; backlog, transfers to watches that are away, then the drain; sync, operations
      through the hub with both devices editing; connect, connections, activations and what an idle
      one costs. Every delivery is checked for order, loss and duplication.

      Rules name messagesPerSecond, p50, p99, p999, max (ms), deliveryP50 …, lost, duplicated,
      reordered, inFlight, serverCPUSecondsPerMillion, serverResidentBytes or clientCPUPercent, with
      >, >=, < or <=. Documentation/Load.md says what each figure means.

      Exit status: 0 done; 1 where the server cannot be reached or fails, with the figures so far, and
      where a rule of --fail-if holds; 2 for bad usage. After Ctrl-C or SIGTERM the figures so far are
      printed and the signal ends the program.
      """)

  package init(_ arguments: Arguments) throws(UsageError) {
    target = try Self.target(arguments)
    load = try Self.load(arguments)
    isJSON = arguments.has("json")
    html = arguments.string("html")
    do throws(LoadFailure) {
      rules =
        try arguments.string("fail-if").map { text throws(LoadFailure) in
          try FailureRule.rules(text)
        } ?? []
    } catch {
      throw UsageError(error.description)
    }
    serverID = try arguments.integer("server-pid", in: 1...Int(Int32.max))
    folder = arguments.string("data")
    let isSeries = if case .servers = target { true } else { false }
    repeats = try arguments.integer("repeat", in: 1...1_000) ?? (isSeries ? 7 : 1)
    try refuseWhatDoesNotGo(arguments)
  }

  private func refuseWhatDoesNotGo(_ arguments: Arguments) throws(UsageError) {
    switch target {
    case .connect:
      if folder != nil { throw UsageError("--data is for servers that are spawned") }
    case .spawn, .servers:
      if serverID != nil { throw UsageError("--server-pid goes with --connect") }
      if load.tls != nil { throw UsageError("--tls and --tls-ca go with --connect") }
    case .compare:
      let others = Self.syntax.options.map(\.name).first {
        arguments.has($0) && !["compare", "json", "html"].contains($0)
      }
      if let others { throw UsageError("--\(others) does not go with --compare") }
    }
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> Target {
    let ways = ["connect", "spawn", "servers", "compare"].filter(arguments.has)
    guard let way = ways.first else {
      throw UsageError("no server: there is --connect HOST:PORT, --spawn, --servers and --compare")
    }
    guard ways.count == 1 else { throw UsageError("--\(way) does not go with --\(ways[1])") }
    let value = arguments.string(way) ?? ""
    guard way == "compare" || arguments.operands.isEmpty else {
      throw UsageError("unexpected \(arguments.operands[0]); see watchline load --help")
    }
    switch way {
    case "connect": return .connect(try Endpoints(value))
    case "spawn": return .spawn
    case "servers":
      let paths = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard paths.count == 2, !paths.contains("") else {
        throw UsageError("--servers is two server programs with a comma between, not \(value)")
      }
      return .servers(paths[0], paths[1])
    default:
      guard !value.isEmpty, let other = arguments.operands.first, !other.isEmpty else {
        throw UsageError("--compare needs two files: --compare OLD NEW")
      }
      return .compare(value, other)
    }
  }

  private static func load(_ arguments: Arguments) throws(UsageError) -> LoadOptions {
    let name = arguments.string("workload") ?? "message"
    let workload = LoadOptions.Workload(rawValue: name)!
    if arguments.has("window"), arguments.has("rate") {
      throw UsageError("--window is a closed loop and --rate an open one: give one of them")
    }
    var load = LoadOptions(
      workload: workload, pairs: try arguments.integer("pairs", in: 1...50_000),
      payload: try arguments.integer("payload", in: LoadOptions.payloads) ?? 200,
      serverCPU: try arguments.integer("server-cpu", in: 0...1_023),
      clientCPU: try arguments.integer("client-cpu", in: 0...1_023))
    load.token = environmentToken
    load.tls = try TLSOptions(arguments)?.client
    if let window = try arguments.integer("window", in: 1...65_536) { load.pace = .window(window) }
    if let rate = try arguments.decimal("rate", 1...10_000_000) { load.pace = .rate(rate) }
    load.seconds = try arguments.decimal("seconds", 0.01...86_400) ?? load.seconds
    load.warmUp = try arguments.decimal("warm-up", 0...3_600) ?? load.warmUp
    load.timeout = try arguments.decimal("timeout", 0.01...3_600) ?? load.timeout
    if workload == .connect {
      for name in ["rate", "payload", "warm-up"] where arguments.has(name) {
        throw UsageError("--\(name) does not go with --workload connect")
      }
      load.warmUp = 0
    }
    return load
  }
}

extension Arguments {
  /// A number with or without a fraction.
  fileprivate func decimal(
    _ name: String, _ range: ClosedRange<Double>
  ) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(
        "--\(name) is a number from \(Self.spelled(range.lowerBound)) to "
          + "\(Self.spelled(range.upperBound)), not \(text.isEmpty ? "nothing" : text)")
    }
    return number
  }

  private static func spelled(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }
}

extension LoadCommandOptions {
  /// Writes the page, where one is asked for.
  ///
  /// - Returns: false where it cannot be written.
  @discardableResult
  func draw(_ page: @autoclosure () -> LoadPage) -> Bool {
    guard let html else { return true }
    do throws(FileFailure) {
      try File.replace(html, with: Array(page().page.utf8), isPrivate: false)
    } catch {
      complain("--html cannot be written: \(error.message)")
      return false
    }
    return true
  }
}
