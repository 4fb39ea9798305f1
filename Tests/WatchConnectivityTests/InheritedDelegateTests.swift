import Testing
import WatchConnectivity
import WatchlineDevices
import WatchlineTesting

/// Swift on Linux looks for a delegate's method where the conformance is declared.
@Suite struct InheritedDelegateTests {
  class Base: NSObject, WCSessionDelegate {
    func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
      error: (any Error)?
    ) {}
  }

  /// Its method is not called.
  final class Derived: Base, @unchecked Sendable {
    var received = 0
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
      received += 1
    }
  }

  final class Plain: NSObject, WCSessionDelegate, @unchecked Sendable {
    func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
      error: (any Error)?
    ) {}
  }

  /// - Returns: what was said of the watch's delegate, which is sent two user infos.
  private func advice(of delegate: any WCSessionDelegate) async -> Set<String> {
    let both = Recorded()
    both.activatePhone()
    both.pair.watch.run {
      WCSession.default.delegate = delegate
      WCSession.default.activate()
    }
    await both.pair.settle()
    both.pair.phone.run {
      for number in 0..<2 { WCSession.default.transferUserInfo(["number": number]) }
    }
    await both.pair.settle()
    return both.pair.watch.device.advice
  }

  @Test func whatAnInheritedConformanceMayHideIsSaidOnce() async throws {
    let derived = Derived()
    let said = await advice(of: derived)
    #expect(derived.received == 0)
    let sentence = try #require(said.first)
    #expect(said.count == 1 && sentence.contains("session(_:didReceiveUserInfo:)"))
    #expect(sentence.hasPrefix("Derived is a WCSessionDelegate by its base class Base"))
  }

  @Test func aDelegateThatLacksAMethodIsNoMistake() async {
    #expect(await advice(of: Plain()).isEmpty)
  }
}
