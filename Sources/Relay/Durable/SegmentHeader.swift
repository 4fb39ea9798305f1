import Journal

/// The records of a segment's header: one for each waiting item and file chunk in its batch.
///
/// ```
/// item   0 pair receiver lane target flags seq order sender incarnation numbered number
///          segment offset length code re
/// chunk  1 pair file fileOffset offset length
/// ```
/// All LEB128 numbers, `re` a length and bytes. `segment` 0 is the segment itself.
enum SegmentHeader {
  enum Record {
    case item(pair: UInt32, receiver: UInt16, lane: LaneName, Item, re: String)
    case chunk(pair: UInt32, file: UInt32, FileTransfer.Chunk)

    var pair: UInt32 {
      switch self {
      case .item(let pair, _, _, _, _), .chunk(let pair, _, _): pair
      }
    }
  }

  /// - Parameter re: the correlation id, which the lane knows.
  static func append(
    _ item: Item, lane: LaneName, re: String, receiver: UInt16, of pair: UInt32,
    to header: inout [UInt8]
  ) {
    // One growth of the array for all of them: this is written for every transfer.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 17 * MemoryWriter.longestNumber) {
      room in
      var writer = MemoryWriter(room)
      writer.number(0)
      writer.number(pair)
      writer.number(receiver)
      writer.number(lane.rawValue)
      writer.number(item.target.rawValue)
      writer.number(item.flags.rawValue)
      writer.number(item.seq)
      writer.number(item.order)
      writer.number(item.transfer.sender)
      writer.number(item.transfer.incarnation)
      writer.flag(item.transfer.isNumbered)
      writer.number(item.transfer.number)
      writer.number(item.reference.segment == item.home ? 0 : item.reference.segment)
      writer.number(item.reference.offset)
      writer.number(item.reference.length)
      writer.number(item.code)
      writer.number(re.utf8.count)
      header.append(contentsOf: writer.written)
    }
    if !re.isEmpty { header.append(contentsOf: re.utf8) }
  }

  static func append(
    _ chunk: FileTransfer.Chunk, file: UInt32, of pair: UInt32, to header: inout [UInt8]
  ) {
    header.append(1)
    header.append(number: UInt64(pair))
    header.append(number: UInt64(file))
    header.append(number: UInt64(chunk.offset))
    header.append(number: UInt64(chunk.reference.offset))
    header.append(number: UInt64(chunk.reference.length))
  }

  /// Reads the records of segment `number`, in order.
  static func read(
    _ header: [UInt8], segment number: UInt64, _ body: (Record) throws(JournalError) -> Void
  ) throws(JournalError) {
    // A typed throw does not pass through `withUnsafeBytes`' closure.
    let result: Result<Void, JournalError> = header.withUnsafeBytes { bytes in
      do throws(JournalError) {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd { try body(try record(&reader, number)) }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  static func record(_ reader: inout ByteReader, _ segment: UInt64) throws(JournalError) -> Record {
    switch try reader.number() {
    case 0:
      let pair: UInt32 = try reader.integer()
      let receiver: UInt16 = try reader.integer()
      let lane = try lane(&reader)
      let target = try Self.lane(&reader)
      let flags = Item.Flags(rawValue: try reader.integer())
      let seq = try reader.number()
      let order = try reader.number()
      let transfer = TransferKey(
        sender: try reader.integer(), incarnation: try reader.integer(),
        isNumbered: try reader.flag(), number: try reader.number())
      let place = try reader.number()
      let reference = Reference(
        segment: place == 0 ? segment : place, offset: try reader.integer(),
        length: try reader.integer())
      let code: UInt16 = try reader.integer()
      let item = Item(
        seq: seq, order: order, transfer: transfer, reference: reference, home: segment,
        batch: segment, flags: flags, code: code, target: target)
      return .item(pair: pair, receiver: receiver, lane: lane, item, re: try reader.text())
    case 1:
      let pair: UInt32 = try reader.integer()
      let file: UInt32 = try reader.integer()
      let offset: Int = try reader.integer()
      let reference = Reference(
        segment: segment, offset: try reader.integer(), length: try reader.integer())
      return .chunk(
        pair: pair, file: file, FileTransfer.Chunk(offset: offset, reference: reference))
    case let kind:
      throw JournalError(description: "segment \(segment) has a record of unknown kind \(kind)")
    }
  }

  private static func lane(_ reader: inout ByteReader) throws(JournalError) -> LaneName {
    guard let lane = LaneName(rawValue: try reader.integer()) else {
      throw JournalError(description: "a segment names an unknown lane")
    }
    return lane
  }
}
