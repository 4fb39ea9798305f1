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
    let lines = conversation.lines
    let types = Set(try lines.map { try Members($0.line).string("type") ?? "" })
    #expect(types.isSuperset(of: Self.heard[hasWholeRecords ? 1 : 0]), "\(types)")
    let spoilt = try SpoiltPlace.lines(of: lines.map(\.line))
    for (place, line) in spoilt { conversation.replay(upTo: lines[place].index, then: line) }
    #expect(spoilt.count > 500, "\(spoilt.count)")
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

  private var events: [(event: Event, now: Int64)] = []
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
    try hear(error: .overloaded)
    hub.world.close("phone")
    try perform(.disconnect)
    hub.world.open("phone")
    try perform(.connect)
    try edited()
    try hear(error: .replicaRetired)
  }

  /// What the device hears, and which of the events that is.
  var lines: [(index: Int, line: [UInt8])] {
    events.enumerated().compactMap { index, entry in
      guard case .line(let line) = entry.event else { return nil }
      return (index, line)
    }
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
    events.append((event, now + ahead))
    Self.perform(event, on: phone, now + ahead)
    try settle()
  }

  private func hear(error code: ErrorCode) throws {
    let line =
      #"{"type":"error","re":"push","code":\#(code.rawValue),"message":"no","definite":true}"#
    try perform(.line(Array(line.utf8)))
  }

  private static func perform(_ event: Event, on device: HeadlessDevice, _ now: Int64) {
    switch event {
    case .connect: device.didConnect(now: now)
    case .disconnect: device.didDisconnect(now: now)
    case .type(let line): device.type(line, now: now)
    case .line(let line): device.didReceive(line, now: now)
    }
  }

  private func settle() throws {
    try hub.settle(phone, "phone", now: now) { events.append((.line($0), now)) }
  }

  /// Another device hears the same up to an event, another line in its place, and what follows.
  func replay(upTo index: Int, then line: [UInt8]) {
    let device = Self.device(hasWholeRecords, now)
    for (event, now) in events[..<index] { Self.perform(event, on: device, now) }
    Self.perform(.line(line), on: device, now)
    for (event, now) in events[(index + 1)...].prefix(3) { Self.perform(event, on: device, now) }
    device.tick(now: now + 60_000)
    _ = (device.takeOutput(), device.takeNotices(), device.screen(now: now), device.saved)
  }
}
