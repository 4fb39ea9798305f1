import Testing
import WatchConnectivity
import WatchlineTesting

/// What the main actor's code may not do here as it may not there: a session calls it on a queue of its own.
@Suite struct IsolationTests {
  @MainActor final class Model: NSObject, WCSessionDelegate {
    nonisolated func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
      error: (any Error)?
    ) {}

    nonisolated func session(
      _ session: WCSession, didReceiveMessage message: [String: Any],
      replyHandler: @escaping ([String: Any]) -> Void
    ) { replyHandler(message) }
  }

  @MainActor static func activate(_ pair: WatchPair) async -> [Model] {
    let models = [pair.phone, pair.watch].map { device in
      device.run {
        let model = Model()
        WCSession.default.delegate = model
        WCSession.default.activate()
        return model
      }
    }
    await pair.settle()
    return models
  }

  @MainActor @Test func aHandlerThatSaysSoIsCalled() async {
    let (pair, told) = (WatchPair(), Recorder())
    let models = await Self.activate(pair)
    pair.phone.run {
      WCSession.default.sendMessage(
        ["q": 1], replyHandler: { @Sendable _ in told.note("reply") })
    }
    await pair.settle()
    #expect(told.log == ["reply"])
    withExtendedLifetime(models) {}
  }

  /// The handler is the main actor's, since it stands in its code and does not say otherwise.
  @Test func aHandlerOfTheMainActorsCrashes() async {
    await #expect(processExitsWith: .failure) {
      await Task { @MainActor in
        let pair = WatchPair()
        let models = await Self.activate(pair)
        pair.phone.run { WCSession.default.sendMessage(["q": 1], replyHandler: { _ in }) }
        await pair.settle()
        withExtendedLifetime(models) {}
      }.value
    }
  }
}
