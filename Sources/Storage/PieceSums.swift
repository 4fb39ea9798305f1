import Journal

/// The checksums of a segment's body, piece by piece.
///
/// ```
/// { end sum }… sum      of each piece where it ends and its checksum, 4 bytes each, little-endian;
///                       then 8 bytes, the checksum of all before
/// ```
/// A piece is a payload, so that damage to one says nothing of its neighbours; what is longer than
/// `longest` is several pieces, so that a part of a large one is checked without reading all of it.
struct PieceSums {
  /// Bytes of a piece at most. A record of it takes 8.
  static let longest = 4096

  private let bytes: [UInt8]
  let segment: UInt64
  let count: Int

  /// - Parameter ends: where the payloads end, rising; behind the last of them to the end of the body
  ///   are pieces of the longest size.
  static func make(_ segment: UInt64, _ body: UnsafeRawBufferPointer, ends: [UInt32]) -> [UInt8] {
    var sums: [UInt8] = []
    sums.reserveCapacity((ends.count + body.count / longest + 1) * 8 + 8)
    var start = 0
    func add(through end: Int) {
      while start < end {
        let next = min(end, start + longest)
        let piece = UnsafeRawBufferPointer(rebasing: body[start..<next])
        sums.append(littleEndian: UInt32(next))
        sums.append(littleEndian: sum(segment, piece, at: start))
        start = next
      }
    }
    for end in ends where Int(end) <= body.count { add(through: Int(end)) }
    add(through: body.count)
    sums.append(littleEndian: whole(sums[...], segment))
    return sums
  }

  /// nil where the bytes are not those that were made for the segment.
  init?(_ bytes: [UInt8], segment: UInt64) {
    guard bytes.count >= 8, bytes.count % 8 == 0,
      Self.whole(bytes.dropLast(8), segment) == bytes.number(at: bytes.count - 8, as: UInt64.self)
    else { return nil }
    self.bytes = bytes
    self.segment = segment
    count = bytes.count / 8 - 1
  }

  private static func whole(_ sums: ArraySlice<UInt8>, _ segment: UInt64) -> UInt64 {
    sums.withUnsafeBytes { Checksum.of($0, seed: Checksum.mixed(segment)) }
  }

  private static func sum(
    _ segment: UInt64, _ piece: UnsafeRawBufferPointer, at start: Int
  ) -> UInt32 {
    UInt32(
      truncatingIfNeeded: Checksum.of(piece, seed: Checksum.mixed(segment) &+ UInt64(start)))
  }

  private func end(_ index: Int) -> Int { Int(bytes.number(at: index * 8, as: UInt32.self)) }
  private func start(_ index: Int) -> Int { index == 0 ? 0 : end(index - 1) }

  /// Bytes of the body that was summed.
  var length: Int { count == 0 ? 0 : end(count - 1) }

  /// The first piece that ends after `offset`.
  private func index(endingAfter offset: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if end(middle) <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The whole pieces that have the bytes of `range`, which lies in the body and is not empty.
  func cover(_ range: Range<Int>) -> Range<Int> {
    start(index(endingAfter: range.lowerBound))..<end(index(endingAfter: range.upperBound - 1))
  }

  /// Whether whole pieces are as they were summed.
  ///
  /// - Parameter offset: where `pieces` begin in the body.
  func areRight(_ pieces: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    var index = index(endingAfter: offset)
    var start = offset
    while start < offset + pieces.count {
      let next = end(index)
      guard next <= offset + pieces.count else { return false }
      let piece = UnsafeRawBufferPointer(rebasing: pieces[(start - offset)..<(next - offset)])
      guard Self.sum(segment, piece, at: start) == bytes.number(at: index * 8 + 4, as: UInt32.self)
      else { return false }
      start = next
      index += 1
    }
    return true
  }

  /// The pieces of a whole body that are damaged.
  func damage(_ body: UnsafeRawBufferPointer) -> [Range<Int>] {
    (0..<count).map { start($0)..<end($0) }.filter { range in
      range.upperBound > body.count
        || !areRight(UnsafeRawBufferPointer(rebasing: body[range]), at: range.lowerBound)
    }
  }
}
