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
  func load() throws(FileFailure) -> [String] {
    let bytes = try File.read(path) ?? []
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard bytes.count > Self.longestFile else { return lines }
    let kept = Array(lines.suffix(History.maximumLines / 2))
    try File.replace(path, with: Self.bytes(kept))
    return kept
  }

  /// Appends a line.
  func append(_ line: String) throws(FileFailure) {
    guard line.utf8.count <= Self.longestLine else { return }
    try makeDirectory()
    try File.append(Self.bytes([line]), to: path)
  }

  private static func bytes(_ lines: [String]) -> [UInt8] {
    Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  private func makeDirectory() throws(FileFailure) {
    var at = directory.startIndex
    while at < directory.endIndex {
      let next = directory[directory.index(after: at)...].firstIndex(of: "/")
      at = next ?? directory.endIndex
      let folder = String(directory[..<at])
      if mkdir(folder, 0o700) != 0, errno != EEXIST { throw FileFailure("mkdir", folder) }
    }
  }
}
