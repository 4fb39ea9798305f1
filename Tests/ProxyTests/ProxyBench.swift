@testable import Proxy

/// A proxy between clients and servers that are arrays.
struct ProxyBench {
  var proxy: Proxy
  var now = 0
  /// What each side of each connection has been sent.
  var taken: [Int: [Side: [UInt8]]] = [:]
  /// How many writes that were.
  var writes = 0
  /// Sides that are read.
  var reading: Set<String> = []
  /// Sides that were told the end, `1 server`; that were closed; that were reset.
  var shutDown: [String] = []
  var closed: [String] = []
  var reset: [String] = []
  var lines: [String] = []
  var hasQuit = false
  /// Whether the servers accept at once.
  var accepts = true
  /// Whether sides take what they are sent at once.
  var takes = true

  init(_ faults: ProxyFaults = ProxyFaults(), seed: UInt64 = 1) {
    proxy = Proxy(faults, seed: seed)
  }

  /// Carries out what the proxy has decided.
  mutating func settle() {
    while true {
      let effects = proxy.takeEffects()
      if effects.isEmpty { return }
      for effect in effects { perform(effect) }
    }
  }

  private mutating func perform(_ effect: Proxy.Effect) {
    switch effect {
    case .connect(let number): if accepts { proxy.connected(number, now: now) }
    case .send(let number, let side, let bytes):
      taken[number, default: [:]][side, default: []] += bytes
      writes += 1
      if takes { proxy.wrote(number, side, now: now) }
    case .read(let number, let side, let isOn):
      if isOn { reading.insert("\(number) \(side)") } else { reading.remove("\(number) \(side)") }
    case .shutdown(let number, let side): shutDown.append("\(number) \(side)")
    case .close(let number, let side): closed.append("\(number) \(side)")
    case .reset(let number, let side): reset.append("\(number) \(side)")
    case .say(let line): lines.append(String(decoding: line, as: UTF8.self))
    case .quit: hasQuit = true
    }
  }

  @discardableResult
  mutating func connect() -> Int? {
    let number = proxy.accepted("client", now: now)
    settle()
    return number
  }

  mutating func send(_ number: Int, _ side: Side, _ bytes: [UInt8]) {
    proxy.received(number, side, bytes, now: now)
    settle()
  }

  mutating func end(_ number: Int, _ side: Side) {
    proxy.ended(number, side, now: now)
    settle()
  }

  mutating func fail(_ number: Int, _ side: Side) {
    proxy.failed(number, side, "reset", now: now)
    settle()
  }

  /// Lets the time pass, as a timer would.
  mutating func advance(to time: Int) {
    while let deadline = proxy.deadline, deadline <= time {
      now = max(now, deadline)
      proxy.tick(now: now)
      settle()
    }
    now = time
  }

  /// The answer to a command.
  @discardableResult
  mutating func control(_ line: String) -> String {
    proxy.control(Array(line.utf8), now: now)
    settle()
    return lines.last ?? ""
  }

  func got(_ number: Int, _ side: Side) -> [UInt8] { taken[number]?[side] ?? [] }
}
