/// Two sets of runs beside each other.
package struct Comparison: Equatable, Sendable {
  /// The middle one of several values, and how far they reach.
  package struct Spread: Equatable, Sendable {
    package let median: Double
    package let range: ClosedRange<Double>

    /// - Parameter values: at least one.
    package init(_ values: [Double]) {
      let sorted = values.sorted()
      let middle = sorted.count / 2
      median =
        sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
      range = sorted[0]...sorted[sorted.count - 1]
    }
  }

  package struct Row: Equatable, Sendable {
    package let metric: Metric
    package let old: Spread
    package let new: Spread

    /// Whether the ranges overlap, so that the runs do not tell the two apart.
    package var isNoDifference: Bool { old.range.overlaps(new.range) }

    /// The new median in old ones; nil where that is no number.
    package var ratio: Double? { old.median == 0 ? nil : new.median / old.median }
  }

  package let rows: [Row]

  /// - Parameters: the figures of each run, or of each second of a single one.
  package init(_ old: [Measures], _ new: [Measures]) {
    rows = Metric.compared.compactMap { metric in
      let values = (old.compactMap { $0[metric] }, new.compactMap { $0[metric] })
      guard !values.0.isEmpty, !values.1.isEmpty else { return nil }
      return Row(metric: metric, old: Spread(values.0), new: Spread(values.1))
    }
  }

  /// A table; the names are shortened to their ends.
  package func text(_ oldName: String, _ newName: String) -> String {
    let names = [oldName, newName].map { $0.count > 36 ? "…" + $0.suffix(35) : $0 }
    var table = [["", names[0], names[1], "new/old"]]
    for row in rows {
      let ratio = row.ratio.map { fixed($0, 2) } ?? "–"
      table.append([
        row.metric.title, row.metric.text(row.old), row.metric.text(row.new),
        row.isNoDifference ? "no difference" : ratio,
      ])
    }
    let widths = (0..<4).map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { cells in
      let padded = zip(cells, widths).dropLast()
        .map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (padded + [cells[3]]).joined(separator: "   ")
    }.joined(separator: "\n")
  }
}

extension Metric {
  /// The median, and the range where there is one.
  package func text(_ spread: Comparison.Spread) -> String {
    let (low, high) = (text(spread.range.lowerBound), text(spread.range.upperBound))
    return low == high ? text(spread.median) : "\(text(spread.median)) (\(low) … \(high))"
  }
}

extension [Measures] {
  /// Several runs as one to be judged: of faults the worst, of all else the median.
  package var judged: Measures {
    let faults: Set<Metric> = [.lost, .duplicated, .reordered, .inFlight]
    var all: Measures = [:]
    for metric in Metric.allCases {
      let values = compactMap { $0[metric] }
      guard !values.isEmpty else { continue }
      let spread = Comparison.Spread(values)
      all[metric] = faults.contains(metric) ? spread.range.upperBound : spread.median
    }
    return all
  }
}
