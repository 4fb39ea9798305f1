import WatchConnectivity

/// A delegate that notes what it is told.
final class Recorder: NSObject, WCSessionDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [String] = []
  var reply: [String: Any]?
  var onFile: ((WCSessionFile) -> Void)?
  var onUserInfo: (() -> Void)?
  var onFinish: ((WCSessionUserInfoTransfer) -> Void)?

  var log: [String] { lock.withLock { noted } }
  func clear() { lock.withLock { noted = [] } }
  func note(_ text: String) { lock.withLock { noted.append(text) } }

  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) { note("activated \(activationState.rawValue)\(error.map { " \($0)" } ?? "")") }
  func sessionDidBecomeInactive(_ session: WCSession) { note("inactive") }
  func sessionDidDeactivate(_ session: WCSession) {
    note("deactivated")
    session.activate()
  }
  func sessionCompanionAppInstalledDidChange(_ session: WCSession) {
    note("companion app \(session.isCompanionAppInstalled)")
  }
  func sessionReachabilityDidChange(_ session: WCSession) {
    note("reachable \(session.isReachable)")
  }
  func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
    note("message \(text(message))")
  }
  func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) {
    note("question \(text(message))")
    if let reply { replyHandler(reply) }
  }
  func session(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]
  ) { note("context \(text(applicationContext))") }
  func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
    note("userInfo \(text(userInfo))")
    onUserInfo?()
  }
  func session(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer,
    error: (any Error)?
  ) {
    onFinish?(userInfoTransfer)
    note(
      "finished \(text(userInfoTransfer.userInfo))\(error.map { " \(($0 as! WCError).errorCode)" } ?? "")"
    )
  }
  func session(_ session: WCSession, didReceive file: WCSessionFile) {
    note("file \(file.fileURL.lastPathComponent)")
    onFile?(file)
  }
  func session(
    _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?
  ) { note("file sent\(error.map { " \(($0 as! WCError).errorCode)" } ?? "")") }
}

func text(_ dictionary: [String: Any]) -> String {
  dictionary.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
}
