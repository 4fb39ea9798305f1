internal import Glibc
internal import Usage
internal import WireFuzz

/// `watchline fuzz-wire`: random lines for a server in memory.
enum FuzzWireCommand: Subcommand {
  static let syntax = Syntax(
    name: "fuzz-wire",
    summary: "Send random lines of every request to a server in memory, in every state.",
    operands: "[FILE]", maximumOperands: 1,
    options: [
      Option("seeds", value: "A..B", "which sessions, such as 1..2000"),
      Option(
        "seconds", value: "S", "go on for so long, from the first seed; 10 if nothing is said"),
      Option("lines", value: "N", "go on until so many lines were sent"),
      Option("tokens", "each server asks for tokens, not one in five"),
      Option("steps", value: "N", "steps of each session; 60 to 1000 where left out"),
      Option(
        "budget", value: "MS", "CPU that another pair's ping may wait; \(WireCampaign.budget)"),
      Option("shrinking", value: "S", "seconds to make a finding smaller; 60 if left out"),
      Option("out", value: "DIR", "where findings go; watchline-findings where left out"),
      Option("heard", "end with what the server said, and how often"),
      Option("worker", "run seeds in this process; fuzz-wire starts such processes itself"),
      Option("narrate", value: "FILE", "with --worker: write each step there before it is done"),
    ],
    notes: """
      Lines are made from the protocol's descriptions of its requests: types, members, limits and what is
      just beyond them, as JSON and as words, in sessions of several connections and pairs, with kills and
      restarts. A session is what its seed makes it, in each build.

      Found is what ends the process or never ends; an answer that its description does not know; a payload
      of one pair at another; a refusal that says more than the others; a limit that is reached and not named; lines that nobody
      reads any more;
      another pair's ping that waits for longer than the budget (a debug build has
      \(WireCampaign.debugBudget) ms); and a store that cannot be read back.

      Each finding is made small and left as a file, with what a person would type. With FILE it is done
      again. Exit status: 0 nothing was found, 1 something was, 2 it could not be tried.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let budget = try arguments.integer("budget", in: 1...1_000_000) ?? WireCampaign.budget
    var fuzz = WireFuzz(budget: budget * 1_000_000)
    if let path = arguments.operands.first { return try replay(path, fuzz) }
    fuzz.asksForTokens = arguments.has("tokens")
    fuzz.steps = try arguments.integer("steps", in: 1...1_000_000)
    let seeds = try arguments.string("seeds").map { (text) throws(UsageError) in try range(text) }
    if arguments.has("worker") {
      return WireTrial(fuzz, narrate: arguments.string("narrate"))
        .run(seeds ?? 1...1, tells: true)
    }
    var campaign = WireCampaign(
      seeds: seeds ?? 1...UInt64(UInt32.max), budget: budget,
      out: arguments.string("out") ?? "watchline-findings")
    if fuzz.asksForTokens { campaign.options += " --tokens" }
    if let steps = fuzz.steps { campaign.options += " --steps \(steps)" }
    campaign.lines = try arguments.integer("lines", in: 1...Int.max)
    campaign.seconds = try arguments.seconds("seconds", longest: 1_000_000).map {
      Int($0 / 1_000_000)
    }
    if let seconds = try arguments.seconds("shrinking", longest: 1_000_000) {
      campaign.shrinking = Int(seconds / 1_000_000)
    }
    if seeds == nil, campaign.lines == nil, campaign.seconds == nil { campaign.seconds = 10 }
    do throws(FileFailure) {
      return try campaign.run(tellsHeard: arguments.has("heard"))
    } catch {
      throw UsageError("--out cannot be written: \(error.message)")
    }
  }

  private static func range(_ text: String) throws(UsageError) -> ClosedRange<UInt64> {
    let parts = text.split(separator: ".", omittingEmptySubsequences: true).map { UInt64($0) }
    guard let first = parts.first ?? nil, let last = parts.last ?? nil, parts.count <= 2,
      first <= last
    else { throw UsageError("--seeds is A..B, such as 1..2000, not \(text)") }
    return first...last
  }

  private static func replay(_ path: String, _ fuzz: WireFuzz) throws(UsageError) -> Int32 {
    let bytes: [UInt8]?
    do throws(FileFailure) {
      bytes = try File.read(path)
    } catch {
      throw UsageError(error.message)
    }
    guard let bytes, let script = Script(bytes) else {
      throw UsageError("\(path) is no file that fuzz-wire has written")
    }
    return WireTrial(fuzz, narrate: nil).replay(script)
  }
}
