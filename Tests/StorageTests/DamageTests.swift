import Glibc
import Journal
import Seeded
import Testing

@testable import Storage

/// Whatever becomes of the files of a store: each payload that is delivered is the one that was
/// accepted, and whatever is missing is said.
///
/// `WATCHLINE_DAMAGES=5000 swift test --filter DamageTests` does more of them.
@Suite struct DamageTests {
  static let damages = getenv("WATCHLINE_DAMAGES").flatMap { Int(String(cString: $0)) } ?? 130

  @Test func nothingWrongIsDeliveredAndNothingIsMissedSilently() throws {
    let stores = try [1, 2].flatMap {
      try [Sample(seed: $0, killed: false), Sample(seed: $0, killed: true)]
    }
    var refused = 0
    var noticed = 0
    var unseen = Set(Damage.allCases.filter { !$0.isMadeGood })
    for seed in 1...Self.damages {
      var random = SplitMix64(seed: UInt64(seed))
      let kind = Damage.allCases[seed % Damage.allCases.count]
      let candidates = stores.filter { kind.needsKill ? $0.isKilled : true }
      let sample = candidates[random.below(candidates.count)]
      let directory = TemporaryDirectory(inMemory: true)
      directory.replace(with: sample.files)
      try kind.apply(to: directory, sample, &random)
      let context = "damage \(seed), \(kind), killed \(sample.isKilled)"
      let faults = Look.faults(directory, context)
      do {
        let world = try StoreWorld(directory)
        defer { world.abandon() }
        if sample.judge(world, context) {
          noticed += 1
          unseen.remove(kind)
          #expect(!faults.isEmpty, "\(context): a look found nothing, and it is served with a loss")
        }
      } catch {
        refused += 1
        unseen.remove(kind)
        #expect(
          !faults.isEmpty, "\(context): a look found nothing, and a start is refused: \(error)")
        #expect("\(error)".count > 20, "\(context): \(error)")
        if let error = error as? StoreError {
          #expect(error.kind != .other, "\(context): \(error)")
        }
      }
    }
    // Damage that nobody can see has tested nothing.
    #expect(unseen.isEmpty, "nobody saw any of \(unseen)")
    #expect(refused + noticed > Self.damages / 2, "\(refused) refused, \(noticed) noticed")
    print("\(Self.damages) damages: \(refused) refused, \(noticed) noticed while serving")
  }

  /// An undamaged store loses nothing and says nothing: the judge is not blind, nor jumpy.
  @Test(arguments: [true, false]) func whatIsWholeIsServed(killed: Bool) throws {
    let sample = try Sample(seed: 7, killed: killed)
    let directory = TemporaryDirectory(inMemory: true)
    directory.replace(with: sample.files)
    #expect(Look.faults(directory, "whole") == [])
    let world = try StoreWorld(directory)
    #expect(!sample.judge(world, "whole"))
    #expect(world.damage.isEmpty)
    world.stop()
  }

  /// One flipped bit of one payload: that transfer fails at its sender, and all others are delivered.
  @Test func oneDamagedPayloadFailsItsTransfer() throws {
    let sample = try Sample(seed: 3, killed: false)
    let directory = TemporaryDirectory(inMemory: true)
    directory.replace(with: sample.files)
    // The third one that waits in the first pair.
    let seq = sample.pairs[0].acknowledged + 3
    let needle = Array(sample.pairs[0].payloads[seq - 1].utf8)
    var bytes = readFile(directory.database)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[place + 4] ^= 1
    writeFile(directory.database, bytes)

    let faults = Look.faults(directory, "one payload")
    #expect(faults.count == 1 && faults[0].hasPrefix("bytes "), "\(faults)")
    let world = try StoreWorld(directory)
    #expect(sample.judge(world, "one payload"))
    let failures = world.heard.values.joined().filter { $0.contains("\"code\":7014") }
    #expect(failures.count == 1, "\(failures)")
    #expect(failures.first?.contains("\"transfer\":\"phone:0.\(seq)\"") == true, "\(failures)")
    #expect(
      world.damage.count == 1 && world.damage[0].message.contains("segment"), "\(world.damage)")
    #expect(world.logs.contains { $0.contains("payloadLost transfer=\"phone:0.\(seq)\"") })
    #expect(!world.logs.contains { $0.contains("storeFailing") })
    world.stop()
    // It is over and done with.
    let second = try StoreWorld(directory)
    second.send("activate pair=p0 role=watch", on: "watch")
    #expect(second.damage.isEmpty)
    second.stop()
  }
}

/// What is done to the files.
enum Damage: CaseIterable {
  case flip, flipInLog, cutLog, deleteLog, flipInWAL, cutWAL, deleteWAL, zeroPage, zeroSector,
    swapRows, swapBodies, dropRows
  case dropTable, deleteMark, oldDatabase, oldRow

  /// Whether it is a file of a store that was not closed.
  var needsKill: Bool {
    [.flipInLog, .cutLog, .deleteLog, .flipInWAL, .cutWAL, .deleteWAL, .deleteMark].contains(self)
  }

  /// What a WAL has is in the log as well, mostly.
  var isMadeGood: Bool { [.flipInWAL, .cutWAL, .deleteWAL].contains(self) }

  func apply(
    to directory: TemporaryDirectory, _ sample: Sample, _ random: inout SplitMix64
  ) throws {
    switch self {
    case .flip: change(directory.database) { Self.flip(&$0, &random) }
    case .flipInLog, .cutLog:
      // Behind what is in use is what is left of earlier rounds.
      let used = try FileLog(directory.log, behind: 0, vfs: nil).byteCount
      change(directory.log) { log in
        if self == .cutLog { log.removeLast(log.count - random.below(used)) }
        var inUse = Array(log.prefix(used))
        if self == .flipInLog { Self.flip(&inUse, &random) }
        log.replaceSubrange(..<inUse.count, with: inUse)
      }
    case .deleteLog: directory.remove("watchline.log")
    case .flipInWAL: change(directory.wal) { Self.flip(&$0, &random) }
    case .cutWAL: change(directory.wal) { $0.removeLast(1 + random.below($0.count)) }
    case .deleteWAL: directory.remove("watchline.sqlite-wal")
    case .deleteMark: directory.remove("watchline.mark")
    case .zeroPage: change(directory.database) { Self.zero(&$0, 16_384, &random) }
    case .zeroSector: change(directory.database) { Self.zero(&$0, 512, &random) }
    case .oldDatabase: writeFile(directory.database, sample.oldDatabase)
    case .swapRows:
      let table = ["device", "device", "context", "file", "pair", "hub"][random.below(6)]
      try run(
        "CREATE TEMP TABLE two AS SELECT * FROM \(table) WHERE pair > 0 ORDER BY pair, item LIMIT 2; "
          + "UPDATE \(table) SET value = (SELECT value FROM two WHERE (two.pair, two.item) "
          + "!= (\(table).pair, \(table).item)) WHERE (pair, item) IN (SELECT pair, item FROM two)",
        directory)
    case .swapBodies:
      try run(
        "CREATE TEMP TABLE two AS SELECT number, header, body FROM segment ORDER BY number LIMIT 2; "
          + "UPDATE segment SET body = (SELECT body FROM two WHERE two.number != segment.number) "
          + "WHERE number IN (SELECT number FROM two)", directory)
    case .dropRows:
      let table = ["device", "context", "file", "pair", "queue", "hub", "operation"][
        random.below(7)]
      try run(
        "DELETE FROM \(table) WHERE (pair, item) IN "
          + "(SELECT pair, item FROM \(table) ORDER BY pair DESC, item LIMIT 1)", directory)
    case .dropTable:
      let table = ["device", "context", "file", "queue", "hub", "operation"][random.below(6)]
      try run("DROP TABLE \(table)", directory)
    case .oldRow:
      // As a write to the disk that got lost leaves it: right in itself.
      let old = TemporaryDirectory(inMemory: true)
      writeFile(old.database, sample.oldDatabase)
      try run(
        "ATTACH '\(old.database)' AS old; "
          + "INSERT OR REPLACE INTO device(key, sum, value) "
          + "SELECT key, sum, value FROM old.device WHERE item = 1", directory)
    }
  }

  private func change(_ path: String, _ body: (inout [UInt8]) -> Void) {
    var bytes = readFile(path)
    body(&bytes)
    writeFile(path, bytes)
  }

  /// One bit, mostly of a byte that is in use.
  private static func flip(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    var place = random.below(bytes.count)
    for _ in 0..<20 where bytes[place] == 0 { place = random.below(bytes.count) }
    bytes[place] ^= 1 << UInt8(random.below(8))
  }

  private static func zero(_ bytes: inout [UInt8], _ size: Int, _ random: inout SplitMix64) {
    var page = random.below(bytes.count / size)
    for _ in 0..<20 where bytes[page * size..<(page + 1) * size].allSatisfy({ $0 == 0 }) {
      page = random.below(bytes.count / size)
    }
    for index in page * size..<(page + 1) * size { bytes[index] = 0 }
  }

  private func run(_ sql: String, _ directory: TemporaryDirectory) throws {
    // Closing moves the WAL: the last commit of one may be left out.
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    defer { connection.close() }
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE;" + sql)
  }
}
