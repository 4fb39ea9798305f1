import WatchConnectivity

/// An actor behind a delegate of its own.
public actor StepStore {
  public private(set) var steps = 0
  private let delegate: Delegate

  public init() {
    delegate = Delegate()
    delegate.store = self
    WCSession.default.delegate = delegate
    WCSession.default.activate()
  }

  func add(_ count: Int) { steps += count }

  private final class Delegate: NSObject, WCSessionDelegate, @unchecked Sendable {
    weak var store: StepStore?

    func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
      error: (any Error)?
    ) {}

    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
      guard let count = userInfo["steps"] as? Int else { return }
      Task { [store] in await store?.add(count) }
    }
  }
}
