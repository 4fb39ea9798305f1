import Seeded
import Foundation

/// A phone that sends without end, comes back after crashes, and repeats itself.
///
/// What it keeps over a crash is what an app has on its own disk: the number of its last context
/// and its last `outcome`. Its transfers follow from their numbers (`Plan`).
final class LoadPhone {
  private(set) var client: LineClient?
  private(set) var isActive = false
  /// From the last activation or the last list.
  private(set) var outstanding = -1
  private(set) var context = 0
  private(set) var storedContext = 0
  private(set) var n = 0
  /// Whether new transfers and contexts are made.
  var isSending = true

  private let ledger: SharedLedger
  private var random: SplitMix64
  /// Ids of requests without an answer.
  private var unanswered: Set<String> = []
  private var ids = 0
  private var upload: Upload?
  private var outcome = 0

  private struct Upload {
    let n: Int
    let bytes: [UInt8]
    /// Named by the server when it accepts the file.
    var transfer: String?
    var offset = 0
  }

  init(_ ledger: SharedLedger, seed: UInt64) {
    self.ledger = ledger
    random = SplitMix64(seed: seed)
  }

  func connect(_ server: ServerProcess) throws {
    leave()
    let client = try server.client()
    var members: [String: Any] = ["type": "activate", "pair": "demo", "role": "phone"]
    if outcome > 0, random.chance(0.5) { members["received"] = ["outcome": outcome] }
    try client.send(members)
    self.client = client
  }

  func leave() {
    client?.close()
    client = nil
    isActive = false
    unanswered = []
  }

  /// Whether everything that it has begun is at the server.
  var isSettled: Bool { isActive && unanswered.isEmpty && upload == nil }

  /// Reads what is there and sends a little.
  func step() throws {
    try read()
    guard isActive, let client, !client.hasEnded else { return }
    for _ in 0..<32 where unanswered.count < 96 { try send(client) }
  }

  private func send(_ client: LineClient) throws {
    if let upload, upload.transfer != nil, !isSending || random.chance(0.5) {
      return try sendChunk(client)
    }
    guard isSending else { return }
    if n > 0, random.chance(0.05) { return try retry(client) }
    if random.chance(0.03) { return try sendContext(client) }
    let plan = Plan(n + 1)
    // One file at a time, so that they are complete in the order of their numbers.
    if plan.kind == .file, upload != nil { return }
    n += 1
    ledger.value.send(n, plan.kind)
    if plan.kind == .file { upload = Upload(n: n, bytes: plan.bytes) }
    try client.send(plan.request(id: id("n", n)))
  }

  /// Sends something a second time.
  private func retry(_ client: LineClient) throws {
    let plan = Plan(random.pick(max(1, n - 50)...n))
    guard plan.n != upload?.n else { return }
    try client.send(plan.request(id: id("n", plan.n)))
  }

  /// A new id that says what its answer is about.
  private func id(_ kind: String, _ number: Int) -> String {
    ids += 1
    let id = "\(kind).\(number).\(ids)"
    unanswered.insert(id)
    return id
  }

  func sendContext(_ client: LineClient) throws {
    context += 1
    ledger.value.sendContext(context)
    try client.send([
      "type": "updateApplicationContext", "id": id("c", context), "payload": ["version": context],
    ])
  }

  private func sendChunk(_ client: LineClient) throws {
    guard var upload, let transfer = upload.transfer, upload.offset < upload.bytes.count else {
      return
    }
    // Now and then again what the server has already.
    if upload.offset > 0, random.chance(0.1) { upload.offset -= random.pick(1...upload.offset) }
    let end = min(upload.bytes.count, upload.offset + random.pick(1...9_000))
    try client.send([
      "type": "fileChunk", "transfer": transfer, "offset": upload.offset,
      "data": Data(upload.bytes[upload.offset..<end]).base64EncodedString(),
    ])
    upload.offset = end
    self.upload = upload
  }

  // MARK: Answers

  func read() throws {
    while let line = try client?.lineNow() { try take(line) }
  }

  private func take(_ line: Line) throws {
    switch line.type {
    case "activationDidComplete": try activated(line)
    case "accepted": accepted(line)
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": finished(line)
    case "transferProgress":
      guard let offset = line.integer("offset"), offset == line.integer("size") else { return }
      if line.string("transfer") == upload?.transfer { upload = nil }
    case "outstandingTransfers": outstanding = line.integer("count")!
    case "sessionReachabilityDidChange", "sessionWatchStateDidChange": break
    default: ledger.value.unexpected("\(line)")
    }
  }

  private func activated(_ line: Line) throws {
    isActive = true
    n = line.integer("n")!
    storedContext = line.object("applicationContext")?["version"] as? Int ?? 0
    ledger.value.resume(n)
    guard let unfinished = upload else { return }
    upload = unfinished.n <= n ? Upload(n: unfinished.n, bytes: unfinished.bytes) : nil
    // Says where to go on.
    guard upload != nil else { return }
    try client!.send(Plan(unfinished.n).request(id: id("n", unfinished.n)))
  }

  private func accepted(_ line: Line) {
    let parts = line.string("re")?.split(separator: ".") ?? []
    guard parts.count == 3, let number = Int(parts[1]),
      unanswered.remove(line.string("re")!) != nil
    else { return ledger.value.unexpected("\(line)") }
    if parts[0] == "c" { return ledger.value.acceptContext(number) }
    ledger.value.accept(number)
    guard number == upload?.n, let offset = line.integer("offset") else { return }
    upload!.transfer = line.string("transfer")
    upload!.offset = offset
    if offset == upload!.bytes.count { upload = nil }
  }

  private func finished(_ line: Line) {
    let number = line.integer("n")!
    ledger.value.finish(number, error: line.object("error").map { "\($0)" })
    if number == upload?.n { upload = nil }
    if let seq = line.integer("seq") {
      outcome = max(outcome, seq)
      if random.chance(0.5) {
        try? client?.send(["type": "acknowledge", "lane": "outcome", "seq": outcome])
      }
    } else if let id = line.string("re") {
      // It may answer a retry.
      unanswered.remove(id)
    }
  }

  func askForOutstanding() throws { try client?.send("outstandingTransfers") }
}

/// A ledger that both devices write to.
final class SharedLedger {
  var value = Ledger()
}
