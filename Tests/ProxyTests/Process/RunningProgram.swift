import ChildProcesses
import Foundation
import Testing

/// A program of the package that runs beside the test: typed into by a pipe, with its output in
/// files; killed when this goes.
final class RunningProgram {
  private let child: Child
  private let folder: String

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
    child = try Child(
      [path] + arguments, input: .pipe, output: .file(folder + "/output"),
      errors: .file(folder + "/errors"))
  }

  deinit {
    child.kill()
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
    guard write(child.input, bytes, bytes.count) == bytes.count else {
      throw Missing(description: "it does not read")
    }
    return try self.line(after: count, "the answer to \(line)") {
      $0.hasPrefix("{\"re\"") || $0.hasPrefix("{\"error\"")
    }
  }

  func endInput() { child.endInput() }

  func terminate() { child.signal(SIGTERM) }

  /// The exit status, once it has ended; below 0 where a signal ended it.
  func status() throws -> Int32 {
    Int32(try wait("its end") { child.exitCode })
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
