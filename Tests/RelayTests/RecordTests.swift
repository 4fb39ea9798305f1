import Glibc
import Journal
import Testing

@testable import Relay

/// The store's own forms: what is written is what is read.
@Suite struct RecordTests {
  @Test func numbers() throws {
    var writer = ByteWriter()
    let numbers: [UInt64] = [0, 1, 127, 128, 300, 1 << 32, .max]
    for number in numbers { writer.number(number) }
    writer.number(-5)
    writer.text("naïve")
    writer.blob([0, 255])
    writer.flag(true)
    // The bytes lie still for as long as `storage` does.
    let storage = UnsafeMutableRawBufferPointer.allocate(
      byteCount: writer.bytes.count, alignment: 1)
    defer { storage.deallocate() }
    storage.copyBytes(from: writer.bytes)
    var reader = ByteReader(UnsafeRawBufferPointer(storage))
    for number in numbers { #expect(try reader.number() == number) }
    let integer: Int64 = try reader.integer()
    #expect(integer == -5)
    #expect(try reader.text() == "naïve")
    #expect(try reader.blob() == [0, 255])
    #expect(try reader.flag())
    #expect(reader.isAtEnd)
  }

  @Test func tornRecordsAreErrors() {
    var writer = ByteWriter()
    writer.text("a text of some length")
    for count in 0..<writer.bytes.count {
      writer.bytes.prefix(count).withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        #expect(throws: JournalError.self) { try reader.text() }
      }
    }
  }

  @Test func segmentHeader() throws {
    let pair = Pair(number: 70_000, app: "a", name: "b", generation: 0)
    let receiver = Device(pair: pair, index: 300, name: "watch", role: .watch)
    var item = makeItem(1 << 40)
    item.home = 12
    item.reference = Reference(segment: 5, offset: 1 << 20, length: 77)
    item.flags = [.offered, .currentComplication]
    item.code = 7015
    item.target = .complication
    let file = FileTransfer(
      number: 9, transfer: item.transfer, receiver: 300, name: "f", size: 10, digest: "",
      metadata: nil, re: "", now: 0)
    let chunk = FileTransfer.Chunk(
      offset: 1 << 33, reference: Reference(segment: 12, offset: 3, length: 4))

    var header: [UInt8] = []
    SegmentHeader.append(
      item, lane: .parked, re: "\"corr\"", receiver: receiver.index, of: pair.number, to: &header)
    SegmentHeader.append(chunk, file: file.number, of: pair.number, to: &header)
    var count = 0
    try SegmentHeader.read(header, segment: 12) { (record) throws(JournalError) in
      count += 1
      switch record {
      case .item(let pair, let index, let lane, let read, let re):
        #expect(pair == 70_000 && index == 300 && lane == .parked)
        #expect(read.seq == item.seq && read.order == item.order && re == "\"corr\"")
        #expect(read.transfer == item.transfer && read.reference == item.reference)
        #expect(read.home == 12 && read.batch == 12 && read.flags == item.flags)
        #expect(read.code == item.code && read.target == item.target)
      case .chunk(let pair, let file, let read):
        #expect(pair == 70_000 && file == 9)
        #expect(read.offset == chunk.offset && read.reference == chunk.reference)
      }
    }
    #expect(count == 2)
    for cut in 1..<header.count {
      // A cut between the records is whole; any other is an error and no trap.
      try? SegmentHeader.read(Array(header.prefix(cut)), segment: 12) { _ in }
    }
  }

  /// What would be written past the end of the room that was said to be enough ends the process, in every
  /// build.
  @Test func writingOutOfBoundsTraps() async {
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    await #expect(processExitsWith: .failure) {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 19) { room in
        var writer = MemoryWriter(room)
        writer.number(UInt64.max)
        writer.number(1)
      }
    }
    await #expect(processExitsWith: .failure) {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { room in
        var writer = MemoryWriter(room)
        writer.text("twenty bytes and more")
      }
    }
    await #expect(processExitsWith: .success) {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { room in
        var writer = MemoryWriter(room)
        writer.number(UInt64.max)
        writer.number(UInt64.max)
        exit(writer.count == 20 ? 0 : 1)
      }
    }
  }

  @Test func unknownFormIsRefused() throws {
    let row = Row(Row.Key(.pair, pair: 1), [99, 0])
    let contents = Contents(identity: "x", epoch: 1, lastBatch: 1, rows: [row])
    #expect(throws: JournalError.self) {
      try Relay(contents, options: Relay.Options(), now: 0)
    }
  }
}
