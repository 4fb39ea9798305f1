import ChildProcesses
import Foundation

/// Nodes of NATS with JetStream, on the loopback, that go with this value: one alone, or three as a cluster.
package final class Nodes {
  private var children: [Child] = []
  private var words: [[String]] = []
  package private(set) var ports: [Int] = []
  private var monitors: [Int] = []
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
    let all = try FreePorts.draw(count * 3)
    ports = Array(all[..<count])
    monitors = Array(all[(2 * count)...])
    let routes = all[count..<2 * count].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    for number in 0..<count {
      var lines = ["listen: \"127.0.0.1:\(ports[number])\"", "server_name: \"\(name(number))\""]
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
    for number in 0..<count { children.append(try start(number)) }
    for number in 0..<count { try awaitStart(number) }
  }

  /// Nobody else's.
  private func name(_ number: Int) -> String { "n\(number)-\(directory.suffix(36))" }

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
  package func freeze(_ number: Int) throws {
    children[number].signal(SIGSTOP)
    let path = "/proc/\(children[number].id)/stat"
    while try !String(contentsOfFile: path, encoding: .utf8).contains(") T ") {
      guard !children[number].hasEnded else { throw ended(number) }
      usleep(1_000)
    }
  }

  package func thaw(_ number: Int) { children[number].signal(SIGCONT) }

  /// Asks JetStream's API what this package never asks, and does not wait (<https://docs.nats.io/reference/reference-protocols/nats-protocol>).
  package func ask(_ subject: String, _ body: String) throws {
    let descriptor = try connection(0)
    defer { close(descriptor) }
    let text =
      "CONNECT {\"verbose\":false}\r\nPUB \(subject) inbox \(body.utf8.count)\r\n\(body)\r\nPING\r\n"
    _ = write(descriptor, text, text.utf8.count)
    var answer = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // The PONG comes behind what was published.
    while !answer.contains("PONG") {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { throw Failure(reason: "the node says no more than: \(answer)") }
      answer += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  package func restart(_ number: Int) throws {
    children[number] = try start(number)
    try awaitStart(number)
  }

  deinit {
    for child in children { child.kill() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Until the node says its name on its port.
  private func awaitStart(_ number: Int) throws {
    let end = Date(timeIntervalSinceNow: 20)
    while end.timeIntervalSinceNow > 0, !children[number].hasEnded {
      if let descriptor = try? connection(number) {
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains(name(number)) {
          return
        }
      }
      usleep(20_000)
    }
    throw ended(number)
  }

  /// What is not said on it within ten seconds is an error.
  private func connection(_ number: Int) throws -> Int32 {
    let descriptor = try loopbackConnection(host: "127.0.0.1", port: ports[number])
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
  }

  private func ended(_ number: Int) -> Failure {
    let path = "\(directory)/n\(number).log"
    let log = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return Failure(reason: "no node listens on port \(ports[number]): \(log.suffix(500))")
  }
}
