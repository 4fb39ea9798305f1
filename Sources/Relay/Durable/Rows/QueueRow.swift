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

  /// What waits in a pair, as of now: a copy, which costs no more than the pair has devices and files.
  struct Content {
    let pair: UInt32
    let isBlank: Bool
    let devices: [(index: UInt16, lanes: [Lane])]
    let files: [(number: UInt32, chunks: [FileTransfer.Chunk])]
    let deadline: Int64?
    let epoch: UInt64

    init(_ pair: Pair, deadline: Int64?, epoch: UInt64) {
      self.pair = pair.number
      isBlank = pair.isBlank
      devices = pair.devices.map { ($0.index, $0.lanes) }
      files = pair.files.values.sorted { $0.number < $1.number }.map { ($0.number, $0.chunks) }
      self.deadline = deadline
      self.epoch = epoch
    }
  }

  static func make(_ content: Content) -> Row {
    var writer = ByteWriter(bytes: [version])
    writer.number(content.deadline ?? 0)
    writer.number(content.epoch)
    let devices = content.isBlank ? [] : content.devices
    writer.number(devices.count)
    for device in devices {
      for lane in device.lanes { writer.number(lane.highestHandedOut) }
    }
    for device in content.devices {
      for name in LaneName.allCases where name != .context {
        let lane = device.lanes[Int(name.rawValue)]
        for index in 0..<lane.items.count where !lane.items[index].flags.contains(.removed) {
          let item = lane.items[index]
          writer.number(item.home)
          SegmentHeader.append(
            item, lane: name, re: lane.identifier(item.seq), receiver: device.index,
            of: content.pair, to: &writer.bytes)
        }
      }
    }
    for file in content.files {
      for chunk in file.chunks {
        writer.number(chunk.reference.segment)
        SegmentHeader.append(chunk, file: file.number, of: content.pair, to: &writer.bytes)
      }
    }
    return Row(key(content.pair), writer.bytes)
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
