import Foundation

/// A server of the benchmark's own, with its store in a folder.
final class ServerProgram {
  private let process = Process()
  let port: Int
  /// From the start of the process to its line that it listens.
  let secondsToListen: Double

  init(data: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("watchline-server")
    process.arguments = ["--listen", "127.0.0.1:0", "--data", data, "--log-level", "error"]
    let output = Pipe()
    process.standardOutput = output
    let start = Date()
    try process.run()
    let ready = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
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
    process.terminate()
    process.waitUntilExit()
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// CPU seconds of the process so far, user and system, from /proc.
  var cpu: Double {
    let path = "/proc/\(process.processIdentifier)/stat"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
    let fields = text[text.lastIndex(of: ")")!...].split(separator: " ")
    return (Double(fields[12])! + Double(fields[13])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// A size of /proc's `status`, such as VmRSS or VmHWM, in MiB.
  func mebibytes(_ name: String) -> Int {
    let path = "/proc/\(process.processIdentifier)/status"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) }.map { $0 >> 10 } ?? 0
  }
}
