import AppModels
import Merge
import RelaySupport
import Testing
import Wire

/// A device with whole records at a hub, somebody at a keyboard as its counterpart, and a timer "Tea".
protocol BridgeSuite {
  var hub: HubWorld { get }
  var peer: WholeRecordPeer { get }
}

/// The device is a phone, which is connected.
protocol PhoneBridgeSuite: BridgeSuite {
  var phone: WholeRecordPeer { get }

  init(hub: HubWorld, phone: WholeRecordPeer)
}

extension PhoneBridgeSuite {
  var peer: WholeRecordPeer { phone }

  init() throws {
    let (hub, phone) = try Self.start(.phone)
    phone.connect()
    self.init(hub: hub, phone: phone)
  }
}

extension BridgeSuite {
  static func start(_ role: WholeRecordDevice.Role) throws -> (HubWorld, WholeRecordPeer) {
    let hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    let peer = WholeRecordPeer(role == .phone ? "phone" : "watch", role, hub.world)
    try hub.keyboard(peer.counterpart)
    return (hub, peer)
  }

  /// The timer, and its to-dos.
  var id: Identifier { Identifier("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F".utf8)! }
  var one: Identifier { Identifier("A0000000-0000-4000-8000-000000000001".utf8)! }
  var two: Identifier { Identifier("A0000000-0000-4000-8000-000000000002".utf8)! }

  var tea: TimerDTO {
    TimerDTO(
      id: id, name: "Tea", durationInSeconds: 300, createdAt: 0, updatedAt: 0,
      todoItems: [
        TodoItemDTO(id: one, text: "water", createdAt: 0, updatedAt: 0),
        TodoItemDTO(id: two, text: "leaves", createdAt: 0, updatedAt: 0),
      ])
  }

  var timer: TimerDTO {
    var timer = tea
    timer.notes = "steep"
    return timer
  }

  func make(_ timer: TimerDTO) throws {
    peer.say(try peer.model.create(timer, now: peer.now))
    pass()
  }

  func pass(_ seconds: Double = 1) {
    hub.world.pass(seconds: seconds)
    peer.settle()
  }

  /// Somebody who sees what is there edits it.
  func edit(_ what: String, kind: String = "timer", record: Identifier? = nil) throws {
    _ = try shown()
    let answer = try hub.ask(
      "sync.edit kind=\(kind) record=\"\((record ?? id).description)\" \(what)",
      on: peer.counterpart)
    try #require(answer.type == "sync.edited", "\(answer)")
    peer.settle()
    pass()
  }

  func update(_ change: (inout TimerDTO) -> Void) throws {
    peer.say(try peer.model.update(id, now: peer.now, change))
    pass()
  }

  /// The hub's timers, by id.
  func shown() throws -> [String: [String: Any]] {
    Dictionary(
      uniqueKeysWithValues: try hub.records("timer", on: peer.counterpart).map {
        ($0["id"] as! String, $0)
      })
  }

  func field(_ name: String) throws -> String? {
    try shown()[id.description]?[name] as? String
  }

  /// The device holds just what the hub shows.
  func expectAgreement() throws {
    let shown = try shown()
    #expect(Set(peer.model.timers.keys.map(\.description)) == Set(shown.keys))
    for (id, timer) in peer.model.timers {
      let record = shown[id.description]
      #expect(record?["name"] as? String == timer.name.text)
      #expect(record?["notes"] as? String == timer.notes?.text ?? "")
      #expect((record?["durationInSeconds"] as? Int).map { Int64($0) } == timer.durationInSeconds)
    }
    #expect(peer.errors.isEmpty, "\(peer.errors)")
  }

  /// The hub's to-dos.
  func todos() throws -> [String] {
    try hub.records("todo", on: peer.counterpart).map {
      "\($0["text"]!)\($0["isCompleted"] as? Bool == true ? "!" : "")"
    }
  }
}

extension WholeRecordPeer {
  fileprivate var counterpart: String { name == "phone" ? "watch" : "phone" }
}
