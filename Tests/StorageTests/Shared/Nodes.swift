import ChildProcesses
import Foundation
import LoopbackSupport

@testable import Storage

/// Nodes of NATS with JetStream, on the loopback, that go with this value: one alone, or three as a cluster.
final class Nodes {
  private(set) var children: [Child] = []
  private let words: [[String]]
  let ports: [Int]
  let directory: TemporaryDirectory

  struct Failure: Error {
    var reason: String
  }

  /// Debian's, or the one that `WATCHLINE_NATS_SERVER` names.
  private static var program: String {
    getenv("WATCHLINE_NATS_SERVER").map { String(cString: $0) } ?? "nats-server"
  }

  /// - Parameters:
  ///   - count: 1 or 3.
  ///   - more: what is said in their configuration beside.
  init(_ count: Int = 1, jetStream: Bool = true, more: String = "") throws {
    directory = TemporaryDirectory()
    let all = try Self.freePorts(count * 2)
    ports = Array(all[..<count])
    let routes = all[count...].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    var words: [[String]] = []
    for number in 0..<count {
      var lines = ["listen: \"127.0.0.1:\(ports[number])\"", "server_name: n\(number)", more]
      if jetStream { lines.append("jetstream { store_dir: \"\(directory.path)/n\(number)\" }") }
      if count > 1 {
        lines.append(
          "cluster { name: c, listen: \"127.0.0.1:\(all[count + number])\", routes: [\(routes)] }")
      }
      let path = "\(directory.path)/n\(number).conf"
      writeFile(path, Array(lines.joined(separator: "\n").utf8))
      words.append([Self.program, "-c", path])
    }
    self.words = words
    for number in 0..<count { children.append(try start(number)) }
    for port in ports { try Self.awaitPort(port) }
  }

  private func start(_ number: Int) throws -> Child {
    let log = Child.Stream.file("\(directory.path)/n\(number).log")
    return try Child(words[number], output: log, errors: log)
  }

  /// What clients are told: nats://127.0.0.1:…, with commas between.
  var servers: String { ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ",") }

  func kill(_ number: Int) {
    children[number].signal(SIGKILL)
    while !children[number].hasEnded { usleep(1_000) }
  }

  func restart(_ number: Int) throws {
    children[number] = try start(number)
    try Self.awaitPort(ports[number])
  }

  deinit {
    for number in children.indices { kill(number) }
    for number in children.indices {
      try? FileManager.default.removeItem(atPath: "\(directory.path)/n\(number)")
    }
  }

  /// Ports that were free a moment ago.
  private static func freePorts(_ count: Int) throws -> [Int] {
    let listeners = try (0..<count).map { _ in try LoopbackListener() }
    defer { for listener in listeners { close(listener.descriptor) } }
    return listeners.map(\.port)
  }

  private static func awaitPort(_ port: Int) throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while monotonicNanoseconds() < deadline {
      if let descriptor = try? loopbackConnection(host: "127.0.0.1", port: port) {
        close(descriptor)
        return
      }
      usleep(20_000)
    }
    throw Failure(reason: "no node listens on port \(port)")
  }
}
