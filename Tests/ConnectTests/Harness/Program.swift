import ChildProcesses
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
    signal(SIGPIPE, SIG_IGN)
    let child = try Child(
      [Self.path] + arguments, input: .pipe, output: .file("\(folder.path)/output"),
      errors: .file("\(folder.path)/errors"))
    // A program that ends before it has read everything breaks the pipe.
    let pipe = FileHandle(fileDescriptor: child.input, closeOnDealloc: false)
    try? pipe.write(contentsOf: Data(input.utf8))
    if endsInput { child.endInput() }
    if !child.wait(within: Int64(seconds * 1000)) {
      child.kill()
      Issue.record("not over after \(seconds) s", sourceLocation: sourceLocation)
    }
    let code = child.exitCode!
    status = Int32(abs(code))
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

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
  }
}
