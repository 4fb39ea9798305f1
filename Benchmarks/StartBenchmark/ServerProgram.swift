import ChildProcesses
import Foundation

/// A server of the benchmark's own, with its store in a folder.
final class ServerProgram {
  private let child: Child
  let port: Int
  /// From the start of the process to its line that it listens.
  let secondsToListen: Double

  init(data: String) throws {
    let path = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("watchline-server").path
    let start = Date()
    child = try Child(
      [path, "--listen", "127.0.0.1:0", "--data", data, "--log-level", "error"], output: .pipe,
      errors: .inherited)
    let output = FileHandle(fileDescriptor: child.output, closeOnDealloc: false)
    let ready = String(decoding: output.availableData, as: UTF8.self)
    secondsToListen = Date().timeIntervalSince(start)
    guard
      let port = ready.split(separator: ":").last.flatMap({
        Int($0.trimmingCharacters(in: .newlines))
      })
    else { fatalError("the server did not start") }
    self.port = port
  }

  /// SIGTERM, and waits for the end.
  func stop() {
    child.signal(SIGTERM)
    while !child.wait(within: 60_000) {}
  }

  func kill() { child.kill() }

  /// CPU seconds of the process so far, user and system, from /proc.
  var cpu: Double {
    let path = "/proc/\(child.id)/stat"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
    let fields = text[text.lastIndex(of: ")")!...].split(separator: " ")
    return (Double(fields[12])! + Double(fields[13])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// A size of /proc's `status`, such as VmRSS or VmHWM, in MiB.
  func mebibytes(_ name: String) -> Int {
    let path = "/proc/\(child.id)/status"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) }.map { $0 >> 10 } ?? 0
  }
}
