import EventLoop
import Glibc
import Testing

extension EventLoopSuite {
  /// More than the kernel's buffers hold, so that writes wait and reads are held back.
  @Suite struct Transfer {
    @Test func bothDirectionsWithBackPressure() throws {
      try withLoop(seconds: 60) { loop in
        let total = 24 * 1_024 * 1_024
        let server = Peer()
        let client = Peer()
        let sent = (toClient: Source(total: total), toServer: Source(total: total))
        let seen = (byClient: Sink(loop: loop), byServer: Sink(loop: loop))
        server.onOpen = { sent.toClient.pump($0) }
        client.onOpen = { sent.toServer.pump($0) }
        server.onWrite = { connection, _ in sent.toClient.pump(connection) }
        client.onWrite = { connection, _ in sent.toServer.pump(connection) }
        server.onRead = { seen.byServer.take($1, from: $0) }
        client.onRead = { seen.byClient.take($1, from: $0) }
        // Each end closes when it has heard everything and said everything.
        var ends = 0
        let end = { (connection: TCPConnection) in
          ends += 1
          if ends == 2 {
            connection.close()
            seen.byClient.timer.close()
            seen.byServer.timer.close()
          } else if !connection.isWriting {
            after(0, on: loop) { connection.shutdown() }
          }
        }
        server.onEnd = { connection in
          end(connection)
          after(200, on: loop) { connection.close() }
        }
        client.onEnd = { connection in
          end(connection)
          after(200, on: loop) { connection.close() }
        }
        try withPair(on: loop, server: server, client: client)
        #expect(seen.byServer.count == total)
        #expect(seen.byClient.count == total)
        #expect(!seen.byServer.isTorn && !seen.byClient.isTorn)
        #expect(sent.toClient.waits > 0 && sent.toServer.waits > 0)
        #expect(seen.byServer.pauses > 3 && seen.byClient.pauses > 3)
      }
    }

    @Test func oneConnectionTakesNoMoreThanItsShareOfATurn() throws {
      let buffer = 4_096
      try withLoop(readBufferSize: buffer) { loop in
        let share = buffer * EventLoop.readBuffersPerTurn
        let total = 16 * share
        let server = Peer()
        let client = Peer()
        let turns = TurnCounter()
        var inTurn: [Int: Int] = [:]
        loop.turnHandler = turns
        client.onOpen = { connection in
          connection.write([UInt8](repeating: 1, count: total))
          connection.shutdown()
        }
        server.onRead = { _, bytes in
          #expect(bytes.count <= buffer)
          inTurn[turns.count, default: 0] += bytes.count
        }
        server.onOpen = { connection in
          // So that much of it is there when reading begins.
          connection.stopReading()
          after(50, on: loop) { connection.read() }
        }
        try withPair(on: loop, server: server, client: client)
        #expect(server.received.count == total)
        #expect(inTurn.values.max() == share)
      }
    }
  }
}

/// 65,521 bytes (a prime, so that no buffer's size divides it) that are sent over and over.
private let pattern: [UInt8] = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }

/// Sends `total` bytes, then shuts down: what the kernel takes at once, and the rest of each piece
/// when it has room.
private final class Source {
  let total: Int
  private var sent = 0
  private(set) var waits = 0

  init(total: Int) { self.total = total }

  func pump(_ connection: TCPConnection) {
    while sent < total {
      let start = sent % pattern.count
      let end = min(pattern.count, start + total - sent)
      let written = try! pattern[start..<end].withUnsafeBytes { try connection.tryWrite($0) }
      sent += written
      if start + written < end {
        waits += 1
        connection.write(Array(pattern[..<end]), from: start + written)
        sent += end - start - written
        return
      }
    }
    connection.shutdown()
  }
}

/// Compares what arrives with the pattern, and stops reading for a while after each MiB.
private final class Sink {
  private(set) var count = 0
  private(set) var isTorn = false
  private(set) var pauses = 0
  private var isPaused = false
  private var connection: TCPConnection?
  private(set) lazy var timer = Timer(loop: loop) { [unowned self] in
    isPaused = false
    connection?.read()
  }
  private let loop: EventLoop

  init(loop: EventLoop) { self.loop = loop }

  func take(_ bytes: UnsafeRawBufferPointer, from connection: TCPConnection) {
    #expect(!isPaused)
    self.connection = connection
    var rest = bytes[...]
    while !rest.isEmpty {
      let start = count % pattern.count
      let length = min(rest.count, pattern.count - start)
      let isEqual = pattern.withUnsafeBytes {
        memcmp($0.baseAddress! + start, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, length)
          == 0
      }
      if !isEqual { isTorn = true }
      if (count + length) >> 20 > count >> 20 { pause() }
      count += length
      rest = rest.dropFirst(length)
    }
  }

  private func pause() {
    pauses += 1
    isPaused = true
    connection?.stopReading()
    timer.start(after: 2_000)
  }
}
