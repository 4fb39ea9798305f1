/// What a campaign came to, as a page: the findings, and how often what could happen did.
package struct CampaignPage {
  package struct Finding {
    package var slug: String
    package var headline: String
    package var count: Int
    package var seed: UInt64
    /// Of its report, beside the page or elsewhere; empty for none.
    package var folder: String

    package init(
      slug: String, headline: String, count: Int, seed: UInt64, folder: String
    ) {
      self.slug = slug
      self.headline = headline
      self.count = count
      self.seed = seed
      self.folder = folder
    }
  }

  package var schedules: Int
  package var seconds: Double
  package var command: String
  package var findings: [Finding]
  package var coverage: Coverage
  /// What never took place although it could have.
  package var notCovered: [String]

  package init(
    schedules: Int, seconds: Double, command: String, findings: [Finding], coverage: Coverage,
    notCovered: [String]
  ) {
    self.schedules = schedules
    self.seconds = seconds
    self.command = command
    self.findings = findings
    self.coverage = coverage
    self.notCovered = notCovered
  }

  /// It needs nothing but itself.
  package var page: String {
    let tenths = Int((seconds * 10).rounded())
    return HTML.document(
      title: "Campaign", style: Self.style,
      body: """
        <h1>\(schedules) schedules, \(findings.count) distinct finding\(findings.count == 1 ? "" : "s")</h1>
        <p>\(tenths / 10).\(tenths % 10) s · <code>\(command)</code></p>
        \(found)
        <h2>What took place</h2>
        <p>The length of a bar is the logarithm of the number.</p>
        <table>
        <thead><tr><th scope=col>Event</th><th scope=col>Times</th><th scope=col>Of a thousand schedules</th></tr></thead>
        <tbody>
        \(rows)</tbody>
        </table>
        \(never)
        """
    ).markup
  }

  private var found: HTML {
    guard !findings.isEmpty else { return "<p class=good>Nothing was found.</p>" }
    let rows: [HTML] = findings.map { finding in
      let title: HTML =
        finding.folder.isEmpty
        ? "\(finding.headline)"
        : "<a href=\"\(finding.folder)/report.html\">\(finding.headline)</a>"
      return """
        <tr><td>\(title)</td><td>\(finding.slug)</td><td>\(finding.count)</td><td>\(String(finding.seed))</td></tr>

        """
    }
    return """
      <table>
      <thead><tr><th scope=col>What</th><th scope=col>Sort</th><th scope=col>Schedules</th><th scope=col>First seed</th></tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>
      """
  }

  private var rows: [HTML] {
    let all = coverage.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let longest = Self.length(all.first?.value ?? 1)
    return all.map { event, count in
      let percent = longest == 0 ? 0 : Self.length(count) * 100 / longest
      let rate = schedules == 0 ? 0 : count * 1000 / schedules
      return """
        <tr><td>\(event)</td><td class=n>\(count)</td><td class=n>\(rate)</td>\
        <td class=b><svg viewBox="0 0 100 1" preserveAspectRatio=none aria-hidden=true><rect width="\(percent)" height=1 /></svg></td></tr>

        """
    }
  }

  private var never: HTML? {
    guard !notCovered.isEmpty else { return nil }
    return "<h2>What never took place</h2>\n<p>\(notCovered.joined(separator: ", "))</p>"
  }

  /// Bits of a number, in tenths: a logarithm without floating point.
  private static func length(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    let bits = Int.bitWidth - count.leadingZeroBitCount
    // The digit behind the first one, in tenths.
    let rest = bits > 4 ? (count >> (bits - 4)) & 7 : (count << (4 - bits)) & 7
    return bits * 10 + rest * 10 / 8
  }

  private static let style = """
    :root { color-scheme: light dark; }
    body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; max-width: 60rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: start; vertical-align: top; padding: .2rem .8rem; border-bottom: 1px solid #8884; }
    .n { text-align: end; font-variant-numeric: tabular-nums; }
    .b { width: 40%; } svg { width: 100%; height: .8rem; } rect { fill: #0a7bd6; }
    code { overflow-wrap: anywhere; } .good { color: light-dark(#1b6e33, #7ddc98); }
    @media print { body { margin: 0; } }
    """
}
