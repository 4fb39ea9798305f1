internal import Glibc
internal import Simulation
internal import WireFuzz

/// One mutant in one world, run in a process of its own: it may trap, or never come back.
///
/// Says line by line how far it is: `seed 7` before a schedule, `went 7 <digest>` after it,
/// `found 7 I15 lost-edit` where it shows, and then ends.
enum MutantTrial {
  /// How long a schedule may take, in seconds; it is killed then.
  private static let limit: UInt32 = 20

  /// The worlds that there are.
  static let worlds = ["exchange", "server", "cluster", "small", "wire", "apps"]

  /// - Parameters:
  ///   - mutant: its name, or `none`.
  ///   - count: how many seeds.
  static func run(_ mutant: String, world: String, from first: UInt64, count: UInt64) -> Int32 {
    guard Planter.plant(mutant) else {
      complain("this build has no mutant \(mutant) planted")
      return 2
    }
    if world == "small" {
      alarm(600)
      say("seed 1")
      var exhaustive = Exhaustive(operations: 2)
      exhaustive.endsAtFirst = true
      if let finding = exhaustive.run().findings.first {
        say("found 1 \(finding.invariant) \(finding.slug)")
      }
      return 0
    }
    if world == "wire" { return wire(first..<first + count) }
    if world == "apps" { return apps(first..<first + count) }
    guard let harness = harness(world) else {
      complain("there is no world \(world)")
      return 2
    }
    for seed in first..<first + count {
      alarm(limit)
      say("seed \(seed)")
      do throws(HarnessFailure) {
        let outcome = try harness.run(Plan(seed: seed))
        if let finding = outcome.findings.first {
          say("found \(seed) \(finding.invariant) \(finding.slug)")
          return 0
        }
        say("went \(seed) \(outcome.behaviour)")
      } catch {
        say("found \(seed) I42 \(words(error.description))")
        return 0
      }
    }
    return 0
  }

  /// Sessions of random lines.
  private static func wire(_ seeds: Range<UInt64>) -> Int32 {
    let fuzz = WireFuzz(budget: WireCampaign.budget * 1_000_000)
    for seed in seeds {
      alarm(limit)
      say("seed \(seed)")
      let run = fuzz.run(seed: seed)
      if let finding = run.finding {
        say("found \(seed) I42 \(finding.slug)")
        return 0
      }
      say("went \(seed) \(run.lines)-\(run.heard.values.reduce(0, +))")
    }
    return 0
  }

  /// People at the forms of an app.
  private static func apps(_ seeds: Range<UInt64>) -> Int32 {
    for seed in seeds {
      alarm(limit)
      say("seed \(seed)")
      if let finding = AppSession.run(seed: seed) {
        say("found \(seed) \(finding.invariant) \(finding.slug)")
        return 0
      }
      say("went \(seed) right")
    }
    return 0
  }

  private static func words(_ text: String) -> String {
    "failure:" + text.split { !$0.isLetter }.prefix(6).joined(separator: "-")
  }

  private static func harness(_ world: String) -> (any Harness)? {
    switch world {
    case "exchange": ExchangeHarness()
    case "server": ServerHarness()
    case "cluster": ServerHarness(.cluster)
    default: nil
    }
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
