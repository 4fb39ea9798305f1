import Foundation
import Synchronization
import Testing

/// A program of the package that runs beside the test, with pipes; killed when this goes.
final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Lines()
  private let errors = Lines()

  /// What has been written, a line a line.
  private final class Lines: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    let pipe = Pipe()

    func read() {
      pipe.fileHandleForReading.readabilityHandler = { [self] handle in
        let data = handle.availableData
        if data.isEmpty { handle.readabilityHandler = nil }
        bytes.withLock { $0 += data }
      }
    }

    var all: [String] {
      let text = bytes.withLock { String(decoding: $0, as: UTF8.self) }
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    }
  }

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  init(_ name: String, _ arguments: [String]) throws {
    // The package manager puts programs beside the bundle of the tests.
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output.pipe
    process.standardError = errors.pipe
    signal(SIGPIPE, SIG_IGN)
    try process.run()
    output.read()
    errors.read()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// The first line that fits, from the `after`-th on; fails after 15 s.
  func line(after: Int = 0, _ what: String, _ fits: (String) -> Bool) throws -> String {
    let deadline = Date() + 15
    while Date() < deadline {
      if let line = output.all.dropFirst(after).first(where: fits) { return line }
      Thread.sleep(forTimeInterval: 0.01)
    }
    throw Missing(description: "\(what) did not come: \(output.all) \(errors.all)")
  }

  var lines: [String] { output.all }
  var said: [String] { errors.all }

  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Gives a command, and waits for its answer.
  @discardableResult
  func ask(_ line: String) throws -> String {
    let count = output.all.count
    try type(line)
    return try self.line(after: count, "the answer to \(line)") {
      $0.hasPrefix("{\"re\"") || $0.hasPrefix("{\"error\"")
    }
  }

  func endInput() throws { try input.fileHandleForWriting.close() }

  func terminate() { process.terminate() }

  /// The exit status, once it has ended.
  func status() throws -> Int32 {
    let deadline = Date() + 15
    while process.isRunning {
      guard Date() < deadline else { throw Missing(description: "it does not end") }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return process.terminationReason == .exit ? process.terminationStatus : -1
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
