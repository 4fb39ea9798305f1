internal import Wire

/// One device of a pair at the hub: the operations that it writes and takes in (PROTOCOL.md
/// clause 12), as bytes.
///
/// Both edit the record that the phone has made, the phone its name, the watch its icon. What a
/// device has read goes into the context of its next operation, so it edits like a person who sees
/// what the other did a moment ago.
final class SyncEnd {
  let link: Link
  let outgoing: Lane
  let incoming: Lane
  let replica: String
  let other: String
  private let rank: Int
  /// Of operations before the first numbered one: the phone's first makes the record.
  private let offset: Int
  private let otherOffset: Int
  private let written: LineForm
  private let expected: LineForm
  private let author: Prefix
  /// What of the other's was read, and what the last operation's context said of it.
  private var seen = 0
  private var toldSeen = 0
  /// The highest stamp held.
  private var stamp = Stamp()
  /// The chains of both replicas, as this device has them (clause 12.10).
  private(set) var own: [UInt8] = []
  private(set) var others: [UInt8] = []
  /// Whether the hub and the other device agree with what this one holds; nil until asked.
  var agrees: Bool?

  private struct Stamp: Comparable {
    var ms: Int64 = 0
    var rank = 0
    var counter = 0

    static func < (one: Stamp, other: Stamp) -> Bool {
      (one.ms, one.rank, one.counter) < (other.ms, other.rank, other.counter)
    }

    /// The next one that a writer makes: clause 12.10, "Stamps".
    func next(_ now: Int64, rank writer: Int) -> Stamp {
      if now > ms { return Stamp(ms: now, rank: writer) }
      if writer > rank { return Stamp(ms: ms, rank: writer) }
      if writer == rank, counter < 65_535 {
        return Stamp(ms: ms, rank: writer, counter: counter + 1)
      }
      return Stamp(ms: ms + 1, rank: writer)
    }
  }

  /// - Parameters:
  ///   - ids: of the phone's replica, the watch's, and the record.
  ///   - value: what is written.
  init(
    _ link: Link, outgoing: Lane, incoming: Lane, ids: (String, String, String), value: PayloadForm
  ) {
    self.link = link
    self.outgoing = outgoing
    self.incoming = incoming
    let isPhone = link.role == .phone
    (replica, other) = isPhone ? (ids.0, ids.1) : (ids.1, ids.0)
    rank = isPhone ? 2 : 1
    (offset, otherOffset) = isPhone ? (1, 0) : (0, 1)
    func form(_ field: String) -> LineForm {
      LineForm(
        "{\"actions\":[{\"action\":\"write\",\"field\":\"\(field)\",\"kind\":\"timer\","
          + "\"record\":\"\(ids.2)\",\"revives\":true,\"value\":\"", value, "\"}],")
    }
    (written, expected) = isPhone ? (form("name"), form("icon")) : (form("icon"), form("name"))
    author = Prefix("\"replica\":\"\(other)\",\"seq\":\"")
  }

  // MARK: Writing

  /// The phone's first operation, which makes the record.
  func first(_ record: String) -> [UInt8] {
    func write(_ field: String, _ value: String) -> String {
      "{\"action\":\"write\",\"field\":\"\(field)\",\"kind\":\"timer\",\"record\":\"\(record)\","
        + "\"revives\":true,\"value\":\"\(value)\"}"
    }
    stamp = stamp.next(Clock.wall, rank: rank)
    let about = "\"kind\":\"timer\""
    let operation =
      "{\"actions\":[{\"action\":\"create\",\(about),\"record\":\"\(record)\"},"
      + write("name", "load") + "," + write("durationInSeconds", "60") + ","
      + write("icon", "timer") + "," + write("colorHex", "#007AFF") + ","
      + "{\"action\":\"write\",\"field\":\"createdAt\",\(about),\"record\":\"\(record)\","
      + "\"value\":\"700000000\"},"
      + "{\"action\":\"move\",\"field\":\"place\",\(about),\"record\":\"\(record)\"}],"
      + "\"replica\":\"\(replica)\",\"seq\":\"1\",\"stamp\":\"\(stamp.ms).\(stamp.rank).\(stamp.counter)\","
      + "\"wall\":\"\(stamp.ms)\"}"
    let bytes = Array(operation.utf8)
    bytes.withUnsafeBytes { own = Self.chained(own, $0) }
    return bytes
  }

  /// Appends an operation in its canonical form.
  func append(_ number: Int, _ microseconds: Int, _ now: Int64, to output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: written.bytes)
    output.withUnsafeMutableBytes {
      written.write(number, microseconds, at: $0.baseAddress! + start)
    }
    if seen != toldSeen {
      toldSeen = seen
      output.append("\"context\":{\"" as StaticString)
      output.append(text: other)
      output.append("\":\"" as StaticString)
      output.append(decimal: seen)
      output.append("\"}," as StaticString)
    }
    stamp = stamp.next(now, rank: rank)
    output.append("\"replica\":\"" as StaticString)
    output.append(text: replica)
    output.append("\",\"seq\":\"" as StaticString)
    output.append(decimal: number + offset)
    output.append("\",\"stamp\":\"" as StaticString)
    output.append(decimal: stamp.ms)
    output.append(0x2E)
    output.append(decimal: stamp.rank)
    output.append(0x2E)
    output.append(decimal: stamp.counter)
    output.append("\",\"wall\":\"" as StaticString)
    output.append(decimal: now)
    output.append("\"}" as StaticString)
    output.withUnsafeBytes {
      own = Self.chained(own, UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
  }

  // MARK: Reading

  private static let context = Prefix("\"context\":{")
  private static let stampName = Prefix("\",\"stamp\":\"")
  private static let wall = Prefix("\",\"wall\":\"")
  private static let end = Prefix("\"}")

  /// Reads an operation of the other device's that is of the form that this run writes.
  ///
  /// - Parameter at: moves behind it.
  func read(
    _ line: UnsafeRawBufferPointer, _ at: inout Int
  ) -> (number: Int, microseconds: Int)? {
    let start = at
    guard at + expected.count <= line.count,
      let (number, time) = expected.read(line.baseAddress! + at)
    else { return nil }
    at += expected.count
    if Self.context.stands(in: line, at: at) {
      while at < line.count, line[at] != 0x7D { at += 1 }
      at += 2
    }
    guard author.stands(in: line, at: at) else { return nil }
    at += author.count
    let seq = Digits.read(line, &at)
    guard seq == number + otherOffset, Self.stampName.stands(in: line, at: at) else { return nil }
    at += Self.stampName.count
    var theirs = Stamp()
    theirs.ms = Int64(Digits.read(line, &at))
    at += 1
    theirs.rank = Digits.read(line, &at)
    at += 1
    theirs.counter = Digits.read(line, &at)
    guard Self.wall.stands(in: line, at: at) else { return nil }
    at += Self.wall.count
    guard Digits.read(line, &at) >= 0, Self.end.stands(in: line, at: at) else { return nil }
    at += Self.end.count
    stamp = max(stamp, theirs)
    ingest(UnsafeRawBufferPointer(rebasing: line[start..<at]), seq: seq)
    return (number, time)
  }

  /// Stamps from now on are above that one.
  func saw(stamp text: String) {
    let parts = text.split(separator: ".").compactMap { Int64($0) }
    guard parts.count == 3 else { return }
    stamp = max(stamp, Stamp(ms: parts[0], rank: Int(parts[1]), counter: Int(parts[2])))
  }

  /// Holds an operation of the other device's from now on.
  func ingest(_ operation: UnsafeRawBufferPointer, seq: Int) {
    seen = seq
    others = Self.chained(others, operation)
  }

  /// The hash of a chain with one operation more.
  private static func chained(_ hash: [UInt8], _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = SHA256()
    hash.withUnsafeBytes { digest.update($0) }
    digest.update(bytes)
    return digest.finalize()
  }

  /// The numbers of the last operations of both replicas, this one's and the other's.
  var ends: (own: Int, other: Int) {
    (outgoing.sent + offset, seen)
  }
}
