import Foundation
import LoopbackSupport
import Synchronization
import Wire

/// A server on the loopback that says hello, writes down the lines that come, and answers each as
/// the test says. Its threads block; `stop()` ends them.
final class ScriptedServer: Sendable {
  enum Answer: Sendable {
    case line(String)
    /// Closes the connection.
    case close
    /// Closes it so that the other side's reads fail.
    case reset
  }

  static let hello = #"{"type":"hello","server":"scripted","protocol":1}"#

  private struct State {
    var lines: [String] = []
    var connections: [Int32] = []
    var isStopped = false
  }

  var port: Int { listener.port }
  private let listener: LoopbackListener
  private let state = Mutex(State())
  private let answer: @Sendable (String) -> [Answer]

  init(answer: @escaping @Sendable (String) -> [Answer] = { _ in [] }) throws {
    self.answer = answer
    listener = try LoopbackListener()
    Thread.detachNewThread { self.accept() }
  }

  /// Every line that has come, over all connections.
  var lines: [String] { state.withLock { $0.lines } }

  /// How many connections there have been.
  var connectionCount: Int { state.withLock { $0.connections.count } }

  /// Sends a line on the newest connection.
  func send(_ line: String) {
    guard let descriptor = state.withLock({ $0.connections.last }) else { return }
    Self.write(line, to: descriptor)
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    listener.stop()
  }

  private func accept() {
    while let descriptor = listener.accepted() {
      let goesOn = state.withLock { state in
        guard !state.isStopped else { return false }
        state.connections.append(descriptor)
        return true
      }
      guard goesOn else {
        close(descriptor)
        continue
      }
      Thread.detachNewThread { self.serve(descriptor) }
    }
  }

  private func serve(_ descriptor: Int32) {
    Self.write(Self.hello, to: descriptor)
    var lines = LineSplitter()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      for line in lines.lines(in: buffer[..<count]) {
        guard reply(to: String(decoding: line, as: UTF8.self), descriptor) else { return }
      }
    }
    let rest = lines.takeRest()
    if !rest.isEmpty { _ = reply(to: String(decoding: rest, as: UTF8.self), descriptor) }
    // It stays open under its number until the test ends: `send` may still name it.
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// - Returns: whether the connection goes on.
  private func reply(to line: String, _ descriptor: Int32) -> Bool {
    state.withLock { $0.lines.append(line) }
    for answer in answer(line) {
      switch answer {
      case .line(let text): Self.write(text, to: descriptor)
      case .close:
        shutdown(descriptor, Int32(SHUT_RDWR))
        return false
      case .reset:
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        // Its number may soon be another test's.
        state.withLock { $0.connections = $0.connections.map { $0 == descriptor ? -1 : $0 } }
        close(descriptor)
        return false
      }
    }
    return true
  }

  private static func write(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
