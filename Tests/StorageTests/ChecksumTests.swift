import Journal
import Seeded
import Testing

@testable import Storage

/// Whatever byte of what is checksummed changes, it is noticed, and only where it is.
@Suite struct ChecksumTests {
  private let body = (0..<14_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  /// Payloads of 0, 1, 199, 9,000 and 800 bytes, and 4,000 bytes of nobody.
  private let ends: [UInt32] = [0, 1, 200, 9_200, 10_000]

  private var sums: [UInt8] { body.withUnsafeBytes { PieceSums.make(7, $0, ends: ends) } }

  @Test func piecesArePayloads() throws {
    let sums = try #require(PieceSums(sums, segment: 7))
    #expect(sums.length == body.count)
    #expect(sums.cover(0..<1) == 0..<1)
    #expect(sums.cover(1..<200) == 1..<200)
    #expect(sums.cover(9_200..<10_000) == 9_200..<10_000)
    // Of a large one what is asked for, rounded to pieces from its start.
    #expect(sums.cover(5_000..<5_001) == 4_296..<8_392)
    #expect(sums.cover(200..<9_200) == 200..<9_200)
    #expect(sums.cover(10_500..<10_501) == 10_000..<14_000)
    #expect(body.withUnsafeBytes { sums.damage($0) } == [])
  }

  @Test func aByteOfTheBodyDamagesItsPiece() throws {
    let sums = try #require(PieceSums(sums, segment: 7))
    var random = SplitMix64(seed: 1)
    for _ in 0..<500 {
      let place = random.below(body.count)
      var damaged = body
      damaged[place] ^= 1 << UInt8(random.below(8))
      let found = damaged.withUnsafeBytes { sums.damage($0) }
      #expect(found == [sums.cover(place..<place + 1)], "byte \(place)")
    }
    #expect(body.dropLast(1).withUnsafeBytes { sums.damage($0) } == [10_000..<14_000])
  }

  @Test func aByteOfTheSumsIsNoticed() {
    for place in sums.indices {
      var damaged = sums
      damaged[place] ^= 0x10
      #expect(PieceSums(damaged, segment: 7) == nil, "byte \(place)")
    }
    #expect(PieceSums(sums, segment: 8) == nil)
    #expect(PieceSums(Array(sums.dropLast(8)), segment: 7) == nil)
    #expect(PieceSums([], segment: 7) == nil)
  }

  @Test func aByteOfTheStateOrTheMarkIsNoticed() {
    var state = StoreState(identity: "store-1")
    state.epoch = 3
    state.digests[2] = .max
    #expect(StoreState(state.bytes) == state)
    for place in state.bytes.indices {
      var damaged = state.bytes
      damaged[place] ^= 0x10
      #expect(StoreState(damaged) == nil, "byte \(place)")
    }
    let note = Mark.Note(sequence: 5, state)
    #expect(Mark.Note(note.bytes) == note)
    for place in note.bytes.indices {
      var damaged = note.bytes
      damaged[place] ^= 0x10
      #expect(Mark.Note(damaged) == nil, "byte \(place)")
    }
    // A file that was made and never written to.
    #expect(Mark.Note([UInt8](repeating: 0, count: Mark.Note.size)) == nil)
    #expect(StoreState([UInt8](repeating: 0, count: 200)) == nil)
  }

  /// A value under another key, also in another table, is another row.
  @Test func aRowIsItsKeyToo() {
    let value: [UInt8] = [1, 2, 3]
    var sums: Set<UInt64> = []
    for table in Row.Table.allCases {
      for pair: UInt32 in [0, 1, .max] {
        for item: UInt32 in [0, 1, .max] {
          let key = Row.Key(table, pair: pair, item: item)
          sums.insert(value.withUnsafeBytes { Checksum.row(key, $0) })
        }
      }
    }
    #expect(sums.count == Row.Table.allCases.count * 9)
  }

  /// A segment that is read back whole says which of its payloads are damaged; the others are read.
  @Test func aDamagedPayloadLeavesItsNeighbours() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let payloads = ["first payload of them", "second payload of them", "third payload of them"]
    let body = Array(payloads.joined().utf8)
    let harness = try Harness(.directory(directory.path))
    harness.commit(
      Batch(number: 1, segment: Segment(header: [1], body: body, ends: [21, 43, 64])))
    harness.store.close()
    var bytes = readFile(directory.database)
    let needle = Array(payloads[1].utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[place + 3] ^= 0x20
    writeFile(directory.database, bytes)

    let second = try Harness(.directory(directory.path))
    let references = [(0, 21), (21, 22), (43, 21)].map {
      Reference(segment: 1, offset: UInt32($0.0), length: UInt32($0.1))
    }
    #expect(second.read(references) == [Array(payloads[0].utf8)])
    #expect(second.read([references[1]]) == nil)
    #expect(second.read([references[2]]) == [Array(payloads[2].utf8)])
    let segment = try #require(second.segment(1))
    #expect(segment.damage == [21..<43])
    #expect(references.map { segment.isWhole($0) } == [true, false, true])
    let told = second.events.filter { if case .damaged = $0 { true } else { false } }
    #expect(told.count == 1 && !second.events.contains { $0.isFailing })
    // It was never asked for again, and commits go on.
    second.commit(Batch(number: 2, removedSegments: [1]))
    #expect(second.store.close())
  }
}
