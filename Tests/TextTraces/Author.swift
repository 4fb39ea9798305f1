package import Merge

/// A part of an operation as it travels.
package enum Change {
  case insert(Element, String, Origin)
  case delete([ElementRange], replica: UInt32, seq: UInt64)
}

/// A replica that edits by offsets and integrates what others did.
package struct Author {
  package var fugue = Fugue()
  package let replica: UInt32
  package private(set) var seq: UInt64 = 0

  package init(_ replica: UInt32) {
    self.replica = replica
  }

  /// Makes one operation of an edit and integrates it.
  /// - Parameter emit: takes the changes, in order.
  package mutating func edit(
    _ edit: Trace.Edit, seq number: UInt64? = nil, before: (Sibling, Sibling) -> Bool,
    emit: (Change) -> Void = { _ in }
  ) throws {
    seq = number ?? seq + 1
    if edit.deleted > 0 {
      let elements = fugue.elements(in: edit.position..<edit.position + edit.deleted)
      for range in elements { try fugue.delete(range, by: replica, seq: seq) }
      emit(.delete(elements, replica: replica, seq: seq))
    }
    if edit.insertedCount > 0 {
      let first = Element(replica: replica, seq: seq)
      let origin = fugue.origin(at: edit.position)
      try fugue.insert(first, text: edit.inserted, rank: 1, at: origin, before: before)
      emit(.insert(first, edit.inserted, origin))
    }
  }

  package mutating func receive(
    _ change: Change, before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) {
    switch change {
    case .insert(let first, let text, let origin):
      try fugue.insert(first, text: text, rank: 1, at: origin, before: before)
    case .delete(let elements, let replica, let seq):
      for range in elements { try fugue.delete(range, by: replica, seq: seq) }
    }
  }
}

extension Trace {
  /// Replays a trace: every transaction is applied at its author's replica, after that has got the
  /// transaction's history from the others. All are merged in the end.
  ///
  /// - Precondition: a transaction's history holds its author's previous one.
  /// - Returns: the authors' replicas.
  package func replay() throws -> [Author] {
    let before = { (a: Sibling, b: Sibling) in Sibling.precedes(a, b, replicas: <) }
    var authors = (0...(transactions.map(\.author).max() ?? 0)).map { Author(UInt32($0)) }
    if authors.count == 1 {
      for transaction in transactions {
        for edit in transaction.edits { try authors[0].edit(edit, before: before) }
      }
      return authors
    }
    var changes: [[Change]] = Array(repeating: [], count: transactions.count)
    // For every transaction, and for what each author has: the number of transactions by author.
    let none = Array(repeating: 0, count: authors.count)
    var histories: [[Int]] = []
    histories.reserveCapacity(transactions.count)
    var has = Array(repeating: none, count: authors.count)
    var byAuthor: [[Int]] = Array(repeating: [], count: authors.count)

    func receive(_ history: [Int], at author: Int) throws {
      // What is missing, in the order of the file, which is causal.
      var missing: [Int] = []
      for other in authors.indices where has[author][other] < history[other] {
        missing += byAuthor[other][has[author][other]..<history[other]]
        has[author][other] = history[other]
      }
      for index in missing.sorted() {
        for change in changes[index] { try authors[author].receive(change, before: before) }
      }
    }

    for (index, transaction) in transactions.enumerated() {
      var history = none
      for parent in transaction.parents {
        for (other, count) in histories[parent].enumerated() {
          history[other] = max(history[other], count)
        }
      }
      let author = transaction.author
      try receive(history, at: author)
      for edit in transaction.edits {
        try authors[author].edit(edit, before: before) { changes[index].append($0) }
      }
      byAuthor[author].append(index)
      history[author] += 1
      has[author][author] = history[author]
      histories.append(history)
    }
    for author in authors.indices { try receive(byAuthor.map(\.count), at: author) }
    return authors
  }
}
