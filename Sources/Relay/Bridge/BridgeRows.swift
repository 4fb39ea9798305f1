import AppModels
import Journal
import Merge
import Wire

/// A hub's bridged devices, as rows of the table `hub`. They are read with the hub.
///
/// ```
/// row 1<<31 | h<<27 | d<<20          the device: style form incarnation lastFullSync ahead
///                                    processed proven heard next
/// row 1<<31 | h<<27 | d<<20 | n      record n of it: id, dates, then its window's entries
/// ```
enum BridgeRows {
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

  static func take(_ hub: Hub, _ bridged: BridgedDevice) -> [Row] {
    var writer = ByteWriter(bytes: [RowForm.version])
    writer.number(bridged.envelope.style.rawValue)
    writer.number(bridged.envelope.form.rawValue)
    writer.number(bridged.incarnation)
    write(bridged.lastFullSync, &writer)
    writer.number(bridged.ahead)
    writer.number(bridged.processed)
    writer.number(bridged.proven)
    writer.number(bridged.heard)
    writer.number(bridged.nextNumber)
    var rows = [Row(key(hub, bridged.device, 0), writer.bytes)]
    for (id, record) in bridged.takeChanged() {
      rows.append(Row(key(hub, bridged.device, record.number), bytes(id, record.window)))
    }
    return rows
  }

  private static func bytes(_ id: Identifier, _ window: RecordWindow) -> [UInt8] {
    var writer = ByteWriter(bytes: [RowForm.version])
    writer.number(id.high)
    writer.number(id.low)
    write(window.received, &writer)
    writer.number(window.receivedDigest)
    write(window.sent, &writer)
    writer.number(window.lastDelivery)
    writer.flag(window.isUndated)
    write(window.entries, &writer)
    write(window.passed, &writer)
    return writer.bytes
  }

  private static func write(_ entries: [RecordWindow.Entry], _ writer: inout ByteWriter) {
    writer.number(entries.count)
    for entry in entries {
      switch entry.state {
      case .unknown: writer.number(0)
      case .absent: writer.number(1)
      case .timer(let timer):
        writer.number(2)
        writer.blob(timer.json)
      }
      writer.number(entry.position.map { $0 + 1 } ?? 0)
      writer.number(entry.seq)
      writer.number(entry.sentAt)
      writer.flag(entry.isAlone)
    }
  }

  /// A date as its bits and whether there is one.
  private static func write(_ date: Double?, _ writer: inout ByteWriter) {
    writer.flag(date != nil)
    if let date { writer.number(date.bitPattern) }
  }

  // MARK: Reading

  /// Adds what a row says to its hub. A device's own row comes before those of its records.
  static func read(_ row: Row, into hub: Hub) throws(JournalError) {
    let device = UInt16(row.key.item >> 20 & 127)
    let number = row.key.item % numbers
    guard Int(device) < hub.pair.devices.count else {
      throw JournalError(description: "a bridged device of \(hub.schema.name) is not in its pair")
    }
    if number == 0 {
      hub.bridges.append(
        try row.read { (reader) throws(JournalError) in try self.device(&reader, device) })
      return
    }
    guard let bridged = hub.bridges.last, bridged.device == device else {
      throw JournalError(description: "a window of \(hub.schema.name) belongs to no bridged device")
    }
    try row.read { (reader) throws(JournalError) in
      let id = Identifier(high: try reader.number(), low: try reader.number())
      let window = try self.window(
        &reader, id, lastSeq: hub.pair.devices[Int(device)][.userInfo].next)
      guard reader.isAtEnd, bridged[id] == nil else { throw damaged }
      bridged.restore(id, BridgedDevice.Record(number: number, window: window))
    }
  }

  private static func device(
    _ reader: inout ByteReader, _ device: UInt16
  ) throws(JournalError) -> BridgedDevice {
    let bridged = BridgedDevice(device: device)
    guard let style = TodoTimersEnvelope.Style(rawValue: try reader.integer()),
      let form = TodoTimersEnvelope.Form(rawValue: try reader.integer())
    else { throw damaged }
    bridged.envelope = TodoTimersEnvelope(style, form)
    bridged.incarnation = try reader.integer()
    bridged.lastFullSync = try date(&reader)
    bridged.ahead = try reader.number()
    bridged.processed = try reader.number()
    bridged.proven = try reader.number()
    bridged.heard = try reader.number()
    bridged.nextNumber = try reader.integer()
    guard reader.isAtEnd else { throw damaged }
    return bridged
  }

  private static func window(
    _ reader: inout ByteReader, _ id: Identifier, lastSeq: UInt64
  ) throws(JournalError) -> RecordWindow {
    var window = RecordWindow(.unknown)
    window.received = try date(&reader)
    window.receivedDigest = try reader.number()
    window.sent = try date(&reader)
    window.lastDelivery = try reader.number()
    window.isUndated = try reader.flag()
    window.entries = try entries(&reader, id, lastSeq: lastSeq)
    window.passed = try entries(&reader, id, lastSeq: lastSeq)
    guard !window.entries.isEmpty else { throw damaged }
    return window
  }

  private static func entries(
    _ reader: inout ByteReader, _ id: Identifier, lastSeq: UInt64
  ) throws(JournalError) -> [RecordWindow.Entry] {
    let count = try reader.number()
    guard count <= RecordWindow.limit else { throw damaged }
    var entries: [RecordWindow.Entry] = []
    for index in 0..<count {
      let state: RecordWindow.State
      switch try reader.number() {
      case 0 where index == 0: state = .unknown
      case 1: state = .absent
      case 2:
        guard let timer = try? TimerDTO(json: try reader.blob()), timer.id == id else {
          throw damaged
        }
        state = .timer(timer)
      default: throw damaged
      }
      let position = try reader.number()
      let entry = RecordWindow.Entry(
        state: state, position: position == 0 ? nil : position - 1, seq: try reader.number(),
        sentAt: try reader.number(), isAlone: try reader.flag())
      guard entry.seq < lastSeq else { throw damaged }
      entries.append(entry)
    }
    return entries
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
