import Foundation

/// A child process with its output in files; ended by its id when this value goes.
final class Program {
  let id: pid_t
  let outputPath: String
  let errorsPath: String
  private var status: Int32?

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
  init(
    _ arguments: [String], in scratch: Scratch, input: String? = nil, inputFile: String? = nil
  ) throws {
    let name = "\(scratch.path)/\(UUID().uuidString)"
    outputPath = name + ".out"
    errorsPath = name + ".err"
    var inputPath = inputFile ?? "/dev/null"
    if let input {
      inputPath = name + ".in"
      try Data(input.utf8).write(to: URL(fileURLWithPath: inputPath))
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorsPath, flags, 0o600)

    // The threads that tests run on have signals blocked, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let failure = posix_spawnp(&id, arguments[0], &actions, &attributes, &words, &variables)
    guard failure == 0 else {
      throw Failure("cannot start \(arguments[0]): \(String(cString: strerror(failure)))")
    }
    self.id = id
  }

  deinit {
    guard status == nil else { return }
    kill()
  }

  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }

  func signal(_ number: Int32) {
    if status == nil { Glibc.kill(id, number) }
  }

  /// SIGKILL, and waits for the end.
  func kill() {
    signal(SIGKILL)
    var status: Int32 = 0
    if self.status == nil { waitpid(id, &status, 0) }
    self.status = status
  }

  var hasEnded: Bool {
    guard status == nil else { return true }
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return false }
    self.status = status
    return true
  }

  /// The exit code; minus the signal's number where one ended it.
  func exitCode(within seconds: Double = Moment.patience) throws -> Int {
    try eventually(within: seconds, "process \(id) ends; its errors: \(errors.suffix(500))") {
      hasEnded
    }
    let signal = Int(status! & 0x7F)
    return signal == 0 ? Int(status! >> 8 & 0xFF) : -signal
  }
}
