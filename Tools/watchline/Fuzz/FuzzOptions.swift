internal import Simulation
internal import Usage

/// What `fuzz` and its workers are asked for.
struct FuzzOptions: Sendable {
  var seeds: ClosedRange<UInt64>
  /// How long it goes on, in milliseconds; nil: until the seeds are through.
  var milliseconds: Int64?
  var jobs: Int
  var schema: SchemaOption
  var devices: Int?
  var events: Int?
  var faults: Set<Fault>?
  var wholeRecords: Int?
  var worlds: Set<Trace.World>
  var out: String
  var corpus: String?
  var junit: String?
  var html: String?
  var against: Against?
  /// The words that `replay` needs behind a trace.
  var words: [String]

  /// The most seeds of a campaign that ends with the time.
  private static let many: UInt64 = 1 << 40

  init(_ arguments: Arguments) throws(UsageError) {
    let milliseconds = try arguments.seconds("seconds", longest: 31_000_000).map {
      max(1, $0 / 1000)
    }
    seeds = try Self.seeds(arguments, isTimed: milliseconds != nil)
    self.milliseconds =
      milliseconds ?? (arguments.has("seeds") ? nil : Int64(10_000))
    let jobs = try arguments.integer("jobs", in: 1...256)
    schema = try SchemaOption(arguments, payloadsOnly: true)
    devices = try arguments.integer("devices", in: 2...4)
    events = try arguments.integer("events", in: 1...100_000)
    faults = try arguments.allFaults()
    wholeRecords = try arguments.integer("whole-records", in: 0...3)
    worlds = Set(
      arguments.string("world")
        .flatMap(Trace.World.init).map { [$0] } ?? Trace.World.allCases)
    out = arguments.string("out") ?? "watchline-findings"
    corpus = arguments.string("corpus")
    junit = arguments.string("junit")
    html = arguments.string("html")
    against = try Against(arguments)
    words = against?.words ?? []
    self.jobs = jobs ?? Processors.count
    if case .server(let server) = against { try check(server, arguments, jobs: jobs) }
  }

  /// The server that runs, or none.
  var server: RunningServerOptions? {
    if case .server(let server) = against { server } else { nil }
  }

  private mutating func check(
    _ server: RunningServerOptions, _ arguments: Arguments, jobs: Int?
  ) throws(UsageError) {
    if server.command != nil {
      // Who kills it kills it for all.
      guard jobs ?? 1 == 1 else {
        throw UsageError("--server starts one server, which one job drives; leave --jobs out")
      }
      self.jobs = 1
    }
    if arguments.has("world"), worlds != [.server] {
      throw UsageError("--against tcp: is the world server; leave --world out")
    }
    let odd = (faults ?? []).subtracting(server.faults).map(\.rawValue).sorted()
    if let fault = odd.first {
      let advice =
        fault == Fault.crash.rawValue
        ? "needs the command that starts the server; give --server"
        : "cannot be brought about over tcp; there is "
          + server.faults.map(\.rawValue).sorted().joined(separator: ", ")
      throw UsageError("--faults \(fault) \(advice)")
    }
  }

  private static func seeds(
    _ arguments: Arguments, isTimed: Bool
  ) throws(UsageError) -> ClosedRange<UInt64> {
    guard let text = arguments.string("seeds") else { return 1...many }
    if isTimed { throw UsageError("--seeds and --seconds exclude one another; give one of them") }
    let form = "--seeds is A..B, such as 1..20000, not \(text)"
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let ends = parts.filter { !$0.isEmpty }.map { UInt64($0) }
    guard parts.count == 3 && parts[1].isEmpty || parts.count == 1, ends.count >= 1,
      let first = ends[0], let last = ends[ends.count - 1],
      parts.count == 1 || ends.count == 2, last < 1 << 62
    else { throw UsageError(form) }
    guard first <= last else {
      throw UsageError("--seeds \(text) goes backwards; write \(last)..\(first)")
    }
    return first...last
  }

  func plan(_ seed: UInt64) -> Plan {
    var plan = Plan(seed: seed)
    (plan.schema, plan.own) = (schema.name, schema.own)
    plan.devices = devices
    plan.events = events
    plan.faults = faults
    plan.wholeRecords = wholeRecords
    return plan
  }

  /// What schedules are run against. Each call makes one of its own.
  func harness() -> any Harness {
    if let against { return against.harness() }
    guard worlds.count == 1, let world = worlds.first else { return MixedHarness.all() }
    return world == .exchange ? ExchangeHarness() : ServerHarness(world)
  }
}

extension Arguments {
  /// `--faults`; nil where it is left out, for what a seed draws.
  fileprivate func allFaults() throws(UsageError) -> Set<Fault>? {
    guard let text = string("faults") else { return nil }
    if text == "none" { return [] }
    var faults: Set<Fault> = []
    for word in text.split(separator: ",").map(String.init) {
      guard let fault = Fault(rawValue: word) else {
        let known = Fault.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--faults knows no \(word); there is \(known)")
      }
      faults.insert(fault)
    }
    return faults
  }
}
