internal import Wire

/// Runs that `--json` has written, one object a line, all with the same options.
package struct SavedRuns {
  /// Where they come from.
  package let name: String
  /// The options and the machine, in the order of the file: the name and the value as it is written.
  package let conditions: [(name: String, value: String)]
  /// Of each run, or of each second where there is one run only.
  package let measures: [Measures]
  let runs: [Members]
  package var runCount: Int { runs.count }

  /// Options that say where a run was made, not what was measured.
  private static let passedOver: Set = ["timeout"]

  /// - Throws: one sentence that names the file.
  package init(_ name: String, _ bytes: [UInt8]) throws(LoadFailure) {
    self.name = name
    var read: [Members] = []
    for line in bytes.split(separator: 0x0A) where !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) {
      do throws(WireError) {
        read.append(try Members(line))
      } catch {
        throw LoadFailure("\(name) is no result of watchline load --json: \(error.message)")
      }
    }
    runs = read
    guard let first = runs.first else { throw LoadFailure("\(name) has no runs in it") }
    conditions = try Self.conditions(first, name)
    for run in runs.dropFirst() {
      if let difference = Self.difference(conditions, try Self.conditions(run, name)) {
        throw LoadFailure("the runs in \(name) are not alike: \(difference)")
      }
    }
    for run in runs {
      guard run.string("ended") == "complete" else {
        throw LoadFailure("a run in \(name) did not end well: \(run.string("ended") ?? "")")
      }
    }
    measures =
      runs.count == 1
      ? (first.objects("samples") ?? []).map { Self.ofSample($0) } : runs.map { Self.ofRun($0) }
  }

  private static func conditions(
    _ run: Members, _ name: String
  ) throws(LoadFailure) -> [(name: String, value: String)] {
    guard let options = run.object("options"), let machine = run.object("machine") else {
      throw LoadFailure("\(name) is no result of watchline load --json: it has no options")
    }
    func values(_ members: Members, _ prefix: String) -> [(name: String, value: String)] {
      members.all.filter { !passedOver.contains($0.name) }.map {
        (prefix + $0.name, String(decoding: members.raw($0.name) ?? [], as: UTF8.self))
      }
    }
    return values(options, "") + values(machine, "machine ")
  }

  private static func difference(
    _ one: [(name: String, value: String)], _ other: [(name: String, value: String)]
  ) -> String? {
    for (name, value) in one {
      let theirs = other.first { $0.name == name }?.value ?? "nothing"
      if theirs != value { return "\(name) is \(value) and \(theirs)" }
    }
    return other.first { item in !one.contains { $0.name == item.name } }
      .map { "\($0.name) is nothing and \($0.value)" }
  }

  /// Runs beside others.
  ///
  /// - Throws: where an option or the machine differs, which it names.
  package func compared(with new: SavedRuns) throws(LoadFailure) -> Comparison {
    if let difference = Self.difference(conditions, new.conditions) {
      throw LoadFailure("\(name) and \(new.name) are not alike: \(difference)")
    }
    return Comparison(measures, new.measures)
  }

  private static func ofRun(_ run: Members) -> Measures {
    var all: Measures = [:]
    for metric in Metric.allCases { all[metric] = run.double(metric.rawValue) }
    let own: [(String, Metric)] = [("p50", .p50), ("p99", .p99), ("p999", .p999), ("max", .max)]
    let delivery: [(String, Metric)] = [
      ("p50", .deliveryP50), ("p99", .deliveryP99), ("p999", .deliveryP999), ("max", .deliveryMax),
    ]
    for (key, metric) in own { all[metric] = run.object("latencyMilliseconds")?.double(key) }
    for (key, metric) in delivery {
      all[metric] = run.object("deliveryLatencyMilliseconds")?.double(key)
    }
    return all
  }

  private static func ofSample(_ sample: Members) -> Measures {
    var all: Measures = [:]
    all[.messagesPerSecond] = sample.double("messagesPerSecond")
    all[.p50] = sample.double("p50Milliseconds")
    all[.p99] = sample.double("p99Milliseconds")
    all[.serverResidentBytes] = sample.double("serverResidentBytes")
    if let cpu = sample.double("serverCPUSeconds"), let count = sample.double("messages"),
      count > 0
    {
      all[.serverCPUSecondsPerMillion] = cpu / count * 1e6
    }
    return all
  }
}
