internal import Glibc

/// The history of all sessions, a line a line, kept where the XDG Base Directory Specification puts
/// what is to outlive a restart: `$XDG_STATE_HOME/watchline/history`, or under `~/.local/state`.
///
/// Sessions that run beside one another append to it. Blocking: it is read at the start, and a
/// line takes microseconds to append.
struct HistoryFile {
  /// 1 MiB. A larger file is cut to the lines that are remembered.
  private static let longestFile = 1024 * 1024
  /// Longer lines are remembered for the session only.
  private static let longestLine = 64 * 1024

  /// A call failed: which, and what the system says.
  struct Failure: Error {
    let message: String
  }

  private let directory: String
  private var path: String { directory + "/history" }

  /// Nil where the environment names no home.
  init?(_ variable: (String) -> String?) {
    // Relative paths are invalid there and to be ignored, says the specification.
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      directory = state + "/watchline"
    } else if let home = variable("HOME"), home.hasPrefix("/") {
      directory = home + "/.local/state/watchline"
    } else {
      return nil
    }
  }

  /// The lines, oldest first; none where there is no file yet.
  func load() throws(Failure) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return [] }
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard bytes.count > Self.longestFile else { return lines }
    let kept = Array(lines.suffix(History.maximumLines / 2))
    try replace(with: kept)
    return kept
  }

  /// Appends a line.
  func append(_ line: String) throws(Failure) {
    guard line.utf8.count <= Self.longestLine else { return }
    try makeDirectory()
    try write([line], to: path, O_APPEND)
  }

  private func replace(with lines: [String]) throws(Failure) {
    let temporary = path + ".\(getpid())"
    try write(lines, to: temporary, O_TRUNC)
    guard rename(temporary, path) == 0 else { throw failure("rename") }
  }

  private func write(_ lines: [String], to file: String, _ flags: Int32) throws(Failure) {
    // Lines may hold what is nobody else's business.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw failure("write") }
  }

  private func makeDirectory() throws(Failure) {
    var at = directory.startIndex
    while at < directory.endIndex {
      let next = directory[directory.index(after: at)...].firstIndex(of: "/")
      at = next ?? directory.endIndex
      if mkdir(String(directory[..<at]), 0o700) != 0, errno != EEXIST { throw failure("mkdir") }
    }
  }

  private func failure(_ function: String) -> Failure {
    Failure(message: "\(path): \(function): \(String(cString: strerror(errno)))")
  }
}
