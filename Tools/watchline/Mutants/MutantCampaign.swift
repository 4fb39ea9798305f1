internal import Glibc
internal import MutantFiles

/// Each mutant run until it is found, each start in a process of its own.
struct MutantCampaign {
  let program: String
  /// Seeds that each start may take.
  let budget: Int
  /// How many starts.
  let starts: Int
  /// The worlds to look in; nil for those that each mutant names.
  let worlds: [String]?

  /// One start.
  private enum Verdict {
    /// After so many seeds.
    case found(Int, invariant: String, slug: String)
    case notFound
    /// The program cannot be used so.
    case failed
  }

  private static func first(_ start: Int) -> Int { 1 + start * 1_000_000 }

  /// Looks for a mutant, in one world after the other.
  func run(_ mutant: Mutant) -> MutantResult {
    var result = MutantResult(mutant: mutant)
    for world in worlds ?? mutant.worlds {
      var seeds: [Int?] = []
      var how: [(invariant: String, slug: String)] = []
      for start in 0..<(world == "small" ? 1 : starts) {
        guard case .found(let count, let invariant, let slug) = run(mutant.name, world, start)
        else {
          seeds.append(nil)
          continue
        }
        seeds.append(count)
        how.append((invariant, slug))
      }
      // The same seed, another order of hash tables.
      if how.isEmpty, mutant.invariant == "I44", world != "small" {
        seeds = (0..<starts).map { difference(mutant.name, world, $0) }
        how = seeds.compactMap(\.self).map { _ in ("I44", "processes-differ") }
      }
      guard let first = how.first else { continue }
      // The most frequent; of equally frequent ones the first.
      let most =
        how.max { left, right in
          how.count { $0 == left } < how.count { $0 == right }
        } ?? first
      let known = result
      result.world = world
      result.invariant = most.invariant
      result.slug = most.slug
      result.seeds = seeds
      if result.medianSeeds != nil { return result }
      // Found now and then: another world may be surer.
      if known.isKilled { result = known }
    }
    return result
  }

  /// Runs the program without a fault.
  func control(_ world: String) -> (seeds: Int, alarm: String?) {
    let seeds = world == "small" ? 1 : budget
    switch run("none", world, starts + 1) {
    case .found(let count, let invariant, let slug):
      let seed = Self.first(starts + 1) + count - 1
      return (count, "\(world) seed \(seed): \(invariant) \(slug)")
    case .notFound:
      if world != "small", let count = difference("none", world, starts + 1) {
        let seed = Self.first(starts + 1) + count - 1
        return (seeds, "\(world) seed \(seed): two processes differ")
      }
      return (seeds, nil)
    case .failed: return (0, "\(world) cannot be run")
    }
  }

  /// A crash or a schedule that does not end counts where the seeds after it show nothing else.
  private func run(_ mutant: String, _ world: String, _ start: Int) -> Verdict {
    let first = Self.first(start)
    var next = first
    var crash: Verdict?
    while next < first + budget {
      var seed = next
      var found: Verdict?
      let ending = Shell.run(
        command(mutant, world, from: next, count: first + budget - next)
      ) { line in
        let words = line.split(separator: " ")
        guard words.count > 1, let number = Int(words[1]) else { return }
        seed = number
        if words[0] == "found", words.count == 4 {
          found = .found(
            world == "small" ? 1 : number - first + 1, invariant: String(words[2]),
            slug: String(words[3]))
        }
      }
      if let found { return found }
      switch ending {
      case .status(0): return crash ?? .notFound
      case .status: return .failed
      case .signal(let signal):
        let slug = signal == SIGALRM ? "hang" : "crash"
        crash = crash ?? .found(seed - first + 1, invariant: "I42", slug: slug)
        // Each takes its time; what always crashes is known by now.
        if world == "small" || seed - first > 50 || slug == "hang" { return crash! }
        next = seed + 1
      }
    }
    return crash ?? .notFound
  }

  /// After how many seeds of a start two processes do not do the same; nil where they do.
  private func difference(_ mutant: String, _ world: String, _ start: Int) -> Int? {
    let first = Self.first(start)
    func lines() -> [String] {
      var lines: [String] = []
      Shell.run(command(mutant, world, from: first, count: min(budget, 200))) { lines.append($0) }
      return lines
    }
    let (one, other) = (lines(), lines())
    guard let index = zip(one, other).enumerated().first(where: { $0.element.0 != $0.element.1 })
    else { return nil }
    return index.offset / 2 + 1
  }

  private func command(_ mutant: String, _ world: String, from: Int, count: Int) -> String {
    "env SWIFT_BACKTRACE=enable=no \(Shell.quoted(program)) mutants --run \(mutant) "
      + "--world \(world) --from \(from) --seeds \(count) 2>/dev/null"
  }
}
