import Simulation
import Testing

extension FindingReport: CustomTestStringConvertible {
  /// Whole, it would fill a log.
  package var testDescription: String { finding.slug }
}
