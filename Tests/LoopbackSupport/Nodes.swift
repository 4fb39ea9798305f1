import ChildProcesses
import Foundation

/// Nodes of NATS with JetStream, on the loopback, that go with this value: one alone, or three as a cluster.
package final class Nodes {
  private var children: [Child] = []
  private let words: [[String]]
  package let ports: [Int]
  /// The nodes' folders, configurations and logs.
  package let directory: String

  package struct Failure: Error {
    package var reason: String
  }

  /// Debian's, or the one that `WATCHLINE_NATS_SERVER` names.
  private static var program: String {
    ProcessInfo.processInfo.environment["WATCHLINE_NATS_SERVER"] ?? "nats-server"
  }

  /// - Parameters:
  ///   - count: 1 or 3.
  ///   - jetStream: what the nodes are told of JetStream; nil for none of it.
  package init(_ count: Int = 1, jetStream: String? = "") throws {
    directory = NSTemporaryDirectory() + "watchline-nodes-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    // The last ones are for HTTP.
    let all = try Self.freePorts(count * 3)
    ports = Array(all[..<count])
    monitors = Array(all[(2 * count)...])
    let routes = all[count..<2 * count].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    var words: [[String]] = []
    for number in 0..<count {
      var lines = ["listen: \"127.0.0.1:\(ports[number])\"", "server_name: n\(number)"]
      lines.append("http: \"127.0.0.1:\(monitors[number])\"")
      if let jetStream {
        lines.append("jetstream { store_dir: \"\(directory)/n\(number)\"\n\(jetStream) }")
      }
      if count > 1 {
        lines.append(
          "cluster { name: c, listen: \"127.0.0.1:\(all[count + number])\", routes: [\(routes)] }")
      }
      let path = "\(directory)/n\(number).conf"
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
      words.append([Self.program, "-c", path])
    }
    self.words = words
    for number in 0..<count { children.append(try start(number)) }
    for port in ports { try awaitPort(port) }
  }

  private let monitors: [Int]

  /// What clients are told: nats://127.0.0.1:…, with commas between.
  package var servers: String { ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ",") }

  /// Where they speak HTTP, with commas between.
  package var monitoring: String { monitors.map { "127.0.0.1:\($0)" }.joined(separator: ",") }

  private func start(_ number: Int) throws -> Child {
    let log = Child.Stream.file("\(directory)/n\(number).log")
    return try Child(words[number], output: log, errors: log)
  }

  package func kill(_ number: Int) { children[number].kill() }

  /// Stops a node; it does nothing any more when this returns.
  package func freeze(_ number: Int) {
    children[number].signal(SIGSTOP)
    let path = "/proc/\(children[number].id)/stat"
    while let stat = try? String(contentsOfFile: path, encoding: .utf8), !stat.contains(") T ") {
      usleep(1_000)
    }
  }

  package func thaw(_ number: Int) { children[number].signal(SIGCONT) }

  /// Asks JetStream's API what this package never asks, and does not wait (<https://docs.nats.io/reference/reference-protocols/nats-protocol>).
  package func ask(_ subject: String, _ body: String) throws {
    let descriptor = try loopbackConnection(host: "127.0.0.1", port: ports[0])
    defer { close(descriptor) }
    let text =
      "CONNECT {\"verbose\":false}\r\nPUB \(subject) inbox \(body.utf8.count)\r\n\(body)\r\nPING\r\n"
    _ = write(descriptor, text, text.utf8.count)
    var answer = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // The PONG comes behind what was published.
    while !answer.contains("PONG") {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { throw Failure(reason: "the node ends the connection: \(answer)") }
      answer += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  package func restart(_ number: Int) throws {
    children[number] = try start(number)
    try awaitPort(ports[number])
  }

  deinit {
    for child in children { child.kill() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Ports that were free a moment ago.
  private static func freePorts(_ count: Int) throws -> [Int] {
    let listeners = try (0..<count).map { _ in try LoopbackListener() }
    defer { for listener in listeners { close(listener.descriptor) } }
    return listeners.map(\.port)
  }

  private func awaitPort(_ port: Int) throws {
    let end = Date(timeIntervalSinceNow: 20)
    while end.timeIntervalSinceNow > 0 {
      if let descriptor = try? loopbackConnection(host: "127.0.0.1", port: port) {
        close(descriptor)
        return
      }
      usleep(20_000)
    }
    throw Failure(reason: "no node listens on port \(port); its log is in \(directory)")
  }
}
