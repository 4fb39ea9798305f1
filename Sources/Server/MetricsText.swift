import Glibc
import Relay
import Storage

/// Metrics in the text format of Prometheus (exposition format 0.0.4).
struct MetricsText {
  private(set) var text = ""

  enum Kind: String {
    case counter, gauge, histogram
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    head(name, kind, help)
    line(name, "", value)
  }

  /// One with a label; 0 of it is no line.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int)]
  ) {
    head(name, kind, help)
    for (value, count) in values { line(name, "{\(label)=\"\(value)\"}", Double(count)) }
  }

  mutating func add(_ name: String, _ help: String, _ histogram: Durations) {
    head(name, .histogram, help)
    var sum = 0
    for (bound, count) in zip(Durations.bounds, histogram.counts) {
      sum += count
      line(name + "_bucket", "{le=\"\(bound)\"}", Double(sum))
    }
    line(name + "_bucket", "{le=\"+Inf\"}", Double(histogram.count))
    line(name + "_sum", "", histogram.sum)
    line(name + "_count", "", Double(histogram.count))
  }

  private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: String, _ value: Double) {
    let whole = value == value.rounded() && value.magnitude < 1e15
    let shown = value == .infinity ? "+Inf" : whole ? "\(Int64(value))" : "\(value)"
    text += "\(name)\(labels) \(shown)\n"
  }
}

/// How long the turns of a loop were, its waiting apart.
struct Turns {
  private(set) var durations = Durations()
  private(set) var longest = 0.0
  /// When the last one ended, and how long the loop had waited by then.
  private var last: (time: UInt64, idle: UInt64)?

  /// A turn ends.
  ///
  /// - Parameter idle: nanoseconds that the loop has waited, since it was opened.
  mutating func end(idle: UInt64) {
    let time = monotonicNanoseconds()
    if let last {
      let seconds = Double((time - last.time) - min(time - last.time, idle - last.idle)) / 1e9
      durations.add(seconds: seconds)
      longest = max(longest, seconds)
    }
    last = (time, idle)
  }
}

/// How long something took, by classes.
struct Durations {
  /// Upper bounds, in seconds.
  static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
  private(set) var counts = [Int](repeating: 0, count: bounds.count)
  private(set) var count = 0
  private(set) var sum = 0.0

  mutating func add(seconds: Double) {
    count += 1
    sum += seconds
    if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
  }

  mutating func add(_ other: Durations) {
    count += other.count
    sum += other.sum
    for index in counts.indices { counts[index] += other.counts[index] }
  }
}
