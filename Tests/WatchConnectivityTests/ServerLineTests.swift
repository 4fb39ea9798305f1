import Foundation
import SpoiltLines
import Testing
import Wire

@testable import WatchlineDevices

/// Whatever a server says, an app goes on. Of what a phone and a watch hear in a conversation each member is left out, and each
/// value replaced by what does not belong there.
@Suite struct ServerLineTests {
  @Test func noneEndsAnApp() throws {
    let whole = SpoilingCarrier()
    Self.converse(over: whole)
    let spoilt = try SpoiltPlace.lines(of: whole.lines)
    for (index, line) in spoilt { Self.converse(over: SpoilingCarrier(index, line)) }
    let types = Set(try whole.lines.map { try Members($0).string("type") ?? "" })
    #expect(types.isSuperset(of: Self.heard), "\(types)")
    #expect(spoilt.count > 500, "\(spoilt.count)")
  }

  private static let heard: Set<String> = [
    "activationDidComplete", "didFinishFileTransfer", "didFinishUserInfoTransfer",
    "didReceiveApplicationContext", "didReceiveFile", "didReceiveMessage", "didReceiveReply",
    "didReceiveUserInfo", "fileChunk", "state",
  ]

  private static func converse(over carrier: SpoilingCarrier) {
    let link = Link("pair", nil, carrier)
    let devices = ["phone", "watch"].map { link.add($0, isPhone: $0 == "phone") }
    for device in devices {
      let session = device.session(of: ReadingSession.self) { ReadingSession(device) }
      device.activate(session, hasDelegate: true)
    }
    let payload = Array(
      #"{"a":1,"b":{"$data":"AAAA"},"c":{"$date":1.5},"d":[{"$real":"nan"},{"$dictionary":{"e":""}}]}"#
        .utf8)
    func settle() {
      while devices.contains(where: { $0.pump() }) {
        for device in devices { device.queue.sync {} }
      }
    }
    settle()
    for (device, isLive) in [(devices[0], true), (devices[1], false)] {
      _ = device.sendMessage(payload, isData: false, expectsReply: isLive)
      try? device.updateApplicationContext(payload)
      let info = device.transferUserInfo(payload, isComplication: isLive)
      _ = device.transferFile(
        URL(fileURLWithPath: "/a.txt"), Data(repeating: 1, count: 100), metadata: payload)
      settle()
      _ = device.cancel(info)
      _ = (device.remainingComplications, device.needsUnlock, device.lanes())
    }
    devices[0].goOffline()
    _ = devices[1].transferUserInfo(payload, isComplication: false)
    _ = devices[0].transferUserInfo(payload, isComplication: false)
    devices[0].goOnline()
    settle()
  }
}

/// Reads what an app would be given.
private final class ReadingSession: DeviceSession {
  private unowned let device: LinkDevice

  init(_ device: LinkDevice) { self.device = device }

  func handle(_ event: DeviceEvent) {
    switch event {
    case .message(let payload, let reply):
      _ = Payload.dictionary(payload)
      if let reply { device.reply(to: reply, payload, isData: false) }
    case .applicationContext(let payload), .userInfo(let payload),
      .reply(_, .success(.payload(let payload))):
      _ = Payload.dictionary(payload)
    case .file(_, let metadata): _ = metadata.map(Payload.dictionary)
    default: break
    }
    _ = Payload.dictionary(device.facts.receivedApplicationContext)
  }
}

/// The relay of a test, of which one line comes otherwise.
private final class SpoilingCarrier: Carrier {
  private let relay = MemoryCarrier()
  private let spoilt: (index: Int, line: [UInt8])?
  private(set) var lines: [[UInt8]] = []

  init() { spoilt = nil }

  init(_ index: Int, _ line: [UInt8]) { spoilt = (index, line) }

  var isInstant: Bool { true }
  func open(_ device: LinkDevice) -> Bool { relay.open(device) }
  func close(_ device: LinkDevice) { relay.close(device) }
  func send(_ line: [UInt8], of device: LinkDevice) { relay.send(line, of: device) }
  func post(_ line: [UInt8], of device: LinkDevice) -> Bool { relay.post(line, of: device) }
  func carryOut() -> Bool { relay.carryOut() }
  func wait(for device: LinkDevice) -> Bool { relay.wait(for: device) }

  func takeLine(of device: LinkDevice) -> [UInt8]? {
    guard let line = relay.takeLine(of: device) else { return nil }
    lines.append(line)
    return lines.count - 1 == spoilt?.index ? spoilt!.line : line
  }
}
