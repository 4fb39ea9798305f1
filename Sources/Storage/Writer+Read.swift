import Journal

/// A read of which a part is answered.
struct ReadInProgress {
  let request: Shared.Read
  /// The first reference that is still to be read.
  var next = 0
  /// nil when a segment is gone.
  var results: [[UInt8]]? = []

  init(_ request: Shared.Read) { self.request = request }
}

extension Writer {
  /// Reads on, at most `budget` bytes.
  ///
  /// - Returns: the answer; nil when something is left for the next time.
  func advance(
    _ read: inout ReadInProgress, budget: inout Int
  ) throws(StoreError) -> Store.Event? {
    switch read.request {
    case .segment(let token, let number):
      let segment =
        number > memTable.base ? pendingSegment(number) : try readable().segment(number)
      budget -= (segment?.header.count ?? 0) + (segment?.body.count ?? 0)
      return .segment(token: token, segment)

    case .pair(let read):
      let rows = try rows(read)
      for row in rows { budget -= row.value?.count ?? 0 }
      return .pair(read, rows)

    case .references(let token, let references):
      while read.next < references.count, read.results != nil {
        guard budget > 0 else { return nil }
        let before = read.next
        let number = references[before].segment
        if number > memTable.base {
          // Reading it from the database may find what a failed sync has left there.
          guard let segment = pendingSegment(number) else {
            read.results = nil
            break
          }
          copy(references[before], from: segment, to: &read)
        } else {
          try readable().read(
            references, from: &read.next, into: &read.results, limit: budget,
            below: memTable.base + 1)
        }
        for reference in references[before..<read.next] { budget -= Int(reference.length) }
      }
      return .read(token: token, read.results)
    }
  }

  /// A segment that is not in the database, or not for certain.
  private func pendingSegment(_ number: UInt64) -> Segment? {
    guard let first = batches.first?.number, number >= first else {
      return memTable.segments[number]
    }
    let index = Int(number - first)
    return index < batches.count ? batches[index].segment : nil
  }

  /// The rows of a pair as of all batches submitted.
  private func rows(_ read: PairRead) throws(StoreError) -> [Row] {
    guard let changed = memTable.rows(of: read.pair),
      !batches.contains(where: { $0.removedPairs.contains(read.pair) })
    else { return [] }
    var newer = changed.filter { read.tables.contains($0.key.table) }
    for batch in batches {
      for row in batch.rows where row.key.pair == read.pair && read.tables.contains(row.key.table) {
        newer[row.key] = .some(row.value)
      }
    }
    var rows = try readable().rows(read) { newer[$0] == nil }
    guard !newer.isEmpty else { return rows }
    for case (let key, let value?) in newer { rows.append(Row(key, value)) }
    let rank = { (row: Row) in read.tables.firstIndex(of: row.key.table)! }
    return rows.sorted { (rank($0), $0.key.item) < (rank($1), $1.key.item) }
  }

  private func copy(
    _ reference: Reference, from segment: Segment, to read: inout ReadInProgress
  ) {
    let start = Int(reference.offset)
    let end = start + Int(reference.length)
    guard end <= segment.body.count else {
      read.results = nil
      return
    }
    read.results?.append(Array(segment.body[start..<end]))
    read.next += 1
  }
}
