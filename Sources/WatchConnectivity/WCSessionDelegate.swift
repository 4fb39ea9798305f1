public import Foundation
import WatchlineDevices

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
  public func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
    lacks("session(_:didReceiveMessage:)", session)
  }
  public func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) {
    lacks("session(_:didReceiveMessage:replyHandler:)", session)
    session.lacksReplyVariant = true
  }
  public func session(_ session: WCSession, didReceiveMessageData messageData: Data) {
    lacks("session(_:didReceiveMessageData:)", session)
  }
  public func session(
    _ session: WCSession, didReceiveMessageData messageData: Data,
    replyHandler: @escaping (Data) -> Void
  ) {
    lacks("session(_:didReceiveMessageData:replyHandler:)", session)
    session.lacksReplyVariant = true
  }
  public func session(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]
  ) { lacks("session(_:didReceiveApplicationContext:)", session) }
  public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
    lacks("session(_:didReceiveUserInfo:)", session)
  }
  public func session(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer,
    error: (any Error)?
  ) { lacks("session(_:didFinish:error:) of a user info transfer", session) }
  public func session(_ session: WCSession, didReceive file: WCSessionFile) {
    lacks("session(_:didReceive:)", session)
  }
  public func session(
    _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?
  ) { lacks("session(_:didFinish:error:) of a file transfer", session) }

  /// A delegate without the method is told nothing, as on Apple's platforms. But where its class inherits the
  /// conformance it may have the method, and Swift on Linux does not find it: a person is told once.
  private func lacks(_ method: String, _ session: WCSession) {
    guard let base = Mirror(reflecting: self).superclassMirror?.subjectType,
      base is any WCSessionDelegate.Type
    else { return }
    session.device.advise(
      "\(type(of: self)) is a WCSessionDelegate by its base class \(base), which lacks \(method). Where "
        + "\(type(of: self)) has it, it is not called on Linux: declare it in \(base) as well")
  }

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
