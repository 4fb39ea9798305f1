internal import Glibc
internal import Simulation
internal import Wire

/// A process that runs schedules for a campaign: a line with a request in, a line with the answer
/// out. Whatever ends it ends no more than the schedule that it was at.
final class FuzzWorker {
  private let options: FuzzOptions
  private let harness: any Harness
  /// Runs that failed and may not fail again, by their seeds.
  private var failed: [UInt64: Outcome] = [:]
  /// The last trace that was played.
  private var played: Outcome?

  init(_ options: FuzzOptions) {
    self.options = options
    harness = options.harness()
  }

  /// Answers until its input ends.
  func serve() -> Int32 {
    guard Planter.plantWhatIsAsked() else { return 2 }
    while let line = readLine(strippingNewline: true) {
      var answer = JSONWriter()
      answer.object { json in
        do throws(HarnessFailure) {
          try answered(line, &json)
        } catch {
          json.member("failure", error.description)
        }
      }
      print(String(decoding: answer.bytes, as: UTF8.self))
      fflush(nil)
    }
    return 0
  }

  private func answered(_ line: String, _ json: inout JSONWriter) throws(HarnessFailure) {
    guard let request = try? Members(Array(line.utf8)) else {
      throw HarnessFailure("a request that is no JSON object")
    }
    switch request.string("do") {
    case "run":
      try run(number(request, "from")...number(request, "to"), &json)
    case "narrate": try narrate(number(request, "seed"), request.string("path") ?? "")
    case "play":
      let outcome = try harness.play(try trace(request), isRecorded: false)
      if !harness.isReproducible { played = outcome }
      json.array("violations", outcome.findings) { json, finding in
        json.object { $0.member("slug", finding.slug) }
      }
    case "examine":
      try examine(try failure(request), request, &json)
    default: throw HarnessFailure("a request that there is not")
    }
  }

  /// The run that is to be examined.
  private func failure(_ request: Members) throws(HarnessFailure) -> Outcome {
    guard request.has("seed") else {
      let trace = try trace(request)
      if let played, played.trace == trace { return played }
      return try harness.play(trace, isRecorded: false)
    }
    let seed = number(request, "seed")
    if let outcome = failed[seed] { return outcome }
    return try harness.run(options.plan(seed))
  }

  private func number(_ request: Members, _ name: String) -> UInt64 {
    UInt64(clamping: request.integer(name) ?? 0)
  }

  private func trace(_ request: Members) throws(HarnessFailure) -> Trace {
    let trace: Trace
    do throws(TraceFault) {
      trace = try TraceWord.read(request.string("trace") ?? "")
    } catch {
      throw HarnessFailure(error.description)
    }
    guard let against = options.against else { return trace }
    return try against.adapted(trace).trace
  }

  // MARK: Running

  private func run(
    _ seeds: ClosedRange<UInt64>, _ json: inout JSONWriter
  ) throws(HarnessFailure) {
    var coverage = Coverage()
    var time: Int64 = 0
    var behaviour: UInt64 = 0
    var found: [(seed: UInt64, slug: String, headline: String)] = []
    var count = 0
    for seed in seeds where Interrupt.signal == nil {
      let outcome: Outcome
      do throws(HarnessFailure) {
        outcome = try harness.run(options.plan(seed))
      } catch {
        // What was found before is told first; the next schedule fails again.
        guard found.isEmpty else { break }
        throw error
      }
      count += 1
      coverage.add(outcome.coverage)
      time += outcome.deviceMilliseconds
      behaviour = (behaviour ^ outcome.behaviour) &* 0x100_0000_01B3
      for finding in outcome.findings { found.append((seed, finding.slug, finding.headline)) }
      if !harness.isReproducible, !outcome.findings.isEmpty { failed[seed] = outcome }
    }
    json.member("schedules", count)
    json.member("milliseconds", time)
    json.member("behaviour", String(behaviour, radix: 16))
    json.object("coverage") { json in
      for (event, count) in coverage.counts.sorted(by: { $0.key < $1.key }) {
        json.member(event, count)
      }
    }
    if options.against != nil, let exchange = harness as? ExchangeHarness {
      json.member("subject", exchange.started?.description(unsupported: exchange.unsupported))
    }
    json.array("rare", harness.rareEvents) { $0.string($1) }
    json.array("violations", found) { json, found in
      json.object { json in
        json.member("seed", found.seed)
        json.member("slug", found.slug)
        json.member("headline", found.headline)
      }
    }
  }

  /// Runs one schedule, and keeps it in a file up to the event that it is at.
  private func narrate(_ seed: UInt64, _ path: String) throws(HarnessFailure) {
    var plan = options.plan(seed)
    plan.witness = { trace in try? File.replace(path, with: trace.ndjson) }
    _ = try harness.run(plan)
  }

  // MARK: A finding

  /// The last lines of the standard error of what is tried.
  private var complaints: [String] {
    switch options.against {
    case nil: []
    case .program: (harness as? ExchangeHarness)?.complaints ?? []
    case .server: (harness as? ServerHarness)?.complaints ?? []
    }
  }

  private func examine(
    _ outcome: Outcome, _ request: Members, _ json: inout JSONWriter
  ) throws(HarnessFailure) {
    let slug = request.string("slug") ?? outcome.findings.first?.slug ?? ""
    // A corpus's trace need not fail again in real time.
    guard outcome.findings.contains(where: { $0.slug == slug }) || harness.isReproducible else {
      return
    }
    let end = monotonicMilliseconds() + (options.server?.shrinkingLimit ?? 0)
    let errors = complaints
    let isTimed = options.server != nil
    let found = try Examination.examine(outcome, slug, by: harness) {
      Interrupt.signal == nil && (!isTimed || monotonicMilliseconds() < end)
    }
    let report = FindingReport(
      found, folder: "\(options.out)/\(found.finding.slug)-\(outcome.trace.seed)",
      schedules: Int(clamping: request.integer("schedules") ?? 1), arguments: options.words,
      errors: errors.isEmpty ? complaints : errors)
    do throws(FileFailure) {
      try report.write()
    } catch {
      throw HarnessFailure(error.message)
    }
    json.object("report") { json in
      json.member("slug", found.finding.slug)
      json.member("seed", outcome.trace.seed)
      json.member("headline", found.finding.headline)
      json.member("folder", report.folder)
      json.member("events", found.trace.events.count)
      json.member("command", report.command)
      json.member(
        "text",
        report.text(
          isColoured: request.flag("coloured") ?? false,
          isTerminal: request.flag("terminal") ?? false))
      json.member("plain", report.text(isColoured: false))
      json.member("trace", String(decoding: found.trace.ndjson, as: UTF8.self))
      json.array("errors", report.errors) { $0.string($1) }
    }
  }
}

extension FindingReport {
  init(
    _ found: Examination, folder: String, schedules: Int, arguments: [String], errors: [String]
  ) {
    let faults =
      found.trace.options.first { $0.name == "faults" }?.value.split(separator: ",") ?? []
    self.init(
      finding: found.finding,
      recording: found.outcome.recording
        ?? Recording(places: found.trace.devices.map(\.name), start: found.trace.start),
      trace: found.trace, schedules: schedules, arguments: arguments, folder: folder,
      faults: faults.compactMap { Fault(rawValue: String($0)) }, version: Watchline.version,
      shrinking: found.tries == 0
        ? nil
        : Shrinking(from: found.eventsBefore, to: found.trace.events.count, tries: found.tries),
      errors: errors)
  }

  /// Puts the files into the folder.
  func write() throws(FileFailure) {
    try Folder.make(folder)
    for file in files { try File.replace(path(file.name), with: file.bytes, isPrivate: false) }
  }
}
