import LaneModel
import Seeded
import Wire

/// A device at the end of a socket that uses the lanes without end, comes back after crashes, and repeats itself.
///
/// What it keeps over a crash is what an app has on its own disk.
class LoadDevice {
  let lanes: LaneClient
  private(set) var client: LineClient?
  var random: SplitMix64
  /// Not before then it asks again for what a server refused whose log was silent.
  private var pause = Moment.after(0)

  init(_ name: String, _ checker: DeliveryChecker, seed: UInt64) {
    lanes = LaneClient(name, isPhone: name == "phone", checker, store: nil)
    random = SplitMix64(seed: seed)
  }

  var isActive: Bool { lanes.session == .activated && client != nil }

  /// Whether a server has ended its connection.
  var isCutOff: Bool { client?.hasEnded == true }

  func connect(_ server: ServerProcess) throws {
    leave()
    client = try server.client()
    try activate()
  }

  private func activate() throws {
    lanes.activate(pair: "demo", tellsReceived: random.chance(0.6))
    try send()
  }

  func leave() {
    guard client != nil else { return }
    client?.close()
    client = nil
    lanes.lost(isKnown: true)
  }

  func send() throws {
    for line in lanes.takeOutput() { try client?.send(bytes: line + [0x0A]) }
  }

  func read() throws {
    while let bytes = try client?.bytesNow() { lanes.received(try Members(bytes)) }
  }

  /// Reads what is there and does a little.
  func step() throws {
    try read()
    guard let client, !client.hasEnded else { return }
    if lanes.session == .none || lanes.mustRetry, pause.isPast {
      pause = Moment.after(0.2)
      if lanes.session == .none { try activate() }
      lanes.retry()
    }
    guard isActive else { return try send() }
    act()
    try send()
  }

  func act() {}
}

/// A phone that sends.
final class LoadPhone: LoadDevice {
  /// Whether new transfers and contexts are made.
  var isSending = true
  private var own: [Int] = []
  private(set) var contexts = 0

  init(_ checker: DeliveryChecker, seed: UInt64) { super.init("phone", checker, seed: seed) }

  /// Whether everything that it has begun is at the server.
  var isSettled: Bool { isActive && lanes.unanswered.isEmpty && !lanes.isUploading }

  override func act() {
    if random.chance(0.1) { lanes.acknowledge("outcome", back: 0) }
    for _ in 0..<32 where lanes.unanswered.count < 96 { begin() }
  }

  private func begin() {
    if !isSending || random.chance(0.5), lanes.upload(pieceSize: random.pick(1...9_000)) { return }
    guard isSending else { return }
    if random.chance(0.05), let id = own.suffix(50).randomElement(using: &random) {
      return lanes.again(id)
    }
    if random.chance(0.03) { return setContext() }
    let choice = random.pick(0...99)
    if choice < 98 {
      own.append(lanes.begin(choice < 88 ? .userInfo : .complication))
    } else {
      // None, some, or more than a chunk holds.
      let size = random.pick(0...3) * 7_001
      own.append(
        lanes.begin(.file, content: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    }
  }

  func setContext() {
    contexts += 1
    lanes.setContext("context\(contexts)")
  }
}

/// A watch that comes and goes, and acknowledges when it pleases.
final class LazyWatch: LoadDevice {
  /// Whether it acknowledges at once.
  var isEager = false

  init(_ checker: DeliveryChecker, seed: UInt64) { super.init("watch", checker, seed: seed) }

  override func act() {
    guard isEager || random.chance(0.1) else { return }
    for (lane, seq) in lanes.seqs.sorted(by: { $0.key < $1.key }) {
      let said = lanes.said[lane] ?? 0
      guard said < seq else { continue }
      lanes.acknowledge(lane, back: isEager ? 0 : random.pick(0...seq - said))
    }
  }
}
