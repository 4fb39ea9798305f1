import Merge
import Testing
import TextTraces

@Suite struct TraceTests {
  /// Read once; empty where the file is not there.
  private static let histories = (try? Trace.histories("conformance")) ?? []

  @Test(
    arguments: ["automerge-paper", "sveltecomponent", "friendsforever"].filter {
      Trace.exists($0)
    })
  func replay(_ name: String) throws {
    let trace = try Trace(name)
    for author in try trace.replay() {
      #expect(author.fugue.text == trace.endContent)
      #expect(author.fugue.count == trace.endContent.unicodeScalars.count)
    }
  }

  @Test(.enabled(if: Trace.exists("conformance"))) func conformance() throws {
    #expect(Self.histories.count == 1000)
    var ascending = 0
    var descending = 0
    for history in Self.histories {
      if try history.merged(ascending: true)?.text == history.endContent { ascending += 1 }
      if try history.merged(ascending: false)?.text == history.endContent { descending += 1 }
    }
    #expect(ascending == 1000)
    // The wrong order is seen.
    #expect(descending == 281)
  }

  /// Edits that refer to what their author saw, at one replica that has seen everything before.
  @Test(.enabled(if: Trace.exists("conformance"))) func conformanceByOldViews() throws {
    for history in Self.histories.prefix(300) {
      #expect(try history.mergedByViews().text == history.endContent)
    }
  }

  /// YjsMod differs from Fugue in this history alone.
  @Test(.enabled(if: Trace.exists("conformance"))) func discriminatingHistory() throws {
    let history = Self.histories[621]
    #expect(try history.merged(ascending: true)?.text == history.endContent)
    #expect(try history.mergedByViews().text == history.endContent)
  }
}

/// The chains of a history in which agents are concurrent with their own earlier operations: one
/// replica each, ordered as the file's (agent, seq) all the same.
private struct Chains {
  /// The transaction's replica.
  var replicas: [UInt32] = []
  /// The transaction's history, itself included: per replica the first number not in it.
  var histories: [[UInt32: UInt64]] = []
  private var agents: [Int] = []

  init(_ trace: Trace) {
    var ends: [UInt64] = []
    for transaction in trace.transactions {
      var history: [UInt32: UInt64] = [:]
      for parent in transaction.parents {
        history.merge(histories[parent]) { max($0, $1) }
      }
      let start = UInt64(transaction.seqStart)
      let known = agents.indices.first {
        agents[$0] == transaction.author && ends[$0] == start
          && history[UInt32($0)] == start
      }
      let replica = known ?? agents.count
      if known == nil {
        agents.append(transaction.author)
        ends.append(0)
      }
      let length = transaction.edits.reduce(0) { $0 + $1.deleted + $1.insertedCount }
      ends[replica] = start + UInt64(length)
      history[UInt32(replica)] = ends[replica]
      replicas.append(UInt32(replica))
      histories.append(history)
    }
  }

  func precedes(_ a: Sibling, _ b: Sibling) -> Bool {
    let (agentA, agentB) = (agents[Int(a.element.replica)], agents[Int(b.element.replica)])
    return (agentA, a.element.position) < (agentB, b.element.position)
  }
}

extension Trace {
  /// Every transaction at a replica that has its history and nothing else; then all in one.
  /// - Returns: nil when an edit does not fit what its author has.
  fileprivate func merged(ascending: Bool) throws -> Fugue? {
    let chains = Chains(self)
    let before = { (a: Sibling, b: Sibling) in
      ascending ? chains.precedes(a, b) : chains.precedes(b, a)
    }
    var changes: [[Change]] = []
    var replicas: [Author] = []
    var whole = Author(0)
    // Which transactions a replica holds.
    var held: [[Bool]] = []
    for (index, transaction) in transactions.enumerated() {
      var author = Author(chains.replicas[index])
      var holds = Array(repeating: false, count: transactions.count)
      if let first = transaction.parents.first {
        author.fugue = replicas[first].fugue
        holds = held[first]
      }
      for parent in transaction.parents.dropFirst() {
        for other in 0..<index where held[parent][other] && !holds[other] {
          for change in changes[other] { try author.receive(change, before: before) }
          holds[other] = true
        }
      }
      holds[index] = true
      changes.append([])
      var seq = UInt64(transaction.seqStart)
      for edit in transaction.edits {
        guard edit.position + edit.deleted <= author.fugue.count else { return nil }
        try author.edit(edit, seq: seq, before: before) { changes[index].append($0) }
        seq += UInt64(edit.deleted + edit.insertedCount)
      }
      for change in changes[index] { try whole.receive(change, before: before) }
      replicas.append(author)
      held.append(holds)
    }
    return whole.fugue
  }

  /// Every transaction against the view of its history, at one replica.
  fileprivate func mergedByViews() throws -> Fugue {
    let chains = Chains(self)
    var fugue = Fugue()
    for (index, transaction) in transactions.enumerated() {
      let replica = chains.replicas[index]
      var known: [UInt32: UInt64] = [:]
      for parent in transaction.parents {
        known.merge(chains.histories[parent]) { max($0, $1) }
      }
      known = known.mapValues { $0 - 1 }
      var seq = UInt64(transaction.seqStart)
      for edit in transaction.edits {
        // Number 0 is an operation here, so an unknown replica must not count as known up to it.
        let view = fugue.view { known[$0].map { $0 + 1 } ?? 0 }
        for range in view.elements(in: edit.position..<edit.position + edit.deleted) {
          try fugue.delete(range, by: replica, seq: seq + 1)
        }
        if edit.insertedCount > 0 {
          let origin = try fugue.origin(at: edit.position, in: view)
          try fugue.insert(
            Element(replica: replica, seq: seq + 1), text: edit.inserted, rank: 1, at: origin,
            before: chains.precedes)
        }
        known[replica] = seq
        seq += UInt64(edit.deleted + edit.insertedCount)
      }
    }
    return fugue
  }
}
