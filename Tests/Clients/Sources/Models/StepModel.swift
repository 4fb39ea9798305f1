@preconcurrency import WatchConnectivity

/// A model as screens watch it, which takes what comes to the main actor. It is checked as Swift 6 checks.
@MainActor public final class StepModel: NSObject, ObservableObject, WCSessionDelegate {
  @Published public private(set) var steps = 0
  @Published public private(set) var note: String?
  private var observation: NSKeyValueObservation?

  public override init() {
    super.init()
    let session = WCSession.default
    session.delegate = self
    observation = session.observe(\.isReachable, options: [.new]) { _, _ in }
    session.activate()
  }

  deinit { observation?.invalidate() }

  public nonisolated func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) {}

  public nonisolated func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any])
  {
    let steps = userInfo["steps"] as? Int ?? 0
    Task { @MainActor in self.steps += steps }
  }

  public nonisolated func session(_ session: WCSession, didReceive file: WCSessionFile) {
    let metadata = file.metadata
    Task { @MainActor in self.note = metadata?["note"] as? String }
  }
}
