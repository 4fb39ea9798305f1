import WatchConnectivity

/// A delegate that hands on what it is told to another one, by Objective-C's optional calls.
public final class Forwarder: NSObject, WCSessionDelegate {
  public weak var next: (any WCSessionDelegate)?
  public private(set) var changes: [Bool] = []
  private var observation: NSKeyValueObservation?

  public func start() {
    let session = WCSession.default
    observation = session.observe(\.isReachable, options: [.new]) { [weak self] _, change in
      self?.changes.append(change.newValue ?? false)
    }
    session.delegate = self
    session.activate()
  }

  public func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) { next?.session(session, activationDidCompleteWith: activationState, error: error) }

  public func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
    next?.session?(session, didReceiveMessage: message)
  }

  public func ask(_ question: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      WCSession.default.sendMessage(
        ["question": question],
        replyHandler: { continuation.resume(returning: $0["answer"] as? String ?? "") },
        errorHandler: { continuation.resume(throwing: $0) })
    }
  }
}
