internal import Wire

/// Runs as a page of pictures: throughput and latency over time, the latency's distribution, what the server used.
package struct LoadPage {
  private let runs: [DrawnRun]
  private let comparison: [Comparison.Row]

  /// - Parameter runs: drawn over one another, with a colour each.
  package init(_ runs: [(name: String, result: LoadResult)]) {
    self.runs = runs.compactMap { name, result in
      (try? Members(result.json)).map { DrawnRun(name, $0) }
    }
    comparison = []
  }

  /// Two sets of saved runs, with how they compare.
  package init(_ old: SavedRuns, _ new: SavedRuns, _ comparison: Comparison) {
    self.comparison = comparison.rows
    runs = [old, new].flatMap { saved in
      saved.runs.enumerated().map { index, run in
        DrawnRun(saved.runs.count == 1 ? saved.name : "\(saved.name), run \(index + 1)", run)
      }
    }
  }

  /// It needs nothing but itself.
  package var page: String {
    let options = runs.first?.run.object("options")
    let title = options.map {
      "\($0.string("workload") ?? ""), \($0.integer("pairs") ?? 0) pairs"
    }
    return """
      <!DOCTYPE html>
      <html lang=en>
      <head>
      <meta charset=utf-8>
      <meta name=viewport content="width=device-width, initial-scale=1">
      <title>Load · Watchline</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <h1>\(escaped(title ?? "no runs"))</h1>
      <p>\(runs.enumerated().map { "<span class=c\($0 % 6)>■</span> \(escaped($1.name))" }.joined(separator: " &nbsp; "))</p>
      \(table)
      \(comparisonTable)
      <div class=charts>
      \(charts.joined(separator: "\n"))
      </div>
      </body>
      </html>

      """
  }

  // MARK: Figures

  private var table: String {
    let heads = [
      "run", "messages/s", "p50 ms", "p99 ms", "p99.9 ms", "longest ms", "CPU s a million",
      "server MiB", "lost, twice, out of order",
      "ended",
    ]
    let rows = runs.map { drawn in
      let run = drawn.run
      return [
        drawn.name, fixed(run.double("messagesPerSecond") ?? 0, 0),
        spelled(drawn.latencies.milliseconds(0.5)),
        spelled(drawn.latencies.milliseconds(0.99)), spelled(drawn.latencies.milliseconds(0.999)),
        spelled(drawn.latencies.milliseconds(1)),
        spelled(run.double("serverCPUSecondsPerMillion")),
        spelled(run.double("serverResidentBytes").map { $0 / 1_048_576 }),
        ["lost", "duplicated", "reordered"].map { "\(run.integer($0) ?? 0)" }
          .joined(separator: ", "),
        run.string("ended") ?? "",
      ]
    }
    return table(heads, rows)
  }

  /// Empty where nothing is compared.
  private var comparisonTable: String {
    guard !comparison.isEmpty else { return "" }
    return "<h2>Medians, and how far the values reach</h2>"
      + table(
        ["", "old", "new", "new/old"],
        comparison.map { row in
          [
            row.metric.title, row.metric.text(row.old), row.metric.text(row.new),
            row.isNoDifference ? "no difference" : spelled(row.ratio),
          ]
        })
  }

  private func table(_ heads: [String], _ rows: [[String]]) -> String {
    "<div class=scroll tabindex=0><table><thead><tr>"
      + heads.map { "<th scope=col>\($0)</th>" }.joined()
      + "</tr></thead><tbody>"
      + rows.map { "<tr>" + $0.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>" }.joined()
      + "</tbody></table></div>"
  }

  private func spelled(_ number: Double?) -> String { number.map { fixed($0, 2) } ?? "–" }

  // MARK: Pictures

  private var charts: [String] {
    let percentiles: [Double] = [0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1]
    return [
      Chart("Messages a second", unit: "/s", over(\.messagesPerSecond)).svg,
      Chart(
        "Latency, p50 and p99 of each second", unit: "ms", isLogarithmic: true, over(\.p50),
        dashed: over(\.p99)
      ).svg,
      Chart(
        "Latency by percentile", unit: "ms", isLogarithmic: true,
        names: percentiles.map { $0 == 1 ? "max" : "p\(decimal(($0 * 10_000).rounded() / 100))" },
        runs.map { run in percentiles.map { run.latencies.milliseconds($0) } }
      ).svg,
      Chart("Server, processor", unit: "%", over(\.serverCPUPercent)).svg,
      Chart("Server, memory", unit: "MiB", over(\.serverMebibytes)).svg,
    ] + runs.enumerated().map { Bars($1.latencies, "Latencies of \($1.name)", $0 % 6).svg }
  }

  private func over(_ value: (DrawnRun.Second) -> Double?) -> [[Double?]] {
    runs.map { $0.seconds.map(value) }
  }

  private static let style = """
    :root { color-scheme: light dark; --c0: light-dark(#0058b8, #7db8ff); --c1: light-dark(#a63a00, #ffb27d);
      --c2: light-dark(#1b6e33, #7ddc98); --c3: light-dark(#8a1a6e, #f0a0dc); --c4: light-dark(#5a5a00, #d8d870);
      --c5: light-dark(#444, #ccc); }
    body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; overflow-wrap: anywhere; }
    table { border-collapse: collapse; } th, td { text-align: start; padding: .2rem .8rem; border-bottom: 1px solid #8884; }
    .scroll { overflow-x: auto; } th { overflow-wrap: normal; } td { white-space: nowrap; } td:last-child { white-space: normal; min-width: 8rem; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1.5rem; margin-top: 1.5rem; }
    figure { margin: 0; break-inside: avoid; } svg { width: 100%; height: auto; }
    svg text { font: 11px system-ui, sans-serif; fill: currentColor; } .axis { stroke: #8888; }
    polyline { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 5 4; }
    \((0..<6).map { ".c\($0) { color: var(--c\($0)); stroke: var(--c\($0)); }" }.joined(separator: "\n"))
    rect { fill: currentColor; stroke: none; }
    """
}

/// By scalars: a `<` with an accent is no other character to a browser.
private func escaped(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { result, scalar in
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.unicodeScalars.append(scalar)
    }
  }
}

/// Lines over time, or over names, one a run.
private struct Chart {
  private let title: String
  private let unit: String
  private let isLogarithmic: Bool
  private let names: [String]
  private let lines: [[Double?]]
  private let dashed: [[Double?]]

  /// Of the picture, and of what is drawn within it.
  private static let (width, height, left, bottom) = (580.0, 230.0, 64.0, 34.0)

  init(
    _ title: String, unit: String, isLogarithmic: Bool = false, names: [String] = [],
    _ lines: [[Double?]], dashed: [[Double?]] = []
  ) {
    self.title = title
    self.unit = unit
    self.isLogarithmic = isLogarithmic
    self.names = names
    self.lines = lines
    self.dashed = dashed
  }

  private var values: [Double] { (lines + dashed).joined().compactMap(\.self) }

  /// The lowest and the highest that is drawn.
  private var range: (Double, Double) {
    let highest = max(values.max() ?? 1, 1e-6)
    guard isLogarithmic else { return (0, highest) }
    let lowest = max(values.filter { $0 > 0 }.min() ?? highest / 10, 1e-3)
    return (lowest, max(highest, lowest * 2))
  }

  private func y(_ value: Double) -> Double {
    let (low, high) = range
    let share =
      isLogarithmic
      ? (Self.bits(max(value, low)) - Self.bits(low)) / (Self.bits(high) - Self.bits(low))
      : value / high
    return (Self.height - Self.bottom) * (1 - share) + 12
  }

  /// A logarithm to the base of two, near enough for a picture.
  private static func bits(_ value: Double) -> Double {
    Double(value.exponent) + (value.significand - 1)
  }

  private func line(_ values: [Double?], _ color: Int, isDashed: Bool) -> String {
    let step = (Self.width - Self.left - 30) / Double(max(1, values.count - 1))
    let points = values.enumerated().compactMap { index, value in
      value.map { "\(tenths(Self.left + Double(index) * step)),\(tenths(y($0)))" }
    }
    return
      "<polyline class=\"c\(color % 6)\(isDashed ? " dashed" : "")\" points=\"\(points.joined(separator: " "))\"/>"
  }

  private func tenths(_ value: Double) -> String { fixed(value, 1).filter { $0 != "," } }

  var svg: String {
    guard !values.isEmpty else {
      return "<figure><figcaption>\(title): not known</figcaption></figure>"
    }
    let (low, high) = range
    let middle = isLogarithmic ? (low * high).squareRoot() : high / 2
    let marks = [low, middle, high].map { value in
      let text = fixed(value, value > 0 && value < 10 ? 2 : 0)
      return
        "<line class=axis x1=\(Self.left) x2=\(Self.width) y1=\(tenths(y(value))) y2=\(tenths(y(value))) />"
        + "<text x=0 y=\(tenths(y(value) + 4))>\(text) \(unit)</text>"
    }
    let count = lines.map(\.count).max() ?? 0
    let step = (Self.width - Self.left - 30) / Double(max(1, count - 1))
    let every = max(1, (names.isEmpty ? count : names.count) / 8)
    let below = stride(from: 0, to: count, by: every).map { index in
      let text = names.isEmpty ? "\(index + 1) s" : names[index]
      return
        "<text x=\(tenths(Self.left + Double(index) * step - 8)) y=\(Self.height - 6)>\(text)</text>"
    }
    let drawn =
      lines.enumerated().map { line($1, $0, isDashed: false) }
      + dashed.enumerated().map { line($1, $0, isDashed: true) }
    return """
      <figure><figcaption>\(title)</figcaption>
      <svg viewBox="0 0 \(Self.width) \(Self.height)" role=img aria-label="\(title)">\(marks.joined())\(below.joined())\(drawn.joined())</svg></figure>
      """
  }
}

/// How many latencies there were of each size; a bar for each half of an octave.
private struct Bars {
  private let title: String
  private let color: Int
  private var counts: [(label: String, count: Int)] = []

  init(_ histogram: Histogram, _ title: String, _ color: Int) {
    self.title = title
    self.color = color
    var bounds: [Int] = [1]
    while let last = bounds.last, last < max(2, histogram.max) {
      bounds.append(max(last + 1, last * 3 / 2))
    }
    var sums = [Int](repeating: 0, count: bounds.count)
    for bucket in histogram.buckets {
      sums[bounds.firstIndex { bucket.range.lowerBound <= $0 } ?? bounds.count - 1] += bucket.count
    }
    let first = sums.firstIndex { $0 > 0 } ?? 0
    counts = zip(bounds, sums).dropFirst(first).map { bound, count in
      (bound < 1000 ? "\(bound) µs" : "\(fixed(Double(bound) / 1000, 1)) ms", count)
    }
  }

  var svg: String {
    let highest = Double(counts.map(\.count).max() ?? 0)
    guard highest > 0 else {
      return "<figure><figcaption>\(escaped(title)): none</figcaption></figure>"
    }
    let width = 560 / Double(counts.count)
    let every = (counts.count + 7) / 8
    let bars = counts.enumerated().map { index, entry in
      let height = Double(entry.count) / highest * 180
      func number(_ value: Double) -> String { fixed(value, 1).filter { $0 != "," } }
      let label =
        index % every == 0
        ? "<text x=\(number(Double(index) * width)) y=214>≤ \(entry.label)</text>" : ""
      return
        "<rect class=c\(color) x=\(number(Double(index) * width + 1)) y=\(number(190 - height)) "
        + "width=\(number(max(1, width - 2))) height=\(number(height))><title>≤ \(entry.label): \(entry.count)</title></rect>"
        + label
    }
    return """
      <figure><figcaption>\(escaped(title))</figcaption>
      <svg viewBox="0 0 560 220" role=img aria-label="\(escaped(title))">\(bars.joined())</svg></figure>
      """
  }
}
