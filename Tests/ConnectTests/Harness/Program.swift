import Foundation
import Testing

/// The built program, run to its end.
struct Program {
  /// Beside the bundle of the tests, where the package manager puts both.
  static let path: String = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("watchline").path
  }()

  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs it with `arguments`.
  ///
  /// - Parameters:
  ///   - input: what it can read.
  ///   - endsInput: whether there is an end to that.
  ///   - seconds: after which it is killed, which fails the test.
  init(
    _ arguments: [String], input: String = "", endsInput: Bool = true, seconds: Double = 20,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = try folder.file("output")
    process.standardError = try folder.file("errors")
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    signal(SIGPIPE, SIG_IGN)
    try process.run()
    // A program that ends before it has read everything breaks the pipe.
    try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    if endsInput { try pipe.fileHandleForWriting.close() }
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      Issue.record("not over after \(seconds) s", sourceLocation: sourceLocation)
      ended.wait()
    }
    withExtendedLifetime(pipe) {}
    status = process.terminationStatus
    output = try folder.text("output")
    errors = try folder.text("errors")
  }
}

/// A folder of its own for a test, gone with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/watchline-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) throws -> FileHandle {
    _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: nil)
    return try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
  }
}
