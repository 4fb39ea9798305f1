import Bridge
import Testing

@testable import Merge

/// What a commit compares with what bridged devices hold is what may have changed; all else has not.
@Suite("Whole records that change")
struct RecordWatchTests {
  /// Whole records one by one are those of the view, and whatever is not named shows what it showed: with records that
  /// move between containers, come back, are made anew, and are collected.
  @Test(arguments: 1...60)
  func whatIsNotNamedHasNotChanged(seed: Int) throws {
    let schema = Campaign.schema
    let shape = RecordShape(schema)
    var campaign = Campaign(
      seed, Campaign.Options(recreates: seed % 3 == 0, expires: seed % 5 == 0))
    var watch = RecordWatch()
    var read = 0
    var before: [Target: WholeRecord] = [:]
    var (named, unnamed) = (0, 0)
    // What has come before it looks for the first time is all named.
    try campaign.run(40)
    for _ in 0..<120 {
      try campaign.run(1 + seed % 4)
      let new = campaign.log[read...].compactMap { entry -> Merge.Operation? in
        guard case .operation(let operation) = entry else { return nil }
        return operation
      }
      read = campaign.log.count
      let fold = campaign.hub.fold
      let touched = watch.next(shape, fold, schema, after: new)
      let now = shape.records(fold.view(schema), schema)
      for target in Set(now.keys).union(before.keys) {
        try #require(shape.record(target, fold, schema) == now[target], "\(target)")
        guard !touched.contains(target) else {
          named += 1
          continue
        }
        unnamed += 1
        try #require(now[target] == before[target], "\(target) has changed and was not named")
      }
      before = now
    }
    #expect(named > 0 && unnamed > named, "\(named) named, \(unnamed) not")
  }
}
