import ChildProcesses
import Foundation

/// A PostgreSQL of a test's own, on a free port of the loopback, that goes with this value.
package final class Postgres {
  private var child: Child
  private var words: [String] = []
  package let port: Int
  /// Its folder, with the database and its log.
  package let directory: String

  /// Where Debian has its programs.
  private static let programs = "/usr/lib/postgresql/15/bin/"

  /// - Parameter more: options of the server, such as `["-c", "fsync=off"]`.
  package init(_ more: [String] = []) throws {
    directory = NSTemporaryDirectory() + "watchline-postgres-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    port = try FreePorts.draw(1)[0]
    // It does not run as root.
    let asUser =
      geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    if !asUser.isEmpty, let user = getpwnam("postgres") {
      chown(directory, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    let log = Child.Stream.file(directory + "/log")
    let initial = try Child(
      asUser + [
        Self.programs + "initdb", "-D", directory + "/data", "-U", "watchline", "-A", "trust", "-N",
        "--locale=C", "-E", "UTF8",
      ], output: log, errors: log)
    child = initial
    guard initial.wait(within: 120_000), initial.exitCode == 0 else {
      throw Nodes.Failure(reason: "initdb failed; see \(directory)/log")
    }
    let server =
      asUser + [
        Self.programs + "postgres", "-D", directory + "/data", "-k", "",
        "-c", "listen_addresses=127.0.0.1",
      ] + more
    words = server + ["-p", "\(port)"]
    child = try Child(words, output: log, errors: log)
    try awaitReady()
  }

  package var url: String { "postgres://watchline@127.0.0.1:\(port)/postgres" }

  /// SIGKILL of all its processes.
  package func kill() {
    // Its children end by themselves once it is gone.
    child.kill()
  }

  package func restart() throws {
    let end = Date(timeIntervalSinceNow: 20)
    while true {
      child = try Child(
        words, output: .file(directory + "/log"), errors: .file(directory + "/log"))
      do {
        return try awaitReady()
      } catch {
        // While processes of the one before are there, it does not start.
        guard end.timeIntervalSinceNow > 0 else { throw error }
        usleep(50_000)
      }
    }
  }

  private func awaitReady() throws {
    let end = Date(timeIntervalSinceNow: 30)
    while end.timeIntervalSinceNow > 0 {
      let ready = try Child(
        [Self.programs + "pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)"], output: .nothing,
        errors: .nothing)
      if ready.wait(within: 10_000), ready.exitCode == 0, !child.hasEnded { return }
      ready.kill()
      guard !child.hasEnded else { break }
      usleep(20_000)
    }
    throw Nodes.Failure(reason: "PostgreSQL does not start; see \(directory)/log")
  }

  deinit {
    child.kill()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
