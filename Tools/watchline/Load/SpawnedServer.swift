internal import Glibc
internal import Load

/// A server that this program has started, with a temporary folder of its own.
final class SpawnedServer {
  /// How long it may take to listen, and to stop, in milliseconds.
  private static let patience: Int64 = 30_000

  let id: pid_t
  private(set) var port = 0
  private let folder: String
  private var output: Int32 = -1
  private var status: Int32?

  /// The program that is built beside this one.
  static var standardPath: String {
    let own = ownPath()
    return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "watchline-server"
  }

  /// Starts it and waits until it listens.
  ///
  /// - Parameters:
  ///   - parent: where its folder is made; the system's temporary folder where nil.
  ///   - isInterrupted: asked while it waits.
  init(
    _ path: String, parent: String?, isInterrupted: () -> Bool
  ) throws(LoadFailure) {
    let base = parent ?? environment("TMPDIR") ?? "/tmp"
    var template = Array("\(base)/watchline-load-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw LoadFailure("no folder can be made in \(base): \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do throws(LoadFailure) {
      (id, output) = try Self.start(path, folder)
    } catch {
      Self.remove(folder)
      throw error
    }
    do throws(LoadFailure) {
      try awaitPort(path, isInterrupted)
    } catch {
      stop()
      throw error
    }
  }

  private static func start(
    _ path: String, _ folder: String
  ) throws(LoadFailure) -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw LoadFailure("pipe: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(
      &actions, 2, "\(folder)/server.log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // A group of its own: Ctrl-C is for this program, which then stops the server.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let parts = [
      path, "--listen", "127.0.0.1:0", "--data", "\(folder)/data", "--log-level", "error",
    ]
    var words: [UnsafeMutablePointer<CChar>?] = parts.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let result = posix_spawn(&id, path, &actions, &attributes, &words, environ)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw LoadFailure("cannot start \(path): \(String(cString: strerror(result)))")
    }
    return (id, ends[0])
  }

  /// Reads the line that says where it listens.
  private func awaitPort(_ path: String, _ isInterrupted: () -> Bool) throws(LoadFailure) {
    let deadline = monotonicMilliseconds() + Self.patience
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while !line.contains(0x0A) {
      guard monotonicMilliseconds() < deadline else {
        throw LoadFailure("\(path) does not listen after \(Self.patience / 1000) s")
      }
      if isInterrupted() { throw LoadFailure("interrupted") }
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 50) > 0 else { continue }
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { throw LoadFailure("\(path) does not start: \(complaint)") }
      line += buffer[..<count]
    }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix("watchline-server listening on "),
      let port = text.split(separator: ":").last.flatMap({ Int($0.filter(\.isNumber)) })
    else { throw LoadFailure("\(path) is no watchline-server: it says \(text.prefix(80))") }
    self.port = port
  }

  /// What it said last on its standard error.
  private var complaint: String {
    let bytes = ((try? File.read("\(folder)/server.log")) ?? nil) ?? []
    let line = bytes.split(separator: 0x0A).last.map { String(decoding: $0, as: UTF8.self) }
    return line.map { String($0.prefix(300)) } ?? "it says nothing"
  }

  /// How it ended, where it has; nil while it runs.
  var ending: String? {
    guard let status = status ?? wait(0) else { return nil }
    let signal = status & 0x7F
    return signal == 0
      ? "its process ended with status \(status >> 8 & 0xFF)"
      : "its process was ended by signal \(signal)"
  }

  /// Waits at most so many milliseconds.
  private func wait(_ milliseconds: Int64) -> Int32? {
    let deadline = monotonicMilliseconds() + milliseconds
    while status == nil {
      var found: Int32 = 0
      if waitpid(id, &found, WNOHANG) == id { status = found }
      guard status == nil, monotonicMilliseconds() < deadline else { break }
      usleep(1_000)
    }
    return status
  }

  /// Stops it and removes its folder. Again has no effect.
  func stop() {
    if status == nil, wait(0) == nil {
      kill(id, SIGTERM)
      if wait(Self.patience) == nil {
        kill(id, SIGKILL)
        _ = wait(Self.patience)
      }
    }
    if output >= 0 { close(output) }
    output = -1
    Self.remove(folder)
  }

  private static func remove(_ folder: String) {
    for name in Folder.files(folder, ending: "") where name != "." && name != ".." {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }
}
