import Foundation
import Merge
import Simulation
import Testing

/// Fixtures with watches that know whole records only.
@Suite struct WholeRecordFixtureTests {
  private static func fixture(
    _ seed: UInt64, _ count: Int?, faults: Set<Fault>? = nil
  ) throws -> Fixture {
    var plan = Plan(seed: seed)
    plan.wholeRecords = count
    plan.faults = faults
    plan.events = ProcessInfo.processInfo.environment["DTO_EVENTS"].flatMap { Int($0) }
    if ProcessInfo.processInfo.environment["DTO_SHOW"] != nil {
      plan.witness = { trace in
        print("WITNESS", String(decoding: trace.ndjson, as: UTF8.self))
      }
    }
    return try ExchangeHarness.fixture(plan, network: nil, lanes: nil)
  }

  /// Where the view is none of what a correct merge may show.
  private static func problems(_ fixture: Fixture) throws -> [String] {
    let shown = try #require(fixture.ours)
    var problems: [String] = []
    for wanted in fixture.acceptable {
      let record = shown[wanted.target]
      if wanted.exists == "must", record == nil { problems.append("\(wanted.target) is missing") }
      if wanted.exists == "must not", record != nil { problems.append("\(wanted.target) is there") }
      guard let record else { continue }
      for (name, values) in wanted.fields where !values.contains(record[name] ?? []) {
        problems.append("\(wanted.target), \(name)")
      }
    }
    return problems
  }

  @Test func loop() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let text = environment["DTO_SEEDS"], let count = UInt64(text) else { return }
    let whole = environment["DTO_WHOLE"].flatMap { Int($0) }
    let faults = environment["DTO_FAULTS"].map { Set($0.split(separator: ",").compactMap { Fault(rawValue: String($0)) }) }
    var failures = 0
    var edits = 0
    for seed in (environment["DTO_FROM"].flatMap { UInt64($0) } ?? 1)...count {
      do {
        let fixture = try Self.fixture(seed, whole, faults: faults)
        let problems = try Self.problems(fixture)
        if !problems.isEmpty { failures += 1; print("SEED \(seed): \(problems)") }
        let names = Set(fixture.trace.devices.filter(\.isWholeRecord).map(\.name))
        edits += fixture.trace.events.count { $0.verb == .edit && names.contains($0.device) }
        if environment["DTO_SERVER"] != nil {
          let found = try ServerHarness().play(fixture.trace.atServer.trace, isRecorded: false).findings
          if !found.isEmpty { failures += 1; print("SEED \(seed) SERVER: \(found)") }
        }
      } catch {
        failures += 1
        print("SEED \(seed) FAILED: \(error)")
      }
    }
    print("LOOP \(count) seeds, \(failures) failures, \(edits) edits of whole-record devices")
  }
}
