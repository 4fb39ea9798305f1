import Foundation
import Models
import Styles
import SyncPhone
import SyncWatch
import Testing
import WatchConnectivity
import WatchlineTesting

@Suite struct SyncTests {
  @Test func bothSidesOfOneFile() async {
    let pair = WatchPair()
    let phone = pair.phone.run { SyncPhone.SessionWrapper() }
    let watch = pair.watch.run { SyncWatch.SessionWrapper() }
    await pair.settle()
    #expect(phone.side == "phone" && watch.side == "watch")
    #expect(
      pair.phone.run { phone.pairing } == "true" && pair.watch.run { watch.pairing } == "true")
    var isDone = false
    pair.phone.run { phone.send("hello") { isDone = $0 } }
    await pair.settle()
    #expect(watch.received == ["hello"] && isDone)
    pair.switchWatch(to: "ultra")
    await pair.settle()
    #expect(phone.states == ["activated", "inactive", "deactivated", "activated"])
    #expect(watch.states == ["activated"])
  }

  @Test func anActor() async {
    let pair = WatchPair()
    let phone = pair.phone.run { StepStore() }
    let watch = pair.watch.run { StepStore() }
    await pair.settle()
    pair.watch.run { _ = WCSession.default.transferUserInfo(["steps": 7]) }
    await pair.settle()
    #expect(await eventually { await phone.steps == 7 })
    #expect(await watch.steps == 0)
  }

  @MainActor @Test func aModelOfTheMainActor() async throws {
    let pair = WatchPair()
    let phone = pair.phone.run { ThemeModel() }
    let watch = pair.watch.run { ThemeModel() }
    await pair.settle()
    try pair.phone.run { try WCSession.default.updateApplicationContext(["theme": "dark"]) }
    await pair.settle()
    #expect(await eventually { watch.theme == "dark" })
    pair.phone.kill()
    pair.phone.set(.isLocked, true)
    await pair.settle()
    pair.phone.set(.isLocked, false)
    await pair.settle()
    #expect(await eventually { watch.isReachable })
    #expect(phone.theme == "light")
  }

  @MainActor @Test func aModelThatScreensWatch() async throws {
    let pair = WatchPair()
    let phone = pair.phone.run { StepModel() }
    let watch = pair.watch.run { StepModel() }
    await pair.settle()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data("route".utf8).write(to: file)
    pair.watch.run {
      _ = WCSession.default.transferUserInfo(["steps": 7])
      _ = WCSession.default.transferFile(file, metadata: ["note": "up the hill"])
    }
    await pair.settle()
    #expect(await eventually { phone.steps == 7 && phone.note == "up the hill" })
    #expect(watch.steps == 0)
  }

  @Test func optionalCallsAndObservations() async throws {
    final class Last: NSObject, WCSessionDelegate {
      var messages: [Int] = []
      func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
        error: (any Error)?
      ) {}
      func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
        messages.append(message["n"] as? Int ?? 0)
      }
    }
    let pair = WatchPair()
    let (phone, watch, last) = (Forwarder(), Forwarder(), Last())
    watch.next = last
    pair.phone.run { phone.start() }
    pair.watch.run { watch.start() }
    await pair.settle()
    pair.phone.run { WCSession.default.sendMessage(["n": 3], replyHandler: nil) }
    await pair.settle()
    #expect(last.messages == [3] && phone.changes == [true])
  }
}
