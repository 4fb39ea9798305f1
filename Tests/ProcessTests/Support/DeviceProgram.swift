import Foundation

/// A `watchline device` of a test's own, typed at through a pipe and read as JSON lines.
final class DeviceProgram {
  let program: Program
  private var input: Int32
  /// How much of the output has been looked at.
  private var read = 0
  /// The screen that was printed last.
  private(set) var screen: [String] = []
  /// The records that were printed last, by kind.
  private(set) var records: [String: [[String: Any]]] = [:]
  /// The other lines, whole.
  private(set) var events: [[String: Any]] = []
  /// The connection was switched off by a command.
  private(set) var isOffline = false
  /// Everything else that was printed, each with what it is: `event`, `info`, `error`, `page`.
  private(set) var told: [(what: String, text: String)] = []

  init(
    _ server: ServerProcess, in scratch: Scratch, app: String, role: String,
    _ arguments: [String] = []
  ) throws {
    let pipe = "\(scratch.path)/\(UUID().uuidString).pipe"
    guard mkfifo(pipe, 0o600) == 0 else { throw Failure("mkfifo: errno \(errno)") }
    // Open for both, so that neither side waits for the other.
    input = open(pipe, O_RDWR | O_CLOEXEC)
    guard input >= 0 else { throw Failure("open \(pipe): errno \(errno)") }
    program = try Program(
      [
        Program.products + "/watchline", "device", "--app", app, "--role", role, "--connect",
        "127.0.0.1:\(server.port)", "--json", "--timeout", "120",
      ] + arguments, in: scratch, inputFile: pipe)
  }

  deinit { endInput() }

  func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Types lines, one after the other.
  func type(_ lines: String...) {
    for line in lines {
      if line == "offline" || line == "online" { isOffline = line == "offline" }
      let bytes = Array((line + "\n").utf8)
      _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }
  }

  /// Reads what has been printed since.
  func update() throws {
    let output = Array(program.output.utf8)
    guard let end = output.lastIndex(of: 0x0A), end >= read else { return }
    for line in output[read...end].split(separator: 0x0A) {
      guard let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
        throw Failure("no line of a device's")
      }
      if let records = object["records"] as? [String: [[String: Any]]] {
        self.records = records
      } else if let lines = object["screen"] as? [String] {
        screen = lines
      } else {
        events.append(object)
        for what in ["event", "info", "error", "page", "typed"] {
          told += (object[what] as? [String] ?? []).map { (what, $0) }
        }
      }
    }
    read = end + 1
  }

  /// Waits until the screen shows all of these, each in one line.
  func shows(_ texts: String..., without absent: [String] = []) throws {
    try eventually(
      "\(texts) without \(absent) on the screen:\n\(screen.joined(separator: "\n"))\ntold: \(told.suffix(8))"
    ) {
      try update()
      guard !program.hasEnded || read > 0 else { throw Failure(program.errors) }
      return texts.allSatisfy { text in screen.contains { $0.contains(text) } }
        && !absent.contains { text in screen.contains { $0.contains(text) } }
    }
  }

  /// Waits until something was told that contains a text.
  @discardableResult
  func tells(_ text: String) throws -> String {
    var found: String?
    try eventually("told \(text); told so far: \(told.suffix(8))") {
      try update()
      found = told.last { $0.text.contains(text) }?.text
      return found != nil
    }
    return found!
  }

  /// Types, and waits until everything typed is done and synced.
  func sync(_ lines: String...) throws {
    for line in lines { type(line) }
    let mark = "synced \(told.count) \(read)"
    type("wait", mark)
    // The device knows no such word, and says so after it has waited.
    try tells("there is no \"synced\"")
    told.removeAll { $0.text.contains("there is no \"synced\"") }
  }
}

/// Tests with devices that a person types at, at a server of their own.
protocol DeviceSuite {
  var scratch: Scratch { get }
  var server: ServerProcess { get }
}

extension DeviceSuite {
  /// The lines of a script go in at once, and the program ends with what they come to.
  func script(
    _ arguments: [String], _ lines: String..., role: String = "phone"
  ) throws -> (status: Int, output: String, errors: String) {
    let program = try Program(
      [
        Program.products + "/watchline", "device", "--app", "todoTimers", "--role", role,
        "--connect", "127.0.0.1:\(server.port)", "--timeout", "60",
      ] + arguments, in: scratch, input: lines.joined(separator: "\n") + "\n")
    return (try program.exitCode(), program.output, program.errors)
  }

  func device(
    _ role: String, app: String = "todoTimers", _ arguments: String...
  ) throws -> DeviceProgram {
    try DeviceProgram(server, in: scratch, app: app, role: role, arguments)
  }
}
