import Glibc
import JetStream
import PostgreSQL
import Storage
import Wire

/// A server that shares its log with others.
extension Server {
  /// Follows the shared log until this server owns the shard, or is told to end; nil where it is alone.
  ///
  /// Blocks. Nobody is served meanwhile.
  static func standBy(
    _ options: Options, _ storeOptions: StoreOptions, _ log: Log, _ signals: StopSignals?,
    _ admin: OperatorPages?
  ) throws(StoreError) -> Standby? {
    guard let cluster = options.cluster, let signals else { return nil }
    let logs = try open(cluster, monitors: options.nodeMonitors)
    let standby = try Standby(logs, directory: options.data, options: storeOptions)
    log.write(
      .info,
      "event=standingBy log=\(logs.log.name.quoted) entry=\(standby.sequence) isSynced=\(!options.allowsUnsynced)"
    )
    if let admin { log.write(.info, "event=admin address=127.0.0.1:\(admin.port)") }
    admin?.start()
    let supervisor = Supervisor()
    supervisor?.tell("READY=1\nSTATUS=standing by")
    var state = Standby.State.following
    while true {
      supervisor?.tell("WATCHDOG=1")
      let next = try standby.step()
      if next != state { tell(next, since: state, standby, log) }
      state = next
      if let admin, admin.isAsked { admin.answer { answer(of: standby, next) } }
      if state == .owner { return standby }
      if signals.wait(milliseconds: state == .behind ? 0 : pause) {
        standby.close()
        log.write(.info, "event=stopped isComplete=true")
        log.close()
        exit(0)
      }
    }
  }

  private static func open(
    _ cluster: Options.Cluster, monitors: String?
  ) throws(StoreError) -> SharedLogs {
    switch cluster {
    case .jetStream(let settings):
      if let monitors { try NodeMonitor.check(monitors, settings) }
      return SharedLogs(
        log: try JetStream(settings), snapshots: try JetStream(settings.snapshots))
    case .postgreSQL(let settings):
      return SharedLogs(
        log: try PostgreSQL(settings), snapshots: try PostgreSQL(settings.snapshots))
    }
  }

  /// Milliseconds between two looks what is due.
  private static let pause = 20

  private static func tell(
    _ state: Standby.State, since before: Standby.State, _ standby: Standby, _ log: Log
  ) {
    switch state {
    case .silent(let reason):
      log.write(.error, "event=sharedLogSilent reason=\(reason.quoted)")
      return
    case .owner: log.write(.info, "event=shardOwned entry=\(standby.sequence)")
    case .following, .behind: break
    }
    if case .silent = before { log.write(.info, "event=sharedLogAnswers") }
  }

  /// Another server owns the shard: whatever this one knows may be wrong by now, and nothing more of it is told.
  func endFenced(_ error: StoreError) -> Never {
    log.write(.error, "event=fenced error=\("\(error)".quoted)")
    log.close()
    exit(4)
  }
}

/// SIGTERM and SIGINT of a server that does not turn its loop yet: they wait, and are looked for.
final class StopSignals {
  private var signals = sigset_t()
  private var before = sigset_t()

  init() {
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
  }

  /// - Returns: whether one has come.
  func wait(milliseconds: Int) -> Bool {
    var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    return sigtimedwait(&signals, nil, &time) > 0
  }

  /// From now on they come as they do.
  func release() { pthread_sigmask(SIG_SETMASK, &before, nil) }
}
