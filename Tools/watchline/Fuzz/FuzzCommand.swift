internal import Glibc
internal import Simulation
internal import Usage

/// `watchline fuzz`: randomized schedules against our server and merge, somebody else's merge, or a
/// server that runs.
enum FuzzCommand: Subcommand {
  static let syntax = Syntax(
    name: "fuzz",
    summary: "Run randomized schedules and look for what is lost, wrong or never ends.",
    options: [
      Option("seeds", value: "A..B", "which schedules, such as 1..20000"),
      Option("seconds", value: "S", "go on for so long, from seed 1; 10 where neither is given"),
      Option("jobs", value: "N", "processes at a time; as many as there are processors"),
      SchemaOption.option(", or none: payloads only; drawn if left out"),
      Option(
        "world", value: "W",
        "exchange: merges alone; server: relay, disk, connections; cluster: several servers; or all",
        among: Trace.World.allCases.map(\.rawValue)),
      Option("devices", value: "N", "2 to 4; drawn where left out"),
      Option("events", value: "N", "events of a schedule; drawn where left out"),
      Option("faults", value: "F,…", "which faults may occur; or none"),
      Option(
        "whole-records", value: "N", "devices at a server that know whole records only; 0 to 3"),
    ] + Against.options + [
      RunningServerOptions.shrinking,
      Option("check", "with --against command: one short dialogue, printed, and what is missing"),
      Option("exhaustive", value: "N", "every history of up to N operations (1 to 4), instead"),
      Option("part", value: "I/N", "with --exhaustive: the I-th of N parts"),
      Option("out", value: "DIR", "where findings go; watchline-findings where left out"),
      Option(
        "corpus", value: "DIR", "run the traces of a folder first, and add new findings to it"),
      Option("junit", value: "FILE", "write the result as JUnit XML as well"),
      Option("html", value: "FILE", "write what was found and what took place as a page as well"),
      Option("json", "end with one JSON object on the standard output"),
      Option("worker", "answer a campaign's requests; fuzz starts such processes itself"),
    ],
    notes: """
      Exit status: 0 nothing was found, 1 something was, 2 it could not be tried. SIGINT and SIGTERM end the
      campaign: what was found so far is told and written, and the process ends by the signal.
      Each finding leaves a folder: report.html to look at, trace.ndjson for `watchline replay`; index.html
      lists them all.

      --schema FILE takes records of your own (PROTOCOL.md clause 12); traces have it with them. A server behind
      --against tcp: has to be started with the same --schema FILE.

      --against tcp:HOST:PORT drives a watchline-server that runs, through the faults of `watchline
      proxy`; each schedule has a pair of its own. With --server the campaign starts it, and kills it
      (SIGKILL) and restarts it in schedules; the shell's `exec` runs the command, so that it is the
      server itself and no script that is killed, and port 0 is read from its ready line:

        watchline fuzz --against tcp:127.0.0.1:0 --seconds 60 \\
          --server '.build/release/watchline-server --listen 127.0.0.1:0 --data /tmp/fuzzed'

      Real time is not repeatable: what does not come again in three more runs of its schedule is
      reported as nondeterminism, and the rest is made smaller while there is time.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    if arguments.has("exhaustive") { return try ExhaustiveRun(arguments).run() }
    if arguments.has("part") { throw UsageError("--part goes with --exhaustive") }
    let options = try FuzzOptions(arguments)
    if arguments.has("worker") {
      Interrupt.listen()
      return FuzzWorker(options).serve()
    }
    if arguments.has("check") {
      guard case .program(let program) = options.against else {
        throw UsageError("--check is about a program; it needs --against command:'…'")
      }
      return ContractCheck(program).run()
    }
    try checkWritable(options.out, "--out")
    if let corpus = options.corpus { try checkWritable(corpus, "--corpus") }
    Interrupt.listen()
    let campaign = FuzzCampaign(options, tells: !arguments.has("json"))
    let state = campaign.run()
    if let failure = state.failure {
      complain(failure)
      // What was found until then is told.
      if state.counts.isEmpty { return 2 }
    }
    if Interrupt.signal != nil { complain("interrupted: this is what was found so far") }
    let summary = FuzzSummary(
      state, milliseconds: monotonicMilliseconds() - campaign.progress.start,
      isReal: options.server != nil)
    try write(options.junit, "--junit", summary.junit(options))
    try write(options.html, "--html", summary.html)
    if arguments.has("json") {
      print(summary.json)
    } else {
      print(summary.text)
    }
    fflush(nil)
    if let number = Interrupt.signal { Interrupt.pass(number) }
    return state.counts.isEmpty ? 0 : 1
  }

  private static func write(_ path: String?, _ option: String, _ text: String) throws(UsageError) {
    guard let path else { return }
    do throws(FileFailure) {
      try File.replace(path, with: Array(text.utf8), isPrivate: false)
    } catch {
      throw UsageError("\(option) cannot be written: \(error.message)")
    }
  }

  /// A folder that findings can be put into, now and not only after an hour.
  private static func checkWritable(_ folder: String, _ option: String) throws(UsageError) {
    let isThere = access(folder, F_OK) == 0
    do throws(FileFailure) {
      try Folder.make(folder)
    } catch {
      throw UsageError("\(option) \(folder) cannot be written: \(error.message)")
    }
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw UsageError("\(option) \(folder) cannot be written: it is no folder")
    }
    guard access(folder, W_OK) == 0 else {
      throw UsageError("\(option) \(folder) cannot be written: \(String(cString: strerror(errno)))")
    }
    // There may be nothing to put into it.
    if !isThere { rmdir(folder) }
  }
}
