import AppModels
import Merge
import Testing

@Suite struct ShippedSchemasTests {
  @Test func areReadAndSortedByName() {
    #expect(ShippedSchemas.all.map(\.name.text) == ["pomodoro", "timeTracker", "todoTimers"])
    #expect(ShippedSchemas.named("timeTracker")?["task"]?["interval"]?.form == .group)
    #expect(ShippedSchemas.named("nothing") == nil)
  }

  @Test(arguments: ["pomodoro", "timeTracker", "todoTimers"])
  func theCanonicalFormReadsAsTheSame(_ name: String) throws {
    let schema = try #require(ShippedSchemas.named(Name(name)))
    #expect(schema.digest.count == 32)
    let again = try Schema(json: schema.canonical)
    #expect(again == schema)
    #expect(again.canonical == schema.canonical)
  }
}
