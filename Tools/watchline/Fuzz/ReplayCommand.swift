internal import Glibc
internal import Simulation
internal import Usage
internal import Wire

/// `watchline replay`: plays traces again; the regression tests that a team checks in.
enum ReplayCommand: Subcommand {
  static let syntax = Syntax(
    name: "replay",
    summary: "Play traces again, against our merge and server, a server that runs or your merge.",
    operands: "TRACE …", maximumOperands: 10_000,
    options: Against.options + [
      SchemaOption.option(", in the place of the one that traces of its name have with them"),
      Option("json", "one JSON object a trace on the standard output"),
      Option("verbose", "print every step"),
    ],
    notes: """
      TRACE is a file, - for the standard input, or a word wl1:… from a log.
      Any trace can be played against any target. What a target cannot do, such as a failing disk at
      a server that runs, is passed over and said once; Protocol/TRACES.md says what becomes of a
      trace of devices alone at a server, and the other way round.
      Exit status: 0 nothing is wrong with any of them, 1 something is, 2 one cannot be read.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    guard Planter.plantWhatIsAsked() else { return 2 }
    guard !arguments.operands.isEmpty else {
      throw UsageError("no trace; give a file, - or a word wl1:…; see watchline replay --help")
    }
    let against = try Against(arguments)
    let schema = try SchemaOption(arguments, payloadsOnly: false)
    var traces: [(name: String, trace: Trace)] = []
    for operand in arguments.operands {
      var trace = try read(operand)
      if let name = schema.name {
        guard trace.schema == name else {
          throw UsageError("\(operand) is of the schema \(trace.schema), and --schema is \(name)")
        }
        trace.own = schema.own
      }
      guard trace.recordSchema != nil || trace.schema == "none" else {
        throw UsageError(
          "\(operand) is of the schema \(trace.schema), which this build does not have; give --schema FILE"
        )
      }
      traces.append((operand, trace))
    }
    let harness: any Harness =
      against?.harness()
      ?? MixedHarness.all()
    var status: Int32 = 0
    for (name, trace) in traces {
      do throws(HarnessFailure) {
        if try play(name, trace, harness, against, arguments) { status = 1 }
      } catch {
        complain("\(name): \(error)")
        return 2
      }
    }
    return status
  }

  private static func read(_ operand: String) throws(UsageError) -> Trace {
    do throws(TraceFault) {
      if operand.hasPrefix(TraceWord.prefix) { return try TraceWord.read(operand) }
    } catch {
      throw UsageError("the trace \(operand.prefix(20))… cannot be played: \(error)")
    }
    let bytes: [UInt8]?
    do throws(FileFailure) {
      bytes = try File.read(operand == "-" ? "/dev/stdin" : operand)
    } catch {
      throw UsageError("the trace cannot be read: \(error.message)")
    }
    guard let bytes else { throw UsageError("there is no trace \(operand)") }
    do throws(TraceFault) {
      return try Trace(ndjson: bytes)
    } catch {
      throw UsageError("\(operand) cannot be played: \(error)")
    }
  }

  /// - Returns: whether something is wrong.
  private static func play(
    _ name: String, _ given: Trace, _ harness: any Harness, _ against: Against?,
    _ arguments: Arguments
  ) throws(HarnessFailure) -> Bool {
    var (trace, notes): (Trace, [String]) = (given, [])
    if let against { (trace, notes) = try against.adapted(given) }
    let short = name.hasPrefix(TraceWord.prefix) ? "the trace" : name
    for note in notes { complain("\(short): \(note)") }
    let outcome = try harness.play(trace, isRecorded: true)
    var findings = outcome.findings
    if harness.isReproducible {
      let again = try harness.play(trace, isRecorded: true)
      findings = Examination.difference(outcome, again).map { [$0] } ?? findings
    }
    if arguments.has("verbose"), !arguments.has("json") {
      for line in outcome.lines { print(line) }
    }
    if arguments.has("json") {
      var json = JSONWriter()
      json.object { json in
        json.member("trace", name.hasPrefix(TraceWord.prefix) ? "word" : name)
        json.member("events", trace.events.count)
        json.array("violations", findings) { json, finding in
          json.object { json in
            json.member("slug", finding.slug)
            json.member("headline", finding.headline)
            json.array("story", finding.story) { $0.string($1) }
          }
        }
      }
      print(String(decoding: json.bytes, as: UTF8.self))
      return !findings.isEmpty
    }
    guard let finding = findings.first else {
      print("\(short): \(grouped(trace.events.count)) events, nothing is wrong")
      return false
    }
    var report = FindingReport(
      Examination(
        trace: trace, outcome: outcome, finding: finding, eventsBefore: trace.events.count,
        tries: 0),
      folder: "", schedules: 1, arguments: against?.words ?? [], errors: [])
    report.played = name
    let isTerminal = isatty(1) == 1
    print(
      report.text(
        isColoured: isTerminal && environment("NO_COLOR") == nil, isTerminal: isTerminal))
    return true
  }
}
