import EventLoop

/// One connection of a benchmark: counts what comes in, and keeps its window full.
///
/// Lines are told apart by how they begin; nothing is parsed beyond that.
final class Client: ClientHandler {
  enum Role { case phone, watch }

  let role: Role
  let bench: Bench
  let pair: Int
  var connection: TCPConnection!
  var counterpart: Client!
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var lastSeq = 0
  private(set) var isActive = false
  private(set) var isReachable = false

  init(_ bench: Bench, _ role: Role, pair: Int) {
    self.bench = bench
    self.role = role
    self.pair = pair
  }

  func connectionDidOpen(_ connection: TCPConnection) {
    let role = role == .phone ? "phone" : "watch"
    send("{\"type\":\"activate\",\"pair\":\"bench\(pair)\",\"role\":\"\(role)\"}\n")
    do { try connection.startReading() } catch { fatalError("\(error)") }
    flush()
  }

  func send(_ line: String) { output.append(contentsOf: line.utf8) }

  /// Sends `count` more of the workload's lines.
  func push(_ count: Int) {
    for _ in 0..<count { output.append(contentsOf: bench.line) }
    bench.touch(self)
  }

  func flush() {
    guard !output.isEmpty, !connection.isWriting else { return }
    do {
      let sent = try output.withUnsafeBytes { bytes throws(UVError) in
        try connection.tryWrite(bytes)
      }
      if sent < output.count { connection.write(output, from: sent) }
    } catch { fatalError("\(error)") }
    output = []
  }

  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    input.append(contentsOf: bytes)
    input.withUnsafeBytes { all in
      var start = 0
      var end = start
      while end < all.count {
        if all[end] == 0x0A {
          received(UnsafeRawBufferPointer(rebasing: all[start..<end]))
          start = end + 1
          end += bench.skip(all, start)
        }
        end += 1
      }
      consumed = start
    }
    input.removeFirst(consumed)
    bench.touch(self)
  }
  private var consumed = 0

  private func received(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: Bench.message) {
      counterpart.push(bench.delivered())
    } else if line.starts(with: Bench.userInfo) {
      toAcknowledge = true
      seq(line)
      bench.checkedDelivery()
    } else if line.starts(with: Bench.finished) {
      push(bench.delivered())
    } else if line.starts(with: Bench.activated) {
      isActive = true
      bench.activated()
    } else if line.starts(with: Bench.failure) {
      fatalError(String(decoding: line, as: UTF8.self))
    }
  }
  private var toAcknowledge = false

  /// Checks that the last number of the line is one above the previous.
  private func seq(_ line: UnsafeRawBufferPointer) {
    var index = line.count - 2
    var number = 0
    var place = 1
    while index > 0, (0x30...0x39).contains(line[index]) {
      number += Int(line[index] - 0x30) * place
      place *= 10
      index -= 1
    }
    if number != lastSeq + 1 { bench.outOfOrder += 1 }
    lastSeq = number
  }

  /// One acknowledge for all that a turn brought.
  func acknowledge() {
    guard toAcknowledge else { return }
    toAcknowledge = false
    send("{\"type\":\"acknowledge\",\"seq\":\(lastSeq)}\n")
  }

  func connectionDidEnd(_ connection: TCPConnection) { fatalError("the server closed") }
  func connection(_ connection: TCPConnection, didFail error: UVError) { fatalError("\(error)") }
  func connection(_ connection: TCPConnection, didWrite bytes: Int) { flush() }
  func connectionDidClose(_ connection: TCPConnection) {}
}
