import AppModels
import Hub
import Merge
import Relay
import RelaySupport
import Testing
import Wire

/// Schemas that are read again while the server runs.
@Suite struct SchemaReloadTests {
  private static func schema(_ name: String, field: String) throws -> Schema {
    try Schema(
      json: Array(
        """
        {"schema":"\(name)","kinds":[{"kind":"note","fields":[{"field":"\(field)","type":"text"}]}]}
        """.utf8))
  }

  private func world(_ own: [Schema]) throws -> World {
    var options = Relay.Options()
    options.hubs = Hubs.keeping(ShippedSchemas.all + own, codecs: ShippedSchemas.codecs)
    return try World(options)
  }

  private func opened(_ world: World, _ schema: String) -> String {
    world.send("sync.open schema=\(schema)", on: "phone")
    return world.client("phone").takeLines().last ?? ""
  }

  /// A pair opens 16 schemas; what is open stays so, and another pair has its own.
  @Test func sixteenSchemasAndNotOneMore() throws {
    let world = try world((1...17).map { try Self.schema("s\($0)", field: "x") })
    world.send("activate pair=p role=phone", on: "phone")
    for number in 1...16 { #expect(opened(world, "s\(number)").contains("sync.opened")) }
    #expect(opened(world, "s17").contains("\"code\":4008"))
    #expect(opened(world, "s1").contains("sync.opened"))
    try world.kill()
    world.send("activate pair=p role=phone", on: "phone")
    #expect(opened(world, "s17").contains("\"code\":4008"))
    world.send("deactivate", on: "phone")
    world.send("activate pair=q role=phone", on: "phone")
    #expect(opened(world, "s17").contains("sync.opened"))
  }

  @Test func takesWhatIsNotInUse() throws {
    let world = try world([try Self.schema("a", field: "x"), try Self.schema("b", field: "x")])
    let new = [try Self.schema("a", field: "y"), try Self.schema("c", field: "x")]
    let changes = try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + new)
    #expect(
      changes.map { "\($0.name) \($0.kind.rawValue)" } == ["a changed", "b removed", "c added"])
    #expect(try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + new).isEmpty)
    world.send("activate pair=p role=phone", on: "phone")
    #expect(opened(world, "c").contains("sync.opened"))
    #expect(opened(world, "b").contains("there is no schema b"))
  }

  /// What a pair in memory has records of stays as it was, with all the rest.
  @Test func refusesWhatIsInUse() throws {
    let world = try world([try Self.schema("a", field: "x")])
    world.send("activate pair=p role=phone", on: "phone")
    let before = opened(world, "a")
    #expect(before.contains("sync.opened"))
    let new = [try Self.schema("a", field: "y"), try Self.schema("c", field: "x")]
    let error = #expect(throws: WireError.self) {
      try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + new)
    }
    #expect(error?.message.contains("schema a is in use by pair p") == true)
    #expect(opened(world, "a") == before)
    #expect(opened(world, "c").contains("there is no schema c"))
    // As it was.
    #expect(
      try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + [Self.schema("a", field: "x")])
        .isEmpty)
    // Nobody has been connected for a while.
    world.close("phone")
    world.pass(seconds: 3_600)
    #expect(try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + new).count == 2)
    world.send("activate pair=p role=phone", on: "phone")
    #expect(opened(world, "a") != before)
  }

  /// A pair that has records of a schema that was not here must not get them a second time.
  @Test func refusesWhatWasNotHere() throws {
    let world = try world([try Self.schema("a", field: "x"), try Self.schema("b", field: "x")])
    world.send("activate pair=p role=phone", on: "phone")
    #expect(opened(world, "a").contains("sync.opened"))
    world.close("phone")
    world.pass(seconds: 3_600)
    #expect(
      try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + [Self.schema("b", field: "x")])
        .count == 1)
    world.send("activate pair=p role=phone", on: "phone")
    #expect(opened(world, "b").contains("sync.opened"))
    let both = try [Self.schema("a", field: "x"), Self.schema("b", field: "x")]
    #expect(throws: WireError.self) {
      try Hubs.of(world.relay)!.takeSchemas(ShippedSchemas.all + both)
    }
  }
}
