import Device
import Foundation
import Merge
import SyncSupport
import Testing

extension ProcessTests {
  /// The log is collected while devices come and go, through the server: purge, snapshot, and
  /// the device that stayed away for too long.
  @Suite struct CollectionScenarioTests {
    private let tea = #"{"name":"Tea","durationInSeconds":300}"#

    private func makeScene() throws -> SyncScene {
      try SyncScene(["--clock", "manual", "--limits", "syncLog=16"])
    }

    private func edit(_ devices: [SyncDevice], _ count: Int, _ scene: SyncScene) throws {
      for number in 1...count {
        let device = devices[number % devices.count]
        let timers = device.records("timer")
        if timers.count < 4 || number % 5 == 0 {
          try device.create("timer", tea)
        } else if number % 7 == 0 {
          try device.delete("timer", timers[0])
        } else {
          try device.set("timer", timers[1], "{\"notes\":\"note \(number)\"}")
        }
        if number % 4 == 0 { try scene.settle() }
      }
      try scene.settle()
    }

    private func frontier(_ scene: SyncScene) throws -> Int {
      let opened = try scene.keyboard("key", role: "watch").type("sync.open schema=todoTimers")
      return opened.members["frontier"] as? Int ?? 0
    }

    @Test func aLateDeviceIsFilledByASnapshot() throws {
      let scene = try makeScene()
      let devices = [try scene.peer("phone").device, try scene.peer("watch").device]
      try edit(devices, 60, scene)
      #expect(try frontier(scene) > 0)
      let late = try scene.peer("late").device
      try scene.settle()
      #expect(late.snapshots == 1)
      try edit(devices + [late], 24, scene)
      // The same after kill -9: the store's snapshot and log are what the devices hold.
      for _ in 1...3 {
        scene.kill()
        for peer in scene.peers { peer.leave() }
        try scene.start()
        for peer in scene.peers { try peer.connect(scene.server) }
        try scene.settle()
        try edit(devices + [late], 12, scene)
      }
      let observer = try scene.peer("observer").device
      try scene.settle()
      #expect(observer.snapshots == 1)
      #expect(observer.records("timer") == late.records("timer"))
    }

    @Test func aDeviceThatWasAwayForTooLongStartsAnew() throws {
      let scene = try makeScene()
      let phone = try scene.peer("phone")
      let watch = try scene.peer("watch")
      try edit([phone.device, watch.device], 12, scene)
      watch.leave()
      let kept = try watch.device.create(
        "timer", #"{"name":"typed offline","durationInSeconds":1}"#)
      // Retired after 90 days of silence.
      try scene.keyboard("clock", role: "watch").type("advance seconds=\(91 * 86_400)")
      phone.device.clock += 91 * 86_400_000
      try edit([phone.device], 60, scene)
      try watch.connect(scene.server)
      try scene.settle()
      #expect(watch.device.replica.id.incarnation == 2 && watch.device.snapshots == 1)
      #expect(watch.device.stranded.isEmpty && watch.device.reissued == 1)
      #expect(phone.device.records("timer").contains(kept))
    }
  }
}
