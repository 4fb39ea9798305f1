import Seeded
import Foundation

/// A watch that comes and goes, acknowledges when it pleases, and remembers its last `seq` a lane.
final class LazyWatch {
  private(set) var client: LineClient?
  private(set) var isActive = false
  /// Whether it acknowledges at once.
  var isEager = false

  private let ledger: SharedLedger
  private var random: SplitMix64
  private var store: String?
  private var files: [String: Download] = [:]
  private var acknowledged: [String: Int] = [:]

  private struct Download {
    let n: Int
    let size: Int
    let digest: String
    var bytes: [UInt8] = []
    var isRedelivered: Bool
  }

  init(_ ledger: SharedLedger, seed: UInt64) {
    self.ledger = ledger
    random = SplitMix64(seed: seed)
  }

  func connect(_ server: ServerProcess) throws {
    leave()
    let client = try server.client()
    var members: [String: Any] = ["type": "activate", "pair": "demo", "role": "watch"]
    let received = ledger.value.received
    if let store, random.chance(0.7) {
      members["received"] = received
      members["store"] = store
      for (lane, seq) in received { ledger.value.acknowledge(lane, seq) }
    }
    if random.chance(0.5) {
      members["files"] = files.mapValues(\.bytes.count)
    } else {
      files = [:]
    }
    ledger.value.connect()
    try client.send(members)
    self.client = client
  }

  func leave() {
    client?.close()
    client = nil
    isActive = false
    acknowledged = [:]
  }

  func step() throws {
    try read()
    guard isActive, let client, !client.hasEnded, isEager || random.chance(0.1) else { return }
    for (lane, seq) in ledger.value.received.sorted(by: { $0.key < $1.key })
    where acknowledged[lane] ?? 0 < seq {
      let through = isEager ? seq : random.pick((acknowledged[lane] ?? 0)...seq)
      acknowledged[lane] = through
      ledger.value.acknowledge(lane, through)
      try client.send(["type": "acknowledge", "lane": lane, "seq": through])
    }
  }

  // MARK: Deliveries

  func read() throws {
    while let line = try client?.lineNow() { try take(line) }
  }

  private func take(_ line: Line) throws {
    let isRedelivered = line.bool("redelivered") ?? false
    switch line.type {
    case "activationDidComplete":
      isActive = true
      if store != nil, store != line.string("store") { ledger.value.unexpected("another store") }
      store = line.string("store")
    case "didReceiveUserInfo":
      let n = line.payload["n"] as? Int ?? 0
      let lane = line.bool("isCurrentComplicationInfo") == true ? "complication" : "userInfo"
      if (line.payload as NSDictionary) != (Plan(n).payload as NSDictionary) {
        ledger.value.unexpected("payload of \(n)")
      }
      ledger.value.deliver(n, lane: lane, seq: line.integer("seq")!, isRedelivered: isRedelivered)
    case "didReceiveApplicationContext":
      ledger.value.deliverContext(
        line.payload["version"] as? Int ?? 0, seq: line.integer("seq")!,
        isRedelivered: isRedelivered)
    case "didReceiveFile": announce(line, isRedelivered)
    case "fileChunk": try takeChunk(line)
    case "sessionReachabilityDidChange", "hasContentPendingDidChange": break
    default: ledger.value.unexpected("\(line)")
    }
  }

  private func announce(_ line: Line, _ isRedelivered: Bool) {
    let transfer = line.string("transfer")!
    let offset = line.integer("offset") ?? 0
    var file = Download(
      n: line.object("metadata")?["n"] as? Int ?? 0, size: line.integer("size")!,
      digest: line.string("sha256")!, isRedelivered: isRedelivered)
    if offset > 0 { file.bytes = files[transfer]?.bytes ?? [] }
    if file.bytes.count != offset { ledger.value.unexpected("offset in \(line)") }
    files[transfer] = file
  }

  private func takeChunk(_ line: Line) throws {
    let transfer = line.string("transfer")!
    guard var file = files[transfer], file.bytes.count == line.integer("offset"),
      let data = Data(base64Encoded: line.string("data") ?? "-")
    else { return ledger.value.unexpected("\(line)") }
    file.bytes += data
    files[transfer] = file
    guard line.bool("last") == true else { return }
    files[transfer] = nil
    if sha256(file.bytes) != file.digest || file.bytes != Plan(file.n).bytes {
      ledger.value.unexpected("other bytes in file \(file.n)")
    }
    ledger.value.deliver(
      file.n, lane: "file", seq: line.integer("seq")!, isRedelivered: file.isRedelivered)
  }
}
