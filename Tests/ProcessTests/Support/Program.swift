import ChildProcesses
import Foundation

/// A child process with its output in files; ended by its id when this value goes.
final class Program {
  let outputPath: String
  let errorsPath: String
  private let child: Child

  var id: pid_t { child.id }

  /// The directory of the test bundle, where the package's programs are built too.
  static let products: String = {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let own = path.map { ($0 as NSString).deletingLastPathComponent } ?? "."
    if access(own + "/watchline-server", X_OK) == 0 { return own }
    // Some runners load the bundle into a program of their own.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return (bundle as NSString).deletingLastPathComponent
  }()

  /// Starts `arguments[0]`, looked up in PATH.
  /// - Parameters:
  ///   - input: what it reads as standard input.
  ///   - inputFile: the file that it reads instead.
  ///   - environment: variables beside those of this process.
  init(
    _ arguments: [String], in scratch: Scratch, input: String? = nil, inputFile: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    let name = "\(scratch.path)/\(UUID().uuidString)"
    outputPath = name + ".out"
    errorsPath = name + ".err"
    var inputPath = inputFile ?? "/dev/null"
    if let input {
      inputPath = name + ".in"
      try Data(input.utf8).write(to: URL(fileURLWithPath: inputPath))
    }

    do {
      child = try Child(
        arguments, input: .file(inputPath), output: .file(outputPath), errors: .file(errorsPath),
        environment: environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 })
    } catch {
      throw Failure("cannot start \(arguments[0]): \(error.reason)")
    }
  }

  deinit { child.kill() }

  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }

  func signal(_ number: Int32) { child.signal(number) }

  /// SIGKILL, and waits for the end.
  func kill() { child.kill() }

  var hasEnded: Bool { child.hasEnded }

  /// The exit code; minus the signal's number where one ended it.
  func exitCode(within seconds: Double = Moment.patience) throws -> Int {
    try eventually(within: seconds, "process \(id) ends; its errors: \(errors.suffix(500))") {
      hasEnded
    }
    return child.exitCode!
  }
}
