import Bridge
import Journal
import Merge
import Relay
import Wire

/// A hub's bridged devices, as rows of the table `hub`. They are read with the hub.
///
/// ```
/// row 1<<31 | h<<27 | d<<20          the device: envelope incarnation lastList
///                                    processed proven heard next owed
/// row 1<<31 | h<<27 | d<<20 | n      record n of it: kind record base reached since received digest madeRoom
///                                    undated floor doubt owed anew, what it did, then what is in flight
/// ```
/// `owed` is 0, 1 for everything, or 2 and what had been processed for a reset. A device's row of version 2 had none, and
/// one of version 1 had its envelope in two parts, and by how much its clock was ahead. `madeRoom` is
/// the latest date, a position, a number, the earliest date, and how many digests and which. A record's row of version 9 had
/// none of these: what has made room there is not known, and so is the base. One of version 8 had no `anew`. One of version 7 had
/// the first two parts of `madeRoom`, one of version 6 the date alone, and one of version 5 none. One of version 4 had a flag at the
/// end of each delivery. One of version 3 had no `reached`. One of version 2 had a date in the place of `undated`, too, and
/// behind `owed` whether it is one. One of version 1 had a window: the base is unknown then, which is always safe, and of its
/// dates the latest is kept.
enum BridgeRows {
  static let deviceVersion: UInt8 = 3
  static let trackVersion: UInt8 = 10
  private static let windowVersion: UInt8 = 1

  private static let mark: UInt32 = 1 << 31
  private static let numbers: UInt32 = 1 << 20

  static func isBridge(_ key: Row.Key) -> Bool { key.item & mark != 0 }

  private static func key(_ hub: Hub, _ device: UInt16, _ number: UInt32) -> Row.Key {
    Row.Key(
      .hub, pair: hub.pair.number,
      item: mark | UInt32(hub.index) << 27 | UInt32(device) << 20 | number)
  }

  /// The number of the hub that a row belongs to.
  static func hub(_ key: Row.Key) -> UInt8 { UInt8(key.item >> 27 & 15) }

  // MARK: Writing

  static func changedRows(_ hub: Hub, _ bridged: BridgedDevice) -> [Row] {
    var writer = ByteWriter(bytes: [deviceVersion])
    writer.number(bridged.envelope)
    writer.number(bridged.incarnation)
    write(bridged.lastList, &writer)
    writer.number(bridged.processed)
    writer.number(bridged.proven)
    writer.number(bridged.heard)
    writer.number(bridged.nextNumber)
    switch bridged.owed {
    case .nothing: writer.number(0)
    case .all: writer.number(1)
    case .reset(let processed):
      writer.number(2)
      writer.number(processed)
    }
    return [Row(key(hub, bridged.device, 0), writer.bytes)] + takeTracks(hub, bridged)
  }

  /// The rows of its tracks that have changed.
  static func takeTracks(_ hub: Hub, _ bridged: BridgedDevice) -> [Row] {
    bridged.takeChanged().map { number, target, track in
      Row(key(hub, bridged.device, number), bytes(target, track))
    }
  }

  private static func bytes(_ target: Target, _ track: Track) -> [UInt8] {
    var writer = ByteWriter(bytes: [trackVersion])
    writer.text(target.kind.text)
    writer.text(target.record.text)
    switch track.base {
    case .unknown: writer.number(0)
    case .absent: writer.number(1)
    case .held(let record, let position):
      writer.number(2)
      writer.blob(record.canonical)
      writer.number(position)
    }
    writer.number(track.reached)
    writer.number(track.since)
    write(track.received, &writer)
    writer.number(track.digest)
    write(track.madeRoom?.latest, &writer)
    if let room = track.madeRoom {
      writer.number(room.position)
      writer.number(room.seq)
      write(room.earliest, &writer)
      writer.number(room.said.count)
      for digest in room.said.sorted() { writer.number(digest) }
    }
    write(track.undated, &writer)
    write(track.floor, &writer)
    writer.number(track.doubt)
    writer.flag(track.isOwed)
    writer.flag(track.isAnew)
    let acted = track.acted.sorted {
      ($0.key.target, $0.key.name) < ($1.key.target, $1.key.name)
    }
    writer.number(acted.count)
    for (field, value) in acted {
      writer.text(field.target.kind.text)
      writer.text(field.target.record.text)
      writer.text(field.name.text)
      writer.blob(value.canonical)
    }
    writer.number(track.inFlight.count)
    for delivery in track.inFlight {
      writer.flag(delivery.record != nil)
      if let record = delivery.record { writer.blob(record.canonical) }
      writer.number(delivery.position)
      writer.number(delivery.seq)
      writer.number(delivery.sentAt)
      writer.flag(delivery.isAlone)
    }
    return writer.bytes
  }

  /// A date as its bits and whether there is one.
  private static func write(_ date: Double?, _ writer: inout ByteWriter) {
    writer.flag(date != nil)
    if let date { writer.number(date.bitPattern) }
  }

  // MARK: Reading

  /// Adds what a row says to its hub. A device's own row comes before those of its records.
  ///
  /// - Parameter next: by device, the number of the next user info for it.
  static func read(_ row: Row, into hub: Hub, next: [UInt64]) throws(JournalError) {
    let device = UInt16(row.key.item >> 20 & 127)
    let number = row.key.item % numbers
    guard Int(device) < next.count else {
      throw JournalError(description: "a bridged device of \(hub.schema.name) is not in its pair")
    }
    if number == 0 {
      hub.bridges.append(
        try row.read(versions: 1...deviceVersion) { (reader, version) throws(JournalError) in
          try self.device(&reader, device, version: version)
        })
      return
    }
    guard let bridged = hub.bridges.last, bridged.device == device else {
      throw JournalError(description: "a track of \(hub.schema.name) belongs to no bridged device")
    }
    let lastSeq = next[Int(device)]
    let (target, track) = try row.read(versions: windowVersion...trackVersion) {
      (reader, version) throws(JournalError) in
      version == windowVersion
        ? try window(&reader) : try self.track(&reader, version: version, lastSeq: lastSeq)
    }
    guard bridged[target] == nil else { throw damaged }
    bridged.restore(target, number: number, track)
  }

  private static func device(
    _ reader: inout ByteReader, _ device: UInt16, version: UInt8
  ) throws(JournalError) -> BridgedDevice {
    let bridged = BridgedDevice(device: device)
    bridged.envelope = try reader.number()
    if version < 2 { bridged.envelope |= try reader.number() << 2 }
    bridged.incarnation = try reader.integer()
    bridged.lastList = try date(&reader)
    if version < 2 { _ = try reader.number() }
    bridged.processed = try reader.number()
    bridged.proven = try reader.number()
    bridged.heard = try reader.number()
    bridged.nextNumber = try reader.integer()
    if version > 2 {
      switch try reader.number() {
      case 0: bridged.owed = .nothing
      case 1: bridged.owed = .all
      case 2: bridged.owed = .reset(processed: try reader.number())
      default: throw damaged
      }
    }
    guard reader.isAtEnd else { throw damaged }
    return bridged
  }

  /// What is left of a row of version 1: which timer it is of, and the latest date in it.
  private static func window(
    _ reader: inout ByteReader
  ) throws(JournalError) -> (Target, Track) {
    let id = Identifier(high: try reader.number(), low: try reader.number())
    let received = try date(&reader)
    _ = try reader.number()
    var track = Track(.unknown)
    track.floor = max(received ?? 0, try date(&reader) ?? 0)
    // Behind the last delivery whatever it was sent is settled.
    _ = try reader.number()
    track.undated = try reader.flag() ? track.floor : nil
    track.isOwed = true
    return (Target("timer", Name(id.description)), track)
  }

  private static func track(
    _ reader: inout ByteReader, version: UInt8, lastSeq: UInt64
  ) throws(JournalError) -> (Target, Track) {
    let target = Target(Name(try reader.text()), Name(try reader.text()))
    var track: Track
    switch try reader.number() {
    case 0: track = Track(.unknown)
    case 1: track = Track(.absent)
    case 2: track = Track(.held(try record(&reader, target), at: try reader.number()))
    default: throw damaged
    }
    if version > 3 { track.reached = try reader.number() }
    track.since = try reader.number()
    track.received = try date(&reader)
    track.digest = try reader.number()
    if version > 5, let latest = try date(&reader) {
      let position = version > 6 ? try reader.number() : .max
      let seq = version > 7 ? try reader.number() : 0
      let earliest = version > 7 ? try date(&reader) ?? 0 : 0
      var room = Track.Room(seq: seq, earliest: earliest, latest: latest, position: position)
      if version > 9 {
        for _ in 0..<(try reader.number()) { room.said.insert(try reader.number()) }
        track.madeRoom = room
      } else {
        track.base = .unknown
      }
    }
    track.undated = try date(&reader)
    track.floor = try date(&reader) ?? 0
    track.doubt = try reader.number()
    track.isOwed = try reader.flag()
    if version > 8 { track.isAnew = try reader.flag() }
    if version < 3, try !reader.flag() { track.undated = nil }
    for _ in 0..<(try reader.number()) {
      let field = WholeRecord.Field(
        target: Target(Name(try reader.text()), Name(try reader.text())),
        name: Name(try reader.text()))
      track.acted[field] = try datum(&reader)
    }
    let count = try reader.number()
    guard count <= Track.limit else { throw damaged }
    for _ in 0..<count {
      let record = try reader.flag() ? try record(&reader, target) : nil
      let delivery = Track.Delivery(
        record: record, position: try reader.number(), seq: try reader.number(),
        sentAt: try reader.number(), isAlone: try reader.flag())
      if version < 5 { _ = try reader.flag() }
      guard delivery.seq < lastSeq else { throw damaged }
      track.inFlight.append(delivery)
    }
    guard reader.isAtEnd else { throw damaged }
    return (target, track)
  }

  private static func datum(_ reader: inout ByteReader) throws(JournalError) -> Datum {
    guard let datum = try? Datum(json: try reader.blob()) else { throw damaged }
    return datum
  }

  private static func record(
    _ reader: inout ByteReader, _ target: Target
  ) throws(JournalError) -> WholeRecord {
    guard let record = WholeRecord(try datum(&reader)), record.target == target else {
      throw damaged
    }
    return record
  }

  private static func date(_ reader: inout ByteReader) throws(JournalError) -> Double? {
    guard try reader.flag() else { return nil }
    let date = Double(bitPattern: try reader.number())
    guard date.isFinite, date >= 0 else { throw damaged }
    return date
  }

  private static let damaged = JournalError(
    description: "what a bridged device holds cannot be read: its row is damaged")
}
