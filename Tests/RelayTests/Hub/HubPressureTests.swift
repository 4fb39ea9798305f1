import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// Who does not read is sent no more than a bounded amount, holds nobody up, and misses nothing.
@Suite struct HubPressureTests {
  private let hub: HubWorld
  private let limits: Limits

  init() throws {
    var limits = Limits()
    limits.waitingOutput = 8 << 10
    self.limits = limits
    hub = try HubWorld(limits: limits)
  }

  private let bulk = String(repeating: "x", count: 8_000)

  private func write(_ count: Int, by device: SyncDevice) throws {
    for number in 0..<count {
      try device.create("timer", "{\"name\":\"\(number) \(bulk)\",\"durationInSeconds\":60}")
    }
    try hub.settle()
  }

  @Test func aDeviceThatDoesNotRead() throws {
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    try hub.connect(phone)
    try hub.connect(watch)
    let client = hub.world.client("watch")
    client.holdsOutput = true
    try write(100, by: phone)
    #expect(phone.isDrained)
    // What may wait, and one line more.
    #expect(client.unreadBytes > 0 && client.unreadBytes < limits.waitingOutput + (80 << 10))
    hub.world.read("watch")
    try hub.settle()
    try hub.keyboard("key", role: "watch")
    try expectEqualViews(hub, [phone, watch], on: "key")
    #expect(watch.records("timer").count == 100)
  }

  /// A person's terminal that stands still is told in few lines when it goes on.
  @Test func aKeyboardThatDoesNotRead() throws {
    let watch = hub.device("watch")
    try hub.connect(watch)
    try hub.keyboard("phone")
    let client = hub.world.client("phone")
    client.holdsOutput = true
    watch.pushSize = 1
    let record = try watch.create("timer", #"{"name":"Tea","durationInSeconds":60}"#)
    for number in 1...600 {
      try watch.set("timer", record, "{\"durationInSeconds\":\(number)}")
    }
    try hub.settle()
    #expect(watch.isDrained)
    #expect(client.unreadBytes < limits.waitingOutput + (16 << 10))
    hub.world.read("phone")
    let changes = hub.take("phone").filter { $0.type == "sync.changed" }
    #expect(changes.last?.at == 601)
    #expect(try hub.records("timer", on: "phone")[0]["durationInSeconds"] as? Int == 600)
  }

  /// Answers to requests that are not read stop the reading of more of them.
  @Test func viewsThatNobodyReads() throws {
    let watch = hub.device("watch")
    try hub.connect(watch)
    try write(10, by: watch)
    try hub.keyboard("phone")
    let client = hub.world.client("phone")
    client.holdsOutput = true
    for number in 1...40 { hub.world.send("sync.view kind=timer id=\(number)", on: "phone") }
    // Twice what may wait, and one answer more.
    #expect(client.unreadBytes < 2 * limits.waitingOutput + (100 << 10))
    hub.world.read("phone")
    let last = hub.take("phone").filter { $0["last"] as? Bool == true }
    #expect(last.count == 40)
  }

  /// One who fills up in the middle of a snapshot or the log goes on where it was.
  @Test func aSlowReader() throws {
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    try hub.connect(phone)
    try write(60, by: phone)
    try hub.connect(watch)
    #expect(watch.records("timer").count == 60)
    for _ in 0..<3 {
      let client = hub.world.client("watch")
      client.holdsOutput = true
      try write(20, by: phone)
      hub.world.read("watch")
      try hub.settle()
    }
    #expect(watch.records("timer").count == 120)
    #expect(watch.replica.position == 120)
  }
}
