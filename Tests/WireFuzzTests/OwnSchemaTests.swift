import Glibc
import Merge
import Simulation
import Testing
import Wire

@testable import WireFuzz

/// Schedules about records of schemas that nobody has thought of: merges, hub, queues and judges know nothing of
/// the schemas that ship.
///
/// `WATCHLINE_SCHEMAS=5000 swift test --filter OwnSchemaTests` draws more of them for the server.
@Suite struct OwnSchemaTests {
  private static let count =
    getenv("WATCHLINE_SCHEMAS").flatMap { UInt64(String(cString: $0)) } ?? 60

  private func schema(_ seed: UInt64) throws -> Schema? {
    var choices = Choices(seed: seed)
    return try RandomSchema.draw(&choices).map { try Schema(json: $0.bytes) }
  }

  private func plan(_ schema: Schema, _ seed: UInt64) -> Plan {
    var plan = Plan(seed: seed)
    plan.schema = schema.name.text
    plan.own = schema
    return plan
  }

  @Test func devicesAmongThemselves() throws {
    for number in 1...60 as ClosedRange<UInt64> {
      guard let schema = try schema(number) else { continue }
      let harness = ExchangeHarness()
      var edits: [Edit] = []
      for seed in 1...12 as ClosedRange<UInt64> {
        var plan = plan(schema, number * 100 + seed)
        // Each kind gets its turn.
        if seed <= 6 { plan.events = 80 }
        let outcome = try harness.run(plan)
        #expect(outcome.findings.isEmpty, "schema \(number), seed \(seed): \(outcome.findings)")
        // What a trace has with it is all that it takes to play it again.
        let trace = try Trace(ndjson: outcome.trace.ndjson)
        #expect(trace == outcome.trace)
        if seed == 1 {
          #expect(try harness.play(trace, isRecorded: false).behaviour == outcome.behaviour)
        }
        edits += outcome.trace.events.compactMap(\.edit)
      }
      expectAllWritten(schema, edits, "schema \(number)")
    }
  }

  @Test func devicesAtAServer() throws {
    var whole = 0
    for number in 1...Self.count {
      guard let schema = try schema(number) else { continue }
      let harness = ServerHarness()
      var edits = 0
      for seed in 1...4 as ClosedRange<UInt64> {
        let outcome = try harness.run(plan(schema, number * 100 + seed))
        #expect(outcome.findings.isEmpty, "schema \(number), seed \(seed): \(outcome.findings)")
        edits += outcome.trace.events.count { $0.edit != nil }
        whole += outcome.coverage["wholeRecordEdit"]
      }
      #expect(edits > 0, "schema \(number)")
    }
    // Some of them have devices that know whole records only (clause 13.6).
    #expect(whole > 100, "\(whole)")
  }

  /// An edit that a rule refuses is no event of a trace: a kind that is never made, or a field that is never given,
  /// has a template that does not fit it.
  private func expectAllWritten(_ schema: Schema, _ edits: [Edit], _ context: String) {
    for kind in schema.kinds where canBeMade(kind, schema) {
      let made = edits.filter { edit in
        if case .create = edit.change { return edit.kind == kind.name }
        return false
      }
      #expect(!made.isEmpty, "\(context): no \(kind.name) is made")
      let texts = edits.filter { $0.kind == kind.name }.map { edit -> String in
        switch edit.change {
        case .create(let fields), .set(let fields): String(decoding: fields, as: UTF8.self)
        case .splice(let field, _, _, _, _): "\"\(field)\":"
        default: ""
        }
      }
      guard made.count > 8 else { continue }
      for register in kind.registers where !register.fields[0].isFixed {
        let name = register.fields[0].name
        #expect(
          texts.contains { $0.contains("\"\(name)\":") }, "\(context): no \(kind.name) has \(name)")
      }
    }
  }

  /// Somebody has to be able to make what it stands in, and what it cannot be without.
  private func canBeMade(_ kind: Schema.Kind, _ schema: Schema) -> Bool {
    kind.container.map { container in schema[container.kind].map { canBeMade($0, schema) } ?? false
    }
      ?? true
  }
}
