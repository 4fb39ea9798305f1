import Journal
import Wire

/// Copying live rests forward, so that a little that waits long does not keep much on disk.
extension Relay {
  /// Asks for the next segment to copy, where the store is mostly dead.
  func compactIfDue() {
    guard segments.compacting == nil, storeFailure == nil else { return }
    while segments.bytes > 4 * segments.liveBytes + options.deadAllowance,
      let index = segments.sparse.firstIndex(where: { $0 <= committed })
    {
      let number = segments.sparse.remove(at: index)
      guard let tally = segments.tallies[number], tally.liveBytes * 4 < tally.bytes else {
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
    segments.compacting = nil
    guard let segment, segments.tallies[number] != nil else { return compactIfDue() }
    do throws(JournalError) {
      try SegmentHeader.read(segment.header, segment: number) { (record) throws(JournalError) in
        switch record {
        case .item(let pair, let receiver, let lane, let item):
          guard let device = pairsByNumber[pair]?.devices[Int(receiver)] else { return }
          copy(item, lane, device, from: number, segment.body)
        case .chunk(let pair, let file, let chunk):
          guard let pair = pairsByNumber[pair] else { return }
          copy(chunk, file, pair, from: number, segment.body)
        }
      }
    } catch {
      log("event=compactionFailed segment=\(number) reason=\("\(error)".quoted)")
    }
    compactIfDue()
  }

  private func copy(
    _ record: Item, _ name: LaneName, _ device: Device, from number: UInt64, _ body: [UInt8]
  ) {
    guard let index = device[name].index(of: record.seq) else { return }
    var item = device[name].items[index]
    guard item.home == number else { return }
    let old = item
    if item.reference.segment == number {
      item.reference = append(slice(body, item.reference))
    }
    item.home = open.number
    device[name].items[index] = item
    hold(item)
    SegmentHeader.append(item, lane: name, receiver: device, to: &open.header)
    release(old)
  }

  private func copy(
    _ record: FileTransfer.Chunk, _ file: UInt32, _ pair: Pair, from number: UInt64, _ body: [UInt8]
  ) {
    guard let file = pair.files.values.first(where: { $0.number == file }) else { return }
    let index = file.chunkIndex(endingAfter: record.offset)
    guard index < file.chunks.count, file.chunks[index].reference == record.reference
    else { return }
    file.chunks[index].reference = append(slice(body, record.reference))
    segments.add(open.number, bytes: Int(record.reference.length))
    SegmentHeader.append(file.chunks[index], file: file, pair: pair, to: &open.header)
    release(record.reference)
  }

  private func append(_ bytes: ArraySlice<UInt8>) -> Reference {
    bytes.withUnsafeBytes { append($0) }
  }

  private func slice(_ body: [UInt8], _ reference: Reference) -> ArraySlice<UInt8> {
    body[Int(reference.offset)..<(Int(reference.offset) + Int(reference.length))]
  }
}
