import CFaultVFS
import CSQLite
import Journal
import Testing

@testable import Storage

/// What is read at the start, and what is read pair by pair.
@Suite struct PairReadTests {
  let directory = TemporaryDirectory()

  private func row(
    _ table: Row.Table, _ pair: UInt32, item: UInt32 = 0, _ text: String
  ) -> Row {
    Row(.init(table, pair: pair, item: item), Array(text.utf8))
  }

  /// Of a pair with a queue row that and its own row are read at the start; of no pair its hub.
  @Test func startReadsWhatIsInUse() throws {
    let harness = try Harness(.directory(directory.path))
    let inUse = [
      row(.pair, 1, "in use"), row(.pair, 2, "evicted"), row(.device, 1, "a"),
      row(.context, 1, item: 3, "b"), row(.file, 1, item: 1, "c"), row(.queue, 2, "d"),
    ]
    harness.commit(
      Batch(
        number: 1,
        rows: inUse + [
          row(.device, 2, "e"), row(.context, 2, item: 3, "f"), row(.file, 2, "g"),
          row(.hub, 1, "h"),
          row(.operation, 1, item: 7, "i"),
        ]))
    #expect(harness.store.close())
    let second = try Harness(.directory(directory.path))
    #expect(second.contents.rows == inUse)
    #expect(second.store.close())
  }

  /// Wherever its rows are by then: in the database, in the log, or in a batch that is not written yet.
  @Test func aRemovedPairIsGone() throws {
    let all = PairRead(pair: 5, tables: Row.Table.allCases)
    let rows = Row.Table.allCases.map { row($0, 5, item: 1, "\($0)") }
    var harness = try Harness(.directory(directory.path))
    harness.commit(Batch(number: 1, rows: rows + [row(.pair, 6, "other")]))
    #expect(harness.store.close())
    harness = try Harness(.directory(directory.path))
    #expect(harness.rows(all)?.count == rows.count)
    harness.commit(Batch(number: 2, rows: [row(.device, 5, item: 2, "in the log")]))
    harness.store.submit(Batch(number: 3, rows: [row(.device, 5, item: 3, "submitted")]))
    harness.store.submit(Batch(number: 4, removedPairs: [5]))
    #expect(harness.rows(all) == [])
    harness.wait { $0.committed == 4 }
    #expect(harness.rows(all) == [])
    #expect(harness.store.close())
    harness = try Harness(.directory(directory.path))
    #expect(harness.rows(all) == [] && harness.contents.rows == [row(.pair, 6, "other")])
    #expect(harness.store.close())
    #expect(try StoreReader(directory.path).faults() == [])
  }

  @Test(arguments: [true, false]) func readsOnePair(inMemory: Bool) throws {
    let harness = try Harness(inMemory ? .memory : .directory(directory.path))
    let operations = (1...300).map { row(.operation, 5, item: UInt32($0), "operation \($0)") }
    harness.commit(
      Batch(
        number: 1,
        rows: operations + [
          row(.hub, 5, "hub"), row(.hub, 4, "other"), row(.hub, 6, "other"), row(.device, 5, "x"),
        ]))
    let read = PairRead(pair: 5, tables: [.hub, .operation])
    #expect(harness.rows(read) == [row(.hub, 5, "hub")] + operations)
    #expect(harness.rows(PairRead(pair: 5, tables: [.context])) == [])
    #expect(harness.rows(PairRead(pair: 9, tables: [.hub])) == [])

    harness.commit(Batch(number: 2, rows: operations.dropFirst().map { Row($0.key, nil) }))
    #expect(harness.rows(read) == [row(.hub, 5, "hub"), operations[0]])
    #expect(harness.store.close())
  }

  /// Batches that were submitted before count, also while none can be committed.
  @Test func seesWhatIsNotCommitted() throws {
    let vfs = FaultVFS()
    let directory = TemporaryDirectory(inMemory: true)
    let harness = try Harness(.directory(directory.path), options: vfs.options)
    harness.commit(
      Batch(
        number: 1,
        rows: [row(.hub, 1, "old"), row(.operation, 1, item: 1, "a"), row(.file, 1, "f")]))
    vfs.fail(FAULT_SYNC, first: 1, count: .max, code: SQLITE_IOERR_FSYNC)
    harness.store.submit(
      Batch(
        number: 2,
        rows: [row(.hub, 1, "new"), row(.operation, 1, item: 2, "b"), row(.hub, 2, "other")]))
    harness.store.submit(
      Batch(number: 3, rows: [Row(.init(.operation, pair: 1, item: 1), nil)]))
    #expect(
      harness.rows(PairRead(pair: 1, tables: [.operation, .hub]))
        == [row(.operation, 1, item: 2, "b"), row(.hub, 1, "new")])
    #expect(harness.committed == 1)
    vfs.heal(FAULT_SYNC)
    harness.wait { $0.committed == 3 }
    #expect(harness.store.close())
  }

  /// Rows that are damaged are told as such, by name and once; the other work goes on.
  @Test func tellsWhatCannotBeRead() throws {
    let harness = try Harness(.directory(directory.path))
    harness.commit(
      Batch(number: 1, rows: [row(.device, 1, "a"), row(.pair, 1, "p"), row(.queue, 1, "q")]))
    harness.store.close()
    let connection = try Connection(directory.database, creating: false, vfs: nil)
    try connection.execute(
      "UPDATE device SET value = x'40'")
    connection.close()
    let second = try Harness(.directory(directory.path))
    #expect(second.rows(PairRead(pair: 1, tables: [.pair, .device])) == nil)
    #expect(second.rows(PairRead(pair: 1, tables: [.pair])) == [row(.pair, 1, "p")])
    #expect(!second.events.contains { $0.isFailing })
    let damage = second.events.compactMap {
      if case .damaged(let error) = $0 { error } else { nil }
    }
    #expect(damage.count == 1)
    #expect(damage.first?.message.contains("row device 1/0") == true, "\(damage)")
    second.commit(Batch(number: 2, rows: [row(.device, 1, "b")]))
    #expect(second.rows(PairRead(pair: 1, tables: [.device])) == [row(.device, 1, "b")])
    #expect(second.store.close())
  }
}

extension Harness {
  fileprivate func rows(
    _ read: PairRead, _ sourceLocation: SourceLocation = #_sourceLocation
  ) -> [Row]? {
    store.readPair(read)
    var result: [Row]?
    wait(sourceLocation) { harness in
      harness.removeFirst {
        guard case .pair(read, let rows) = $0 else { return false }
        result = rows
        return true
      }
    }
    return result
  }
}
