internal import Glibc
internal import WireFuzz

/// Sessions in this process, which may end in one of them.
///
/// Says line by line how far it is: `seed 7` before a session, `went 7 <lines> <microseconds>` after it,
/// `found 7 <slug> <sentence>` where something is wrong, and at the end `heard <count> <what>`.
struct WireTrial {
  /// CPU time that a session may take, in seconds; it is killed then.
  private static let limit = 120

  private let fuzz: WireFuzz
  private let narrate: String?

  init(_ fuzz: WireFuzz, narrate: String?) {
    self.fuzz = fuzz
    self.narrate = narrate
  }

  func run(_ seeds: ClosedRange<UInt64>, tells: Bool) -> Int32 {
    var fuzz = fuzz
    if let narrate {
      unlink(narrate)
      fuzz.narrates = { line in try? File.append(line + [0x0A], to: narrate) }
    }
    var heard: [String: Int] = [:]
    var status: Int32 = 0
    for seed in seeds {
      Self.bound()
      say("seed \(seed)")
      let run = fuzz.run(seed: seed)
      heard.merge(run.heard) { $0 + $1 }
      if let finding = run.finding {
        say("found \(seed) \(finding.slug) \(finding.sentence.filter { $0 != "\n" })")
        status = 1
      }
      say("went \(seed) \(run.lines) \(run.longestWait / 1000)")
    }
    if tells {
      for (what, count) in heard.sorted(by: { $0.key < $1.key }) { say("heard \(count) \(what)") }
    }
    return status
  }

  func replay(_ script: Script) -> Int32 {
    Self.bound()
    guard let finding = fuzz.replay(script.setting, script.steps) else {
      say("nothing is wrong with it")
      return 0
    }
    say("found \(script.setting.seed) \(finding.slug) \(finding.sentence)")
    return 1
  }

  /// A session that does not end is ended by SIGPROF.
  private static func bound() {
    var time = itimerval()
    time.it_value.tv_sec = limit
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &time, nil)
  }

  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
