import CUV
import Foundation

/// Fills a store with transfers that wait in many pairs, and measures starts and memory: with all in
/// memory when the server is killed, after eviction, and with all evicted.
struct PairsBenchmark {
  let pairs: Int
  let transfers: Int
  /// Pairs that are connected at once.
  private let group = 100

  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("watchline-benchmark-\(getpid())-pairs")
    defer { try? FileManager.default.removeItem(at: folder) }
    print(
      "| \(pairs) pairs of \(transfers) transfers | s to listen | CPU s | VmRSS, MiB | VmHWM, MiB |"
    )
    print("| --- | --- | --- | --- | --- |")
    var server = try ServerProgram(data: folder.path)
    report("an empty store", server, isStart: true)
    let begin = Date()
    fill(server)
    report("filled in \(Int(Date().timeIntervalSince(begin))) s, then killed", server)
    server.kill()

    server = try ServerProgram(data: folder.path)
    report("started on that", server, isStart: true)
    // The grace, and the commits of the queue rows.
    sleep(40)
    report("40 s later", server)
    let end = Date()
    server.stop()
    print("| stopped in \(Int(Date().timeIntervalSince(end) * 1e3)) ms | | | | |")

    server = try ServerProgram(data: folder.path)
    report("started on that", server, isStart: true)
    drain(server, pairs: min(pairs, 1_000))
    server.stop()
  }

  private func report(_ what: String, _ server: ServerProgram, isStart: Bool = false) {
    let seconds = isStart ? String(format: "%.2f", server.secondsToListen) : ""
    // What was read at the start is given back just after the ready line.
    if isStart { sleep(1) }
    let cpu = isStart ? String(format: "%.2f", server.cpu) : ""
    print(
      "| \(what) | \(seconds) | \(cpu) | \(server.mebibytes("VmRSS")) "
        + "| \(server.mebibytes("VmHWM")) |")
  }

  private func fill(_ server: ServerProgram) {
    let text = String(repeating: "x", count: 200)
    let line = "{\"type\":\"transferUserInfo\",\"payload\":{\"data\":\"\(text)\"}}\n"
    let lines = String(repeating: line, count: transfers)
    for first in stride(from: 0, to: pairs, by: group) {
      let numbers = first..<min(pairs, first + group)
      let watches = numbers.map { Socket(server.port, activation(of: "watch", $0)) }
      for watch in watches { watch.wait(for: "activationDidComplete") }
      for watch in watches { watch.close() }
      let phones = numbers.map { Socket(server.port, activation(of: "phone", $0) + lines) }
      for phone in phones { phone.wait(for: "accepted", count: transfers) }
      for phone in phones { phone.close() }
    }
  }

  /// The watches of some pairs come for what waits.
  private func drain(_ server: ServerProgram, pairs count: Int) {
    var slowest = 0.0
    let begin = Date()
    for number in stride(from: 0, to: pairs, by: pairs / count) {
      let asked = Date()
      let watch = Socket(server.port, activation(of: "watch", number))
      watch.wait(for: "activationDidComplete")
      slowest = max(slowest, Date().timeIntervalSince(asked))
      watch.wait(for: "didReceiveUserInfo", count: transfers)
      watch.send("acknowledge id=1\n")
      watch.wait(for: "accepted")
      watch.close()
    }
    let seconds = Date().timeIntervalSince(begin)
    report(
      String(
        format: "%d watches got all of theirs in %.1f s, slowest activation %.1f ms", count,
        seconds, slowest * 1e3), server)
  }

  private func activation(of role: String, _ number: Int) -> String {
    "activate pair=bench\(number) role=\(role)\n"
  }
}

/// A blocking connection.
private final class Socket {
  private let descriptor: Int32
  private var input: [UInt8] = []

  init(_ port: Int, _ text: String) {
    descriptor = socket(AF_INET, 1, 0)  // SOCK_STREAM, whose Swift type differs by C library
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let failure = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard failure == 0 else { fatalError("connect: \(errno)") }
    send(text)
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard sent > 0 else { fatalError("write: \(errno)") }
      rest = rest.dropFirst(sent)
    }
  }

  /// Reads up to the last of `count` lines of a type.
  func wait(for type: String, count: Int = 1) {
    let start = Array("{\"type\":\"\(type)\"".utf8)
    let failure = Array("{\"type\":\"error\"".utf8)
    var missing = count
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var from = 0
      while missing > 0, let end = input[from...].firstIndex(of: 0x0A) {
        let line = input[from..<end]
        if line.starts(with: start) { missing -= 1 }
        if line.starts(with: failure) { fatalError(String(decoding: line, as: UTF8.self)) }
        from = end + 1
      }
      input.removeFirst(from)
      guard missing > 0 else { return }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { fatalError("the server closed: \(errno)") }
      input.append(contentsOf: buffer[..<count])
    }
  }

  func close() { Foundation.close(descriptor) }
}
