/// A figure that runs are compared and judged by.
package enum Metric: String, CaseIterable, Sendable {
  case messagesPerSecond
  /// Latencies, in milliseconds.
  case p50, p99, p999, max
  case deliveryP50, deliveryP99, deliveryP999, deliveryMax
  case serverCPUSecondsPerMillion, serverResidentBytes, clientCPUPercent
  case lost, duplicated, reordered, inFlight

  /// What tells about the server rather than about the run.
  package static let compared: [Metric] = [
    .messagesPerSecond, .p50, .p99, .p999, .max, .deliveryP50, .deliveryP99,
    .serverCPUSecondsPerMillion, .serverResidentBytes,
  ]

  /// As a person reads it.
  package var title: String {
    switch self {
    case .messagesPerSecond: "messages/s"
    case .p50: "p50 ms"
    case .p99: "p99 ms"
    case .p999: "p99.9 ms"
    case .max: "max ms"
    case .deliveryP50: "delivery p50 ms"
    case .deliveryP99: "delivery p99 ms"
    case .deliveryP999: "delivery p99.9 ms"
    case .deliveryMax: "delivery max ms"
    case .serverCPUSecondsPerMillion: "server CPU s/million"
    case .serverResidentBytes: "server memory MiB"
    case .clientCPUPercent: "client CPU %"
    case .lost, .duplicated, .reordered, .inFlight: rawValue
    }
  }

  /// A value in the unit of `title`.
  package func text(_ value: Double) -> String {
    switch self {
    case .messagesPerSecond: grouped(value)
    case .serverResidentBytes: fixed(value / 1_048_576, 1)
    case .lost, .duplicated, .reordered, .inFlight: grouped(value)
    case .clientCPUPercent: fixed(value, 0)
    default: fixed(value, value < 0.1 ? 3 : value < 100 ? 2 : 0)
    }
  }
}

/// The figures of a run or of one of its seconds; those that it does not have are missing.
package typealias Measures = [Metric: Double]

extension Histogram {
  /// In milliseconds.
  func milliseconds(_ share: Double) -> Double? { percentile(share).map { Double($0) / 1000 } }
}

extension LoadResult {
  package var measures: Measures {
    var all: Measures = [
      .clientCPUPercent: figures.clientCPUPercent, .lost: Double(faults.lost),
      .duplicated: Double(faults.duplicated), .reordered: Double(faults.reordered),
      .inFlight: Double(faults.inFlight), .messagesPerSecond: figures.messagesPerSecond,
    ]
    all[.serverCPUSecondsPerMillion] = figures.serverCPUSecondsPerMillion
    all[.serverResidentBytes] = figures.serverResidentBytes.map { Double($0) }
    for (metric, histogram, share) in Self.latencies(figures) {
      all[metric] = histogram.milliseconds(share)
    }
    return all
  }

  private static func latencies(_ figures: Figures) -> [(Metric, Histogram, Double)] {
    [
      (.p50, figures.latency, 0.5), (.p99, figures.latency, 0.99),
      (.p999, figures.latency, 0.999), (.max, figures.latency, 1),
      (.deliveryP50, figures.delivery, 0.5), (.deliveryP99, figures.delivery, 0.99),
      (.deliveryP999, figures.delivery, 0.999), (.deliveryMax, figures.delivery, 1),
    ]
  }
}

/// A whole number with commas between the thousands.
func grouped(_ number: Double) -> String {
  let digits = "\(Int(number.rounded()))"
  var text = ""
  for (index, digit) in digits.reversed().enumerated() {
    if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}

/// A number with so many digits behind the point.
package func fixed(_ number: Double, _ places: Int) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((abs(number) * scale).rounded())
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard places > 0 else { return sign + grouped(Double(scaled)) }
  let rest = "\(scaled % Int(scale))"
  return sign + grouped(Double(scaled / Int(scale))) + "."
    + String(repeating: "0", count: places - rest.count) + rest
}

/// Values as bars of a line's height, from 0 to the highest of them.
package func sparkline(_ values: [Double]) -> String {
  let bars = Array("▁▂▃▄▅▆▇█")
  let highest = max(values.max() ?? 0, .leastNonzeroMagnitude)
  return String(
    values.map { bars[Int((max(0, $0) / highest * Double(bars.count - 1)).rounded())] })
}
