import CFaultVFS
import CSQLite
import Foundation
import Glibc
import Journal
import Relay
import Testing

@testable import Storage

/// Stores that earlier programs wrote (see `Data/write.py`), of version 1 and, where the name has another number, of that one:
/// stopped, so that all pairs are evicted, and killed, with most of it in the WAL.
@Suite struct OlderVersionsTests {
  private static let names = ["stopped", "killed", "stopped2", "killed2", "stopped3", "killed3"]

  private func directory(_ name: String) -> TemporaryDirectory {
    let directory = TemporaryDirectory(inMemory: true)
    for suffix in ["sqlite", "sqlite-wal", "mark", "log"] {
      let bytes = Self.unpacked["\(name).\(suffix)"]!
      if !bytes.isEmpty { writeFile(directory.path + "/watchline." + suffix, bytes) }
    }
    return directory
  }

  private static let data =
    "\(#filePath)".split(separator: "/").dropLast()
    .reduce("") { "\($0)/\($1)" } + "/Data/"

  private static let unpacked = Dictionary(
    uniqueKeysWithValues: names.flatMap { name in
      ["sqlite", "sqlite-wal", "mark", "log", "txt"].map {
        ("\(name).\($0)", unpack("\(name).\($0).lz"))
      }
    })

  /// What `pack` in `write.py` packed; nothing where there is no such file.
  private static func unpack(_ name: String) -> [UInt8] {
    let packed = readFile(data + name)
    var place = 0
    func number() -> Int {
      var value = 0
      var shift = 0
      while packed[place] >= 0x80 {
        value |= Int(packed[place] & 0x7F) << shift
        shift += 7
        place += 1
      }
      place += 1
      return value | Int(packed[place - 1]) << shift
    }
    var bytes: [UInt8] = []
    while place < packed.count {
      let literals = number()
      bytes += packed[place..<place + literals]
      place += literals
      let length = number()
      let distance = number()
      for _ in 0..<length { bytes.append(bytes[bytes.count - distance]) }
    }
    return bytes
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The schema has more kinds and fields than that program's.
  private static func withoutDigests(_ line: String) -> String {
    ["schemaDigest", "viewDigest"].reduce(line) { line, name in
      guard let start = line.range(of: "\"\(name)\":\"") else { return line }
      return line.replacingCharacters(
        in: start.upperBound..<line.index(start.upperBound, offsetBy: 64), with: "…")
    }
  }

  /// Without what the first of these programs did not know to say.
  private static func knownToBoth(_ lines: [String]) -> [String] {
    lines.filter {
      !$0.contains("\"hello\"") && !$0.contains(#""kind":"run""#)
        && !$0.contains(#""kind":"template""#)
    }.map { line in
      [#""mayHaveMissedDidFinish":true,"#, #""category":null,"repeats":null,"#].reduce(
        withoutDigests(line)
      ) { $0.replacing($1, with: "") }
    }
  }

  /// Each device hears what the earlier program told it on the same store.
  @Test(arguments: names) func loseNothing(name: String) throws {
    let directory = directory(name)
    let world = try StoreWorld(directory)
    for step in Self.lines(readFile(Self.data + "steps.txt")) {
      let end = try #require(step.firstIndex(of: ">"))
      world.send(String(step[step.index(end, offsetBy: 2)...]), on: String(step[..<end]))
    }
    let heard = world.heard.flatMap { name, lines in
      Self.knownToBoth(lines.map { "\(name)< \($0)" })
    }
    // That program told `now` in milliseconds.
    let told = Self.lines(Self.unpacked["\(name).txt"]!).map {
      $0.replacing("\"now\":978307200000", with: "\"now\":978307200")
    }
    let expected = Self.knownToBoth(told)
    #expect(expected.count > 60)
    for line in Set(expected).subtracting(heard).sorted() {
      Issue.record("missing: \(line.prefix(400))")
    }
    // That program's bridge did not know for certain what its device holds: it is sent what it may lack.
    let new = Set(heard).subtracting(expected).sorted()
    let again = #"whole< {"type":"didReceiveUserInfo","from":"hub","payload":"#
    #expect(new.count <= 1 && new.allSatisfy { $0.hasPrefix(again) }, "\(new)")
    #expect(new.count == (name.hasSuffix("d") ? 1 : 0))
    #expect(heard.count == expected.count + new.count)
    world.stop()
    // And it is a good store from now on.
    #expect(readFile(directory.database)[63] == 4)
    let second = try StoreWorld(directory)
    #expect(second.contents.epoch == 3)
    second.stop()
  }

  /// The disk fails at each write of a migration, for good, and the power goes: the next start finds the
  /// old store or the new one, whole.
  @Test(arguments: names) func survivesFailuresInTheMiddle(name: String) throws {
    let expected = try contents(directory(name), StoreOptions())
    #expect(expected.rows.count > 5 && !expected.segments.isEmpty)
    var first = 1
    while true {
      let directory = directory(name)
      let after = TemporaryDirectory(inMemory: true)
      let vfs = FaultVFS()
      vfs.fail(
        FAULT_WRITE, first: first, count: .max, code: SQLITE_IOERR_WRITE, torn: first % 2 == 0)
      let isOpen = (try? contents(directory, vfs.options)) != nil
      vfs.stop(into: after, seed: first)
      if vfs.fired == 0 { break }
      // What the VFS has not seen written is as it was.
      for (name, bytes) in directory.contents where !after.names.contains(name) {
        writeFile(after.path + "/" + name, bytes)
      }
      let found = try contents(after, StoreOptions())
      #expect(found.rows == expected.rows, "write \(first), \(isOpen)")
      #expect(found.segments == expected.segments, "write \(first)")
      #expect(
        found.identity == expected.identity && found.epoch >= expected.epoch, "write \(first)")
      first += 1
      try #require(first < 2_000, "no end")
    }
    #expect(first > 10)
  }

  private func contents(
    _ directory: TemporaryDirectory, _ options: StoreOptions
  ) throws -> Contents {
    var options = options
    options.rowsOfVersion1 = RowUpgrade.fromVersion1
    let harness = try Harness(.directory(directory.path), options: options)
    harness.store.close()
    return harness.contents
  }

  /// A store of version 2 that was killed lacks its WAL, and has no log that could make it good.
  @Test func missesTheWAL() throws {
    let directory = directory("killed2")
    directory.remove("watchline.sqlite-wal")
    let error = #expect(throws: StoreError.self) { try contents(directory, StoreOptions()) }
    #expect(error?.kind == .lost)
  }

  /// A malformed row stops the migration, and the store stays as it was.
  @Test func refusesADamagedRow() throws {
    let directory = directory("stopped")
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    try connection.execute(
      "PRAGMA locking_mode = EXCLUSIVE; UPDATE device SET value = substr(value, 1, 20) WHERE item = 1"
    )
    connection.close()
    let before = directory.contents
    let error = #expect(throws: StoreError.self) { try contents(directory, StoreOptions()) }
    #expect(error?.kind == .corrupt)
    #expect(error?.message.contains("row device 1/1") == true, "\(error as Any)")
    #expect(same(directory.contents, before))
  }

  /// Tables that are not those of the version are not brought forward.
  @Test(arguments: [
    "PRAGMA user_version = 0", "DROP TABLE hub", "DROP TABLE hub; PRAGMA user_version = 0",
    "ALTER TABLE segment ADD COLUMN note", "PRAGMA user_version = 2",
  ]) func refusesOtherTables(sql: String) throws {
    let directory = directory("stopped")
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE;" + sql)
    connection.close()
    let before = directory.contents
    let error = #expect(throws: StoreError.self) { try contents(directory, StoreOptions()) }
    #expect(error?.kind == .corrupt, "\(error as Any)")
    #expect(same(directory.contents, before))
  }
}
