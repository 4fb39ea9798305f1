import Merge
import Oracle
import Simulation
import Testing

@Suite struct SmallHistoriesTests {
  private static func small(_ operations: Int) -> SmallHistories {
    SmallHistories(.life, HistorySchemas.timers, operations: operations)
  }

  /// One operation: eight edits by the phone and as many by a watch, which is told once of two.
  @Test func oneOperation() throws {
    let count = try Self.small(1).run { MergeFold() }
    #expect(count.histories == [1, 16])
    #expect(count.states == 1 + 16)
  }

  /// Two operations are those of the plain enumeration, but for what differs in names only.
  @Test func twoOperations() throws {
    var shapes: Set<[String]> = []
    HistoryEnumeration.life.forEach(2) { shapes.insert(Self.shape($0)) }
    let walked = Walked()
    let count = try Self.small(2).run { Spy(walked) }
    #expect(walked.shapes == shapes)
    #expect(count.histories[2] < 2 * shapes.count)
  }

  private final class Walked {
    var shapes: Set<[String]> = []
  }

  /// Notes the histories that it is given whole.
  private struct Spy: FoldUnderTest {
    let walked: Walked
    var fold = MergeFold()
    var operations: [Operation] = []

    init(_ walked: Walked) { self.walked = walked }

    mutating func apply(_ operation: Operation) throws {
      try fold.apply(operation)
      operations.append(operation)
      if operations.count == 3 {
        walked.shapes.insert(SmallHistoriesTests.shape(History(operations)))
      }
    }

    func view(_ schema: Schema) -> Datum { fold.view(schema) }

    func feed() -> [OracleFeedEntry] { fold.feed() }
  }

  /// What a merge can tell of a history: its operations by name and content, what each had seen,
  /// and the order of their stamps. New values are told by who wrote them.
  private static func shape(_ history: History) -> [String] {
    let sorted = history.operations.sorted { $0.stamp < $1.stamp }
    return sorted.map { operation in
      let seen = operation.context.vector(of: operation.dot.replica).entries
        .map { "\($0.replica)/\($0.seq)" }
      let actions = operation.actions.map { action in
        guard case .write("name", .string(let text)) = action.body, text != "same" else {
          return "\(action)"
        }
        return "a new name"
      }
      return "\(operation.dot) \(seen) \(actions)"
    }
  }

  @Test func partsMakeTheWhole() throws {
    let whole = try Self.small(3).sampled(97).run { MergeFold() }
    var sum = 0
    for part in 0..<3 {
      var histories = Self.small(2)
      histories.part = part
      histories.parts = 3
      sum += try histories.run { MergeFold() }.histories[2]
    }
    #expect(sum == (try Self.small(2).run { MergeFold() }).histories[2])
    #expect(whole.histories[3] > 0)
  }

  @Test func aWrongRuleIsFound() {
    let found = #expect(throws: Disagreement.self) {
      try Self.small(2).run { EarliestWins() }
    }
    #expect(found?.finding.story.contains { $0.contains("timer timer1, ") } == true)
  }
}

extension SmallHistories {
  /// One part of so many.
  fileprivate func sampled(_ parts: Int) -> SmallHistories {
    var histories = self
    histories.parts = parts
    histories.part = 1
    return histories
  }
}

/// The oracle with the order of stamps turned round.
private struct EarliestWins: FoldUnderTest {
  var operations: [Operation] = []

  mutating func apply(_ operation: Operation) {
    var operation = operation
    operation.stamp.ms = Stamp.msLimit - operation.stamp.ms
    operations.append(operation)
  }

  func view(_ schema: Schema) -> Datum { Oracle(operations).view(schema) }

  func feed() -> [OracleFeedEntry] { [] }
}
