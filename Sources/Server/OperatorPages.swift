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

  /// What the loop is asked.
  enum Question {
    case state
    case pairs(PairsWish, shard: Int, token: String)
  }

  /// What the loop says of the server.
  enum Answer {
    /// - Parameter trouble: why it is not ready; nil where it is.
    case state(metrics: String, trouble: String?)
    case page(Page)
  }

  private struct Exchange {
    var question = Question.state
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
  func answer(_ make: (Question) -> Answer) {
    let (question, asked) = exchange.with { ($0.question, $0.asked) }
    let answer = make(question)
    exchange.with {
      $0.answer = answer
      $0.answered = asked
    }
    exchange.signal()
  }

  /// - Returns: the loop's answer and the seconds that it took; nil where it has not answered in time.
  private func ask(_ question: Question = .state) -> (answer: Answer, seconds: Double)? {
    let start = monotonicNanoseconds()
    let number = exchange.with { exchange -> Int in
      exchange.question = question
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
  func page(_ request: PageRequest) -> Page {
    // A page of somebody else's in a browser here may call itself by any name.
    guard Self.isOwn(request.host) else { return Page(403, "ask for it at 127.0.0.1 or localhost") }
    switch request.path {
    case "/": return Page(200, Self.contents)
    case "/metrics":
      guard case (.state(let metrics, _), let seconds)? = ask() else { return Self.hung }
      var text = MetricsText()
      text.add(
        "watchline_loop_answer_seconds", .gauge,
        "How long the server's loop took to answer this request.", seconds)
      return Page(
        Array((metrics + text.text).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/healthz": return ask() == nil ? Self.hung : Page(200, "ok")
    case "/readyz":
      guard case (.state(_, let trouble), _)? = ask() else { return Self.hung }
      return trouble.map { Page(503, $0) } ?? Page(200, "ok")
    case "/debug/pairs": return pairs(request)
    default: return Page(404, Self.contents)
    }
  }

  private static let contents = """
    /metrics      for Prometheus
    /healthz      200 while the loop turns
    /readyz       200 while the store takes what is new
    /debug/pairs  pairs in memory: ?pair=PATTERN&app=PATTERN&limit=N&after=N&shard=N
    """

  private func pairs(_ request: PageRequest) -> Page {
    var wish = PairsWish()
    var shard = 0
    for member in request.query.split(separator: "&") {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(parts[1]) : ""
      let number = Int64(value)
      switch parts[0] {
      case "pair": wish.pair = value
      case "app": wish.app = value
      case "limit":
        guard let number, PairsWish.limits.contains(number) else {
          return Page(400, "limit is a number from 1 to \(PairsWish.limits.upperBound)")
        }
        wish.limit = Int(number)
      case "after":
        guard let number, PairsWish.numbers.contains(number) else {
          return Page(400, "after is next of the answer before")
        }
        wish.after = number
      case "shard":
        guard let number, (0...255).contains(number) else {
          return Page(400, "shard is a number from 0 on")
        }
        shard = Int(number)
      default: return Page(400, "there are pair, app, limit, after and shard, and no \(parts[0])")
      }
    }
    let words = request.authorization.split(separator: " ")
    let token = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    guard case (.page(let page), _)? = ask(.pairs(wish, shard: shard, token: token)) else {
      return Self.hung
    }
    return page
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
