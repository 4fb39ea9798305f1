import Journal
import Relay
import RelaySupport
import Testing

/// A device with as many incarnations as there may be costs a commit no more than one with few.
@Suite struct IncarnationTests {
  @Test func aCommitWritesTheOneThatChanged() throws {
    let world = try World()
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    for life in 1...1_024 {
      world.send("activate pair=p role=phone incarnation=life\(life)", on: "phone")
      if life % 100 == 0 {
        world.send("transferUserInfo n=1 payload={\"life\":\(life)}", on: "phone")
      }
    }
    world.holdsCommits = true
    world.send("transferUserInfo n=1 payload={\"last\":1} id=x", on: "phone")
    let rows = try #require(world.uncommitted.last).rows
    let bytes = rows.reduce(0) { $0 + ($1.value?.count ?? 0) }
    #expect(rows.count == 2 && bytes < 200, "\(rows.count) rows, \(bytes) bytes")
    world.holdsCommits = false
    world.settle()

    for isKilled in [true, false] {
      if isKilled { try world.kill() } else { try world.restart() }
      for (life, n) in [(1, 0), (100, 1), (1_000, 1), (1_023, 0), (1_024, 1)] {
        world.send("activate pair=p role=phone incarnation=life\(life)", on: "phone")
        let lines = world.client("phone").takeLines()
        #expect(
          lines.contains { $0.contains("\"n\":\(n),\"outstanding\":11") }, "\(life): \(lines)")
      }
    }
  }

  /// A new incarnation is told after its commit, and a session of it waits for what another has changed.
  @Test func anActivationWaitsForItsIncarnation() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.holdsCommits = true
    world.send("transferUserInfo n=1 payload={}", on: "phone")
    world.close("phone")
    world.send("activate pair=p role=phone", on: "phone")
    #expect(!world.client("phone").takeLines().contains { $0.contains("activationDidComplete") })
    world.holdsCommits = false
    world.settle()
    #expect(world.client("phone").takeLines().contains { $0.contains("\"n\":1,") })
    world.holdsCommits = true
    world.close("phone")
    world.send("activate pair=p role=phone incarnation=next", on: "phone")
    #expect(!world.client("phone").takeLines().contains { $0.contains("activationDidComplete") })
    world.holdsCommits = false
    world.settle()
    #expect(world.client("phone").takeLines().contains { $0.contains("\"n\":0,") })
  }
}
