import EventLoop
import Relay
import Storage

/// The way down: no more input, what is owed is brought and committed, then the loop ends.
extension Server {
  /// Takes no more input, brings what is owed, commits, and ends the loop.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    log.write(.info, "event=stopping connections=\(linkCount)")
    supervisor?.tell("STOPPING=1")
    listener?.close()
    secureListener?.close()
    peerListener?.close()
    stopFollowing()
    for site in sites { site.relay.stop(now: now) }
    stopTimer.start(after: Self.stopTime)
  }

  /// How long peers may take to read what they are owed, and a failing disk to recover.
  static let stopTime: Int64 = 5_000_000

  /// Peers that do not read are cut off, and a store that cannot commit gets one more try at its
  /// closing; what it cannot write was never accepted.
  func stopTimedOut() {
    isOverdue = true
    for case let link? in links { link.socket.close() }
    for splice in splices.values { splice.close() }
  }

  func stopIfIdle() {
    guard linkCount == 0, splices.isEmpty,
      isOverdue || (sites.allSatisfy(\.isAllCommitted) && hasStoppedFollowing)
    else { return }
    for site in sites { site.submitTheRest() }
    for caller in callers { caller.close() }
    closeHandles()
    admin?.stop()
    wakeup.close()
    loop.turnHandler = nil
    loop.shutDownHooks()
  }
}
