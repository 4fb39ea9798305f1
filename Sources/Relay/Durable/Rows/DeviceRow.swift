import Journal

/// The row of a device, item d of its pair. Written with nearly every commit that it has a part in.
///
/// ```
/// name isPhone hasJoined state order complicationDay complicationsUsed epoch
/// lanes { next acknowledged offered holes { gap length }… }…
/// failures { incarnation number code }…
/// ```
/// `epoch` is that of the run which wrote it. Version 1 had no epoch, and behind the lanes the incarnations:
/// see `IncarnationRow`.
enum DeviceRow {
  static let version: UInt8 = 2
  /// The one bit among a device's facts that is no fact: `Device.mayHaveMissedEnd`.
  static let missedEnd: UInt64 = 1 << 12

  static func key(_ device: Device) -> Row.Key {
    Row.Key(.device, pair: device.pair.number, item: UInt32(device.index))
  }

  static func make(_ device: Device, epoch: UInt64) -> Row {
    device.isMissedEndInRow = device.mayHaveMissedEnd
    // One allocation, and no lane copied.
    let value = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest(device)) { room in
      var writer = MemoryWriter(room)
      writer.number(version)
      writer.text(device.name)
      writer.flag(device.isPhone)
      writer.flag(device.hasJoined)
      writer.number(device.state.bits | (device.mayHaveMissedEnd ? missedEnd : 0))
      writer.number(device.order)
      writer.number(device.complicationDay)
      writer.number(device.complicationsUsed)
      writer.number(epoch)
      device.lanes.withUnsafeBufferPointer { write($0, to: &writer) }
      writer.number(device.failures.count)
      for failure in device.failures {
        writer.number(failure.transfer.incarnation)
        writer.number(failure.transfer.number)
        writer.number(failure.code)
      }
      return [UInt8](writer.written)
    }
    return Row(key(device), value)
  }

  /// Bytes that the row takes at most.
  private static func longest(_ device: Device) -> Int {
    var numbers = 12 + 3 * device.failures.count
    device.lanes.withUnsafeBufferPointer { lanes in
      for index in lanes.indices { numbers += 4 + 2 * lanes[index].holes.count }
    }
    return numbers * MemoryWriter.longestNumber + device.name.utf8.count
  }

  private static func write(_ lanes: UnsafeBufferPointer<Lane>, to writer: inout MemoryWriter) {
    writer.number(lanes.count)
    for index in lanes.indices {
      writer.number(lanes[index].next)
      writer.number(lanes[index].acknowledged)
      writer.number(lanes[index].offered)
      writer.number(lanes[index].holes.count)
      guard lanes[index].holes.count > 0 else { continue }
      var last = lanes[index].acknowledged
      for hole in lanes[index].holes.ranges {
        writer.number(hole.lowerBound - last)
        writer.number(hole.upperBound - hole.lowerBound)
        last = hole.upperBound
      }
    }
  }

  /// The device, still without incarnations.
  ///
  /// - Parameter lossEpoch: what was written before that run may be behind what the device was given: all
  ///   that waits counts as handed out.
  static func read(_ row: Row, of pair: Pair, lossEpoch: UInt64) throws(JournalError) -> Device {
    try row.read(version: version) { (reader) throws(JournalError) in
      let name = try reader.text()
      let device = Device(
        pair: pair, index: UInt16(row.key.item), name: name,
        role: try reader.flag() ? .phone : .watch)
      device.hasJoined = try reader.flag()
      let bits = try reader.number()
      device.state.bits = bits & ~missedEnd
      device.mayHaveMissedEnd = bits & missedEnd != 0
      device.isMissedEndInRow = device.mayHaveMissedEnd
      device.order = try reader.number()
      device.complicationDay = try reader.integer()
      device.complicationsUsed = try reader.integer()
      let isBehind = try reader.number() < lossEpoch
      try readLanes(device, isBehind, &reader)
      for _ in 0..<(try reader.number()) {
        let transfer = TransferKey(
          sender: device.index, incarnation: try reader.integer(), isNumbered: true,
          number: try reader.number())
        device.failures.append((transfer, try reader.integer()))
      }
      return device
    }
  }

  private static func readLanes(
    _ device: Device, _ isBehind: Bool, _ reader: inout ByteReader
  ) throws(JournalError) {
    let count = try reader.number()
    guard count == LaneName.allCases.count else {
      throw JournalError(description: "device \(device.name) has \(count) lanes")
    }
    for name in LaneName.allCases {
      var lane = Lane()
      lane.next = try reader.number()
      lane.acknowledged = try reader.number()
      lane.offered = try reader.number()
      if isBehind { lane.offered = max(lane.offered, max(1, lane.next) - 1) }
      lane.highestHandedOut = max(lane.offered, lane.acknowledged)
      var ranges: [ClosedRange<UInt64>] = []
      var last = lane.acknowledged
      for _ in 0..<(try reader.number()) {
        let lower = try sum(last, try reader.number())
        let upper = try sum(lower, try reader.number())
        ranges.append(lower...upper)
        last = upper
      }
      lane.holes = Holes(ranges: ranges)
      device[name] = lane
    }
  }

  private static func sum(_ first: UInt64, _ second: UInt64) throws(JournalError) -> UInt64 {
    let (sum, overflows) = first.addingReportingOverflow(second)
    if overflows { throw ByteReader.torn }
    return sum
  }

  // MARK: Version 1

  /// The rows that a row of version 1 is today: the device's, and one of each of its incarnations.
  static func upgrade(_ row: Row) throws(JournalError) -> [Row] {
    try row.read(version: 1) { (reader) throws(JournalError) in
      var device = ByteWriter(bytes: [version])
      device.text(try reader.text())
      for _ in 0..<6 { device.number(try reader.number()) }
      device.number(0)
      let lanes = try reader.number()
      device.number(lanes)
      for _ in 0..<lanes {
        for _ in 0..<3 { device.number(try reader.number()) }
        let holes = try reader.number()
        device.number(holes)
        for _ in 0..<holes {
          device.number(try reader.number())
          device.number(try reader.number())
        }
      }
      var rows: [Row] = []
      for index in 0..<(try reader.number()) {
        guard let index = UInt16(exactly: index) else { throw ByteReader.torn }
        var incarnation = ByteWriter(bytes: [IncarnationRow.version])
        incarnation.text(try reader.text())
        for _ in 0..<3 { incarnation.number(try reader.number()) }
        let item = IncarnationRow.item(device: UInt16(row.key.item), index)
        rows.append(Row(Row.Key(.device, pair: row.key.pair, item: item), incarnation.bytes))
      }
      let failures = try reader.number()
      device.number(failures)
      for _ in 0..<failures {
        for _ in 0..<3 { device.number(try reader.number()) }
      }
      guard reader.isAtEnd else { throw ByteReader.torn }
      return [Row(row.key, device.bytes)] + rows
    }
  }
}
