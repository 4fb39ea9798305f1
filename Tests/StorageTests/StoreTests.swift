import Journal
import Testing

@testable import Storage

/// What a store keeps, in a directory and in memory.
@Suite struct StoreTests {
  let directory = TemporaryDirectory()

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func keepsEverythingOverReopening() throws {
    let harness = try Harness(.directory(directory.path))
    #expect(harness.contents.lastBatch == 0)
    #expect(harness.contents.rows.isEmpty)
    let key = Row.Key(.device, pair: 7, item: 2)
    harness.commit(
      Batch(
        number: 1,
        rows: [
          Row(.init(.file, pair: 1, item: 9), []), Row(key, bytes("old")),
          Row(.init(.pair, pair: .max, item: .max), bytes("pair")),
          Row(.init(.device, pair: 7, item: 1), bytes("first")),
        ], segment: Segment(header: bytes("head"), body: bytes("0123456789"))),
      Batch(number: 2, rows: [Row(key, bytes("new"))]),
      Batch(number: 3, segment: Segment()))
    #expect(harness.store.close())

    let second = try Harness(.directory(directory.path), identity: "another")
    #expect(second.contents.identity == "store-1")
    #expect(second.contents.lastBatch == 3)
    #expect(
      second.contents.rows == [
        Row(.init(.pair, pair: .max, item: .max), bytes("pair")),
        Row(.init(.device, pair: 7, item: 1), bytes("first")), Row(key, bytes("new")),
        Row(.init(.file, pair: 1, item: 9), []),
      ])
    #expect(
      second.contents.segments == [
        StoredSegment(number: 1, header: bytes("head"), bodyLength: 10),
        StoredSegment(number: 3, header: [], bodyLength: 0),
      ])
    #expect(second.store.close())
    #expect(directory.names == ["watchline.log", "watchline.mark", "watchline.sqlite"])
  }

  @Test func countsOpenings() throws {
    for epoch: UInt64 in 1...3 {
      let harness = try Harness(.directory(directory.path), identity: "name-\(epoch)")
      #expect(harness.contents.epoch == epoch)
      #expect(harness.contents.identity == "name-1")
      harness.store.close()
    }
    let memory = try Harness(.memory, identity: "memory")
    #expect(memory.contents.epoch == 1)
    #expect(memory.contents.identity == "memory")
    #expect(memory.store.close())
  }

  @Test(arguments: [true, false]) func readsReferences(inMemory: Bool) throws {
    let harness = try Harness(inMemory ? .memory : .directory(directory.path))
    let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    harness.commit(
      Batch(number: 1, segment: Segment(header: bytes("h1"), body: bytes("abcdef"))),
      Batch(number: 2, segment: Segment(header: bytes("h2"), body: large)),
      Batch(number: 3))
    let references = [
      Reference(segment: 2, offset: 999_990, length: 10),
      Reference(segment: 1, offset: 0, length: 6), Reference(segment: 1, offset: 6, length: 0),
      Reference(segment: 2, offset: 0, length: 1_000_000),
      Reference(segment: 2, offset: 500_000, length: 3),
      Reference(segment: 1, offset: 2, length: 1),
    ]
    let expected: [[UInt8]] = [
      Array(large[999_990...]), bytes("abcdef"), [], large, Array(large[500_000..<500_003]),
      bytes("c"),
    ]
    #expect(same(harness.read(references), expected))
    #expect(harness.read([]) == [])
    #expect(harness.segment(1) == Segment(header: bytes("h1"), body: bytes("abcdef")))
    #expect(harness.read([Reference(segment: 1, offset: 5, length: 2)]) == nil)
    #expect(harness.read([Reference(segment: 3, offset: 0, length: 0)]) == nil)

    harness.commit(Batch(number: 4, removedSegments: [1, 77]))
    #expect(harness.read(references) == nil)
    #expect(harness.read([references[0]]) == [expected[0]])
    #expect(harness.segment(1) == nil)
    #expect(harness.store.close())
  }

  @Test func answersReadsInOrderBetweenCommits() throws {
    let harness = try Harness(.directory(directory.path))
    let body = [UInt8](repeating: 5, count: 100_000)
    let count = 40
    for number in 1...UInt64(count) {
      harness.store.submit(Batch(number: number, segment: Segment(body: body)))
      harness.store.read(
        Int(number), (1...number).map { Reference(segment: $0, offset: 17, length: 60_000) })
    }
    harness.wait { harness in harness.events.count { $0.readToken != nil } == count }
    #expect(harness.events.compactMap(\.readToken) == Array(1...count))
    for case .read(let token, let pieces) in harness.events {
      #expect(pieces?.count == token)
      #expect(pieces?.allSatisfy { $0.count == 60_000 } == true)
    }
    #expect(harness.store.close())
  }

  @Test func commitsWaitingBatchesTogetherAndInOrder() throws {
    let harness = try Harness(.directory(directory.path))
    let last: UInt64 = 2_000
    for number in 1...last {
      let row = Row(.init(.pair, pair: 1), bytes("\(number)"))
      harness.store.submit(Batch(number: number, rows: [row]))
    }
    harness.wait { $0.committed == last }
    // One sync a batch would be one event a batch, at most.
    #expect(harness.events.count < 1_000)
    #expect(harness.store.close())
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.rows == [Row(.init(.pair, pair: 1), bytes("2000"))])
    #expect(second.store.close())
  }

  @Test func closeCommitsWhatWaits() throws {
    let harness = try Harness(.directory(directory.path))
    for number in 1...UInt64(200) {
      let body = [UInt8](repeating: 1, count: 50_000)
      harness.store.submit(Batch(number: number, segment: Segment(body: body)))
    }
    #expect(harness.store.close())
    #expect(harness.store.close())
    harness.take()
    #expect(harness.committed == 200)
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.segments.map(\.number) == Array(1...200))
    #expect(second.store.close())
  }

  @Test func removesRows() throws {
    let harness = try Harness(.directory(directory.path))
    let tables = Row.Table.allCases.filter { $0 != .queue && $0.start != .none }
    let rows = tables.map { Row(.init($0, pair: 3, item: 4), bytes("x")) }
    harness.commit(
      Batch(number: 1, rows: rows),
      Batch(number: 2, rows: [Row(rows[1].key, nil), Row(.init(.pair, pair: 9), nil)]))
    #expect(harness.store.close())
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.rows == rows.filter { $0.key != rows[1].key })
    #expect(second.store.close())
  }
}

extension Store.Event {
  var readToken: Int? {
    if case .read(let token, _) = self { token } else { nil }
  }
}
