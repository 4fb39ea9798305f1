import CUV
import ChildProcesses
import Foundation
import Testing

/// The program in a real terminal emulator, tmux, without a window: keys go in, and what
/// the screen shows comes out.
final class TerminalSession {
  private let folder: TemporaryFolder
  private let socket: String

  /// - Parameters:
  ///   - state: where the history is kept; a folder of its own where left out.
  ///   - environment: as `NAME=value`.
  init(
    _ arguments: [String], subcommand: String = "connect", columns: Int = 60, rows: Int = 24,
    state: TemporaryFolder? = nil,
    environment: [String] = []
  ) throws {
    folder = try TemporaryFolder()
    socket = folder.path + "/tmux"
    let variables = ["XDG_STATE_HOME=\((state ?? folder).path)"] + environment
    let command = (["env"] + variables + [Program.path, subcommand] + arguments)
      .map { "'\($0)'" }.joined(separator: " ")
    // Afterwards the screen stays, with the status and the mode in which the terminal was left.
    let script = "\(command); echo \"status $?\"; stty -a | grep -ow -e '-*icanon'; sleep 60"
    try tmux([
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", script,
    ])
  }

  deinit {
    _ = try? tmux(["kill-server"])
  }

  /// Types text as it is.
  func type(_ text: String) throws { try tmux(["send-keys", "-l", text]) }

  /// Presses keys by tmux's names, such as `Up` and `C-d`.
  func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

  /// Resizes the window, and waits until the program can know: tmux tells the terminal later.
  func resize(columns: Int, rows: Int) throws {
    try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    let path = try tmux(["display-message", "-p", "#{pane_tty}"])
    let terminal = open(path.trimmingCharacters(in: .newlines), O_RDONLY | O_NOCTTY | O_CLOEXEC)
    defer { close(terminal) }
    let deadline = Date() + 15
    var size = winsize()
    while Int(size.ws_col) != columns, Date() < deadline {
      Thread.sleep(forTimeInterval: 0.01)
      _ = ioctl(terminal, UInt(TIOCGWINSZ), &size)
    }
    #expect(Int(size.ws_col) == columns)
  }

  /// What the screen shows, a row a line, without what is empty at the end.
  ///
  /// - Parameters:
  ///   - joined: rows that the terminal has wrapped are one line.
  ///   - styled: with the sequences for colours.
  func screen(joined: Bool = false, styled: Bool = false) throws -> String {
    let rows = try tmux(["capture-pane", "-p"] + (joined ? ["-J"] : []) + (styled ? ["-e"] : []))
    let lines = rows.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    return lines.reversed().drop { $0.isEmpty }.reversed().joined(separator: "\n")
  }

  /// Column and row of the cursor.
  func cursor() throws -> String {
    try tmux(["display-message", "-p", "#{cursor_x},#{cursor_y}"])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Looks at the screen until `condition` holds; fails after 15 s.
  func wait(
    _ what: String, joined: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (String) -> Bool
  ) throws {
    let deadline = Date() + 15
    var screen = ""
    repeat {
      screen = try self.screen(joined: joined)
      if condition(screen) { return }
      Thread.sleep(forTimeInterval: 0.02)
    } while Date() < deadline
    Issue.record("\(what) did not come; the screen:\n\(screen)", sourceLocation: sourceLocation)
  }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    // Not by Foundation's Process, which waits for tmux's server too, for it inherits a socket.
    let words = ["env", "-u", "TMUX", "TERM=xterm", "tmux", "-u", "-S", socket] + arguments
    let output = folder.path + "/output"
    unlink(output)
    let child = try Child(words, output: .file(output), errors: .nothing)
    guard child.wait(within: 60_000), child.exitCode == 0 else {
      child.kill()
      throw Failure(arguments: arguments)
    }
    return try folder.text("output")
  }

  /// tmux is not there (`ci/install-deps test` installs it), or refuses.
  struct Failure: Error {
    let arguments: [String]
  }
}
