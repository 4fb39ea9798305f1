import Foundation
import Simulation
import Testing

/// The schedules in which something was found once, made small: nothing is found in them any more.
@Suite struct RegressionTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Traces")

  private static var names: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".ndjson") }.sorted()
  }

  @Test func thereAreSome() { #expect(Self.names.count >= 3) }

  @Test(arguments: names) func isMended(_ name: String) throws {
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    let trace = try Trace(ndjson: bytes)
    let harness: any Harness =
      trace.world == .exchange ? ExchangeHarness() : ServerHarness(trace.world)
    let outcome = try harness.play(trace, isRecorded: false)
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    // Every event still takes place.
    #expect(outcome.coverage["edit"] == trace.events.count { $0.verb == .edit })
  }
}
