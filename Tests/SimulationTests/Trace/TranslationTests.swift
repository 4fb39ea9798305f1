import Simulation
import Testing

/// A trace of one world as a trace of the other.
@Suite struct TranslationTests {
  /// What devices do among themselves they can do at a server, and nothing is wrong there either.
  @Test func devicesGoToAServer() throws {
    let (devices, server) = (ExchangeHarness(), ServerHarness())
    for seed in 1...8 as ClosedRange<UInt64> {
      var plan = Plan(seed: seed)
      plan.events = 30
      let trace = try devices.run(plan).trace
      let (translated, skipped) = trace.atServer
      let outcome = try server.play(translated, isRecorded: false)
      #expect(outcome.findings.isEmpty, "seed \(seed): \(outcome.findings)")
      let edits = trace.events.count { $0.verb == .edit }
      #expect(outcome.coverage["edit"] + outcome.coverage["refusedEdit"] >= edits / 2)
      #expect(Set(skipped.keys).isSubset(of: ["undelivered", "reachability"]))
      // As good as any other: it can be written and read.
      #expect(try Trace(ndjson: translated.ndjson) == translated)
    }
  }

  @Test func theServersDevicesGoOnAlone() throws {
    let (devices, server) = (ExchangeHarness(), ServerHarness())
    for seed in 1...14 as ClosedRange<UInt64> {
      var plan = Plan(seed: seed)
      plan.events = 16
      let trace = try server.run(plan).trace
      guard trace.schema != "none" else { continue }
      let (translated, skipped) = trace.amongDevices
      #expect(translated.world == .exchange)
      let outcome = try devices.play(translated, isRecorded: false)
      #expect(outcome.findings.isEmpty, "seed \(seed): \(outcome.findings)")
      #expect(try Trace(ndjson: translated.ndjson) == translated)
      let kept = translated.events.count { $0.edit != nil }
      #expect(kept == trace.events.count { $0.edit != nil })
      #expect(skipped["edit"] == nil && skipped["flow"] == nil)
    }
  }

  /// A payload goes into the lane of its name.
  @Test func payloadsGoIntoTheirLanes() {
    let trace = Trace(
      world: .exchange, seed: 1, schema: "none",
      devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)],
      events: [
        TraceEvent(
          at: 1, "phone", .send, name: "a", lane: "userInfo", to: "watch", payload: Array("{}".utf8)
        ),
        TraceEvent(at: 2, "watch", .deliver, of: "a"),
        TraceEvent(
          at: 3, "phone", .send, name: "b", lane: "context", to: "watch", payload: Array("{}".utf8)),
        TraceEvent(at: 4, "watch", .reachability, to: "phone", flag: false),
      ])
    let (translated, skipped) = trace.atServer
    #expect(
      translated.events.map(\.verb) == [
        .connect, .flow, .connect, .flow, .transfer, .flow, .flow, .context, .flow,
      ])
    #expect(skipped == ["reachability": 1])
  }
}
