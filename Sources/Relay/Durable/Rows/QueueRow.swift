import Journal

/// The row of an evicted pair: all that waits in it, so that nobody has to look for it in the headers
/// of the segments.
///
/// ```
/// version deadline epoch devices { handedOut of each lane } { home record }…
/// ```
/// `deadline` is when the first of its unfinished uploads is overdue, 0 for none. What was handed out
/// is known exactly in the run that wrote the row, `epoch`; a later one goes by the devices' rows,
/// which may say more. Of a blank pair there are no devices here. A record is what the header of segment
/// `home` has of the item, or of the chunk, that waits.
enum QueueRow {
  static let version: UInt8 = 1

  static func make(_ pair: Pair, deadline: Int64?, epoch: UInt64) -> Row {
    var writer = ByteWriter(bytes: [version])
    writer.number(deadline ?? 0)
    writer.number(epoch)
    let devices = pair.isBlank ? [] : pair.devices
    writer.number(devices.count)
    for device in devices {
      for lane in device.lanes { writer.number(lane.highestHandedOut) }
    }
    for device in pair.devices {
      for name in LaneName.allCases where name != .context {
        let items = device[name].items
        for index in 0..<items.count where !items[index].flags.contains(.removed) {
          writer.number(items[index].home)
          SegmentHeader.append(items[index], lane: name, receiver: device, to: &writer.bytes)
        }
      }
    }
    for file in pair.files.values.sorted(by: { $0.number < $1.number }) {
      for chunk in file.chunks {
        writer.number(chunk.reference.segment)
        SegmentHeader.append(chunk, file: file, pair: pair, to: &writer.bytes)
      }
    }
    return Row(key(pair.number), writer.bytes)
  }

  /// Whether nothing but the activation of its only device ever happened in a pair.
  static func isOfBlankPair(_ row: Row) throws(JournalError) -> Bool {
    try row.read(version: version) { (reader) throws(JournalError) in
      _ = try reader.number()
      _ = try reader.number()
      return try reader.number() == 0
    }
  }

  static func key(_ pair: UInt32) -> Row.Key { Row.Key(.queue, pair: pair) }

  /// Reads what was handed out, where the row is of the run `epoch`, then the records. Returns the
  /// deadline.
  @discardableResult
  static func read(
    _ row: Row, epoch: UInt64,
    handedOut: (_ device: UInt16, LaneName, UInt64) throws(JournalError) -> Void = { _, _, _ in },
    records: (SegmentHeader.Record) throws(JournalError) -> Void
  ) throws(JournalError) -> Int64? {
    try row.read(version: version) { (reader) throws(JournalError) in
      let deadline: Int64 = try reader.integer()
      let isOfThisRun = try reader.number() == epoch
      let devices: UInt16 = try reader.integer()
      for device in 0..<devices {
        for name in LaneName.allCases {
          let number = try reader.number()
          if isOfThisRun { try handedOut(device, name, number) }
        }
      }
      while !reader.isAtEnd {
        let home = try reader.number()
        let record = try SegmentHeader.record(&reader, home)
        guard record.pair == row.key.pair else {
          throw JournalError(description: "the queue of a pair has a record of another one")
        }
        try records(record)
      }
      return deadline > 0 ? deadline : nil
    }
  }
}
