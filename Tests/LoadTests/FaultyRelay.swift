import Foundation
import Synchronization

/// A server of messages and transfers that does to them what a test wants: it passes lines on from
/// phone to watch, numbered from 1 in each pair, and ends transfers when they are delivered.
final class FaultyRelay: Sendable {
  /// What becomes of the n-th.
  struct Faults: Sendable {
    /// The numbers to deliver when it comes.
    var delivered: @Sendable (Int) -> [Int] = { [$0] }
    /// Of a transfer: the numbers to finish when it comes.
    var finished: @Sendable (Int) -> [Int] = { [$0] }
    /// The payload in which it arrives.
    var altered: @Sendable (Int, String) -> String = { $1 }
  }

  private struct Pair {
    var watch: Int32 = -1
    var payloads: [String] = []
  }

  let port: Int
  private let listener: Int32
  private let faults: Faults
  private let pairs = Mutex<[String: Pair]>([:])
  /// Open until every thread is done: a number that is free may soon be another test's.
  private let descriptors = Mutex<[Int32]>([])

  init(_ faults: Faults) throws {
    self.faults = faults
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { self.accept() }
  }

  deinit {
    for descriptor in descriptors.withLock({ $0 }) { close(descriptor) }
  }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      descriptors.withLock { $0.append(descriptor) }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(4))
      Thread.detachNewThread { self.serve(descriptor) }
    }
    close(listener)
  }

  private func serve(_ descriptor: Int32) {
    write("{\"type\":\"hello\",\"server\":\"faulty\"}", to: descriptor)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var pair = ""
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
      var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      bytes = Array(lines.removeLast())
      for line in lines {
        let text = String(decoding: line, as: UTF8.self)
        if text.contains("\"activate\"") {
          pair = text.components(separatedBy: "\"pair\":\"")[1].components(separatedBy: "\"")[0]
          let isWatch = text.contains("\"watch\"")
          pairs.withLock { if isWatch { $0[pair, default: Pair()].watch = descriptor } }
          write("{\"type\":\"activationDidComplete\",\"isReachable\":true}", to: descriptor)
        } else if let start = text.range(of: "\"payload\":") {
          let payload = String(text[start.upperBound...].dropLast())
          pass(payload, pair, text.contains("transferUserInfo"), descriptor)
        }
      }
    }
  }

  private func pass(_ payload: String, _ name: String, _ isTransfer: Bool, _ phone: Int32) {
    let (watch, payloads) = pairs.withLock {
      $0[name]!.payloads.append(payload)
      return ($0[name]!.watch, $0[name]!.payloads)
    }
    let number = payloads.count
    for place in faults.delivered(number) {
      let altered = faults.altered(place, payloads[place - 1])
      let type = isTransfer ? "didReceiveUserInfo" : "didReceiveMessage"
      let end = isTransfer ? ",\"seq\":\(number)" : ""
      write("{\"type\":\"\(type)\",\"from\":\"phone\",\"payload\":\(altered)\(end)}", to: watch)
    }
    guard isTransfer else { return }
    write(
      "{\"type\":\"accepted\",\"of\":\"transferUserInfo\",\"transfer\":\"phone:0#\(number)\"}",
      to: phone)
    for place in faults.finished(number) {
      write(
        "{\"type\":\"didFinishUserInfoTransfer\",\"transfer\":\"phone:0#\(place)\"}", to: phone)
    }
  }

  private func write(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
