internal import Glibc
internal import Simulation
internal import Wire

/// A schedule that ends the process that runs it: found out and made small from outside.
struct Crash {
  private let options: FuzzOptions

  init(_ options: FuzzOptions) { self.options = options }

  /// Runs a seed once more, event by event, and examines what it came to.
  func examined(_ seed: UInt64, _ reason: [String]) -> Members? {
    let path = "\(options.out)/crash-\(seed).ndjson"
    try? Folder.make(options.out)
    let worker = Worker(options)
    _ = worker.ask("{\"do\":\"narrate\",\"seed\":\(seed),\"path\":\"\(path)\"}", limit: 60_000)
    let bytes = (try? File.read(path)) ?? nil
    unlink(path)
    let trace =
      bytes.flatMap { try? Trace(ndjson: $0) }
      ?? Trace(world: .server, seed: seed, schema: "none", devices: [.init("phone", isPhone: true)])
    return examined(trace, reason)
  }

  func examined(_ trace: Trace, _ reason: [String]) -> Members? {
    var outcome = Outcome(trace: trace)
    let harness = CrashHarness(options, reason)
    outcome.findings = [harness.finding]
    let found =
      (try? Examination.examine(outcome, "crash", by: harness, limit: 200) {
        Interrupt.signal == nil
      })
      ?? Examination(
        trace: trace, outcome: outcome, finding: harness.finding,
        eventsBefore: trace.events.count, tries: 0)
    let report = FindingReport(
      found, folder: "\(options.out)/crash-\(trace.seed)", schedules: 1, arguments: options.words,
      errors: reason)
    try? report.write()
    var json = JSONWriter()
    json.object { json in
      json.member("slug", "crash")
      json.member("seed", trace.seed)
      json.member("headline", found.finding.headline)
      json.member("folder", report.folder)
      json.member("events", found.trace.events.count)
      json.member("command", report.command)
      json.member("text", report.text(isColoured: false))
      json.member("plain", report.text(isColoured: false))
      json.member("trace", String(decoding: found.trace.ndjson, as: UTF8.self))
      json.array("errors", reason) { $0.string($1) }
    }
    return try? Members(json.bytes)
  }
}

/// Plays each schedule in a process of its own.
private final class CrashHarness: Harness {
  private let options: FuzzOptions
  private let reason: [String]

  init(_ options: FuzzOptions, _ reason: [String]) {
    self.options = options
    self.reason = reason
  }

  let rareEvents: [String] = []

  var finding: Finding {
    Finding(
      invariant: "I42", slug: "crash", headline: "The program ended in the middle of a schedule.",
      story: reason.suffix(6).map { String($0.prefix(200)) })
  }

  func run(_ plan: Plan) throws(HarnessFailure) -> Outcome {
    throw HarnessFailure("a schedule that ends its process is only played")
  }

  func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome {
    var outcome = Outcome(trace: trace)
    let worker = Worker(options)
    let word = TraceWord.spell(trace, limit: .max)!
    switch worker.ask("{\"do\":\"play\",\"trace\":\"\(word)\"}", limit: 20_000) {
    case .answer: worker.end()
    case .gone: outcome.findings = [finding]
    }
    guard isRecorded else { return outcome }
    outcome.recording = Recording(
      places: trace.devices.map(\.name) + ["server"], start: trace.start,
      steps: trace.events.map { event in
        Recording.Step(
          at: event.at, event.device, event.edit == nil ? .note : .edit,
          event.edit?.spelled ?? event.verb.rawValue)
      })
    return outcome
  }
}
