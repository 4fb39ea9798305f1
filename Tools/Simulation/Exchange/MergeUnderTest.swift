package import Merge

/// What schedules of exchanges are tried on: it plays all devices of a run.
///
/// Devices are named by their place in the trace. Every method throws where the merge broke the
/// contract or cannot be asked any more.
package protocol MergeUnderTest: AnyObject {
  /// Forgets everything and starts with these devices.
  ///
  /// - Parameter random: what it may draw its randomness from.
  func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started

  /// What takes place next, in the schedule's words; the requests that it amounts to follow.
  func happens(_ event: TraceEvent) throws(MergeFailure)
  /// An edit without the fields that a device's app does not have.
  func fit(_ device: Int, _ edit: Edit) -> Edit
  /// Whether a device's app has a way of doing an edit.
  func can(_ device: Int, _ edit: Edit) -> Bool

  /// A person's edit.
  ///
  /// - Parameters:
  ///   - now: the device's clock, in milliseconds since 1970.
  ///   - moment: when the form was opened, as `moment` told it; just now where nil.
  func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer
  /// What a device would hand to another one.
  func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body
  func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer
  func reachability(
    _ device: Int, of other: Int, _ isReachable: Bool, now: Int64
  ) throws(MergeFailure) -> Answer
  func undelivered(
    _ device: Int, to: Int, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer
  /// The app ends and starts again with what was durable.
  func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer
  /// What a device shows.
  ///
  /// - Parameter withKept: whether the caller needs what the device keeps besides.
  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown

  /// A number for what a device shows just now, for forms that are saved later.
  func moment(_ device: Int) -> Int
  /// A digest of all that it did since `start`.
  var behaviour: UInt64 { get }
  /// What it was asked and answered since `start`, where the settings ask for it.
  var transcript: [String] { get }
  /// The last lines that it wrote to its standard error.
  var complaints: [String] { get }
}

extension MergeUnderTest {
  package func happens(_ event: TraceEvent) {}
  package func fit(_ device: Int, _ edit: Edit) -> Edit { edit }
  package func can(_ device: Int, _ edit: Edit) -> Bool { true }
  // Who is told nothing by these has nothing to say either.
  package func reachability(
    _ device: Int, of other: Int, _ isReachable: Bool, now: Int64
  ) throws(MergeFailure) -> Answer { .done([]) }
  package func undelivered(
    _ device: Int, to: Int, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer { .done([]) }
  package func moment(_ device: Int) -> Int { 0 }
  package var transcript: [String] { [] }
  package var complaints: [String] { [] }
}

/// The lanes of WatchConnectivity.
package enum Lane: String, CaseIterable, Sendable {
  /// The newest replaces the one that waits.
  case context
  /// Each arrives once, in order.
  case userInfo
  /// In order and only while the other one can be reached.
  case message
}

/// What a merge said of itself.
package struct Started: Sendable {
  package enum Sync: String, Sendable {
    /// Devices hand over all that they hold when they are asked to.
    case state
    /// They send what they want to, when something happens.
    case messages
  }

  /// What it can do, besides creating and setting.
  package enum Ability: String, CaseIterable, Sendable {
    case delete, move, text, restart, kept
    /// Only merges in process: bringing records back, and forms that are opened before they are
    /// saved.
    case restore, form
  }

  package var sync: Sync
  package var can: Set<Ability>

  package init(_ sync: Sync, can: Set<Ability>) {
    self.sync = sync
    self.can = can
  }

  /// What it said, and what is therefore not tried.
  ///
  /// - Parameter unsupported: edits that it did not take although it had not said so.
  package func description(unsupported: Set<String> = []) -> String {
    let all: [Ability] = [.delete, .move, .text, .restart, .kept]
    let missing = all.filter { !can.contains($0) }.map(\.rawValue)
    let untested = missing + unsupported.subtracting(missing).sorted().map { "\($0) (unsupported)" }
    return "sync \(sync.rawValue)"
      + (untested.isEmpty ? "" : "; not tested: \(untested.joined(separator: ", "))")
  }
}

/// What travels.
package enum Body: Sendable {
  /// JSON, handed over as it is.
  case json([UInt8])
  /// For merges in process: a device's log.
  case log([Replica.Entry])
}

/// The answer to what happened at a device.
package enum Answer: Sendable {
  case done([Dispatch])
  /// The edit was not promised.
  case refused(String)
  /// It knows no such edits.
  case unsupported
}

/// Something that a merge sends of its own accord.
package struct Dispatch: Sendable {
  /// nil: to all that the device talks to.
  package var to: Int?
  package var lane: Lane
  package var body: Body

  package init(to: Int?, lane: Lane, body: Body) {
    self.to = to
    self.lane = lane
    self.body = body
  }
}

/// Why a merge gave no answer.
package enum MergeFailure: Error {
  /// It is at fault.
  case fault(Finding)
  /// It could not be asked.
  case unavailable(String)
}
