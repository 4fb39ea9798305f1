/// Where the run came from, folded.
extension Page {
  var details: HTML {
    let trace = report.trace
    var rows: [(String, HTML)] = [("seed", "\("\(trace.seed)")")]
    rows.append(("options", trace.options.isEmpty ? "none" : "<code>\(trace.optionsLine)</code>"))
    let faults = report.faults.map(\.rawValue).sorted().joined(separator: ", ")
    rows.append(("faults", faults.isEmpty ? "none" : "\(faults)"))
    rows.append(("schema", "\(trace.schema)"))
    rows.append(
      (
        "devices",
        "\(trace.devices.map { "\($0.name) (\(description(of: $0)))" }.joined(separator: ", "))"
      ))
    rows.append(("schedules run", "\(report.schedules)"))
    if let shrinking = report.shrinking {
      rows.append(
        ("made shorter", "\(shrinking.from) → \(shrinking.to) events, \(shrinking.tries) tries"))
    }
    rows.append(("kind of finding", "\(report.finding.slug), \(report.finding.invariant)"))
    rows.append(("version", "watchline \(report.version)"))
    let items: [HTML] = rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" }
    return """
      <section>
      <details><summary>Seed, options and faults</summary>
      <dl class=origin>
      \(items)</dl>
      </details>
      \(errors)
      </section>
      """
  }

  private func description(of device: Trace.Device) -> String {
    (device.isPhone ? "phone" : "watch") + (device.isWholeRecord ? ", whole records" : "")
  }

  private var errors: HTML? {
    guard !report.errors.isEmpty else { return nil }
    let lines: [HTML] = report.errors.map { "\($0)\n" }
    return """
      <details><summary>What the program said on its standard error</summary>
      <pre tabindex=0>\(lines)</pre>
      </details>
      """
  }
}
