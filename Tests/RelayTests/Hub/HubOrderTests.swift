import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// Nothing is told before its commit, and all devices are told the same in the same order.
@Suite struct HubOrderTests {
  @Test func toldAfterTheCommit() throws {
    let hub = try HubWorld()
    let watch = hub.device("watch")
    try hub.connect(watch)
    try hub.keyboard("phone")
    try hub.keyboard("other", role: "watch")
    hub.world.holdsCommits = true
    for line in [
      #"sync.edit id=e kind=timer set={"name":"Tea","durationInSeconds":60}"#, "sync.view id=v",
      "sync.digest id=d", "sync.conflicts id=c",
    ] {
      #expect(hub.type(line, on: "phone").isEmpty, "\(line)")
    }
    try hub.settle()
    #expect(hub.take("other").isEmpty && watch.view["timer"].isEmpty)
    hub.world.holdsCommits = false
    try hub.settle()
    let answers = hub.take("phone").filter { $0.type.hasPrefix("sync.") }
    #expect(answers.compactMap { $0["re"] as? String } == ["e", "v", "v", "v", "v", "d", "c"])
    #expect(hub.take("other").map(\.type) == ["sync.changed"])
    #expect(watch.view["timer"].count == 1)
  }

  /// A line of operations ends with the one that brings it to 64 KiB, be that one as large as it is.
  @Test func linesOfOperationsHaveABound() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    for length in [Int](repeating: 10_000, count: 20) + [200_000, 10_000] {
      let notes = String(repeating: "x", count: length)
      let fields = "{\"name\":\"Tea\",\"durationInSeconds\":60,\"notes\":\"\(notes)\"}"
      #expect(try hub.ask("sync.edit kind=timer set=\(fields)", on: "phone").type == "sync.edited")
    }
    _ = hub.type("activate pair=p role=watch", on: "watch")
    let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"
    let lines = hub.type("sync.open schema=todoTimers replica=\(replica) vector={}", on: "watch")
      .filter { $0.type == "sync.ops" }
      .map { ($0["ops"] as? [[String: Any]] ?? []).map { "\($0)".utf8.count } }
    #expect(lines.joined().count == 22 && lines.joined().contains { $0 > 200_000 }, "\(lines)")
    for (index, line) in lines.enumerated() {
      #expect(line.dropLast().reduce(0, +) < 70_000, "\(line)")
      if index < lines.count - 1 { #expect(line.reduce(0, +) > 60_000, "\(line)") }
    }
  }

  /// A kind that has more than 256 KiB takes several lines, and the last of all says that it is.
  @Test func aKindOfManyTakesSeveralLines() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    for number in 0..<40 {
      let notes = String(repeating: "x", count: 10_000)
      let fields = "{\"name\":\"\(number)\",\"durationInSeconds\":60,\"notes\":\"\(notes)\"}"
      _ = hub.type("sync.edit kind=timer set=\(fields)", on: "phone")
    }
    let lines = hub.type("sync.view", on: "phone").filter { $0.type == "sync.records" }
    let timers = lines.filter { $0["kind"] as? String == "timer" }
    #expect(timers.count == 2 && timers.flatMap(\.records).count == 40)
    #expect(timers.allSatisfy { $0.text.utf8.count < (256 << 10) + 1_000 })
    #expect(lines.map { $0["last"] as? Bool } == lines.dropLast().map { _ in nil } + [true])
  }

  /// A device's own push is answered, and told to the others, with the commit that has it.
  @Test func pushes() throws {
    let hub = try HubWorld()
    let watch = hub.device("watch")
    try hub.connect(watch)
    try hub.keyboard("phone")
    hub.world.holdsCommits = true
    try watch.create("timer", #"{"name":"Tea","durationInSeconds":60}"#)
    try hub.settle()
    #expect(watch.replica.accepted == 0 && hub.take("phone").isEmpty)
    hub.world.holdsCommits = false
    try hub.settle()
    #expect(watch.replica.accepted == 1)
    #expect(hub.take("phone").map(\.type) == ["sync.changed"])
  }

  /// The answer to an opening comes before the log, also where two openings are in flight.
  @Test func openedBeforeTheLog() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    let tea = #"{"name":"Tea","durationInSeconds":60}"#
    for _ in 0..<3 { _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone") }
    _ = hub.type("activate pair=p role=watch", on: "watch")
    hub.world.holdsCommits = true
    let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"
    _ = hub.type("sync.open schema=todoTimers replica=\(replica).1 id=1", on: "watch")
    _ = hub.type("sync.open schema=todoTimers replica=\(replica).2 id=2", on: "watch")
    #expect(hub.take("watch").isEmpty)
    #expect(hub.world.commitOne())
    #expect(hub.take("watch").map(\.type) == ["sync.opened"])
    hub.world.holdsCommits = false
    hub.world.settle()
    #expect(hub.take("watch").map(\.type) == ["sync.opened", "sync.ops"])
  }

  /// Devices that write at once hold everything in the order of the hub's log.
  @Test func oneOrder() throws {
    let hub = try HubWorld()
    let devices = (1...3).map { hub.device("watch\($0)") }
    for device in devices { try hub.connect(device) }
    try hub.keyboard("phone")
    for round in 1...20 {
      for device in devices {
        try device.create(
          "timer", "{\"name\":\"\(device.name) \(round)\",\"durationInSeconds\":60}")
      }
      let name = "{\"name\":\"phone \(round)\",\"durationInSeconds\":60}"
      _ = hub.type("sync.edit kind=timer set=\(name)", on: "phone")
    }
    try hub.settle()
    try expectEqualViews(hub, devices, on: "phone")
    #expect(devices.allSatisfy { $0.isDrained && $0.errors.isEmpty })
    let order = try hub.records("timer", on: "phone").map { $0["id"] as! String }
    #expect(order.count == 80)
    for device in devices { #expect(device.records("timer").map(\.text) == order) }
    // One who comes later is sent the log as it stands.
    let late = hub.device("late")
    try hub.connect(late)
    #expect(late.replica.replica.log.count == 80)
    try expectEqualViews(hub, [late], on: "phone")
  }
}
