import Foundation
import LoopbackSupport

/// A blocking TCP socket; reads give up after 15 s.
final class Socket: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var time = timeval(tv_sec: 15, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  enum Trouble: Error, Equatable {
    case reset, ended, timedOut
  }

  convenience init(connectingTo port: Int) throws {
    self.init(try loopbackConnection(port: port))
  }

  /// Listens on a free port.
  static func listener() throws -> (Socket, port: Int) {
    let listener = try LoopbackListener()
    return (Socket(listener.descriptor), listener.port)
  }

  func accept() throws -> Socket {
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { throw Trouble.timedOut }
    // Programs that a test starts must not inherit it, or closing it would not be an end.
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return Socket(accepted)
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Trouble.reset }
      sent += count
    }
  }

  func send(_ line: String) throws { try send(Array((line + "\n").utf8)) }

  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What has come: at least a byte.
  func receive() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw errno == ECONNRESET ? Trouble.reset : Trouble.timedOut }
    guard count > 0 else { throw Trouble.ended }
    return Array(buffer[..<count])
  }

  func receive(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += try receive() }
    return bytes
  }

  /// Everything up to the end.
  func receiveAll() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      do {
        bytes += try receive()
      } catch Trouble.ended {
        return bytes
      }
    }
  }

  /// Reads until a text has come.
  @discardableResult
  func receive(until text: String) throws -> String {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(text) { bytes += try receive() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether nothing comes for a while.
  func isQuiet(seconds: Double) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, Int32(seconds * 1000)) == 0
  }
}
