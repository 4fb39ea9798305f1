import Journal
import Wire

/// Copying live rests forward, so that a little that waits long does not keep much on disk.
extension Relay {
  /// Asks for the next segment to copy, where the store is mostly dead.
  func compactIfDue() {
    guard segments.compacting == nil, storeFailure == nil, !isDiskFull, !isStopping else { return }
    // Where the store is as large as it may become, whatever is dead is too much.
    while storeFullness != nil || segments.bytes > 4 * segments.liveBytes + options.deadAllowance,
      let index = segments.sparse.firstIndex(where: { $0 <= committed })
    {
      let number = segments.sparse.remove(at: index)
      guard let tally = segments.tally(number), tally.isSparse else {
        continue
      }
      segments.compacting = number
      effects.segmentReads.append(number)
      return
    }
  }

  /// Copies what is live in a segment to the open one. The old one goes in the same commit.
  func compact(_ segment: Segment?) {
    guard let number = segments.compacting else { return }
    guard let segment, segments.tally(number) != nil else {
      segments.compacting = nil
      return compactIfDue()
    }
    var evicted: [UInt32: [SegmentHeader.Record]] = [:]
    do throws(JournalError) {
      try SegmentHeader.read(segment.header, segment: number) { (record) throws(JournalError) in
        if let pair = pairs[record.pair] {
          copy(record, pair, from: number, segment)
        } else {
          evicted[record.pair, default: []].append(record)
        }
      }
    } catch {
      log("event=compactionFailed segment=\(number) reason=\("\(error)".quoted)")
    }
    compaction = Compaction(
      number: number, segment: segment,
      awaited: evicted.sorted { $0.key > $1.key }.map { ($0.key, $0.value) })
    continueCompaction()
  }

  /// Goes on with the pairs that are evicted. They come back one at a time, and go when what they
  /// have in the segment is copied.
  func continueCompaction() {
    while let compaction, let next = compaction.awaited.last,
      segments.tally(compaction.number) != nil
    {
      guard let pair = pairs[next.pair] else { return load(next.pair) }
      copyAwaited(pair)
    }
    guard compaction != nil else { return }
    compaction = nil
    segments.compacting = nil
    compactIfDue()
  }

  /// Copies what a pair that has come back has in the segment that is being copied.
  func copyAwaited(_ pair: Pair) {
    guard let compaction, let records = skipAwaited(pair.number) else { return }
    for record in records { copy(record, pair, from: compaction.number, compaction.segment) }
  }

  /// Awaits a pair no longer. Returns its records.
  @discardableResult
  func skipAwaited(_ pair: UInt32) -> [SegmentHeader.Record]? {
    guard let index = compaction?.awaited.lastIndex(where: { $0.pair == pair }) else { return nil }
    return compaction!.awaited.remove(at: index).records
  }

  private func copy(
    _ record: SegmentHeader.Record, _ pair: Pair, from number: UInt64, _ segment: Segment
  ) {
    switch record {
    case .item(_, let receiver, let lane, let item, _):
      copy(item, lane, pair.devices[Int(receiver)], from: number, segment)
    case .chunk(_, let file, let chunk):
      copy(chunk, file, pair, from: number, segment)
    }
  }

  private func copy(
    _ record: Item, _ name: LaneName, _ device: Device, from number: UInt64, _ segment: Segment
  ) {
    guard let index = device[name].index(of: record.seq) else { return }
    var item = device[name].items[index]
    guard item.home == number else { return }
    // What is damaged stays where it is: whoever hands it out finds out.
    guard item.reference.segment != number || segment.isWhole(item.reference) else { return }
    let old = item
    touched(device.pair)
    if item.reference.segment == number {
      item.reference = append(slice(segment.body, item.reference))
    }
    item.home = open.number
    device[name].items[index] = item
    hold(item)
    SegmentHeader.append(
      item, lane: name, re: device[name].identifier(item.seq), receiver: device.index,
      of: device.pair.number, to: &open.header)
    release(old)
  }

  private func copy(
    _ record: FileTransfer.Chunk, _ file: UInt32, _ pair: Pair, from number: UInt64,
    _ segment: Segment
  ) {
    guard let file = pair.files.values.first(where: { $0.number == file }) else { return }
    let index = file.chunkIndex(endingAfter: record.offset)
    guard index < file.chunks.count, file.chunks[index].reference == record.reference,
      segment.isWhole(record.reference)
    else { return }
    touched(pair)
    file.chunks[index].reference = append(slice(segment.body, record.reference))
    hold(file.chunks[index].reference)
    SegmentHeader.append(
      file.chunks[index], file: file.number, of: pair.number, to: &open.header)
    release(record.reference)
  }

  private func append(_ bytes: ArraySlice<UInt8>) -> Reference {
    bytes.withUnsafeBytes { append($0) }
  }

  private func slice(_ body: [UInt8], _ reference: Reference) -> ArraySlice<UInt8> {
    body[Int(reference.offset)..<(Int(reference.offset) + Int(reference.length))]
  }
}

/// A segment whose live rest is being copied: its bytes, and what it has of pairs that are evicted.
struct Compaction {
  let number: UInt64
  let segment: Segment
  /// By pair, falling: the last one is next.
  var awaited: [(pair: UInt32, records: [SegmentHeader.Record])]
}
