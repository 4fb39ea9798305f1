import CUV
import Foundation
import Glibc

/// Fills a store with pairs that each hold records at the hub, starts a server on it anew, and
/// tells what the start costs: time to the listening line, memory, and the first view of a pair.
///
/// A record is a timer as the app makes it: one operation with a create, five fields and a place,
/// about 900 bytes.
struct HubStart {
  let pairs: Int
  let records: Int
  private let folder: String
  private let server: String
  /// Pairs that are filled at the same time.
  private let width = 100

  init(pairs: Int, records: Int) {
    self.pairs = pairs
    self.records = records
    folder = NSTemporaryDirectory() + "watchline-hub-\(getpid())"
    server =
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("watchline-server").path
  }

  func run() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var (process, port) = try start()
    var begin = Date()
    for first in stride(from: 0, to: pairs, by: width) {
      try fill(first..<min(pairs, first + width), port)
    }
    let seconds = Date().timeIntervalSince(begin)
    print(
      "filled \(pairs) pairs with \(records) records each in", text(seconds), "s,",
      "\(Int(Double(pairs * records) / seconds)) records a second; memory then",
      megabytes(process), "MB")
    begin = Date()
    stop(process)
    print("stopped in", text(Date().timeIntervalSince(begin)), "s;", size(), "MB on the disk")

    begin = Date()
    (process, port) = try start()
    defer { stop(process) }
    print(
      "listening after", text(Date().timeIntervalSince(begin)), "s with", megabytes(process), "MB")
    for pair in [0, pairs / 2, pairs - 1] {
      let line = try Wire(port)
      line.send("activate pair=p\(pair) role=phone\nsync.open schema=todoTimers id=1\n")
      begin = Date()
      _ = try line.read(upTo: "\"sync.opened\"")
      let opened = Date().timeIntervalSince(begin)
      begin = Date()
      line.send("sync.view kind=timer id=2\n")
      let view = try line.read(upTo: "\"last\":true")
      print(
        "pair \(pair): opened in", text(opened * 1000), "ms, viewed in",
        text(Date().timeIntervalSince(begin) * 1000), "ms,", "\(view.utf8.count) bytes")
      guard view.components(separatedBy: "\"durationInSeconds\"").count == records + 1 else {
        fatalError("records are missing: \(view.prefix(300))")
      }
    }
    print("memory after that", megabytes(process), "MB")
  }

  // MARK: The server

  private func start() throws -> (Process, port: Int) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: server)
    process.arguments = ["--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let ready = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = ready.split(separator: ":").last.flatMap {
      Int($0.trimmingCharacters(in: .newlines))
    }
    guard let port else { fatalError("the server did not start") }
    return (process, port)
  }

  private func stop(_ process: Process) {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  private func megabytes(_ process: Process) -> String {
    let path = "/proc/\(process.processIdentifier)/status"
    let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return text((line.split(separator: " ").compactMap { Double($0) }.first ?? 0) / 1024)
  }

  private func size() -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let bytes = names.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
    }
    return text(Double(bytes) / 1_048_576)
  }

  private func text(_ number: Double) -> String { String(format: "%.2f", number) }

  // MARK: Filling

  private func fill(_ pairs: Range<Int>, _ port: Int) throws {
    let lines = try pairs.map { pair in
      let line = try Wire(port)
      line.send("activate pair=p\(pair) role=watch\n")
      line.send("sync.open schema=todoTimers replica=\"\(replica(pair))\"\n")
      line.send(push(pair))
      return line
    }
    for line in lines { _ = try line.read(upTo: "\"sync.accepted\"") }
  }

  private func replica(_ pair: Int) -> String {
    "6F0E3A52-0C55-4F6B-9E0E-" + String(format: "%012X", pair) + ".1"
  }

  private func push(_ pair: Int) -> String {
    let now = Int(Date().timeIntervalSince1970 * 1000)
    var operations: [String] = []
    for seq in 1...records {
      let id = String(format: "%08X", seq) + "-0000-4000-8000-" + String(format: "%012X", pair)
      func write(_ field: String, _ value: String) -> String {
        "{\"action\":\"write\",\"field\":\"\(field)\",\"kind\":\"timer\",\"record\":\"\(id)\","
          + "\"revives\":true,\"value\":\"\(value)\"}"
      }
      // Each behind the one before it.
      let place = seq == 1 ? "" : "\"parent\":\"\(replica(pair))/\(seq - 1)/0\","
      let actions = [
        "{\"action\":\"create\",\"kind\":\"timer\",\"record\":\"\(id)\"}",
        write("name", "Timer \(seq)"), write("durationInSeconds", "\(seq)"),
        write("icon", "timer"), write("colorHex", "#007AFF"), write("createdAt", "700000000"),
        "{\"action\":\"move\",\"field\":\"place\",\"kind\":\"timer\",\(place)\"record\":\"\(id)\"}",
      ]
      operations.append(
        "{\"actions\":[\(actions.joined(separator: ","))],\"replica\":\"\(replica(pair))\","
          + "\"seq\":\"\(seq)\",\"stamp\":\"\(now).1.\(seq)\",\"wall\":\"\(now)\"}")
    }
    return "{\"type\":\"sync.push\",\"ops\":[\(operations.joined(separator: ","))]}\n"
  }
}

/// A blocking connection.
private final class Wire {
  private let descriptor: Int32
  private var input: [UInt8] = []

  init(_ port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else { fatalError("connect: \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { fatalError("send: \(String(cString: strerror(errno)))") }
      sent += count
    }
  }

  /// What comes in up to and with the line that holds `mark`.
  func read(upTo mark: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      if input.last == 0x0A {
        let text = String(decoding: input, as: UTF8.self)
        if text.contains("\"type\":\"error\"") { fatalError(text) }
        if text.contains(mark) {
          input = []
          return text
        }
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { fatalError("the server closed") }
      input.append(contentsOf: buffer[..<count])
    }
  }
}
