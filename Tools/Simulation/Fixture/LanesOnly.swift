/// Devices that merge nothing: what travels is what counts.
final class LanesOnly: MergeUnderTest {
  let behaviour: UInt64 = 0

  func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started { Started(.state, can: [.restart]) }

  func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer { .unsupported }

  func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body { .json([]) }

  func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer { .done([]) }

  func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer { .done([]) }

  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown { Shown() }
}
