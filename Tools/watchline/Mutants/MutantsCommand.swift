internal import Glibc
internal import MutantFiles
internal import Usage

/// `watchline mutants`.
enum MutantsCommand: Subcommand {
  static let syntax = Syntax(
    name: "mutants",
    summary:
      "Plants faults in a copy of Watchline's own sources, and looks whether they are found.",
    options: [
      Option("seeds", value: "N", "seeds that each start may take; 1000"),
      Option("starts", value: "N", "starts, of whose seeds the median is told; 5"),
      Option("only", value: "IDS", "these mutants alone, such as M01,M45"),
      Option(
        "world", value: "WORLD",
        "look in this world alone: exchange, server, cluster, small, wire or apps",
        among: MutantTrial.worlds),
      Option("source", value: "DIR", "the project's folder; the current one"),
      Option("json", "one JSON object in the place of the table"),
      Option("markdown", value: "FILE", "write the table to a file as well"),
      Option("list", "list the mutants and leave"),
      Option("promises", "write Tools/Mutants/PROMISES.md from PROMISES.txt and leave"),
      Option("run", value: "NAME", "in a planted program: run one mutant (it calls itself so)"),
      Option("from", value: "SEED", "with --run: the first seed"),
    ],
    notes: """
      The faults are the files in Tools/Mutants. They are planted in a copy of the sources, in
      .build/mutants, each behind a switch, and the copy is built once: the first time that takes
      some minutes. The sources and the programs built from them hold no trace of them.

      Status: 0 where all were found and the program without a fault raised no alarm, else 1.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let seeds = try arguments.integer("seeds", in: 1...1_000_000) ?? 1000
    let world = arguments.string("world")
    if let name = arguments.string("run") {
      let first = try arguments.integer("from", in: 0...Int.max / 2) ?? 1
      guard Planter.hasMutants else {
        throw UsageError("this program has no mutants planted; leave --run out")
      }
      return MutantTrial.run(
        name, world: world ?? "exchange", from: UInt64(first), count: UInt64(seeds))
    }
    if arguments.has("promises") { return try writePromises(try folder(arguments)) }
    let program = try PlantedProgram(source: try folder(arguments))
    let mutants = try chosen(program.mutants, arguments.string("only"))
    if arguments.has("list") {
      for mutant in mutants { print("\(mutant.id)  \(mutant.invariant)  \(mutant.title)") }
      return 0
    }
    showStatus("building the planted program; the first time it takes some minutes")
    try program.build()
    let campaign = MutantCampaign(
      program: program.path, budget: seeds,
      starts: try arguments.integer("starts", in: 1...100) ?? 5, worlds: world.map { [$0] })
    let report = run(campaign, mutants, isJSON: arguments.has("json"))
    print(arguments.has("json") ? report.json : "\n" + report.summary)
    if let file = arguments.string("markdown") {
      let words = CommandLine.arguments.dropFirst().joined(separator: " ")
      do throws(FileFailure) {
        try File.replace(
          file, with: Array(report.markdown(command: "watchline \(words)").utf8), isPrivate: false)
      } catch {
        throw UsageError(error.message)
      }
    }
    return report.isClean ? 0 : 1
  }

  private static func writePromises(_ folder: String) throws(UsageError) -> Int32 {
    let place = "\(folder)/Tools/Mutants/PROMISES"
    let promises = try PlantedProgram.text("\(place).txt")
    var markdown = ""
    do throws(MutantFault) {
      markdown = try PromiseTable(promises).markdown
    } catch {
      throw UsageError("\(error)")
    }
    do throws(FileFailure) {
      try File.replace("\(place).md", with: Array(markdown.utf8), isPrivate: false)
    } catch {
      throw UsageError(error.message)
    }
    return 0
  }

  private static func folder(_ arguments: Arguments) throws(UsageError) -> String {
    let given = arguments.string("source") ?? "."
    guard let path = realpath(given, nil) else { throw UsageError("there is no folder \(given)") }
    defer { free(path) }
    return String(cString: path)
  }

  private static func chosen(_ all: [Mutant], _ only: String?) throws(UsageError) -> [Mutant] {
    guard let only else { return all }
    let ids = only.split(separator: ",").map { String($0) }
    for id in ids where !all.contains(where: { $0.id == id }) {
      throw .unknown("mutant", id, among: all.map(\.id), help: "watchline mutants --list")
    }
    return all.filter { ids.contains($0.id) }
  }

  private static func run(
    _ campaign: MutantCampaign, _ mutants: [Mutant], isJSON: Bool
  ) -> MutantReport {
    var report = MutantReport()
    if !isJSON { print(MutantReport.header) }
    for (index, mutant) in mutants.enumerated() {
      showStatus("\(mutant.id), \(index + 1) of \(mutants.count)")
      report.results.append(campaign.run(mutant))
      if !isJSON {
        showStatus("")
        print(MutantReport.row(report.results[index]))
        fflush(nil)
      }
    }
    var worlds: [String] = []
    for world in campaign.worlds ?? mutants.flatMap(\.worlds) where !worlds.contains(world) {
      worlds.append(world)
    }
    for world in worlds {
      showStatus("the program without a fault, \(world)")
      let (seeds, alarm) = campaign.control(world)
      report.control.seeds += seeds
      if let alarm { report.control.alarms.append(alarm) }
    }
    showStatus("")
    return report
  }
}
