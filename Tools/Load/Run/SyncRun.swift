internal import Glibc
internal import Wire

/// Operations through the hub, both devices of a pair editing; through when the other one has them.
///
/// At the end both devices ask for the heads, and what the hub, the writer and the reader hold of
/// each replica is compared by its hash.
final class SyncRun: LaneRun {
  /// Operations in one push at most, as devices do it; fewer where a line would be over 256 KiB.
  private lazy var pushSize = max(1, min(64, (256 << 10) / (options.payload + 500)))
  private static let schema = "todoTimers"

  private let delivered = Prefix("{\"type\":\"sync.ops\",\"schema\":\"\(schema)\",\"at\":")
  private let listed = Prefix(",\"ops\":[")
  private let closing = Prefix("]}\n")
  private let accepted = Prefix("{\"type\":\"sync.accepted\",\"of\":")
  /// By the link's index.
  private var ends: [SyncEnd] = []
  private var openCount = 0
  private var recordCount = 0
  private var headCount = 0
  private var output: [UInt8] = []

  override func makeLanes(_ watch: Link, _ phone: Link) {
    addLane(from: phone, to: watch)
    addLane(from: watch, to: phone)
  }

  override func perform() throws(LoadFailure) {
    try activateAll()
    makeEnds()
    for end in ends {
      try loop.send(
        end.link,
        "{\"type\":\"sync.open\",\"schema\":\"\(Self.schema)\",\"replica\":\"\(end.replica)\","
          + "\"vector\":{},\"id\":\"open\"}\n")
    }
    try run(progress: { openCount }, waiting: "sync.opened", or: { openCount == ends.count })
    for end in ends where end.link.role == .phone {
      let operation = end.first(record(end.link.pair))
      try loop.send(
        end.link, Array("{\"type\":\"sync.push\",\"ops\":[".utf8) + operation + Array("]}\n".utf8))
    }
    try run(
      progress: { recordCount }, waiting: "sync.ops", or: { recordCount == options.pairs })
    try steady()
    try askHeads()
  }

  private func makeEnds() {
    let value = PayloadForm.value(size: options.payload)
    for link in loop.links {
      let (down, up) = (lanes[2 * link.pair], lanes[2 * link.pair + 1])
      let isPhone = link.role == .phone
      ends.append(
        SyncEnd(
          link, outgoing: isPhone ? down : up, incoming: isPhone ? up : down,
          ids: (id("A", link.pair) + ".1", id("B", link.pair) + ".1", record(link.pair)),
          value: value))
    }
  }

  /// A UUID: what it names is looked up within its pair only.
  private func id(_ kind: String, _ pair: Int) -> String {
    let digits = String(pair, radix: 16, uppercase: true)
    return "\(kind)0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
      + digits
  }

  private func record(_ pair: Int) -> String { id("C", pair) }

  // MARK: Lines

  override func ingest(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int {
    guard link.index < ends.count, let base = bytes.baseAddress else { return 0 }
    let (end, time) = (ends[link.index], microseconds(now))
    var used = 0
    while used < bytes.count {
      let isAnswer = accepted.stands(in: bytes, at: used)
      guard isAnswer || delivered.stands(in: bytes, at: used),
        let newline = memchr(base + used, 0x0A, bytes.count - used)
      else { break }
      let next = UnsafeRawPointer(newline) - base + 1
      if !isAnswer {
        let line = UnsafeRawBufferPointer(rebasing: bytes[used..<next])
        guard try takeOperations(end, line, time) else { break }
      }
      used = next
    }
    return used
  }

  /// - Returns: false where the first operation is not of the form that this run writes.
  private func takeOperations(
    _ end: SyncEnd, _ line: UnsafeRawBufferPointer, _ time: Int
  ) throws(LoadFailure) -> Bool {
    var at = delivered.count
    let position = Digits.read(line, &at)
    guard listed.stands(in: line, at: at) else { return false }
    at += listed.count
    let lane = end.incoming
    var count = 0
    while true {
      guard let (number, sentAt) = end.read(line, &at) else {
        if count == 0 { return false }
        throw LoadFailure(
          "an operation to \(end.link.name) is not as it was written: \(Self.excerpt(line))")
      }
      guard number <= lane.sent else { throw unknown(number, end.link) }
      lane.deliveries.note(number)
      meter.finished(time &- sentAt)
      count += 1
      if closing.stands(in: line, at: at) { break }
      at += 1
    }
    moved(end, to: position)
    finished(lane, count)
    return true
  }

  /// The device has taken the log in up to a position, which it acknowledges behind what it wrote.
  private func moved(_ end: SyncEnd, to position: Int) {
    end.link.delivered = max(end.link.delivered, position)
    loop.scheduleOutput(end.link)
  }

  override func event(_ link: Link, _ type: String, _ line: Members) throws(LoadFailure) -> Bool {
    guard link.index < ends.count else { return false }
    let end = ends[link.index]
    switch type {
    case "sync.opened": openCount += 1
    case "sync.ops":
      // The phone's first operation, which makes the record.
      guard link.role == .watch, end.ends.other == 0, let items = line.array("ops"),
        items.count == 1
      else { return false }
      line.bytes.withUnsafeBytes {
        end.ingest(UnsafeRawBufferPointer(rebasing: $0[items[0].start..<items[0].end]), seq: 1)
      }
      // It may be of this very millisecond, and what the watch writes has to be stamped behind it.
      end.saw(stamp: line.objects("ops")?.first?.string("stamp") ?? "")
      recordCount += 1
      moved(end, to: Int(line.integer("at") ?? 0))
    case "sync.purge": moved(end, to: Int(line.integer("at") ?? 0))
    case "sync.accepted":
      end.agrees = agrees(end, line)
      headCount += 1
    default: return false
    }
    return true
  }

  override func fill(_ link: Link) throws(LoadFailure) {
    guard link.index < ends.count else { return }
    let (end, lane) = (ends[link.index], ends[link.index].outgoing)
    output.removeAll(keepingCapacity: true)
    if link.delivered > link.acknowledged {
      link.acknowledged = link.delivered
      output.append("{\"type\":\"sync.acknowledge\",\"at\":" as StaticString)
      output.append(decimal: link.delivered)
      output.append("}\n" as StaticString)
    }
    let (now, wall) = (microseconds(Clock.now), Clock.wall)
    while lane.credits > 0, loop.isReady(link) {
      output.append("{\"type\":\"sync.push\",\"ops\":[" as StaticString)
      for index in 0..<min(lane.credits, pushSize) {
        if index > 0 { output.append(0x2C) }
        let number = lane.next()
        end.append(number, sendTime(lane, number, now: now), wall, to: &output)
      }
      output.append("]}\n" as StaticString)
      if output.count >= LinkLoop.writeSize { try sendOutput(link) }
    }
    try sendOutput(link)
  }

  private func sendOutput(_ link: Link) throws(LoadFailure) {
    if !output.isEmpty { try loop.send(link, output) }
    output.removeAll(keepingCapacity: true)
  }

  // MARK: Heads

  private func askHeads() throws(LoadFailure) {
    for end in ends {
      try loop.send(end.link, "{\"type\":\"sync.push\",\"ops\":[],\"id\":\"heads\"}\n")
    }
    try run(progress: { headCount }, waiting: "the heads", or: { headCount == ends.count })
  }

  /// Whether the hub has all that this device wrote and read, and the other device the same bytes.
  private func agrees(_ end: SyncEnd, _ line: Members) -> Bool {
    guard let vector = line.object("vector"), let head = line.object("head"),
      let counterpart = ends.first(where: { $0.link.pair == end.link.pair && $0 !== end })
    else { return false }
    return vector.string(end.replica) == "\(end.ends.own)"
      && vector.string(end.other) == (end.ends.other == 0 ? nil : "\(end.ends.other)")
      && head.string("seq") == "\(end.ends.own)"
      && head.string("hash") == String(decoding: hexadecimal(end.own), as: UTF8.self)
      && counterpart.others == end.own && counterpart.ends.other == end.ends.own
  }

  private func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  override func complete(_ result: inout LoadResult) {
    super.complete(&result)
    let answers = ends.map(\.agrees)
    if !answers.isEmpty, !answers.contains(nil) {
      result.headsAgree = !answers.contains(false)
    }
  }
}
