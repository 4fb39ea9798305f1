import Seeded
import Relay
import RelaySupport
import Testing

/// After a restart everything is as it was, as far as a device can see.
@Suite struct RestoreTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func stateIsAsItWas(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try World()
    activate(world)
    world.send("activate pair=p role=watch device=second", on: "second")
    for number in 1...40 { try act(number, world, &random) }
    for name in ["phone", "watch", "second"] { world.close(name) }
    activate(world)
    let before = look(world)

    try world.restart()
    activate(world)
    let after = look(world)
    #expect(before == after)

    try world.kill()
    activate(world)
    #expect(look(world) == before)
  }

  /// A device and its connection hold each other, and whoever lets a relay go lets them go.
  @Test func nothingOutlivesARelay() throws {
    weak var connection: Connection?
    do {
      let world = try World()
      activate(world)
      connection = world.client("phone").connection
    }
    // What is left refers to what is gone, and is not to be described.
    let isGone = connection == nil
    #expect(isGone)
  }

  private func activate(_ world: World) {
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=watch device=second", on: "second")
  }

  /// What each device is told and given again; but for what names the session.
  private func look(_ world: World) -> [String] {
    for name in ["phone", "watch", "second"] {
      world.send("getState", on: name)
      world.send("outstandingTransfers", on: name)
    }
    let lines = ["phone", "watch", "second"].flatMap { name in
      world.client(name).takeLines().filter {
        !$0.contains("activationDidComplete") && !$0.contains("sessionReachability")
          && !$0.contains("\"hello\"")
      }.map { "\(name) \($0)" }
    }
    for name in ["phone", "watch", "second"] { world.close(name) }
    return lines
  }

  private func act(_ number: Int, _ world: World, _ random: inout SplitMix64) throws {
    let name = ["phone", "watch", "second"][random.below(3)]
    let payload = "payload={\"i\":\(number)}"
    switch random.below(10) {
    case 0...2: world.send("transferUserInfo \(payload) id=\(number)", on: name)
    case 3: world.send("transferCurrentComplicationUserInfo \(payload)", on: "phone")
    case 4: world.send("updateApplicationContext \(payload)", on: name)
    case 5: world.send("acknowledge", on: name)
    case 6: world.send("refuse lane=userInfo seq=\(random.below(6) + 1) code=7015", on: name)
    case 7: world.send("cancelTransfer transfer=\(name):0#\(random.below(8) + 1)", on: name)
    case 8:
      let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      world.send("transferFile name=f\(number) size=3 sha256=\"\(sum)\"", on: name)
      world.send(
        "fileChunk transfer=\(name):0#\(random.below(12) + 1) offset=0 data=YWJj", on: name)
    default:
      world.close(name)
      let device = name == "phone" ? "role=phone" : "role=watch device=\(name)"
      world.send("activate pair=p \(device)", on: name)
    }
  }
}
