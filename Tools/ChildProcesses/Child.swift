package import Glibc

/// A process that this one has started.
///
/// Its signals are as a shell would leave them: none is blocked, and SIGPIPE ends it. Not thread-safe.
package final class Child {
  /// Where one of its standard streams comes from or goes to.
  package enum Stream: Sendable {
    /// This process's own.
    case inherited
    /// `/dev/null`.
    case nothing
    /// A file: read from its start as input, made where it is missing and appended to as output.
    case file(String)
    /// A pipe, whose other end is `input`, `output` or `errors`.
    case pipe
  }

  /// It could not be started.
  package struct Failure: Error {
    /// The C function that failed.
    package let function: String
    /// Its `errno`.
    package let code: Int32
    package var reason: String { String(cString: strerror(code)) }
  }

  package let id: pid_t
  /// This process's ends of its pipes; -1 where there is none. They are closed with this object.
  package private(set) var input: Int32 = -1
  package private(set) var output: Int32 = -1
  package private(set) var errors: Int32 = -1
  private let ownsGroup: Bool
  private var status: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: the program, looked up in PATH where it has no `/`, and its arguments.
  ///   - environment: what differs from this process's own.
  ///   - ownsGroup: it gets a process group of its own, so that what it starts can be killed with it.
  /// - Throws: `pipe`, `posix_spawnp` with their codes; nothing is left behind then.
  package init(
    _ words: [String], input: Stream = .nothing, output: Stream, errors: Stream,
    environment: [String: String] = [:], ownsGroup: Bool = false
  ) throws(Failure) {
    self.ownsGroup = ownsGroup
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var theirs: [Int32] = []
    var ours: [Int32] = [-1, -1, -1]
    defer { for end in theirs { Glibc.close(end) } }
    for (number, stream) in [input, output, errors].enumerated() {
      switch stream {
      case .inherited: break
      case .nothing: Self.open("/dev/null", as: number, &actions)
      case .file(let path): Self.open(path, as: number, &actions)
      case .pipe:
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
          let code = errno
          for end in ours where end >= 0 { Glibc.close(end) }
          throw Failure(function: "pipe", code: code)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let inner = number == 0 ? 0 : 1
        theirs.append(ends[inner])
        ours[number] = ends[1 - inner]
        posix_spawn_file_actions_adddup2(&actions, ends[inner], Int32(number))
      }
    }
    let result = Self.spawn(words, &actions, environment, ownsGroup)
    guard case .success(let id) = result else {
      for end in ours where end >= 0 { Glibc.close(end) }
      throw Failure(function: "posix_spawnp", code: result.code)
    }
    self.id = id
    (self.input, self.output, self.errors) = (ours[0], ours[1], ours[2])
  }

  deinit { for end in [input, output, errors] where end >= 0 { Glibc.close(end) } }

  private static func open(
    _ path: String, as number: Int, _ actions: inout posix_spawn_file_actions_t
  ) {
    let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, Int32(number), path, flags, 0o600)
  }

  private enum Result {
    case success(pid_t)
    case failure(Int32)

    var code: Int32 { if case .failure(let code) = self { code } else { 0 } }
  }

  private static func spawn(
    _ words: [String], _ actions: inout posix_spawn_file_actions_t,
    _ environment: [String: String], _ ownsGroup: Bool
  ) -> Result {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(
      &attributes, Int16(flags) | Int16(ownsGroup ? POSIX_SPAWN_SETPGROUP : 0))
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = Self.variables(environment) + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, words[0], &actions, &attributes, &arguments, &variables)
    return code == 0 ? .success(id) : .failure(code)
  }

  /// This process's variables with the changes, as `NAME=value`.
  private static func variables(_ changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if changes[String(text.prefix { $0 != "=" })] == nil { variables.append(strdup(variable)) }
      next += 1
    }
    return variables + changes.map { strdup("\($0.key)=\($0.value)") }
  }

  // MARK: Streams

  /// Closes its input, which it reads as the end.
  package func endInput() {
    if input >= 0 { Glibc.close(input) }
    input = -1
  }

  // MARK: The end

  package var hasEnded: Bool {
    if status == nil { collect(WNOHANG) }
    return status != nil
  }

  /// Its exit code, or minus the signal that ended it; nil while it runs.
  package var exitCode: Int? {
    guard hasEnded, let status else { return nil }
    let signal = Int(status & 0x7F)
    return signal == 0 ? Int(status >> 8 & 0xFF) : -signal
  }

  /// Sends it a signal, and nothing that it has started.
  package func signal(_ number: Int32) {
    if !hasEnded { Glibc.kill(id, number) }
  }

  /// Waits for its end, for at most so many milliseconds. Returns whether it has ended.
  package func wait(within milliseconds: Int64) -> Bool {
    let deadline = Self.now + milliseconds
    while !hasEnded, Self.now < deadline { usleep(1_000) }
    return hasEnded
  }

  /// Kills it, or its group where it has one of its own, and waits for its end.
  package func kill() {
    guard !hasEnded else { return }
    Glibc.kill(ownsGroup ? -id : id, SIGKILL)
    collect(0)
  }

  /// Kills whatever it may have left behind in a group of its own.
  package func killGroup() {
    if ownsGroup { Glibc.kill(-id, SIGKILL) }
  }

  private func collect(_ options: Int32) {
    var found: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(id, &found, options) } while result < 0 && errno == EINTR
    if result == id { status = found }
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
