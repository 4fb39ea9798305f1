import Testing
import WatchConnectivity
import WatchlineTesting

/// Which complication transfer is the current one: `isCurrentComplicationInfo`.
@Suite struct ComplicationTests {
  private let world = Recorded()

  private func send(_ count: Int) -> [WCSessionUserInfoTransfer] {
    (0..<count).map { world.phoneSession.transferCurrentComplicationUserInfo(["n": $0]) }
  }

  /// A newer one takes the place of one that waits: at the relay, or at a phone without a connection.
  @Test(arguments: [true, false]) func aNewerOneTakesItsPlace(isPhoneOnline: Bool) async {
    await world.activate()
    await world.loseWatch()
    if !isPhoneOnline { world.pair.phone.goOffline() }
    let transfers = send(3)
    #expect(transfers.allSatisfy { $0.isCurrentComplicationInfo }, "nobody has been told yet")
    await world.pair.settle()
    #expect(transfers.map(\.isCurrentComplicationInfo) == [false, false, true])
    world.pair.phone.goOnline()
    world.pair.watch.goOnline()
    await world.pair.settle()
    #expect(transfers.map(\.isCurrentComplicationInfo) == [false, false, true])
    #expect(world.pair.allDelivered())
  }

  /// What the relay has is the relay's to say: it may have been handed out, and then it stays the current one.
  @Test func whatWasSentIsCurrentUntilTheRelaySaysOtherwise() async {
    await world.activate()
    await world.loseWatch()
    let first = send(1)[0]
    await world.pair.settle()
    world.pair.phone.goOffline()
    let second = send(1)[0]
    await world.pair.settle()
    #expect(first.isCurrentComplicationInfo && second.isCurrentComplicationInfo)
    world.pair.phone.goOnline()
    await world.pair.settle()
    #expect(!first.isCurrentComplicationInfo && second.isCurrentComplicationInfo)
  }

  /// What has been handed out stays what it is.
  @Test func whatIsHandedOutStays() async {
    await world.activate()
    let first = send(1)
    await world.pair.settle()
    #expect(send(1)[0].isCurrentComplicationInfo && first[0].isCurrentComplicationInfo)
  }

  /// Beyond the day's budget, and where the complication is not on the watch face, a transfer is ordinary user info.
  @Test(arguments: [true, false]) func whatHasNoBudgetIsOrdinary(isEnabled: Bool) async {
    await world.activate()
    if !isEnabled {
      world.pair.watch.set(.isComplicationEnabled, false)
      await world.pair.settle()
    }
    var last: [Bool] = []
    for count in [1, 49, 1] {
      let transfers = send(count)
      await world.pair.settle()
      last.append(transfers.last!.isCurrentComplicationInfo)
    }
    #expect(last == [isEnabled, isEnabled, false])
  }

  /// An app that is started anew asks which of its transfers is the current one.
  @Test func anAppThatIsStartedAnewKnows() async {
    await world.activate()
    await world.loseWatch()
    _ = send(2)
    world.pair.phone.kill()
    world.pair.phone.launch()
    world.activatePhone()
    await world.pair.settle()
    let left = world.phoneSession.outstandingUserInfoTransfers
    #expect(left.map(\.isCurrentComplicationInfo) == [false, true])
  }
}
