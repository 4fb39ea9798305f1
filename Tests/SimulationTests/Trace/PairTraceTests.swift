import Foundation
import Simulation
import Testing
import WatchConnectivity
import WatchlineTesting

/// What a test did with a pair is a schedule that the simulator plays.
@Suite struct PairTraceTests {
  private final class Delegate: NSObject, WCSessionDelegate, @unchecked Sendable {
    func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
      error: (any Error)?
    ) {}
    func sessionDidBecomeInactive(_ session: WCSession) {}
    func sessionDidDeactivate(_ session: WCSession) { session.activate() }
    func session(
      _ session: WCSession, didReceiveMessage message: [String: Any],
      replyHandler: @escaping ([String: Any]) -> Void
    ) { replyHandler([:]) }
  }

  private let pair = WatchPair()
  private let delegate = Delegate()

  private func activate(_ device: WatchPair.Device) {
    device.run {
      WCSession.default.delegate = delegate
      WCSession.default.activate()
    }
  }

  @Test func whatATestDidIsPlayed() async throws {
    activate(pair.phone)
    activate(pair.watch)
    await pair.settle()
    let session = pair.phone.run { WCSession.default }
    pair.watch.goOffline()
    session.transferUserInfo(["steps": 412])
    session.transferUserInfo(["steps": 412])
    session.transferCurrentComplicationUserInfo(["hot": true])
    try session.updateApplicationContext(["theme": "dark"])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    session.transferFile(file, metadata: nil)
    await pair.settle()
    pair.watch.goOnline()
    await pair.settle()
    pair.watch.run {
      WCSession.default.sendMessage(["ready": "?"], replyHandler: { _ in }, errorHandler: nil)
    }
    await pair.settle()
    pair.phone.kill()
    pair.watch.run { _ = WCSession.default.transferUserInfo(["kept": 1]) }
    pair.restart()
    pair.phone.launch()
    activate(pair.phone)
    pair.advance(seconds: 60)
    activate(pair.switchWatch(to: "ultra"))
    await pair.settle()
    #expect(pair.allDelivered(), "\(pair.lossReport())")

    let trace = try Trace(ndjson: Array(pair.trace.utf8))
    #expect(trace.devices.map(\.name) == ["phone", "watch", "ultra"])
    let outcome = try ServerHarness().play(trace, isRecorded: true)
    #expect(outcome.findings.isEmpty, "\(outcome.findings)\n\(pair.trace)")
    for (event, count) in [
      "transfer": 5, "upload": 1, "context": 1, "message": 1, "reply": 1, "select": 1, "drop": 3,
    ] {
      #expect(trace.events.count { $0.verb.rawValue == event } == count, "\(event)")
      #expect(outcome.coverage[event] == count, "\(event)")
    }
    #expect(trace.events.last?.at == 60_000)
    // What was sent is what is sent again, and what the studio shows.
    #expect(trace.events.contains { $0.payload == Array(#"{"steps":412}"#.utf8) })
    let studio = try StudioWorld(opening: trace)
    studio.seek(to: studio.steps.count)
    #expect(studio.lines.contains { $0.text.contains(#""payload":{"steps":412}"#) })
    #expect(try studio.judged().findings.isEmpty)
  }
}
