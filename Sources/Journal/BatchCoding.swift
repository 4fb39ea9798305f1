/// Batches as the bytes of one entry of a log.
///
/// ```
/// entry    version batch…                                       version is 1 byte
/// batch    number 8, pairs 4, rows 4, segments 4, header 4, body 4, ends 4, hasSegment 1
///          removed pair 4 …  row…  removed segment 8 …  header  body  end 4 …
/// row      table 1, pair 4, item 4, length 4, value             length 2³²-1: the row is removed
/// ```
/// Numbers have the bytes that stand behind their names, little-endian.
package enum BatchCoding {
  static let version: UInt8 = 2
  private static let removedRow = UInt32.max

  /// Appends an entry that holds these batches.
  package static func append(_ batches: some Sequence<Batch>, to bytes: inout [UInt8]) {
    bytes.append(version)
    for batch in batches { append(batch, to: &bytes) }
  }

  private static func append(_ batch: Batch, to bytes: inout [UInt8]) {
    let segment = batch.segment
    bytes.append(littleEndian: batch.number)
    for count in [
      batch.removedPairs.count, batch.rows.count, batch.removedSegments.count,
      segment?.header.count ?? 0,
      segment?.body.count ?? 0, segment?.ends.count ?? 0,
    ] { bytes.append(littleEndian: UInt32(count)) }
    bytes.append(segment == nil ? 0 : 1)
    for pair in batch.removedPairs { bytes.append(littleEndian: pair) }
    for row in batch.rows {
      bytes.append(row.key.table.rawValue)
      bytes.append(littleEndian: row.key.pair)
      bytes.append(littleEndian: row.key.item)
      bytes.append(littleEndian: row.value.map { UInt32($0.count) } ?? removedRow)
      if let value = row.value { bytes.append(contentsOf: value) }
    }
    for number in batch.removedSegments { bytes.append(littleEndian: number) }
    guard let segment else { return }
    bytes.append(contentsOf: segment.header)
    bytes.append(contentsOf: segment.body)
    for end in segment.ends { bytes.append(littleEndian: end) }
  }

  /// The batches of an entry; nil where the bytes are not one that `append` has made.
  package static func batches(_ bytes: UnsafeRawBufferPointer) -> [Batch]? {
    var reader = Reader(bytes: bytes)
    guard reader.number(UInt8.self) == version else { return nil }
    var batches: [Batch] = []
    while !reader.isAtEnd {
      guard let batch = reader.batch() else { return nil }
      batches.append(batch)
    }
    return batches
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
      let size = MemoryLayout<Number>.size
      guard bytes.count - position >= size else { return nil }
      defer { position += size }
      return Number(
        littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    mutating func array(_ count: UInt32) -> [UInt8]? {
      guard bytes.count - position >= Int(count) else { return nil }
      defer { position += Int(count) }
      return Array(bytes[position..<position + Int(count)])
    }

    mutating func numbers<Number: FixedWidthInteger>(_ count: UInt32, _: Number.Type) -> [Number]? {
      guard bytes.count - position >= Int(count) * MemoryLayout<Number>.size else { return nil }
      var numbers: [Number] = []
      numbers.reserveCapacity(Int(count))
      for _ in 0..<count { numbers.append(number(Number.self)!) }
      return numbers
    }

    mutating func row() -> Row? {
      guard let table = number(UInt8.self).flatMap(Row.Table.init), let pair = number(UInt32.self),
        let item = number(UInt32.self), let length = number(UInt32.self)
      else { return nil }
      let key = Row.Key(table, pair: pair, item: item)
      if length == removedRow { return Row(key, nil) }
      guard let value = array(length) else { return nil }
      return Row(key, value)
    }

    mutating func batch() -> Batch? {
      guard let batchNumber = number(UInt64.self), let pairs = number(UInt32.self),
        let rows = number(UInt32.self), let removed = number(UInt32.self),
        let header = number(UInt32.self), let body = number(UInt32.self),
        let ends = number(UInt32.self), let hasSegment = number(UInt8.self), hasSegment <= 1,
        let removedPairs = numbers(pairs, UInt32.self)
      else { return nil }
      var batch = Batch(number: batchNumber, removedPairs: removedPairs)
      for _ in 0..<rows {
        guard let row = row() else { return nil }
        batch.rows.append(row)
      }
      guard let segments = numbers(removed, UInt64.self), let header = array(header),
        let body = array(body), let ends = numbers(ends, UInt32.self)
      else { return nil }
      batch.removedSegments = segments
      if hasSegment == 1 { batch.segment = Segment(header: header, body: body, ends: ends) }
      return batch
    }
  }
}

extension [UInt8] {
  /// Inlinable, so that other modules have one for each type.
  @inlinable
  package mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
