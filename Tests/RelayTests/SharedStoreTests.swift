import Relay
import RelaySupport
import Testing

/// A store that another server may own by now.
@Suite struct SharedStoreTests {
  private func world() throws -> World {
    var options = Relay.Options()
    options.hasManualClock = true
    options.isShared = true
    let world = try World(options)
    world.send("activate pair=p role=phone", on: "phone")
    world.close("phone")
    world.holdsCommits = true
    return world
  }

  private func types(_ world: World) -> [String] {
    world.client("phone").takeLines().map { line in
      let start = line.firstRange(of: "\"type\":\"")!.upperBound
      return String(line[start...].prefix { $0 != "\"" })
    }
  }

  /// Also a device of which everything is on the disk.
  @Test func activationWaitsForACommit() throws {
    let world = try world()
    world.send("activate pair=p role=phone", on: "phone")
    #expect(types(world) == ["hello"])
    #expect(world.commitOne())
    #expect(types(world) == ["activationDidComplete"])
    #expect(!world.commitOne())
  }

  /// A refusal by what the server knows may be as wrong as an answer.
  @Test func refusalWaitsForACommit() throws {
    let world = try world()
    world.send(
      "{\"type\":\"activate\",\"pair\":\"p\",\"role\":\"watch\",\"device\":\"phone\"}", on: "phone")
    #expect(types(world) == ["hello"])
    #expect(world.commitOne())
    #expect(types(world) == ["error"])
  }

  /// Each activation waits for a commit of its own, and what comes behind it waits with it.
  @Test func eachWaitsForItsOwn() throws {
    let world = try world()
    world.send("activate pair=p role=phone\nping\nactivate pair=p role=phone", on: "phone")
    #expect(types(world) == ["hello"])
    #expect(world.commitOne())
    #expect(types(world) == ["activationDidComplete", "pong"])
    #expect(world.commitOne())
    #expect(types(world) == ["activationDidComplete"])
  }

  @Test func nobodyActivatesWhileNothingIsCommitted() throws {
    let world = try world()
    world.failStore("the log does not answer")
    world.send("activate pair=p role=phone", on: "phone")
    #expect(types(world) == ["hello", "error"])
    world.recoverStore()
    world.send("activate pair=p role=phone", on: "phone")
    world.commitOne()
    #expect(types(world) == ["activationDidComplete"])
  }

  /// Whoever leaves while it waits is not waited for.
  @Test func leavesMeanwhile() throws {
    let world = try world()
    world.send("activate pair=p role=phone", on: "phone")
    world.close("phone")
    world.send("activate pair=p role=phone", on: "phone")
    while world.commitOne() {}
    #expect(types(world) == ["hello", "activationDidComplete"])
  }
}
