import AppModels
import Bridge
import Device
import Merge
import RelaySupport
import SyncSupport
import Testing

@testable import Hub
@testable import Relay

/// Numbers that name rows of the store have so many bits. At their end either the first is free again, or what would need
/// another one is refused; no row is ever written over.
@Suite struct NumberLimitTests {
  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  /// They go round: what is in the log has others.
  @Test func chunksOfALog() throws {
    var limits = Limits()
    limits.syncLog = 16
    let world = try HubWorld(limits: limits)
    let devices = [world.device("phone", isPhone: true), world.device("watch")]
    for device in devices { try world.connect(device) }
    let hub = try #require(world.world.client("phone").connection.device?.sync?.hub)
    try #require(hub.chunks.isEmpty)
    hub.nextChunk = (1 << 28) - 5
    for number in 1...12 {
      let device = devices[number % 2]
      if number < 3 { try device.create("timer", tea) }
      let timer = device.records("timer")[0]
      try device.set("timer", timer, #"{"notes":"\#(number)"}"#)
      try world.settle()
      // Also while the numbers of the log are on both sides.
      if number.isMultiple(of: 3) {
        try world.keyboard("key", role: "watch")
        let state = try world.state("key")
        try world.restart(killing: true)
        try world.keyboard("key", role: "watch")
        #expect(try world.state("key") == state)
        for device in devices { try world.connect(device) }
      }
    }
    let now = try #require(world.world.client("phone").connection.device?.sync?.hub)
    #expect(now.nextChunk < (1 << 27) && now.chunks.contains { $0.number < (1 << 27) })
    #expect(Set(now.chunks.map(\.number)).count == now.chunks.count)
    try world.keyboard("key", role: "watch")
    try expectEqualViews(world, devices, on: "key")
    #expect(devices.allSatisfy { $0.errors.isEmpty })
  }

  @Test func filesOfAPair() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    let pair = try #require(world.client("phone").connection.device?.pair)
    func transfer(_ n: Int) -> String {
      _ = world.client("phone").takeLines()
      world.send(
        "transferFile n=\(n) name=f size=0 sha256=\"\(String(repeating: "a", count: 64))\"",
        on: "phone")
      return world.client("phone").takeLines().joined()
    }
    pair.nextFile = .max - 1
    #expect(transfer(1).contains("accepted"))
    #expect(pair.nextFile == .max)
    let refused = transfer(2)
    #expect(refused.contains("\"code\":4008") && refused.contains("all its numbers of files"))
    #expect(world.client("phone").connection.device?.lastNumber == 1)
  }

  /// A device that is told whole records: it is not that nobody tells it of one.
  @Test func recordsOfABridgedDevice() throws {
    let hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    let phone = WholeRecordPeer("phone", .phone, hub.world)
    try hub.keyboard("watch")
    phone.connect()
    func edit() throws -> Answer {
      try hub.ask("sync.edit kind=timer set=\(tea)", on: "watch")
    }
    let device = try #require(hub.world.client("phone").connection.device)
    let bridged = try #require(device.bridge?.bridge(device))
    bridged.nextNumber = (1 << 20) - (1 << 15) - 1
    #expect(try edit().type == "sync.edited")
    hub.world.pass(seconds: 1)
    phone.settle()
    #expect(phone.model.timers.count == 1)
    let before = try hub.state("watch")
    let refused = try edit()
    #expect(refused.code == 4008 && refused.message.contains("device phone"), "\(refused)")
    #expect(try hub.state("watch") == before)
    // A number that is missing after all stops nothing.
    bridged.nextNumber = 1 << 20
    bridged[Target("timer", "6F0E3A52-0C55-4F6B-9E0E-000000000001")] = Track(.unknown)
    #expect(bridged.tracks.count == 1)
  }
}
