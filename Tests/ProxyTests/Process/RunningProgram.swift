import Foundation
import Testing

/// A program of the package that runs beside the test: typed into by a pipe, with its output in
/// files; killed when this goes.
final class RunningProgram {
  private let id: pid_t
  private let folder: String
  private var input: Int32
  private var ending: Int32?

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  init(_ name: String, _ arguments: [String]) throws {
    // The package manager puts programs beside the bundle of the tests.
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let path = tests.deletingLastPathComponent().appendingPathComponent(name).path
    folder = NSTemporaryDirectory() + "/watchline-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Missing(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends[1]
    defer { close(ends[0]) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, folder + "/output", flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder + "/errors", flags, 0o600)
    // The threads that tests run on have signals blocked, which a child would inherit.
    var attributes = posix_spawnattr_t()
    var none = sigset_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let failure = posix_spawn(&id, path, &actions, &attributes, &words, environ)
    guard failure == 0 else { throw Missing(description: "\(path) cannot be started: \(failure)") }
    self.id = id
  }

  deinit {
    if !hasEnded {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    if input >= 0 { close(input) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func whole(_ name: String) -> [String] {
    let bytes = FileManager.default.contents(atPath: folder + name) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// What it has written, a line a line.
  var lines: [String] { whole("/output") }
  var said: [String] { whole("/errors") }

  /// Waits for something, for at most 15 s.
  private func wait<Result>(_ what: String, _ look: () -> Result?) throws -> Result {
    let deadline = Date() + 15
    while Date() < deadline {
      if let result = look() { return result }
      Thread.sleep(forTimeInterval: 0.01)
    }
    throw Missing(description: "\(what) did not come: \(lines) \(said)")
  }

  /// The first line that fits, from the `after`-th on.
  func line(after: Int = 0, _ what: String, _ fits: (String) -> Bool) throws -> String {
    try wait(what) { lines.dropFirst(after).first(where: fits) }
  }

  /// Gives a command, and waits for its answer.
  @discardableResult
  func ask(_ line: String) throws -> String {
    let count = lines.count
    let bytes = Array((line + "\n").utf8)
    guard write(input, bytes, bytes.count) == bytes.count else {
      throw Missing(description: "it does not read")
    }
    return try self.line(after: count, "the answer to \(line)") {
      $0.hasPrefix("{\"re\"") || $0.hasPrefix("{\"error\"")
    }
  }

  func endInput() {
    close(input)
    input = -1
  }

  func terminate() { kill(id, SIGTERM) }

  private var hasEnded: Bool {
    if ending != nil { return true }
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return false }
    ending = status
    return true
  }

  /// The exit status, once it has ended; below 0 where a signal ended it.
  func status() throws -> Int32 {
    _ = try wait("its end") { hasEnded ? true : nil }
    let signal = ending! & 0x7F
    return signal == 0 ? ending! >> 8 & 0xFF : -signal
  }
}

extension RunningProgram {
  /// A proxy on a free port; it listens.
  static func proxy(to port: Int, _ arguments: [String] = []) throws -> (RunningProgram, port: Int)
  {
    let program = try RunningProgram(
      "watchline", ["proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(port)"] + arguments)
    let line = try program.line("the listening line") { $0.contains("\"event\":\"listening\"") }
    return (program, try #require(Self.number("port", in: line)))
  }

  /// The whole number of a member.
  static func number(_ name: String, in line: String) -> Int? {
    line.firstRange(of: "\"\(name)\":").map { line[$0.upperBound...].prefix(while: \.isNumber) }
      .flatMap { Int($0) }
  }
}
