internal import Dispatch
internal import Glibc
internal import Simulation
internal import Synchronization
internal import Wire

/// A campaign: batches of seeds handed to worker processes, and what they found.
final class FuzzCampaign: Sendable {
  struct Found: Sendable {
    var slug: String
    var seed: UInt64
    var headline: String
    var folder: String
    var command: String
    var events: Int
    var plain: String
    var errors: [String]
    /// In how many schedules.
    var count: Int
  }

  private static let seedLimit = 20
  /// Of how many batches one is compared with what another process makes of it.
  private static let comparedBatches = 16

  struct State: Sendable {
    var next: UInt64
    var schedules = 0
    var milliseconds: Int64 = 0
    var coverage = Coverage()
    var rare: [String] = []
    /// What a program said of itself.
    var subject: String?
    /// By slug, in how many schedules.
    var counts: [String: Int] = [:]
    /// By slug, the first seeds that have it, at most `seedLimit`: they may be of several causes.
    var seeds: [String: [UInt64]] = [:]
    var found: [Found] = []
    var failure: String?
    var batch: UInt64 = 16
  }

  let options: FuzzOptions
  private let state: Mutex<State>
  let progress: SeedProgress
  private let isColoured: Bool
  /// Whether reports are printed when they are found.
  private let tells: Bool

  init(_ options: FuzzOptions, tells: Bool) {
    self.options = options
    self.tells = tells
    var first = State(next: options.seeds.lowerBound)
    // A schedule in real time takes some tenths of a second.
    if options.server != nil { first.batch = 1 }
    state = Mutex(first)
    progress = SeedProgress(
      unit: "schedules", last: options.seeds.upperBound, milliseconds: options.milliseconds)
    isColoured = isatty(1) == 1 && environment("NO_COLOR") == nil
  }

  /// Runs it to its end.
  func run() -> State {
    let traces = options.corpus.map { folder in
      Folder.files(folder, ending: ".ndjson").map { "\(folder)/\($0)" }
    }
    for path in traces ?? [] where Interrupt.signal == nil { play(path) }
    DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in work() }
    writeIndex()
    showStatus("")
    return state.withLock { $0 }
  }

  // MARK: Batches

  private func nextBatch() -> ClosedRange<UInt64>? {
    state.withLock { state in
      guard state.failure == nil, Interrupt.signal == nil, state.next <= options.seeds.upperBound
      else { return nil }
      if let limit = options.milliseconds, monotonicMilliseconds() - progress.start >= limit {
        return nil
      }
      let first = state.next
      let last = min(options.seeds.upperBound, first + state.batch - 1)
      state.next = last + 1
      return first...last
    }
  }

  private func work() {
    var worker = Worker(options)
    var batches = 0
    while let seeds = nextBatch() {
      let began = monotonicMilliseconds()
      switch worker.ask(Self.request(seeds)) {
      case .answer(let answer):
        note(answer, seeds, monotonicMilliseconds() - began, &worker)
        if batches % Self.comparedBatches == 0 { compare(answer, seeds, &worker) }
        batches += 1
      case .gone:
        guard Interrupt.signal == nil else { break }
        worker = Worker(options)
        oneByOne(seeds, &worker)
      }
    }
    worker.end()
  }

  /// Finds the seed that ends a worker.
  private func oneByOne(_ seeds: ClosedRange<UInt64>, _ worker: inout Worker) {
    for seed in seeds where Interrupt.signal == nil {
      switch worker.ask("{\"do\":\"run\",\"from\":\(seed),\"to\":\(seed)}", limit: 60_000) {
      case .answer(let answer): note(answer, seed...seed, 0, &worker)
      case .gone(let reason):
        guard Interrupt.signal == nil else { return }
        worker = Worker(options)
        let isFirst = state.withLock { state in
          state.schedules += 1
          state.counts["crash", default: 0] += 1
          return state.counts["crash"] == 1
        }
        if isFirst { keep(Crash(options).examined(seed, reason)) }
      }
    }
  }

  private func note(
    _ answer: Members, _ seeds: ClosedRange<UInt64>, _ took: Int64, _ worker: inout Worker
  ) {
    var fresh: [(seed: UInt64, slug: String, headline: String)] = []
    state.withLock { state in
      if let failure = answer.string("failure") { state.failure = failure }
      state.schedules += Int(answer.integer("schedules") ?? Int64(seeds.count))
      state.milliseconds += answer.integer("milliseconds") ?? 0
      if let coverage = answer.object("coverage") {
        for member in coverage.all {
          state.coverage.note(member.name, Int(coverage.integer(member.name) ?? 0))
        }
      }
      if state.rare.isEmpty { state.rare = answer.array("rare")?.compactMap(answer.string) ?? [] }
      if let subject = answer.string("subject") { state.subject = subject }
      // About a fifth of a second each.
      if took > 0 { state.batch = min(4096, max(1, state.batch * 200 / UInt64(max(20, took)))) }
      for violation in answer.objects("violations") ?? [] {
        guard let slug = violation.string("slug") else { continue }
        let seed = UInt64(clamping: violation.integer("seed") ?? 0)
        state.counts[slug, default: 0] += 1
        if state.counts[slug] == 1 {
          fresh.append((seed, slug, violation.string("headline") ?? ""))
        }
        if state.seeds[slug, default: []].count < Self.seedLimit {
          state.seeds[slug, default: []].append(seed)
        }
      }
    }
    for (seed, slug, headline) in fresh {
      if !examine("\"seed\":\(seed)", seed, slug, &worker) { note(seed, slug, headline) }
    }
    showProgress()
  }

  private func showProgress() {
    let (schedules, findings, next) = state.withLock { ($0.schedules, $0.counts.count, $0.next) }
    progress.show(seed: next - 1, done: schedules, findings: findings)
  }

  // MARK: Findings

  /// - Returns: false where an interrupt came before a report.
  @discardableResult
  private func examine(
    _ what: String, _ seed: UInt64, _ slug: String, _ worker: inout Worker
  ) -> Bool {
    showStatus("seed \(grouped(seed)) · shrinking \(slug)")
    let schedules = state.withLock(\.schedules)
    let request =
      "{\"do\":\"examine\",\(what),\"slug\":\"\(slug)\",\"schedules\":\(schedules),\"coloured\":\(isColoured),\"terminal\":\(isatty(1) == 1)}"
    switch worker.ask(request) {
    case .answer(let answer):
      if let failure = answer.string("failure") {
        state.withLock { $0.failure = failure }
      } else if let report = answer.object("report") {
        keep(report)
      }
    case .gone(let reason):
      guard Interrupt.signal == nil else { return false }
      worker = Worker(options)
      keep(Crash(options).examined(seed, reason))
    }
    return true
  }

  /// What was found and has no report.
  private func note(_ seed: UInt64, _ slug: String, _ headline: String) {
    let command = command(seed...seed)
    let found = Found(
      slug: slug, seed: seed, headline: headline, folder: "", command: command, events: 0,
      plain: "\(headline)\nAn interrupt came before it was looked at; again: \(command)",
      errors: [],
      count: 1)
    state.withLock { $0.found.append(found) }
  }

  /// Runs some seeds of the campaign again.
  private func command(_ seeds: ClosedRange<UInt64>) -> String {
    let words = options.words.map { " " + ShellWord.quoted($0) }.joined()
    return "watchline fuzz --seeds \(seeds.lowerBound)..\(seeds.upperBound)\(words)"
  }

  private func keep(_ report: Members?) {
    guard let report else { return }
    let slug = report.string("slug") ?? ""
    let found = Found(
      slug: slug, seed: UInt64(clamping: report.integer("seed") ?? 0),
      headline: report.string("headline") ?? "", folder: report.string("folder") ?? "",
      command: report.string("command") ?? "", events: Int(report.integer("events") ?? 0),
      plain: report.string("plain") ?? "",
      errors: report.array("errors")?.compactMap(report.string) ?? [], count: 0)
    let isFirst = state.withLock { state in
      guard !state.found.contains(where: { $0.folder == found.folder }) else { return false }
      state.found.append(found)
      return true
    }
    guard isFirst else { return }
    if tells {
      showStatus("")
      print(report.string("text") ?? "")
      fflush(nil)
    }
    if let corpus = options.corpus, let trace = report.string("trace") {
      try? Folder.make(corpus)
      try? File.replace(
        "\(corpus)/\(slug)-\(found.seed).ndjson", with: Array(trace.utf8), isPrivate: false)
    }
  }

  /// The page over all findings of the folder, also of campaigns before this one.
  private func writeIndex() {
    guard state.withLock({ $0.found.contains { !$0.folder.isEmpty } }) else { return }
    var index = FindingIndex()
    for name in Folder.files(options.out, ending: "") {
      if let json = (try? File.read("\(options.out)/\(name)/finding.json")) ?? nil {
        index.add(name, json)
      }
    }
    try? File.replace(
      "\(options.out)/index.html", with: Array(index.page.utf8), isPrivate: false)
  }

  // MARK: Traces that are there

  private func play(_ path: String) {
    var worker = Worker(options)
    defer { worker.end() }
    guard let bytes = (try? File.read(path)) ?? nil, let trace = try? Trace(ndjson: bytes) else {
      return state.withLock { $0.failure = "\(path) of the corpus cannot be read as a trace" }
    }
    let word = TraceWord.spell(trace, limit: .max)!
    state.withLock { $0.schedules += 1 }
    switch worker.ask("{\"do\":\"play\",\"trace\":\"\(word)\"}", limit: 60_000) {
    case .answer(let answer):
      for violation in answer.objects("violations") ?? [] {
        guard let slug = violation.string("slug") else { continue }
        let isFirst = state.withLock { state in
          state.counts[slug, default: 0] += 1
          return state.counts[slug] == 1
        }
        if isFirst { examine("\"trace\":\"\(word)\"", trace.seed, slug, &worker) }
      }
    case .gone(let reason):
      guard Interrupt.signal == nil else { return }
      state.withLock { $0.counts["crash", default: 0] += 1 }
      keep(Crash(options).examined(trace, reason))
    }
  }

  // MARK: Determinism

  /// A batch once more, in a new process, whose hashes have another seed.
  private func compare(_ first: Members, _ seeds: ClosedRange<UInt64>, _ worker: inout Worker) {
    guard options.against == nil, Interrupt.signal == nil else { return }
    worker.end()
    worker = Worker(options)
    guard case .answer(let second) = worker.ask(Self.request(seeds)), Interrupt.signal == nil,
      let behaviour = first.string("behaviour"), let again = second.string("behaviour"),
      behaviour != again
    else { return }
    let isFirst = state.withLock { state in
      state.counts["nondeterminism", default: 0] += 1
      return state.counts["nondeterminism"] == 1
    }
    guard isFirst else { return }
    let found = Found(
      slug: "nondeterminism", seed: seeds.lowerBound,
      headline: "The same seeds went differently in another process.", folder: "",
      command: command(seeds), events: 0,
      plain: "Seeds \(seeds.lowerBound)..\(seeds.upperBound): \(behaviour) and \(again).",
      errors: [], count: 1)
    state.withLock { $0.found.append(found) }
  }

  private static func request(_ seeds: ClosedRange<UInt64>) -> String {
    "{\"do\":\"run\",\"from\":\(seeds.lowerBound),\"to\":\(seeds.upperBound)}"
  }
}

/// A number with commas between the thousands.
func grouped(_ number: some BinaryInteger) -> String {
  var text = ""
  for (index, digit) in "\(number)".reversed().enumerated() {
    if index > 0, index % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}
