internal import Glibc
internal import Load

/// One run or several, and what is printed of them.
struct LoadSeries {
  private let options: LoadCommandOptions
  private let session: LoadSession

  init(_ options: LoadCommandOptions) {
    self.options = options
    session = LoadSession(options)
  }

  /// - Returns: the exit status.
  func run() -> Int32 {
    warnOfMemory()
    switch options.target {
    case .connect(let endpoints):
      return series { () throws(LoadFailure) in try session.run(endpoints) }
    case .spawn:
      let path = SpawnedServer.standardPath
      return series { () throws(LoadFailure) in try session.run(spawning: path) }
    case .servers(let old, let new): return turns(old, new)
    case .compare: return 2
    }
  }

  /// A store in memory would flatter everything that has to be synced.
  private func warnOfMemory() {
    if case .connect = options.target { return }
    let folder = options.folder ?? environment("TMPDIR") ?? "/tmp"
    guard isInMemory(folder: folder), ![.message, .connect].contains(options.load.workload) else {
      return
    }
    complain(
      "\(folder) lies in memory, where a sync costs nothing; --data DIR names another folder")
  }

  // MARK: One server

  private func series(_ run: () throws(LoadFailure) -> LoadResult) -> Int32 {
    var results: [LoadResult] = []
    for number in 1...options.repeats {
      guard let result = attempt(run) else { return 1 }
      show(result, options.repeats > 1 ? "run \(number) of \(options.repeats)\n" : "")
      results.append(result)
      guard result.ending == .complete else {
        options.draw(LoadPage(results.enumerated().map { ("run \($0 + 1)", $1) }))
        return fail(result)
      }
    }
    guard options.draw(LoadPage(results.enumerated().map { ("run \($0 + 1)", $1) })) else {
      return 1
    }
    if results.count > 1, !options.isJSON { print("\n\(spreads(results.map(\.measures)))") }
    return judge(results.map(\.measures))
  }

  /// - Returns: nil where there is nothing to be shown; the reason is told.
  private func attempt(_ run: () throws(LoadFailure) -> LoadResult) -> LoadResult? {
    do throws(LoadFailure) {
      return try run()
    } catch {
      if Interrupt.signal == nil { complain(error.description) }
      return nil
    }
  }

  private func show(_ result: LoadResult, _ title: String) {
    if options.isJSON {
      print(String(decoding: result.json, as: UTF8.self))
    } else if result.ending == .complete || result.figures.seconds > 0 {
      print("\(title)\(result.text)")
    }
    fflush(nil)
  }

  private func fail(_ result: LoadResult) -> Int32 {
    switch result.ending {
    case .failed(let reason): complain(reason)
    default: complain("interrupted: these are the figures so far")
    }
    return 1
  }

  private func judge(_ runs: [Measures]) -> Int32 {
    let violations = options.rules.compactMap { $0.violation(runs.judged) }
    guard !violations.isEmpty else { return 0 }
    complain("--fail-if \(violations.joined(separator: "; "))")
    return 1
  }

  private func spreads(_ runs: [Measures]) -> String {
    let rows = Comparison(runs, runs).rows.map { ($0.metric.title, $0.metric.text($0.old)) }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "\($0)\(String(repeating: " ", count: width - $0.count + 3))\($1)" }
      .joined(separator: "\n")
  }

  // MARK: Two servers

  /// Both in turn, A B B A A B …, so that what drifts meets both alike.
  private func turns(_ old: String, _ new: String) -> Int32 {
    let paths = [old, new]
    var results: [[LoadResult]] = [[], []]
    for round in 0..<options.repeats {
      for place in round % 2 == 0 ? [0, 1] : [1, 0] {
        let run = { () throws(LoadFailure) in try session.run(spawning: paths[place]) }
        guard let result = attempt(run) else { return 1 }
        guard result.ending == .complete else {
          show(result, "\(paths[place])\n")
          return fail(result)
        }
        results[place].append(result)
        if !options.isJSON { print(line(place == 0 ? "old" : "new", result)) }
        fflush(nil)
      }
    }
    let drawn = zip(["old", "new"], results).flatMap { name, runs in
      runs.enumerated().map { ("\(name) \($0 + 1)", $1) }
    }
    guard options.draw(LoadPage(drawn)) else { return 1 }
    let measures = results.map { $0.map(\.measures) }
    let comparison = Comparison(measures[0], measures[1])
    if options.isJSON {
      let lists = results.map { runs in
        runs.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ",")
      }
      print(
        "{\"old\":[\(lists[0])],\"new\":[\(lists[1])],\"comparison\":\(comparison.json)}")
    } else {
      print("\n\(options.load.text), \(options.repeats) runs each\n\n\(comparison.text(old, new))")
      for (name, runs) in zip(["old", "new"], measures) { tellFaults(name, runs.judged) }
    }
    return judge(measures[1])
  }

  private func line(_ name: String, _ result: LoadResult) -> String {
    let shown: [Metric] = [
      .messagesPerSecond, .p99, .serverCPUSecondsPerMillion, .clientCPUPercent,
    ]
    let measures = result.measures
    let parts = shown.compactMap { metric in
      measures[metric].map { "\(metric.text($0)) \(metric.title)" }
    }
    return
      "\(name)  \(parts.joined(separator: ", "))\(result.isClientBound ? ", CLIENT BOUND" : "")"
  }

  private func tellFaults(_ name: String, _ measures: Measures) {
    for metric in [Metric.lost, .duplicated, .reordered] {
      if let count = measures[metric], count > 0 {
        print("\(name): up to \(metric.text(count)) \(metric.rawValue) in a run")
      }
    }
  }
}
