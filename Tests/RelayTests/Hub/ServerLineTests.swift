import AppModels
import Device
import Merge
import Relay
import RelaySupport
import SpoiltLines
import Testing
import Wire

/// Whatever a server says, a device goes on, or goes offline with a sentence. Of what a device hears in a conversation each
/// member is left out, and each value replaced by what does not belong there; then the conversation goes on.
@Suite struct ServerLineTests {
  @Test(arguments: [false, true]) func noneEndsADevice(hasWholeRecords: Bool) throws {
    let conversation = try Conversation(hasWholeRecords)
    #expect(conversation.types.isSuperset(of: Self.heard[hasWholeRecords ? 1 : 0]))
    var isSeen: Set<String> = []
    var spoilt = 0
    for (index, event) in conversation.events.enumerated() {
      guard case .line(let line) = event else { continue }
      let type = try Members(line).string("type") ?? ""
      for place in SpoiltPlace.all(in: line) where isSeen.insert("\(type)\(place.path)").inserted {
        for line in place.lines {
          conversation.replay(upTo: index, then: line)
          spoilt += 1
        }
      }
    }
    #expect(spoilt > 500, "\(spoilt)")
  }

  private static let heard: [Set<String>] = [
    [
      "activationDidComplete", "didReceiveMessage", "didReceiveUserInfo",
      "didReceiveApplicationContext",
      "error", "sync.accepted", "sync.opened", "sync.ops", "sync.purge", "sync.retime",
      "sync.snapshot",
    ],
    [
      "accepted", "activationDidComplete", "didFinishUserInfoTransfer", "didReceiveMessage",
      "didReceiveUserInfo",
    ],
  ]
}

/// What a device does, and what it hears of a server that is as it should be.
private final class Conversation {
  enum Event {
    case connect
    case disconnect
    case type(String)
    case line([UInt8])
  }

  private(set) var events: [Event] = []
  private(set) var types: Set<String> = []
  private let hasWholeRecords: Bool
  private let now: Int64
  private let hub: HubWorld
  private let phone: HeadlessDevice

  init(_ hasWholeRecords: Bool) throws {
    self.hasWholeRecords = hasWholeRecords
    var limits = Limits()
    limits.syncLog = 8
    hub = try HubWorld(limits: limits)
    now = hub.world.now / 1000
    phone = Self.device(hasWholeRecords, now)
    try hub.keyboard("watch")
    // What is collected before the phone comes, it is sent as a snapshot.
    edit(12)
    hub.world.open("phone")
    try perform(.connect)
    try perform(.type("new Tea 5:00"))
    try perform(.type("open Tea"))
    try perform(.type("add Boil"))
    for _ in 0..<4 { try edited() }
    for lane in ["sendMessage", "transferUserInfo", "updateApplicationContext"] {
      hub.type("\(lane) payload={\"a\":1}", on: "watch")
      try settle()
    }
    // Its clock is a day ahead.
    try perform(.type("notes"), ahead: 86_400_000)
    try perform(.type("write hot"), ahead: 86_400_000)
    try perform(.type("save"), ahead: 86_400_000)
    #expect(phone.takeNotices().allSatisfy { if case .error = $0 { false } else { true } })
    try hear(#"{"type":"error","re":"push","code":5001,"message":"full","definite":true}"#)
    hub.world.close("phone")
    try perform(.disconnect)
    hub.world.open("phone")
    try perform(.connect)
    try edited()
    // Another connection has taken its name.
    try hear(#"{"type":"error","re":"push","code":7014,"message":"retired","definite":true}"#)
  }

  private static func device(_ hasWholeRecords: Bool, _ now: Int64) -> HeadlessDevice {
    var records: UInt64 = 0
    return HeadlessDevice(
      TodoTimersApp.self, schema: HubWorld.todoTimers,
      .init(pair: "p", isPhone: true, name: "phone", idiom: .phone),
      Identifier(high: 1, low: 0), now: now, hasWholeRecords: hasWholeRecords
    ) {
      records += 1
      return Identifier(high: 2, low: records)
    }
  }

  private func edit(_ count: Int) {
    for number in 0..<count {
      hub.type(
        "sync.edit kind=timer set={\"name\":\"T\(number)\",\"durationInSeconds\":60}", on: "watch")
      hub.type("sync.view", on: "watch")
    }
  }

  private func edited() throws {
    edit(4)
    try settle()
  }

  private func perform(_ event: Event, ahead: Int64 = 0) throws {
    events.append(event)
    Self.perform(event, on: phone, now + ahead)
    try settle()
  }

  private func hear(_ line: String) throws { try perform(.line(Array(line.utf8))) }

  private static func perform(_ event: Event, on device: HeadlessDevice, _ now: Int64) {
    switch event {
    case .connect: device.didConnect(now: now)
    case .disconnect: device.didDisconnect(now: now)
    case .type(let line): device.type(line, now: now)
    case .line(let line): device.didReceive(line, now: now)
    }
  }

  private func settle() throws {
    for _ in 0..<20 {
      for line in phone.takeOutput() { hub.world.send(line + [0x0A], on: "phone") }
      try hub.settle()
      let client = hub.world.client("phone")
      let lines = client.lines
      client.lines = []
      for line in lines {
        types.insert(try Members(line).string("type") ?? "")
        events.append(.line(line))
        phone.didReceive(line, now: now)
      }
    }
    types.formUnion(["error"])
  }

  /// Another device hears the same up to an event, another line in its place, and what follows.
  func replay(upTo index: Int, then line: [UInt8]) {
    let device = Self.device(hasWholeRecords, now)
    for event in events[..<index] { Self.perform(event, on: device, now) }
    Self.perform(.line(line), on: device, now)
    for event in events[(index + 1)...].prefix(3) { Self.perform(event, on: device, now) }
    device.tick(now: now + 60_000)
    _ = (device.takeOutput(), device.takeNotices(), device.screen(now: now), device.saved)
  }
}
