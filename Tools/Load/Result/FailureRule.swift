internal import Wire

/// A bound that a run must not break, such as `p99>5` or `lost>0`.
package struct FailureRule: Equatable, Sendable, CustomStringConvertible {
  package enum Comparison: String, CaseIterable, Sendable {
    // The longer ones first: a sign is taken for the longest that fits.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
  }

  package let metric: Metric
  package let comparison: Comparison
  package let bound: Double

  package var description: String { "\(metric.rawValue)\(comparison.rawValue)\(decimal(bound))" }

  /// Reads rules with commas between them.
  ///
  /// - Throws: one sentence that names what is wrong.
  package static func rules(_ text: String) throws(LoadFailure) -> [FailureRule] {
    var rules: [FailureRule] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      rules.append(try FailureRule(part.filter { $0 != " " }))
    }
    return rules
  }

  private init(_ text: String) throws(LoadFailure) {
    let signs: Set<Character> = ["<", ">", "="]
    let name = String(text.prefix { !signs.contains($0) })
    let rest = text.dropFirst(name.count)
    guard !name.isEmpty,
      let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
      let bound = Double(rest.dropFirst(comparison.rawValue.count)), bound.isFinite
    else {
      throw LoadFailure(
        "--fail-if is a list such as p99>5,lost>0 with >, >=, < or <=, not "
          + (text.isEmpty ? "nothing" : text))
    }
    let names = Metric.allCases.map(\.rawValue)
    guard let metric = Metric(rawValue: name) else {
      let advice = Nearest.advice(
        for: name, among: names, else: "there is \(names.joined(separator: ", "))")
      throw LoadFailure("--fail-if knows no \(name); \(advice)")
    }
    self.metric = metric
    self.comparison = comparison
    self.bound = bound
  }

  /// What is wrong with a run's figures, in one sentence; nil where nothing is. A figure that the run
  /// does not have cannot be said to be within its bound.
  package func violation(_ measures: Measures) -> String? {
    guard let value = measures[metric] else {
      return "\(self): \(metric.rawValue) is not known of this run"
    }
    let isBroken =
      switch comparison {
      case .above: value > bound
      case .atLeast: value >= bound
      case .below: value < bound
      case .atMost: value <= bound
      }
    return isBroken ? "\(self): \(metric.rawValue) is \(Self.text(value))" : nil
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() ? decimal(value) : fixed(value, 3)
  }
}
