public import Foundation

/// The states of a session.
@nonexhaustive
public enum WCSessionActivationState: Int, Sendable {
  case notActivated = 0
  case inactive = 1
  case activated = 2
}

/// What an app is told of its session, on a serial queue that is not the main one.
@preconcurrency
public protocol WCSessionDelegate: NSObjectProtocol {
  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?)
  #if !WATCHLINE_WATCH
    func sessionDidBecomeInactive(_ session: WCSession)
    func sessionDidDeactivate(_ session: WCSession)
    func sessionWatchStateDidChange(_ session: WCSession)
  #endif
  #if !WATCHLINE_PHONE
    func sessionCompanionAppInstalledDidChange(_ session: WCSession)
  #endif
  func sessionReachabilityDidChange(_ session: WCSession)
  func session(_ session: WCSession, didReceiveMessage message: [String: Any])
  func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void)
  func session(_ session: WCSession, didReceiveMessageData messageData: Data)
  func session(
    _ session: WCSession, didReceiveMessageData messageData: Data,
    replyHandler: @escaping (Data) -> Void)
  func session(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any])
  func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any])
  func session(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer,
    error: (any Error)?)
  func session(_ session: WCSession, didReceive file: WCSessionFile)
  func session(
    _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?)
}

/// What is optional on Apple's platforms: a delegate that lacks one is told nothing there.
extension WCSessionDelegate {
  #if !WATCHLINE_WATCH && !WATCHLINE_PHONE
    public func sessionDidBecomeInactive(_ session: WCSession) {}
    public func sessionDidDeactivate(_ session: WCSession) {}
  #endif
  #if !WATCHLINE_WATCH
    public func sessionWatchStateDidChange(_ session: WCSession) {}
  #endif
  #if !WATCHLINE_PHONE
    public func sessionCompanionAppInstalledDidChange(_ session: WCSession) {}
  #endif
  public func sessionReachabilityDidChange(_ session: WCSession) {}
  public func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {}
  public func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) { session.lacksReplyVariant = true }
  public func session(_ session: WCSession, didReceiveMessageData messageData: Data) {}
  public func session(
    _ session: WCSession, didReceiveMessageData messageData: Data,
    replyHandler: @escaping (Data) -> Void
  ) { session.lacksReplyVariant = true }
  public func session(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]
  ) {}
  public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {}
  public func session(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer,
    error: (any Error)?
  ) {}
  public func session(_ session: WCSession, didReceive file: WCSessionFile) {}
  public func session(
    _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?
  ) {}

  /// For the calls of optional methods that Objective-C has: `delegate?.session?(s, didReceiveMessage: m)`.
  public var session: WCSessionDelegateCalls? { WCSessionDelegateCalls(delegate: self) }
}

/// The methods of a delegate that are all named `session`.
public struct WCSessionDelegateCalls {
  let delegate: any WCSessionDelegate

  public func callAsFunction(_ session: WCSession, didReceiveMessage message: [String: Any]) {
    delegate.session(session, didReceiveMessage: message)
  }
  public func callAsFunction(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) { delegate.session(session, didReceiveMessage: message, replyHandler: replyHandler) }
  public func callAsFunction(_ session: WCSession, didReceiveMessageData messageData: Data) {
    delegate.session(session, didReceiveMessageData: messageData)
  }
  public func callAsFunction(
    _ session: WCSession, didReceiveMessageData messageData: Data,
    replyHandler: @escaping (Data) -> Void
  ) { delegate.session(session, didReceiveMessageData: messageData, replyHandler: replyHandler) }
  public func callAsFunction(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]
  ) { delegate.session(session, didReceiveApplicationContext: applicationContext) }
  public func callAsFunction(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
    delegate.session(session, didReceiveUserInfo: userInfo)
  }
  public func callAsFunction(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer,
    error: (any Error)?
  ) { delegate.session(session, didFinish: userInfoTransfer, error: error) }
  public func callAsFunction(_ session: WCSession, didReceive file: WCSessionFile) {
    delegate.session(session, didReceive: file)
  }
  public func callAsFunction(
    _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?
  ) { delegate.session(session, didFinish: fileTransfer, error: error) }
}
