internal import ChildProcesses
internal import Glibc
internal import Load

/// A server that this program has started, with a temporary folder of its own.
final class SpawnedServer {
  /// How long it may take to listen, and to stop, in milliseconds.
  private static let patience: Int64 = 30_000

  private(set) var port = 0
  private let folder: String
  private let child: Child

  var id: pid_t { child.id }

  /// The program that is built beside this one.
  static var standardPath: String {
    let own = ownPath()
    return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "watchline-server"
  }

  /// Starts it and waits until it listens.
  ///
  /// - Parameters:
  ///   - parent: where its folder is made; the system's temporary folder where nil.
  ///   - isInterrupted: asked while it waits.
  init(
    _ path: String, parent: String?, isInterrupted: () -> Bool
  ) throws(LoadFailure) {
    let base = parent ?? environment("TMPDIR") ?? "/tmp"
    var template = Array("\(base)/watchline-load-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw LoadFailure("no folder can be made in \(base): \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do throws(Child.Failure) {
      // A group of its own: Ctrl-C is for this program, which then stops the server.
      child = try Child(
        [path, "--listen", "127.0.0.1:0", "--data", "\(folder)/data", "--log-level", "error"],
        output: .pipe, errors: .file("\(folder)/server.log"), ownsGroup: true)
    } catch {
      Self.remove(folder)
      throw LoadFailure("cannot start \(path): \(error.reason)")
    }
    do throws(LoadFailure) {
      try awaitPort(path, isInterrupted)
    } catch {
      stop()
      throw error
    }
  }

  /// Reads the line that says where it listens.
  private func awaitPort(_ path: String, _ isInterrupted: () -> Bool) throws(LoadFailure) {
    let deadline = monotonicMilliseconds() + Self.patience
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while !line.contains(0x0A) {
      guard monotonicMilliseconds() < deadline else {
        throw LoadFailure("\(path) does not listen after \(Self.patience / 1000) s")
      }
      if isInterrupted() { throw LoadFailure("interrupted") }
      var waiting = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 50) > 0 else { continue }
      let count = read(child.output, &buffer, buffer.count)
      guard count > 0 else { throw LoadFailure("\(path) does not start: \(complaint)") }
      line += buffer[..<count]
    }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix("watchline-server listening on "),
      let port = text.split(separator: ":").last.flatMap({ Int($0.filter(\.isNumber)) })
    else { throw LoadFailure("\(path) is no watchline-server: it says \(text.prefix(80))") }
    self.port = port
  }

  /// What it said last on its standard error.
  private var complaint: String {
    let bytes = ((try? File.read("\(folder)/server.log")) ?? nil) ?? []
    let line = bytes.split(separator: 0x0A).last.map { String(decoding: $0, as: UTF8.self) }
    return line.map { String($0.prefix(300)) } ?? "it says nothing"
  }

  /// How it ended, where it has; nil while it runs.
  var ending: String? {
    guard let code = child.exitCode else { return nil }
    return code >= 0
      ? "its process ended with status \(code)" : "its process was ended by signal \(-code)"
  }

  /// Stops it and removes its folder. Again has no effect.
  func stop() {
    child.signal(SIGTERM)
    if !child.wait(within: Self.patience) { child.kill() }
    Self.remove(folder)
  }

  private static func remove(_ folder: String) {
    for name in Folder.files(folder, ending: "") where name != "." && name != ".." {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }
}
