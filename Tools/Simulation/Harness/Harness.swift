package import Merge

/// Something that schedules are run against, and what judges the runs.
///
/// It draws nothing that does not follow from the plan: the same plan gives the same trace, and the
/// same trace the same outcome.
package protocol Harness: AnyObject {
  /// Draws the schedule of a seed while it is run.
  func run(_ plan: Plan) throws(HarnessFailure) -> Outcome

  /// Runs a schedule again. Events that make no sense any more, since others were taken out, are
  /// passed over.
  ///
  /// - Parameter isRecorded: whether the outcome is to have a recording and the behaviour's lines.
  func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome

  /// What a long campaign must have seen, by the names of the coverage.
  var rareEvents: [String] { get }

  /// Whether the same trace always gives the same outcome. Where it does not, a run is recorded
  /// whether that is asked for or not, and outcomes have no behaviour.
  var isReproducible: Bool { get }
}

extension Harness {
  package var isReproducible: Bool { true }
}

/// What is under test could not be asked, or broke off; no verdict.
package struct HarnessFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// What a schedule is drawn from.
package struct Plan: Sendable {
  package var seed: UInt64
  /// nil: drawn.
  package var schema: String?
  /// The schema itself, where it is somebody's own.
  package var own: Schema?
  package var devices: Int?
  package var events: Int?
  /// How many devices know whole records only; nil: drawn.
  package var wholeRecords: Int?
  /// The faults that may occur; nil: drawn.
  package var faults: Set<Fault>?
  /// Is shown the schedule before each of its events, for when that one ends the process.
  package var witness: (@Sendable (Trace) -> Void)?

  package init(seed: UInt64) { self.seed = seed }
}

/// The sorts of things that go wrong.
package enum Fault: String, CaseIterable, Sendable {
  /// What is sent is lost; only where the lane allows it, or the network is `any`.
  case loss
  case duplicate
  case reorder
  /// What is sent takes its time, and more than one is on its way.
  case delay
  /// Nothing passes between two places, in one direction or both.
  case cut
  /// Apps end and start again with what they have stored.
  case restart
  /// A device goes back to an older state of its store, or starts with an empty one.
  case backup
  /// Clocks are wrong, jump and drift.
  case clock
  /// The server is killed at any point, and its disk keeps only what was synced.
  case crash
  /// The server's disk fails for a while.
  case disk
  /// A second connection takes a device's session over.
  case takeover
  /// Another watch joins, or is selected.
  case membership
  /// What everyone has read is collected.
  case collection
  /// A device that knows more than the others.
  case versions
}

/// How a run went.
package struct Outcome: Sendable {
  /// What took place: without the events of a trace that made no sense, where it is known which did.
  package var trace: Trace
  /// What was wrong; empty where nothing was.
  package var findings: [Finding] = []
  /// nil unless it was asked for.
  package var recording: Recording?
  /// How often each rare thing took place, and each common one.
  package var coverage = Coverage()
  /// Simulated time, summed over the devices, in milliseconds.
  package var deviceMilliseconds: Int64 = 0
  /// A digest of everything that the subject did: equal for equal traces.
  package var behaviour: UInt64 = 0
  /// What the digest is of, line by line; empty unless a recording was asked for.
  package var lines: [String] = []

  package init(trace: Trace) { self.trace = trace }
}

/// How often things took place.
package struct Coverage: Equatable, Sendable {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package mutating func note(_ event: String, _ times: Int = 1) {
    counts[event, default: 0] += times
  }

  package mutating func add(_ other: Coverage) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  package subscript(event: String) -> Int { counts[event] ?? 0 }
}
