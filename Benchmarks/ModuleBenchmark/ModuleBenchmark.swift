import Dispatch
import Foundation
import WatchConnectivity
import WatchlineTesting

// What a pair of the module costs, and the same by a fake that hands dictionaries from one queue to another: the least
// that a test of an app could do. Run it with: swift run -c release module-benchmark
// With --check it fails where the module has become much slower beside the fake than it was measured to be.

/// A delegate that counts, and answers.
final class Counter: NSObject, WCSessionDelegate, @unchecked Sendable {
  var count = 0

  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) {}
  func session(
    _ session: WCSession, didReceiveMessage message: [String: Any],
    replyHandler: @escaping ([String: Any]) -> Void
  ) { replyHandler(message) }
  func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) { count += 1 }
}

/// The plain fake.
final class Fake: @unchecked Sendable {
  private let phone = DispatchQueue(label: "phone")
  private let watch = DispatchQueue(label: "watch")
  var count = 0

  func sendMessage(_ message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void) {
    nonisolated(unsafe) let sent = message
    nonisolated(unsafe) let handler = replyHandler
    watch.async { [self] in
      nonisolated(unsafe) let reply = sent
      phone.async { handler(reply) }
    }
  }

  func transferUserInfo(_ userInfo: [String: Any]) {
    watch.async { [self] in count += 1 }
  }

  func settle() {
    watch.sync {}
    phone.sync {}
  }
}

func seconds(_ body: () async -> Void) async -> Double {
  let start = ContinuousClock.now
  await body()
  let time = ContinuousClock.now - start
  return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
}

func resident() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4 } ?? 0
}

func activated() async -> (WatchPair, Counter, Counter) {
  let pair = WatchPair()
  let (phone, watch) = (Counter(), Counter())
  pair.phone.run {
    WCSession.default.delegate = phone
    WCSession.default.activate()
  }
  pair.watch.run {
    WCSession.default.delegate = watch
    WCSession.default.activate()
  }
  await pair.settle()
  return (pair, phone, watch)
}

final class Replies: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0
  var count: Int { lock.withLock { number } }
  func add() { lock.withLock { number += 1 } }
}

@main
struct ModuleBenchmark {
  static func main() async {
    // As a test runs: beside the main thread.
    await Task.detached { await measure() }.value
  }

  static func measure() async {
    let message: [String: Any] = ["steps": 412, "name": "Oolong"]

    // Pairs.
    _ = await activated()
    let before = resident()
    var pairs: [WatchPair] = []
    let made = await seconds { for _ in 0..<1000 { pairs.append(WatchPair()) } }
    let size = (resident() - before) / 1000
    print(String(format: "a pair: %.3f ms, %d KiB", made, size))

    // Messages with their replies, one after the other.
    let (pair, _, watch) = await activated()
    let session = pair.phone.run { WCSession.default }
    let replies = Replies()
    func messages() async -> Double {
      await seconds {
        for _ in 0..<2000 {
          session.sendMessage(message, replyHandler: { _ in replies.add() })
          await pair.settle()
        }
      } / 2000
    }
    let fake = Fake()
    func fakes() async -> Double {
      await seconds {
        for _ in 0..<2000 {
          fake.sendMessage(message) { _ in replies.add() }
          fake.settle()
        }
      } / 2000
    }
    var best = (ours: Double.infinity, fake: Double.infinity)
    for _ in 0..<5 { best = (min(best.ours, await messages()), min(best.fake, await fakes())) }
    precondition(replies.count == 20_000)
    print(
      String(
        format: "a message with its reply: %.1f µs, the fake %.1f µs, ratio %.1f", best.ours * 1e6,
        best.fake * 1e6, best.ours / best.fake))

    // Many transfers at once.
    var transfers = (ours: Double.infinity, fake: Double.infinity)
    for round in 1...3 {
      let ours = await seconds {
        for _ in 0..<10_000 { session.transferUserInfo(message) }
        await pair.settle()
      }
      precondition(watch.count == round * 10_000)
      let theirs = await seconds {
        for _ in 0..<10_000 { fake.transferUserInfo(message) }
        fake.settle()
      }
      transfers = (min(transfers.ours, ours), min(transfers.fake, theirs))
    }
    print(
      String(
        format: "10,000 transfers: %.0f ms, the fake %.1f ms, ratio %.0f", transfers.ours * 1e3,
        transfers.fake * 1e3, transfers.ours / transfers.fake))
    guard CommandLine.arguments.contains("--check") else { return }
    // Twice what was measured: the fake's own times differ as much from run to run.
    let isFast =
      made < 1 && size <= 50 && best.ours < 3 * best.fake && transfers.ours < 80 * transfers.fake
    guard isFast else {
      print(
        "the module is slower beside the fake than it was: at most 1 ms, 50 KiB, ratios 3 and 80")
      exit(1)
    }
  }
}
