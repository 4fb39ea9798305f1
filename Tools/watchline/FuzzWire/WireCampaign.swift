internal import Glibc
internal import WireFuzz

/// Sessions in processes of their own, and what was found in them, made small.
struct WireCampaign {
  static let debugBudget = 1000
  #if DEBUG
    /// Unoptimised code takes many times as long.
    static let budget = debugBudget
  #else
    /// CPU time that another pair's ping may wait, in milliseconds.
    static let budget = 50
  #endif

  let seeds: ClosedRange<UInt64>
  let budget: Int
  let out: String
  /// Those of the workers that decide what a seed's session is, each with a space before it.
  var options = ""
  /// How long one finding may be made smaller, in seconds.
  var shrinking = 60
  /// The campaign ends after so many lines, or seconds; nil for all seeds.
  var lines: Int?
  var seconds: Int?

  /// Seeds that a process takes, so that what it holds stays small.
  private static let atOnce: UInt64 = 500
  /// Lines of a finding that are shown of its beginning, and of its end.
  private static let shownLines = 20
  /// Findings of different kinds that end the campaign.
  private static let most = 10

  /// What is known so far.
  private struct State {
    var sessions = 0
    var lines = 0
    var longestWait = 0
    var heard: [String: Int] = [:]
    var found: [String] = []
  }

  init(seeds: ClosedRange<UInt64>, budget: Int, out: String) {
    self.seeds = seeds
    self.budget = budget
    self.out = out
  }

  /// - Returns: the exit status.
  func run(tellsHeard: Bool) throws(FileFailure) -> Int32 {
    var state = State()
    let progress = SeedProgress(
      unit: "sessions", last: seeds.upperBound, milliseconds: seconds.map { Int64($0) * 1000 })
    var shown = progress.start
    func isOver() -> Bool {
      if let lines, state.lines >= lines { return true }
      if let seconds, monotonicMilliseconds() - progress.start >= seconds * 1000 { return true }
      return state.found.count >= Self.most
    }
    var next = seeds.lowerBound
    while next <= seeds.upperBound, !isOver() {
      var last = min(seeds.upperBound, next + Self.atOnce - 1)
      // A few at a time, so that the end is met.
      if seconds != nil || lines != nil { last = min(last, next + 49) }
      var seed = next
      var failures: [(seed: UInt64, slug: String, sentence: String)] = []
      let ending = Shell.run(command("--worker --seeds \(next)..\(last)")) { line in
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        switch words.first {
        case "seed" where words.count > 1: seed = UInt64(words[1]) ?? seed
        case "went" where words.count == 4:
          state.sessions += 1
          state.lines += Int(words[2]) ?? 0
          state.longestWait = max(state.longestWait, Int(words[3]) ?? 0)
          guard monotonicMilliseconds() - shown > 250 else { break }
          shown = monotonicMilliseconds()
          progress.show(seed: seed, done: state.sessions, findings: state.found.count)
        case "found" where words.count == 4: failures.append((seed, words[2], words[3]))
        case "heard" where words.count > 2:
          let what = words[2...].joined(separator: " ")
          state.heard[what, default: 0] += Int(words[1]) ?? 0
        default: break
        }
      }
      next = last + 1
      if case .signal(let signal) = ending {
        let isHang = signal == SIGPROF
        failures.append(
          (
            seed, isHang ? "hang" : "crash",
            isHang ? "the server does not come back" : "the server has ended"
          ))
        next = seed + 1
      } else if case .status(let status) = ending, status > 1 {
        complain("a worker has ended with status \(status)")
        return 2
      }
      for failure in failures {
        showStatus("seed \(failure.seed) · shrinking \(failure.slug)")
        try examine(failure, &state)
      }
    }
    showStatus("")
    tell(state, milliseconds: monotonicMilliseconds() - progress.start, tellsHeard)
    return state.found.isEmpty ? 0 : 1
  }

  private func command(_ words: String) -> String {
    "env SWIFT_BACKTRACE=enable=no \(Shell.quoted(ownPath())) fuzz-wire --budget \(budget)\(options) \(words) 2>/dev/null"
  }

  private func tell(_ state: State, milliseconds: Int64, _ tellsHeard: Bool) {
    if tellsHeard {
      for (what, count) in state.heard.sorted(by: { $0.key < $1.key }) {
        print("\(count)  \(what)")
      }
    }
    let seconds = Double(milliseconds / 100) / 10
    print(
      "\(state.lines) lines in \(state.sessions) sessions, \(seconds) s; another pair's ping waited "
        + "\(Double(state.longestWait / 100) / 10) ms of CPU at most; "
        + (state.found.isEmpty ? "nothing was found" : "\(state.found.count) findings in \(out)"))
  }

  // MARK: Findings

  /// Makes a finding small and writes it down, unless there is one of its kind: of the same fault at the
  /// same request.
  private func examine(
    _ failure: (seed: UInt64, slug: String, sentence: String), _ state: inout State
  ) throws(FileFailure) {
    guard state.found.count < Self.most else { return }
    try Folder.make(out)
    let path = "\(out)/wire-\(failure.slug)-\(failure.seed).ndjson"
    Shell.run(
      command("--worker --seeds \(failure.seed)..\(failure.seed) --narrate \(Shell.quoted(path))"))
    guard let text = try File.read(path), let script = Script(text) else {
      return complain(
        "seed \(failure.seed) shows it no longer: \(failure.slug) \(failure.sentence)")
    }
    let small = shrunk(script, failure.slug)
    let kind = "\(failure.slug) \(small.kind)"
    guard !state.found.contains(kind) else {
      unlink(path)
      return
    }
    state.found.append(kind)
    try File.replace(path, with: small.bytes, isPrivate: false)
    showStatus("")
    print("\(failure.slug): \(failure.sentence)")
    print(
      "  seed \(failure.seed), after \(state.lines + script.lines) lines; \(small.lines) of its "
        + "\(script.lines) are needed")
    let told = small.told
    for (index, line) in told.enumerated() {
      guard index < Self.shownLines || index >= told.count - Self.shownLines else {
        if index == Self.shownLines { print("    … and \(told.count - 2 * Self.shownLines) more") }
        continue
      }
      print("    \(line.count > 400 ? line.prefix(400) + "…" : line[...])")
    }
    print("  again: watchline fuzz-wire \(path)")
    fflush(nil)
  }

  private func shrunk(_ script: Script, _ slug: String) -> Script {
    let draft = "\(out)/.shrinking-\(getpid())"
    defer { unlink(draft) }
    func fails(_ script: Script) -> Bool {
      unlink(draft)
      guard (try? File.append(script.bytes, to: draft)) != nil else { return false }
      var found = ""
      let ending = Shell.run(command(Shell.quoted(draft))) { line in
        let words = line.split(separator: " ")
        if words.first == "found", words.count > 2 { found = String(words[2]) }
      }
      if case .signal(let signal) = ending { found = signal == SIGPROF ? "hang" : "crash" }
      return found == slug
    }
    let end = monotonicMilliseconds() + Int64(shrinking) * 1000
    func isOver() -> Bool { monotonicMilliseconds() >= end }
    let shrinker = Shrinker(until: isOver) { fails(Script(script.setting, $0)) }
    var small = Script(script.setting, shrinker.shrink(script.steps))
    while !isOver(),
      let simpler = small.setting.simpler.lazy.map({ Script($0, small.steps) }).first(
        where: fails)
    {
      small = simpler
    }
    return small
  }
}
