import Foundation
import LoopbackSupport
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
    /// Whether a transfer ends 2 ms before it is delivered.
    var endsFirst = false
    /// The payload in which it arrives.
    var altered: @Sendable (Int, String) -> String = { $1 }
    /// Whether pairs are forgotten when that is asked for.
    var forgets = true
  }

  private struct Pair {
    var watch: Int32 = -1
    var payloads: [String] = []
  }

  var port: Int { listener.port }
  private let listener: LoopbackListener
  private let faults: Faults
  private let pairs = Mutex<[String: Pair]>([:])
  private let forgotten = Mutex<[String]>([])
  /// Open until every thread is done: a number that is free may soon be another test's.
  private let descriptors = Mutex<[Int32]>([])

  init(_ faults: Faults) throws {
    self.faults = faults
    listener = try LoopbackListener()
    Thread.detachNewThread { self.accept() }
  }

  deinit {
    for descriptor in descriptors.withLock({ $0 }) { close(descriptor) }
  }

  func stop() { listener.stop() }

  /// Pairs that were to be forgotten, and those that there were.
  var forgottenPairs: [String] { forgotten.withLock { $0.sorted() } }
  var knownPairs: [String] { pairs.withLock { $0.keys.sorted() } }

  private func accept() {
    while let descriptor = listener.accepted() {
      descriptors.withLock { $0.append(descriptor) }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(4))
      Thread.detachNewThread { self.serve(descriptor) }
    }
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
        } else if text.contains("\"forgetPair\"") {
          guard faults.forgets else { continue }
          forgotten.withLock { $0.append(pair) }
          write("{\"type\":\"sessionDidDeactivate\",\"reason\":\"forgotten\"}", to: descriptor)
          write("{\"type\":\"accepted\",\"re\":1}", to: descriptor)
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
    guard isTransfer else { return deliver(number, payloads, "didReceiveMessage", to: watch) }
    if faults.endsFirst {
      end(number, to: phone)
      usleep(2_000)
    }
    deliver(number, payloads, "didReceiveUserInfo", to: watch)
    if !faults.endsFirst { end(number, to: phone) }
  }

  /// A transfer has its `seq` behind its payload; a message has none.
  private func deliver(_ number: Int, _ payloads: [String], _ type: String, to watch: Int32) {
    let end = type == "didReceiveUserInfo" ? ",\"seq\":\(number)" : ""
    for place in faults.delivered(number) {
      let altered = faults.altered(place, payloads[place - 1])
      write("{\"type\":\"\(type)\",\"from\":\"phone\",\"payload\":\(altered)\(end)}", to: watch)
    }
  }

  private func end(_ number: Int, to phone: Int32) {
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
