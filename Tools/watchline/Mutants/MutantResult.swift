internal import MutantFiles
internal import Wire

/// What became of a mutant.
struct MutantResult {
  let mutant: Mutant
  /// The world in which it was found most often, how it showed there, and of each start how many
  /// seeds it took; nil where it was not found within the budget.
  var world: String?
  var invariant: String?
  var slug: String?
  var seeds: [Int?] = []

  var isKilled: Bool { world != nil }

  /// The median of the starts; nil where fewer than half of them found it.
  var medianSeeds: Int? {
    let sorted = seeds.map { $0 ?? .max }.sorted()
    guard !sorted.isEmpty, sorted[(sorted.count - 1) / 2] < .max else { return nil }
    return sorted[(sorted.count - 1) / 2]
  }
}

/// The program without a fault, over as many seeds.
struct MutantControl {
  var seeds = 0
  /// What it was accused of, with the world and the seed.
  var alarms: [String] = []
}

/// All of them, as a table and as JSON.
struct MutantReport {
  var results: [MutantResult] = []
  var control = MutantControl()

  var isClean: Bool { control.alarms.isEmpty && results.allSatisfy(\.isKilled) }

  static let header = row("id", "found by", "as", "seeds", "fault")

  static func row(_ result: MutantResult) -> String {
    row(
      result.mutant.id, result.world ?? "NOT FOUND",
      result.invariant.map { "\($0) \(result.slug ?? "")" }
        ?? "expected \(result.mutant.invariant)",
      result.medianSeeds.map { "\($0)" } ?? "–", result.mutant.title)
  }

  private static func row(
    _ id: String, _ world: String, _ how: String, _ seeds: String, _ title: String
  ) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    return padded(id, 5) + padded(world, 11) + padded(how, 32) + padded(seeds, 7) + title
  }

  var summary: String {
    let killed = results.count { $0.isKilled }
    let alarms = control.alarms
    return "\(killed) of \(results.count) mutants found; without a fault \(control.seeds) seeds, "
      + (alarms.isEmpty ? "no alarm" : "\(alarms.count) alarms: \(alarms.joined(separator: "; "))")
  }

  /// The same for people, to be checked in.
  func markdown(command: String) -> String {
    var lines = [
      "# Mutants and what finds them", "", "Made by `\(command)`. \(summary).", "",
      "Seeds are the median, over several starts, of how many seeds it takes until it is found.",
      "The world `small` is the exhaustive mode with two operations; it has no seeds. Those of the world",
      "`wire` are sessions of `watchline fuzz-wire`, of some 900 lines each, and those of `apps` people at the",
      "forms of an app.", "",
      "| id | fault | expected | found by | as | seeds |", "| --- | --- | --- | --- | --- | --- |",
    ]
    for result in results {
      let how = result.invariant.map { "\($0) `\(result.slug ?? "")`" } ?? "not found"
      lines.append(
        "| \(result.mutant.id) | \(result.mutant.title) | \(result.mutant.invariant) "
          + "| \(result.world ?? "") | \(how) | \(result.medianSeeds.map { "\($0)" } ?? "") |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  var json: String {
    let mutants = results.map { result in
      var members = [
        #""id":\#(quoted(result.mutant.id))"#, #""title":\#(quoted(result.mutant.title))"#,
        #""expected":\#(quoted(result.mutant.invariant))"#, #""killed":\#(result.isKilled)"#,
      ]
      if let world = result.world, let invariant = result.invariant, let slug = result.slug {
        members.append(#""invariant":\#(quoted(invariant)),"slug":\#(quoted(slug))"#)
        members.append(#""world":\#(quoted(world))"#)
      }
      members.append(#""medianSeeds":\#(result.medianSeeds.map { "\($0)" } ?? "null")"#)
      let seeds = result.seeds.map { $0.map { "\($0)" } ?? "null" }
      members.append(#""seeds":[\#(seeds.joined(separator: ","))]"#)
      return "{\(members.joined(separator: ","))}"
    }
    let alarms = control.alarms.map(quoted).joined(separator: ",")
    return #"{"mutants":[\#(mutants.joined(separator: ","))],"#
      + #""control":{"seeds":\#(control.seeds),"alarms":[\#(alarms)]}}"#
  }

  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
