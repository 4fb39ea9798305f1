internal import Merge
internal import Oracle
internal import Simulation

enum ExhaustiveDev: Subcommand {
  static var syntax: Syntax {
    Syntax(
      name: "exhaustive", summary: "dev",
      options: [
        Option("n", value: "N", "n"), Option("part", value: "P", "p"),
        Option("parts", value: "P", "p"),
      ])
  }
  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    for script in QueueScript.all {
      let (count, findings) = QueueExploration(script).run()
      print(script.words.joined(separator: "\n"), count)
      for finding in findings { print("  ", finding.invariant, finding.slug, finding.headline, finding.story.joined(separator: "\n     ")) }
    }
    let n = try arguments.integer("n", in: 1...5) ?? 2
    for (name, enumeration) in [("life", HistoryEnumeration.life), ("order", .order)] {
      var histories = SmallHistories(enumeration, HistorySchemas.timers, operations: n)
      histories.part = try arguments.integer("part", in: 0...10000) ?? 0
      histories.parts = try arguments.integer("parts", in: 1...10000) ?? 1
      do {
        let count = try histories.run { MergeFold() }
        print(name, count)
      } catch {
        print(name, error.finding)
      }
    }
    return 0
  }
}
