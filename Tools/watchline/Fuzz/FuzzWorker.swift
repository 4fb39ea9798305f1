internal import Glibc
internal import Simulation
internal import Wire

/// A process that runs schedules for a campaign: a line with a request in, a line with the answer
/// out. Whatever ends it ends no more than the schedule that it was at.
final class FuzzWorker {
  private let options: FuzzOptions
  private let harness: any Harness

  init(_ options: FuzzOptions) {
    self.options = options
    harness = options.harness()
  }

  /// Answers until its input ends.
  func serve() -> Int32 {
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
      json.array("violations", outcome.findings) { json, finding in
        json.object { $0.member("slug", finding.slug) }
      }
    case "examine":
      let outcome =
        request.has("seed")
        ? try harness.run(options.plan(number(request, "seed")))
        : try harness.play(try trace(request), isRecorded: false)
      try examine(outcome, request, &json)
    default: throw HarnessFailure("a request that there is not")
    }
  }

  private func number(_ request: Members, _ name: String) -> UInt64 {
    UInt64(clamping: request.integer(name) ?? 0)
  }

  private func trace(_ request: Members) throws(HarnessFailure) -> Trace {
    do throws(TraceFault) {
      return try TraceWord.read(request.string("trace") ?? "")
    } catch {
      throw HarnessFailure(error.description)
    }
  }

  // MARK: Running

  private func run(
    _ seeds: ClosedRange<UInt64>, _ json: inout JSONWriter
  ) throws(HarnessFailure) {
    var coverage = Coverage()
    var time: Int64 = 0
    var behaviour: UInt64 = 0
    var found: [(seed: UInt64, slug: String, headline: String)] = []
    for seed in seeds {
      let outcome = try harness.run(options.plan(seed))
      coverage.add(outcome.coverage)
      time += outcome.deviceMilliseconds
      behaviour = (behaviour ^ outcome.behaviour) &* 0x100_0000_01B3
      for finding in outcome.findings { found.append((seed, finding.slug, finding.headline)) }
    }
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

  private func examine(
    _ outcome: Outcome, _ request: Members, _ json: inout JSONWriter
  ) throws(HarnessFailure) {
    let slug = request.string("slug") ?? outcome.findings.first?.slug ?? ""
    let found = try Examination.examine(outcome, slug, by: harness)
    let report = FindingReport(
      found, folder: "\(options.out)/\(found.finding.slug)-\(outcome.trace.seed)",
      schedules: Int(clamping: request.integer("schedules") ?? 1), arguments: options.words,
      errors: options.against == nil ? [] : (harness as? ExchangeHarness)?.complaints ?? [])
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
      json.member("text", report.text(isColoured: request.flag("coloured") ?? false))
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
    for file in files { try File.replace(path(file.name), with: file.bytes) }
  }
}
