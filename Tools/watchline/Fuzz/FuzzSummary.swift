internal import Simulation
internal import Wire

/// What a campaign came to.
struct FuzzSummary {
  private let state: FuzzCampaign.State
  private let milliseconds: Int64

  /// The server was a process of its own.
  private let isReal: Bool

  init(_ state: FuzzCampaign.State, milliseconds: Int64, isReal: Bool) {
    self.state = state
    self.isReal = isReal
    self.milliseconds = max(1, milliseconds)
  }

  private var found: [FuzzCampaign.Found] {
    state.found.map { found in
      var found = found
      found.count = state.counts[found.slug] ?? 1
      return found
    }
  }

  /// What never took place although it could have.
  private var notCovered: [String] { state.rare.filter { state.coverage[$0] == 0 } }

  private var rate: Double { Double(state.schedules) * 1000 / Double(milliseconds) }

  private var deviceDays: Double {
    Double(state.milliseconds) / 86_400_000 * 1000 / Double(milliseconds)
  }

  var text: String {
    let seconds = Double(milliseconds / 100) / 10
    var parts = ["\(grouped(state.schedules)) schedules", "\(seconds) s"]
    if found.isEmpty {
      parts.append("no findings")
    } else {
      let list = found.map { "\($0.slug) \(grouped($0.count))×" }.joined(separator: ", ")
      parts.append("\(found.count) distinct finding\(found.count == 1 ? "" : "s") (\(list))")
    }
    // One of each is looked at, and others of its word may have another cause.
    let others = found.compactMap { found -> String? in
      let seeds = (state.seeds[found.slug] ?? []).filter { $0 != found.seed }.sorted()
      guard !seeds.isEmpty else { return nil }
      let isAll = seeds.count == found.count - 1
      return "\(found.slug) also: seed "
        + seeds.map(String.init).joined(separator: ", ") + (isAll ? "" : ", and more")
    }
    let conflicts = state.coverage["conflictDecided"] + state.coverage["conflicts"]
    parts.append("\(grouped(conflicts)) conflicts decided")
    var lines = state.subject.map { ["the program answers as protocol 1, \($0)"] } ?? []
    lines.append(parts.joined(separator: ", "))
    lines += others
    if isReal {
      lines.append("\(Self.decimal(rate).dropLast()) schedules/s, in real time")
      lines.append("not tested over tcp: " + RunningServerOptions.notTested.joined(separator: ", "))
    } else {
      lines.append(
        "\(grouped(Int(rate))) schedules/s, \(grouped(Int(deviceDays))) device days simulated a second"
      )
    }
    let covered = state.rare.filter { state.coverage[$0] > 0 }
      .sorted { state.coverage[$0] < state.coverage[$1] }
    if !covered.isEmpty {
      lines.append("rare, and how often:")
      lines += Self.columns(covered.map { ($0, grouped(state.coverage[$0])) })
    }
    if !notCovered.isEmpty {
      lines.append("not covered: " + notCovered.map { "\($0) (0 times)" }.joined(separator: ", "))
    }
    return lines.joined(separator: "\n")
  }

  /// Names with their counts, in three columns.
  private static func columns(_ entries: [(name: String, count: String)]) -> [String] {
    let widths = (
      entries.map(\.name.count).max() ?? 0, entries.map(\.count.count).max() ?? 0
    )
    let cells = entries.map { name, count in
      name + String(repeating: " ", count: widths.0 - name.count + 1 + widths.1 - count.count)
        + count
    }
    let height = (cells.count + 2) / 3
    return (0..<height).map { row in
      "  "
        + stride(from: row, to: cells.count, by: height).map { cells[$0] }.joined(separator: "   ")
    }
  }

  /// With three digits behind the point.
  private static func decimal(_ number: Double) -> String {
    let thousandths = Int64((number * 1000).rounded())
    return "\(thousandths / 1000).\(String(1000 + thousandths % 1000).dropFirst())"
  }

  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.member("seeds", state.next - 1)
      json.member("schedules", state.schedules)
      json.raw("seconds", Self.decimal(Double(milliseconds) / 1000))
      json.raw("schedulesPerSecond", Self.decimal(rate))
      json.raw("simulatedDeviceDaysPerSecond", Self.decimal(deviceDays))
      if Interrupt.signal != nil { json.member("ended", "interrupted") }
      if let subject = state.subject { json.member("subject", subject) }
      json.array("violations", found) { json, found in
        json.object { json in
          json.member("slug", found.slug)
          json.member("seed", found.seed)
          json.member("headline", found.headline)
          json.member("count", found.count)
          json.array("seeds", (state.seeds[found.slug] ?? [found.seed]).sorted()) { $0.number($1) }
          json.member("events", found.events)
          json.member("folder", found.folder)
          json.member("command", found.command)
        }
      }
      json.object("coverage") { json in
        for (event, count) in state.coverage.counts.sorted(by: { $0.key < $1.key }) {
          json.member(event, count)
        }
      }
      json.array("notCovered", notCovered) { $0.string($1) }
      if isReal { json.array("notTested", RunningServerOptions.notTested) { $0.string($1) } }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// The same as a page.
  var html: String {
    CampaignPage(
      schedules: state.schedules, seconds: Double(milliseconds) / 1000,
      command: CommandLine.arguments.dropFirst().reduce("watchline") {
        "\($0) \(ShellWord.quoted($1))"
      },
      findings: found.map {
        CampaignPage.Finding(
          slug: $0.slug, headline: $0.headline, count: $0.count, seed: $0.seed, folder: $0.folder)
      },
      coverage: state.coverage, notCovered: notCovered
    ).page
  }

  func junit(_ options: FuzzOptions) -> String {
    let isWhole = Interrupt.signal == nil
    return JUnit(
      name: "watchline fuzz",
      scope: isWhole
        ? "seeds \(options.seeds.lowerBound)..\(state.next - 1)"
        : "\(state.schedules) schedules, interrupted",
      milliseconds: milliseconds,
      reports: found.map {
        JUnit.Case(
          slug: $0.slug, seed: $0.seed, headline: $0.headline, text: $0.plain, errors: $0.errors)
      }
    ).xml
  }
}
