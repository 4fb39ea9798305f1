import Foundation
import Merge
import TextTraces

/// Replays editing traces with our sequence and, where Python has it, with Loro in the same run;
/// then shapes that a tree could be bad at.
struct TextBenchmark {
  static let traces = ["automerge-paper", "sveltecomponent", "friendsforever"]
  static let rounds = 5

  var folder: URL

  init(data: String?) {
    folder = data.map { URL(filePath: $0) } ?? Trace.folder
  }

  func run() throws {
    try replayTraces()
    print()
    printRow(["shape", "operations", "ms", "ns each", "bytes each"])
    try shapes()
  }

  // MARK: Traces

  private func replayTraces() throws {
    printRow(["trace", "edits", "s", "edits/s", "bytes", "a char", "Loro s", "ratio", "Loro bytes"])
    for name in Self.traces {
      guard FileManager.default.fileExists(atPath: Trace.url(name, in: folder).path) else {
        print("\(name): not in \(folder.path)")
        continue
      }
      let trace = try Trace(name, in: folder)
      var best = Double.infinity
      var bytes = 0
      for _ in 0..<Self.rounds {
        var authors: [Author] = []
        let taken = try ContinuousClock().measure { authors = try trace.replay() }
        best = min(best, taken / .seconds(1))
        guard authors.allSatisfy({ $0.fugue.text == trace.endContent }) else {
          fatalError("\(name): another text")
        }
        bytes = authors.reduce(0) { $0 + $1.fugue.byteCount }
      }
      let edits = trace.transactions.reduce(0) { $0 + $1.edits.count }
      let characters = trace.endContent.unicodeScalars.count
      var row = [
        name, "\(edits)", decimal(best, 3), "\(Int(Double(edits) / best))", "\(bytes)",
        decimal(Double(bytes) / Double(characters), 1),
      ]
      if let loro = loro(name) {
        row += [decimal(loro.seconds, 3), decimal(loro.seconds / best, 1), "\(loro.bytes)"]
      }
      printRow(row)
    }
    print(
      """
      Edits: one insertion or deletion each. Bytes: allocated by all replicas' sequences; of Loro,
      growth of the resident memory. Ratio: Loro's time over ours. friendsforever: two replicas
      that exchange what they did, as values in memory here and as bytes in Loro.
      """)
  }

  /// Nil when Python does not have Loro.
  private func loro(_ name: String) -> (seconds: Double, bytes: Int)? {
    let words = python("replay_loro.py", [folder.path, "\(Self.rounds)", name])
    guard words.count == 2, let seconds = Double(words[0]),
      let bytes = Int(words[1])
    else { return nil }
    return (seconds, bytes)
  }

  // MARK: Shapes

  private func shapes() throws {
    var random = SystemRandomNumberGenerator()
    try measure("100,000 at the front", 100_000) { author, _ in try author.type("x", at: 0) }
    try measure("100,000 at random places", 100_000) { author, _ in
      try author.type("x", at: Int.random(in: 0...author.fugue.count, using: &random))
    }
    try measure("1,000,000 at random places", 1_000_000) { author, _ in
      try author.type("x", at: Int.random(in: 0...author.fugue.count, using: &random))
    }
    try measure("insert, delete in turn at the end", 100_000) { author, number in
      if number % 2 == 0 {
        try author.type("x", at: author.fugue.count)
      } else {
        try author.delete(author.fugue.count - 1)
      }
    }
    try measure("insert, delete in turn at random places", 200_000) { author, number in
      let place = Int.random(in: 0...author.fugue.count, using: &random)
      if number % 2 == 0 || place == author.fugue.count {
        try author.type("x", at: place)
      } else {
        try author.delete(place)
      }
    }
    let million = String(repeating: "0123456789", count: 100_000)
    try measure("one insertion of a million", 1) { author, _ in try author.type(million, at: 0) }
    try measure(
      "every second of a million deleted", 500_000,
      setUp: { try $0.type(million, at: 0) }, { author, number in try author.delete(number) })
    try measure(
      "100,000 edits in a million of 字🙂", 100_000,
      setUp: { try $0.type(String(repeating: "字🙂", count: 500_000), at: 0) },
      { author, number in
        let place = Int.random(in: 0..<author.fugue.count, using: &random)
        if number % 2 == 0 { try author.type("字", at: place) } else { try author.delete(place) }
      })
    try measure("10,000 siblings", 10_000) { author, number in
      try author.fugue.insert(
        Element(replica: UInt32(number + 1), seq: 1), text: "x", rank: 1, at: .root,
        before: before)
    }
    try twoOfflineAuthors()
    try wholeText()
  }

  /// Both type, jump and delete at the same places without each other, then merge.
  private func twoOfflineAuthors() throws {
    var random = SystemRandomNumberGenerator()
    var authors = [Author(0), Author(1)]
    var changes: [[Change]] = [[], []]
    for at in 0...1 {
      for _ in 0..<50_000 {
        let place = Int.random(in: 0...authors[at].fugue.count, using: &random)
        let edit = Trace.Edit(position: place, inserted: "word")
        try authors[at].edit(edit, before: before) { changes[at].append($0) }
      }
    }
    try report("50,000 words of another author merged", 50_000, authors[0].fugue) {
      for change in changes[1] { try authors[0].receive(change, before: before) }
    }
  }

  /// What reads or rebuilds the whole, on the longest trace.
  private func wholeText() throws {
    guard let trace = try? Trace("automerge-paper", in: folder) else { return }
    var fugue = try trace.replay()[0].fugue
    let count = fugue.count
    var sum = 0
    try report("the text of automerge-paper", 1, fugue) { sum += fugue.utf8.count }
    try report("its text at half its history", 1, fugue) {
      sum += fugue.view { _ in 130_000 }.count
    }
    let snapshot = fugue.snapshot()
    try report("restored from a snapshot", 1, fugue) {
      sum += try Fugue(restoring: snapshot).count
    }
    let old = fugue.text
    let new = old.replacing("the ", with: "that ", maxReplacements: 200) + "."
    try report("a save with 201 changes in it", 1, fugue) {
      sum += TextEdit.edits(from: old, to: new).count
    }
    try report("purged of all dead", 1, fugue) { fugue.purge { _ in true } }
    print("after the purge: \(fugue.byteCount) bytes for \(count) characters (\(sum))")
  }

  private func measure(
    _ name: String, _ count: Int, setUp: (inout Author) throws -> Void = { _ in },
    _ body: (inout Author, Int) throws -> Void
  ) throws {
    var author = Author(0)
    try setUp(&author)
    let taken = try ContinuousClock().measure {
      for number in 0..<count { try body(&author, number) }
    }
    printShape(name, count, taken, author.fugue)
  }

  private func report(
    _ name: String, _ count: Int, _ fugue: @autoclosure () -> Fugue, _ body: () throws -> Void
  ) throws {
    let taken = try ContinuousClock().measure(body)
    printShape(name, count, taken, fugue())
  }

  private func printShape(_ name: String, _ count: Int, _ taken: Duration, _ fugue: Fugue) {
    printRow([
      name, "\(count)", decimal(taken / .milliseconds(1), 2),
      "\(Int(taken / .nanoseconds(1)) / count)",
      decimal(Double(fugue.byteCount) / Double(max(1, fugue.count)), 1),
    ])
  }
}

extension Author {
  fileprivate mutating func type(_ text: String, at position: Int) throws {
    try edit(Trace.Edit(position: position, inserted: text), before: before)
  }

  fileprivate mutating func delete(_ position: Int) throws {
    try edit(Trace.Edit(position: position, deleted: 1), before: before)
  }
}

private func before(_ a: Sibling, _ b: Sibling) -> Bool {
  Sibling.precedes(a, b, replicas: <)
}
