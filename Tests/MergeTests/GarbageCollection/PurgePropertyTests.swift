import Testing

@testable import Merge

@Suite struct PurgePropertyTests {
  /// What a member shows, with and without purges.
  private func compare(_ member: Campaign.Member, _ horizon: UInt64, _ seed: Int) {
    let (fold, plain) = (member.fold, member.plain)
    #expect(
      fold.view(Campaign.schema).canonical == plain.view(Campaign.schema).canonical,
      "seed \(seed): views differ")
    #expect(
      Campaign.Member.feed(fold, since: horizon, fold.base)
        == Campaign.Member.feed(plain, since: horizon, fold.base),
      "seed \(seed): feeds differ")
    #expect(fold.recoveredItems().isEmpty, "seed \(seed): something came too late")
    #expect(fold.latest == plain.latest)
  }

  @Test(arguments: 0..<12) func nothingShowsOfPurges(seed: Int) throws {
    var campaign = Campaign(seed)
    for _ in 0..<12 {
      try campaign.run(50)
      for member in campaign.members + [campaign.hub] { compare(member, campaign.horizon, seed) }
    }
    try campaign.settle()
    let snapshot = campaign.hub.fold.snapshot()
    for member in campaign.members {
      compare(member, campaign.horizon, seed)
      #expect(member.fold.snapshot() == snapshot, "seed \(seed): folds differ")
    }
    #expect(campaign.purges > 3)
    #expect(campaign.hub.fold.operations.count < campaign.hub.plain.operations.count)
  }

  /// Operations of a device that was away find things purged, and ids of tombstones are used
  /// again: what that amounts to does not depend on who hears of what first.
  @Test(arguments: 0..<24) func replicasAgreeOnWhatComesLateOrIsCreatedAnew(seed: Int) throws {
    var options = Campaign.Options()
    options.recreates = seed % 3 != 0
    options.expires = seed % 3 != 1
    options.members = 4
    options.retention = 100
    var campaign = Campaign(seed, options)
    try campaign.run(300)
    if options.expires {
      campaign.members[3].isAway = false
      campaign.members[3].outbox.removeAll { if case .acknowledge = $0 { true } else { false } }
      try campaign.push(3, .max)
      campaign.members[3].isAway = true
      try campaign.run(100)
    }
    try campaign.settle()
    let snapshot = campaign.hub.fold.snapshot()
    for member in campaign.members {
      #expect(member.fold.snapshot() == snapshot, "seed \(seed): folds differ")
    }
  }
}
