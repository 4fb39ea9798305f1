import EventLoop
import Glibc

/// Foundation has a `Timer` too.
typealias LoopTimer = Timer

/// A closed-loop run: each phone keeps `window` lines in flight to its watch.
final class Bench: TurnHandler {
  static let message = Array("{\"type\":\"didReceiveMessage\"".utf8)
  static let userInfo = Array("{\"type\":\"didReceiveUserInfo\"".utf8)
  static let finished = Array("{\"type\":\"didFinishUserInfoTransfer\"".utf8)
  static let activated = Array("{\"type\":\"activationDidComplete\"".utf8)
  static let failure = Array("{\"type\":\"error\"".utf8)

  let loop: EventLoop
  let line: [UInt8]
  let window: Int
  var clients: [Client] = []
  var outOfOrder = 0
  private(set) var count = 0
  private(set) var deliveries = 0
  private var active = 0
  private var touched: [Client] = []
  private let onReady: (Bench) -> Void

  init(
    loop: EventLoop, port: Int, isTransfer: Bool, pairs: Int, window: Int, payload: Int,
    onReady: @escaping (Bench) -> Void
  ) throws {
    self.loop = loop
    self.window = window
    self.onReady = onReady
    let text = String(repeating: "x", count: payload)
    let type = isTransfer ? "transferUserInfo" : "sendMessage"
    line = Array("{\"type\":\"\(type)\",\"payload\":{\"data\":\"\(text)\"}}\n".utf8)
    for pair in 0..<pairs {
      let phone = Client(self, .phone, pair: pair)
      let watch = Client(self, .watch, pair: pair)
      phone.counterpart = watch
      watch.counterpart = phone
      for client in [watch, phone] {
        clients.append(client)
        client.connection = try TCPConnection.connect(
          loop: loop, host: "127.0.0.1", port: port, handler: client)
      }
    }
    loop.turnHandler = self
  }

  func activated() {
    active += 1
    guard active == clients.count else { return }
    onReady(self)
    for client in clients where client.role == .phone { client.push(window) }
  }

  /// A line has arrived: how many to send in its stead.
  func delivered() -> Int {
    count += 1
    return 1
  }

  func checkedDelivery() { deliveries += 1 }

  func touch(_ client: Client) { touched.append(client) }

  /// No line is shorter than this, so that its end need not be looked for there.
  func skip(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int { 0 }

  func turnEnded() {
    let taken = touched
    touched = []
    for client in taken {
      client.acknowledge()
      client.flush()
    }
  }
}
