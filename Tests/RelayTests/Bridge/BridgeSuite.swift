import AppModels
import Merge
import RelaySupport
import Wire

/// A device with whole records at a hub, somebody at a keyboard as its counterpart, and a timer "Tea".
protocol BridgeSuite {
  var hub: HubWorld { get }
  var peer: WholeRecordPeer { get }
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

  func make(_ timer: TimerDTO) throws {
    peer.say(try peer.model.create(timer, now: peer.now))
    pass()
  }

  func pass(_ seconds: Double = 1) {
    hub.world.pass(seconds: seconds)
    peer.settle()
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
