import Foundation
import Merge
import Testing

@testable import Simulation

/// What edits are made of follows from the schema's types and limits, and a trace has a schema with it that is
/// somebody's own.
@Suite struct OwnSchemaTests {
  private static let file = """
    {"schema": "shelf", "kinds": [
      {"kind": "box", "order": "place", "fields": [
        {"field": "name", "type": "string", "rules": [{"notBlank": true, "message": "a name"}]},
        {"field": "serial", "type": "uuid", "fixed": true},
        {"field": "stars", "type": "int", "rules": [
          {"atLeast": 1, "message": "1 to 5"}, {"atMost": 5, "message": "1 to 5"}]},
        {"field": "depth", "type": "double", "rules": [
          {"above": 0.25, "message": "between"}, {"atMost": 0.75, "message": "between"}]},
        {"field": "cold", "type": "int", "rules": [{"atMost": -40, "message": "cold"}]},
        {"field": "mass", "type": "decimal", "rules": [{"atLeast": 1000, "message": "heavy"}]},
        {"group": "life", "fields": [
          {"field": "packed", "type": "date", "optional": true},
          {"field": "sent", "type": "date", "optional": true, "rules": [
            {"notBefore": "packed", "message": "first packed"},
            {"needs": "packed", "message": "packed is missing"}]},
          {"field": "there", "type": "date", "optional": true, "rules": [
            {"notBefore": "sent", "message": "first sent"}, {"needs": "sent", "message": "sent is missing"}]}]},
        {"field": "front", "type": "text"}, {"field": "back", "type": "text"}]},
      {"kind": "thing", "order": "place", "container": {"kind": "box", "field": "box"}, "fields": [
        {"field": "color", "type": "string", "rules": [{"oneOf": ["red", "blue"], "message": "red or blue"}]},
        {"field": "twin", "type": "uuid", "references": "thing", "optional": true}]}]}
    """

  private func schema() throws -> Schema { try Schema(json: Array(Self.file.utf8)) }

  private func plan(_ seed: UInt64) throws -> Plan {
    var plan = Plan(seed: seed)
    plan.schema = "shelf"
    plan.own = try schema()
    return plan
  }

  @Test func editsAreWhatTheSchemaAllows() throws {
    let harness = ExchangeHarness()
    var values: [String: Set<String>] = [:]
    for seed in 1...150 as ClosedRange<UInt64> {
      let outcome = try harness.run(plan(seed))
      #expect(outcome.findings.isEmpty, "\(seed): \(outcome.findings)")
      for edit in outcome.trace.events.compactMap(\.edit) {
        switch edit.change {
        case .create(let fields), .set(let fields):
          for field in Spelling.fields(fields) {
            values["\(edit.kind).\(field.name)", default: []].insert(
              String(decoding: field.value, as: UTF8.self))
          }
        case .splice(let field, _, _, _, _):
          values["\(edit.kind).\(field)", default: []].insert("spliced")
        default: break
        }
      }
    }
    #expect(values["box.stars"] == ["1", "2", "3", "4", "5"])
    #expect(values["box.depth"] == ["0.5"])
    #expect(values["thing.color"] == [#""red""#, #""blue""#])
    for field in ["name", "serial", "cold", "mass", "packed", "sent", "there"] {
      #expect(
        (values["box.\(field)"]?.count ?? 0) > 20, "\(field): \(values["box.\(field)"] ?? [])")
    }
    #expect(values["box.front"]?.contains("spliced") == true)
    #expect(values["box.back"]?.contains("spliced") == true)
    #expect((values["thing.twin"]?.count ?? 0) > 5)
  }

  @Test func aTraceHasItsSchemaWithIt() throws {
    let outcome = try ExchangeHarness().run(plan(7))
    let text = String(decoding: outcome.trace.ndjson, as: UTF8.self)
    let trace = try Trace(ndjson: outcome.trace.ndjson)
    #expect(trace.own == (try schema()))
    #expect(trace == outcome.trace)
    // Also for who knows the other world.
    #expect(trace.atServer.trace.recordSchema == trace.own)
    let renamed = text.replacingOccurrences(
      of: #""schema":"shelf","definition""#, with: #""schema":"box","definition""#)
    #expect(throws: TraceFault.self) { try Trace(ndjson: Array(renamed.utf8)) }
    let broken = text.replacingOccurrences(of: #""type":"decimal""#, with: #""type":"decimals""#)
    let fault = #expect(throws: TraceFault.self) { try Trace(ndjson: Array(broken.utf8)) }
    #expect(fault?.description.contains("decimals") == true, "\(fault as Any)")
  }

  @Test func fixturesAreOfIt() throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let fixture = try ExchangeHarness.fixture(plan(seed), network: nil, lanes: nil)
      #expect(fixture.trace.own?.name == "shelf")
      #expect(String(decoding: fixture.expected, as: UTF8.self).contains("\"box\""))
    }
  }

  @Test(arguments: [
    ("[]", "1", "2"),
    (#"[{"atLeast": 0, "message": "m"}]"#, "1", "2"),
    (#"[{"above": 0, "message": "m"}]"#, "1", "2"),
    (#"[{"atLeast": 7, "message": "m"}]"#, "7", "8"),
    (#"[{"above": 7, "message": "m"}]"#, "8", "9"),
    (#"[{"atMost": 1, "message": "m"}]"#, "1", "1"),
    (#"[{"atLeast": 3, "message": "m"}, {"atMost": 3, "message": "m"}]"#, "3", "3"),
    (#"[{"atLeast": -9, "message": "m"}, {"atMost": -8, "message": "m"}]"#, "-9", "-8"),
    (#"[{"above": 0.5, "message": "m"}, {"atMost": 2.5, "message": "m"}]"#, "1", "2"),
    (#"[{"atLeast": 0.5, "message": "m"}, {"atMost": 0.75, "message": "m"}]"#, "0.625", "0.625"),
  ]) func numbersWithinLimits(rules: String, first: String, second: String) throws {
    let file =
      #"{"schema":"s","kinds":[{"kind":"k","fields":[{"field":"f","type":"double","rules":\#(rules)}]}]}"#
    let range = NumberRange(
      try Schema(json: Array(file.utf8)).kinds[0].registers[0].fields[0].rules)
    #expect(
      range.value(1) == first && range.value(2) == second, "\(range.value(1)) \(range.value(2))")
  }
}
