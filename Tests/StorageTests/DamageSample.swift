import Journal
import Seeded
import Testing

@testable import Storage

/// A store with some pairs for which much waits, and what was accepted of them.
final class Sample {
  struct Pair {
    let name: String
    /// User info in the order of acceptance: the one with `seq` 1 first.
    var payloads: [String] = []
    /// How many the watch has acknowledged.
    var acknowledged = 0
    var context = ""
    /// base64, in pieces as it is delivered.
    var file: [String] = []
    var record = ""
  }

  let isKilled: Bool
  private(set) var pairs: [Pair] = []
  private(set) var files: [String: [UInt8]] = [:]
  /// The database from before the second half of it all.
  private(set) var oldDatabase: [UInt8] = []

  init(seed: UInt64, killed: Bool) throws {
    isKilled = killed
    var random = SplitMix64(seed: seed)
    let directory = TemporaryDirectory(inMemory: true)
    let world = try StoreWorld(directory)
    for number in 0..<3 {
      pairs.append(Pair(name: "p\(number)"))
      begin(world, number, &random)
    }
    world.stop()
    oldDatabase = readFile(directory.database)
    var options = StoreOptions()
    // In a killed one some of it is in the database, some in the WAL and some in the log.
    options.memTableBytes = 12_000
    options.idleCheckpointBytes = 300_000
    let second = try StoreWorld(directory, options: options)
    for number in pairs.indices { goOn(second, number, &random) }
    if killed { files = directory.contents }
    second.stop()
    if !killed { files = directory.contents }
  }

  private func name(_ device: String, _ number: Int) -> String { "\(device)\(number)" }

  private func begin(_ world: StoreWorld, _ number: Int, _ random: inout SplitMix64) {
    let (phone, watch) = (name("phone", number), name("watch", number))
    world.send("activate pair=p\(number) role=phone", on: phone)
    world.send("activate pair=p\(number) role=watch", on: watch)
    send(world, number, 4, &random)
    pairs[number].acknowledged = 1 + random.below(3)
    world.send("acknowledge seq=\(pairs[number].acknowledged)", on: watch)
    pairs[number].record = "record \(random.next())"
    world.send(
      "sync.open schema=todoTimers",
      "sync.edit kind=timer set={\"name\":\"\(pairs[number].record)\",\"durationInSeconds\":60}",
      on: phone)
    world.send("updateApplicationContext payload={\"old\":\(random.below(1000))}", on: phone)
    world.close(watch)
    world.close(phone)
  }

  private func goOn(_ world: StoreWorld, _ number: Int, _ random: inout SplitMix64) {
    let phone = name("phone", number)
    world.send("activate pair=p\(number) role=phone", on: phone)
    for _ in 0..<3 { send(world, number, 2 + random.below(10), &random) }
    pairs[number].context = "{\"new\":\(random.next())}"
    world.send("updateApplicationContext payload=\(pairs[number].context)", on: phone)
    // "hello", as in clause 5.9.
    pairs[number].file = ["aGVsbG8="]
    let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    world.send("transferFile name=hello.txt size=5 sha256=\"\(digest)\" id=f", on: phone)
    world.send("fileChunk transfer=phone:0#1 offset=0 data=aGVsbG8=", on: phone)
    if number != 1 { world.close(phone) }
    let accepted = world.heard[phone]!.count { $0.contains("\"accepted\"") }
    #expect(accepted >= pairs[number].payloads.count - 4)
  }

  private func send(
    _ world: StoreWorld, _ number: Int, _ count: Int, _ random: inout SplitMix64
  ) {
    var lines: [String] = []
    for _ in 0..<count {
      let length = random.below(8) == 0 ? 9_000 : 20 + random.below(300)
      let text = String(
        (0..<length).map { _ in Character(UnicodeScalar(97 + UInt8(random.below(26)))) })
      pairs[number].payloads.append("{\"i\":\(random.next()),\"text\":\"\(text)\"}")
      lines.append(
        "transferUserInfo n=\(pairs[number].payloads.count) payload=\(pairs[number].payloads.last!)"
      )
    }
    world.send(lines, on: name("phone", number))
  }

  // MARK: Judging

  /// Has all devices activate, and looks at what they hear.
  ///
  /// - Returns: whether anything was said to be missing.
  func judge(_ world: StoreWorld, _ context: String) -> Bool {
    #expect(world.contents.identity == "store-1", "\(context)")
    #expect(world.contents.epoch > 2, "\(context)")
    var isNoticed = false
    for number in pairs.indices {
      if judge(world, number, "\(context), pair \(number)") { isNoticed = true }
    }
    return isNoticed || world.isFailing
  }

  private func judge(_ world: StoreWorld, _ number: Int, _ context: String) -> Bool {
    let pair = pairs[number]
    let (phone, watch) = (name("phone", number), name("watch", number))
    world.send("activate pair=p\(number) role=watch", on: watch)
    world.send("activate pair=p\(number) role=phone", on: phone)
    world.send(
      "sync.open schema=todoTimers", "sync.view kind=timer", "outstandingTransfers", on: phone)
    let lines = world.heard[watch] ?? []
    let told = world.heard[phone] ?? []
    if lines.contains(where: { $0.contains("\"code\":4008") }) {
      #expect(!lines.contains { $0.contains("didReceive") }, "\(context)")
      return true
    }
    // A store that cannot commit says so, and hands out nothing that is not durable.
    if world.isFailing { return true }
    var isNoticed = false

    #expect(
      told.contains { $0.contains("\"n\":\(pair.payloads.count),") },
      "\(context): n of \(told.first ?? "")")
    var missing = Set((pair.acknowledged + 1)...pair.payloads.count)
    for line in lines where line.contains("\"didReceiveUserInfo\"") {
      guard let (payload, seq) = Self.delivery(line), (1...pair.payloads.count).contains(seq) else {
        Issue.record("\(context): \(line.prefix(300))")
        continue
      }
      #expect(payload == pair.payloads[seq - 1], "\(context): seq \(seq) is \(payload.prefix(200))")
      #expect(missing.remove(seq) != nil, "\(context): seq \(seq) is not awaited")
    }
    for seq in missing.sorted() {
      isNoticed = true
      #expect(
        told.contains {
          $0.contains("\"transfer\":\"phone:0.\(seq)\"") && $0.contains("\"code\":7014")
        }, "\(context): seq \(seq) of \(pair.payloads.count) is missing, and nobody was told")
    }
    let contexts = lines.filter { $0.contains("\"didReceiveApplicationContext\"") }
    #expect(
      contexts.count == 1 && Self.delivery(contexts[0])?.payload == pair.context,
      "\(context): \(contexts)")
    let chunks = lines.filter { $0.contains("\"fileChunk\"") }
    if chunks.isEmpty {
      isNoticed = true
      #expect(
        told.contains { $0.contains("didFinishFileTransfer") && $0.contains("7014") }, "\(context)")
    } else {
      #expect(chunks.count == 1 && chunks[0].contains("\"data\":\"\(pair.file[0])\""), "\(context)")
    }
    if !told.contains(where: { $0.contains("\"name\":\"\(pair.record)\"") }) {
      isNoticed = true
      #expect(
        told.contains { $0.contains("\"error\"") && $0.contains("4008") }, "\(context): \(told)")
    }
    return isNoticed
  }

  /// The payload and the number of a delivery.
  private static func delivery(_ line: String) -> (payload: String, seq: Int)? {
    guard let start = line.range(of: ",\"payload\":"), let end = line.range(of: ",\"seq\":") else {
      return nil
    }
    let digits = line[end.upperBound...].prefix { $0.isNumber }
    guard let seq = Int(digits), start.upperBound <= end.lowerBound else { return nil }
    return (String(line[start.upperBound..<end.lowerBound]), seq)
  }
}

extension String {
  /// The first place of `other`.
  fileprivate func range(of other: String) -> Range<Index>? {
    let (text, wanted) = (Array(utf8), Array(other.utf8))
    guard text.count >= wanted.count,
      let start = (0...(text.count - wanted.count)).first(where: {
        text[$0...].starts(with: wanted)
      })
    else { return nil }
    let lower = utf8.index(utf8.startIndex, offsetBy: start)
    return lower..<utf8.index(lower, offsetBy: wanted.count)
  }
}
