import EventLoop
import Glibc
import Pages
import Relay
import Storage

/// What an operator asks by HTTP, on a thread of its own: the loop is asked for the answer, and for nothing else.
///
/// ```
///  HTTP thread ──asks──► Wakeup ──► loop's thread: Answer ──signal──► HTTP thread
/// ```
final class OperatorPages: @unchecked Sendable {
  /// How long the loop may take to answer before it counts as hung, in nanoseconds.
  private static let patience: UInt64 = 2_000_000_000

  /// What the loop says of the server.
  struct Answer {
    var metrics: String
    /// Why it is not ready; nil where it is.
    var trouble: String?
  }

  private struct Exchange {
    var asked = 0
    var answered = 0
    var answer: Answer?
    var isOver = false
  }

  private let exchange = Monitor(Exchange())
  private let wakeup: Wakeup
  private var pages: Pages!
  private var thread: pthread_t?
  var port: Int { pages.port }

  /// - Returns: nil where the address cannot be listened at.
  init?(host: String, port: Int, _ wakeup: Wakeup) {
    self.wakeup = wakeup
    guard let pages = Pages(host, port: port, self) else { return nil }
    self.pages = pages
  }

  func start() {
    guard thread == nil else { return }
    thread = startThread(
      { argument in
        let admin = Unmanaged<OperatorPages>.fromOpaque(argument!).takeRetainedValue()
        admin.pages.serve(every: 100)
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// Ends the thread, and waits for it.
  func stop() {
    exchange.with { $0.isOver = true }
    exchange.signal()
    if let thread { pthread_join(thread, nil) }
    thread = nil
    wakeup.close()
  }

  /// Whether somebody waits for an answer.
  var isAsked: Bool { exchange.with { $0.asked > $0.answered } }

  /// On the loop's thread, or the one that waits until there is a loop: answers who has asked.
  func answer(_ make: () -> Answer) {
    let asked = exchange.with { $0.asked }
    let answer = make()
    exchange.with {
      $0.answer = answer
      $0.answered = asked
    }
    exchange.signal()
  }

  /// - Returns: the loop's answer and the seconds that it took; nil where it has not answered in time.
  private func ask() -> (answer: Answer, seconds: Double)? {
    let start = monotonicNanoseconds()
    let number = exchange.with { exchange -> Int in
      exchange.asked += 1
      return exchange.asked
    }
    wakeup.wake()
    let answer = exchange.wait(until: start + Self.patience) { exchange -> Answer?? in
      if exchange.answered >= number { return exchange.answer }
      return exchange.isOver ? .some(nil) : nil
    }
    guard let answer = answer ?? nil else { return nil }
    return (answer, Double(monotonicNanoseconds() - start) / 1e9)
  }
}

extension OperatorPages: PageHandler {
  func page(_ path: String, query: String, host: String) -> Page {
    // A page of somebody else's in a browser here may call itself by any name.
    guard Self.isOwn(host) else { return Page(403, "ask for it at 127.0.0.1 or localhost") }
    switch path {
    case "/":
      return Page(
        200,
        "/metrics  for Prometheus\n/healthz  200 while the loop turns\n/readyz   200 while the store takes what is new"
      )
    case "/metrics":
      guard let (answer, seconds) = ask() else { return Self.hung }
      var text = MetricsText()
      text.add(
        "watchline_loop_answer_seconds", .gauge,
        "How long the server's loop took to answer this request.", seconds)
      return Page(
        Array((answer.metrics + text.text).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/healthz": return ask() == nil ? Self.hung : Page(200, "ok")
    case "/readyz":
      guard let (answer, _) = ask() else { return Self.hung }
      return answer.trouble.map { Page(503, $0) } ?? Page(200, "ok")
    default: return Page(404, "there is /metrics, /healthz and /readyz")
    }
  }

  private static let hung = Page(503, "the server's loop has not answered for 2 s")

  private static func isOwn(_ host: String) -> Bool {
    ["127.0.0.1", "localhost"].contains { host == $0 || host.hasPrefix($0 + ":") }
  }

  func mayOpen(query: String, origin: String, host: String) -> Bool { false }
  func opened(_ client: UInt64) {}
  func received(_ message: [UInt8], from client: UInt64) {}
  func closed(_ client: UInt64) {}
  func passed() -> Bool { exchange.with { !$0.isOver } }
}
