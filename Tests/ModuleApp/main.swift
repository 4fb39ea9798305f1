import Foundation
import WatchConnectivity

// An app for tests that end its process at any moment: it sends so many user infos, one after the other, goes on where
// an earlier process of it was ended, and writes down what it has done and what it is told. A line that is written
// down before a call returns is about something that is so.
//
//   module-app LOG COUNT

/// Appends lines that outlive this process.
final class Log: @unchecked Sendable {
  private let file: Int32
  let lines: [Substring]

  init(_ path: String) {
    lines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o666)
  }

  func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(file, $0.baseAddress!, $0.count) }
  }

  func last(_ word: String) -> Int {
    lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }.max()
      ?? 0
  }
}

final class App: NSObject, WCSessionDelegate, @unchecked Sendable {
  let log: Log

  init(_ log: Log) { self.log = log }

  func session(
    _ session: WCSession, activationDidCompleteWith state: WCSessionActivationState,
    error: (any Error)?
  ) { log.note("activated \(state.rawValue) \(error.map { "\($0)" } ?? "")") }
  func sessionDidBecomeInactive(_ session: WCSession) {}
  func sessionDidDeactivate(_ session: WCSession) { log.note("deactivated") }
  func sessionReachabilityDidChange(_ session: WCSession) {
    log.note(session.isReachable ? "reachable" : "unreachable")
  }
  func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any] = [:]) {
    log.note("got \(userInfo["n"] as? Int ?? 0)")
  }
  func session(_ session: WCSession, didReceiveApplicationContext context: [String: Any]) {
    log.note("context \(context["n"] as? Int ?? 0)")
  }
  func session(
    _ session: WCSession, didFinish transfer: WCSessionUserInfoTransfer, error: (any Error)?
  ) {
    log.note("\(error == nil ? "finished" : "failed") \(transfer.userInfo["n"] as? Int ?? 0)")
  }
  func session(_ session: WCSession, didReceive file: WCSessionFile) {
    let contents = (try? Data(contentsOf: file.fileURL)) ?? Data()
    log.note("file \(contents.count) \(contents.allSatisfy { $0 == 0x61 })")
  }
  func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) { replyHandler(["n": (message["n"] as? Int ?? 0) + 1]) }
}

let log = Log(CommandLine.arguments[1])
let count = Int(CommandLine.arguments[2]) ?? 0
let app = App(log)
WCSession.default.delegate = app
WCSession.default.activate()
while WCSession.default.activationState != .activated {
  guard !log.lines.contains("stop") else { exit(0) }
  usleep(1000)
}
var n = log.last("sent")
while n < count {
  n += 1
  WCSession.default.transferUserInfo(["n": n])
  log.note("sent \(n)")
  if n % 50 == 0 {
    do { try WCSession.default.updateApplicationContext(["n": n]) } catch {
      log.note("error \(error)")
    }
    WCSession.default.sendMessage(
      ["n": n],
      replyHandler: { @Sendable reply in log.note("reply \(reply["n"] as? Int ?? 0)") },
      errorHandler: { @Sendable error in
        log.note("unanswered \((error as? WCError)?.code.rawValue ?? 0)")
      })
  }
  usleep(1000)
}
if count > 0, log.last("sentFile") == 0 {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("a-\(getpid())")
  try Data(repeating: 0x61, count: 300_000).write(to: url)
  WCSession.default.transferFile(url, metadata: nil)
  log.note("sentFile 1")
  try FileManager.default.removeItem(at: url)
}
log.note("done")
while true { sleep(60) }
