import Testing
import WatchConnectivity
import WatchlineTesting

/// What fakes of WCSession miss, a test each.
@Suite struct RuleTests {
  let world = Recorded()
  var pair: WatchPair { world.pair }

  /// Rule 1.
  @Test func activateReturnsBeforeTheStateChanges() async {
    world.activatePhone()
    world.activateWatch()
    let session = world.phoneSession
    #expect(session.activationState == .notActivated)
    #expect(!session.isReachable && !session.isPaired && !session.isWatchAppInstalled)
    #expect(session.remainingComplicationUserInfoTransfers == 0)
    await pair.settle()
    #expect(session.activationState == .activated)
    #expect(session.isReachable && session.isPaired && session.isWatchAppInstalled)
    #expect(session.remainingComplicationUserInfoTransfers == 50)
  }

  /// Rule 2.
  @Test func activationIsTheFirstThingThatIsTold() async throws {
    world.activatePhone()
    await pair.settle()
    try world.phoneSession.updateApplicationContext(["a": 1])
    world.phoneSession.transferUserInfo(["b": 2])
    await pair.settle()
    #expect(world.watch.log.isEmpty)
    world.activateWatch()
    await pair.settle()
    #expect(world.watch.log == ["activated 2", "context a=1", "userInfo b=2"])
    #expect(world.phone.log.first == "activated 2")
  }

  /// Rule 3.
  @Test func callbacksAndHandlersAreSerialAndNotOnTheMainQueue() async {
    await world.activate()
    world.watch.reply = [:]
    let inside = Inside()
    world.phone.onUserInfo = { inside.run() }
    for _ in 0..<20 {
      world.phoneSession.sendMessage(["q": 1], replyHandler: { _ in inside.run() })
      world.watchSession.transferUserInfo([:])
    }
    await pair.settle()
    #expect(inside.count == 40 && inside.most == 1 && !inside.wasMain)
  }

  /// Rule 4.
  @Test func exactlyOneOfReplyAndError() async {
    await world.activate()
    let told = Recorder()
    func ask(_ name: String) {
      world.phoneSession.sendMessage(
        ["q": name], replyHandler: { told.note("\(name) \(text($0))") },
        errorHandler: { told.note("\(name) \(($0 as! WCError).errorCode)") })
    }
    world.watch.reply = ["a": 1]
    ask("answered")
    await pair.settle()
    world.watch.reply = nil
    ask("overdue")
    await pair.settle()
    pair.advance(seconds: 299)
    await pair.settle()
    #expect(told.log == ["answered a=1"])
    pair.advance(seconds: 2)
    await pair.settle()
    pair.watch.enter(.background)
    await pair.settle()
    ask("unreachable")
    await pair.settle()
    #expect(told.log == ["answered a=1", "overdue 7012", "unreachable 7007"])
  }

  /// Rule 4: a delegate without the method for replies.
  @Test func aMissingReplyVariantIs7014() async {
    await world.activate()
    let plain = Plain()
    pair.watch.run { WCSession.default.delegate = plain }
    let told = Recorder()
    world.phoneSession.sendMessage(
      ["q": 1], replyHandler: { _ in told.note("reply") },
      errorHandler: { told.note("\(($0 as! WCError).code)") })
    await pair.settle()
    #expect(told.log == ["deliveryFailed"])
  }

  /// Rule 5.
  @Test func whatIsNoPropertyListIs7010WithItsPlace() async throws {
    await world.activate()
    let session = world.phoneSession
    let wrong: [(Any, String)] = [
      (NSNull(), "null"), (UUID(), "UUID"), (URL(string: "a:b")!, "URL"),
      (Optional<Int>.none as Any, "nil"), ([1: "a"] as [Int: String], "keys"), (Set([1]), "Set"),
    ]
    for (value, name) in wrong {
      let thrown = #expect(throws: WCError.self) {
        try session.updateApplicationContext(["list": [["deep": value]]])
      }
      #expect(thrown?.code == .payloadUnsupportedTypes)
      #expect(
        thrown?.localizedDescription.contains("list[0].deep") == true,
        "\(String(describing: thrown))")
      #expect(thrown?.localizedDescription.contains(name) == true, "\(String(describing: thrown))")
    }
    session.transferUserInfo(["a": NSNull()])
    await pair.settle()
    #expect(world.phone.log.count == 1 && world.phone.log[0].hasSuffix(" 7010"))
    #expect(world.watch.log.isEmpty)
  }

  /// Rule 5.
  @Test func whatIsTooLargeIs7009WithItsSize() async {
    await world.activate()
    let large = ["d": Data(count: 65_600)]
    world.phoneSession.transferUserInfo(large)
    await pair.settle()
    #expect(world.phone.log.count == 1 && world.phone.log[0].hasSuffix(" 7009"))
    let thrown = #expect(throws: WCError.self) {
      try world.phoneSession.updateApplicationContext(["d": Data(count: 262_200)])
    }
    #expect(thrown?.code == .payloadTooLarge)
    #expect(thrown?.localizedDescription.contains("262") == true, "\(String(describing: thrown))")
  }

  /// Rule 5.
  @Test func beforeActivationIs7004() async {
    let told = Recorder()
    pair.phone.run { WCSession.default.delegate = world.phone }
    world.phoneSession.sendMessage(
      ["a": 1], replyHandler: nil, errorHandler: { told.note("\(($0 as! WCError).errorCode)") })
    let thrown = #expect(throws: WCError.self) {
      try world.phoneSession.updateApplicationContext(["a": 1])
    }
    #expect(thrown?.code == .sessionNotActivated)
    world.phoneSession.transferUserInfo(["a": 1])
    world.activatePhone()
    await pair.settle()
    #expect(told.log == ["7004"])
    #expect(world.phone.log == ["activated 2", "finished a=1 7004"])
  }

  /// Rule 6.
  @Test func onlyTheNewestContextAndNoneThatIsTheSame() async throws {
    await world.activate()
    world.pair.watch.goOffline()
    for n in 1...3 { try world.phoneSession.updateApplicationContext(["n": n, "m": 0]) }
    pair.watch.goOnline()
    await pair.settle()
    #expect(world.watch.log.filter { $0.hasPrefix("context") } == ["context m=0,n=3"])
    world.watch.clear()
    try world.phoneSession.updateApplicationContext(["m": 0, "n": 3])
    await pair.settle()
    #expect(world.watch.log.isEmpty)
    #expect(text(world.watchSession.receivedApplicationContext) == "m=0,n=3")
  }

  /// Rule 7.
  @Test func theInboxFileGoesWhenTheDelegateReturns() async throws {
    await world.activate()
    let source = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data("as it was".utf8).write(to: source)
    var seen: (URL, String, [String: Any]?)?
    world.watch.onFile = { file in
      seen = (
        file.fileURL, (try? String(contentsOf: file.fileURL, encoding: .utf8)) ?? "", file.metadata
      )
    }
    let transfer = world.phoneSession.transferFile(source, metadata: ["page": 3])
    try Data("changed since".utf8).write(to: source)
    try FileManager.default.removeItem(at: source)
    #expect(transfer.isTransferring && world.phoneSession.outstandingFileTransfers == [transfer])
    await pair.settle()
    #expect(seen?.1 == "as it was" && text(seen?.2 ?? [:]) == "page=3")
    #expect(seen.map { FileManager.default.fileExists(atPath: $0.0.path) } == false)
    #expect(world.phone.log == ["file sent"] && transfer.progress.fractionCompleted == 1)
    world.phoneSession.transferFile(source, metadata: nil)
    await pair.settle()
    #expect(world.phone.log == ["file sent", "file sent 7013"])
  }

  /// Rule 8.
  @Test func whatTheDelegateHasNotReturnedFromComesAgain() async {
    await world.activate()
    let pair = pair
    world.watch.onUserInfo = { pair.watch.kill() }
    world.phoneSession.transferUserInfo(["a": 1])
    await pair.settle()
    #expect(world.watch.log == ["userInfo a=1"] && world.phone.log.last != "finished a=1")
    world.watch.onUserInfo = nil
    pair.watch.launch()
    world.activateWatch()
    await pair.settle()
    #expect(world.watch.log == ["userInfo a=1", "activated 2", "userInfo a=1"])
    #expect(world.phone.log.contains("finished a=1"))
  }

  /// Rule 9.
  @Test func aTransferLeavesTheListBeforeItsEndIsTold() async {
    await world.activate()
    let session = world.phoneSession
    pair.watch.goOffline()
    let transfer = session.transferUserInfo(["a": 1])
    #expect(session.outstandingUserInfoTransfers.first === transfer && transfer.isTransferring)
    world.phone.onFinish = { ended in
      #expect(ended === transfer && !ended.isTransferring)
      #expect(session.outstandingUserInfoTransfers.isEmpty)
    }
    pair.watch.goOnline()
    await pair.settle()
    #expect(world.phone.log.last == "finished a=1" || world.phone.log.contains("finished a=1"))
    pair.watch.goOffline()
    let other = session.transferUserInfo(["b": 1])
    other.cancel()
    #expect(session.outstandingUserInfoTransfers.isEmpty)
  }

  /// Rule 9: an app that was started since is told of what it had sent before.
  @Test func aTransferOutlivesItsApp() async throws {
    await world.activate()
    pair.watch.goOffline()
    world.phoneSession.transferUserInfo(["a": 1])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data("x".utf8).write(to: file)
    world.phoneSession.transferFile(file, metadata: nil)
    await pair.settle()
    pair.phone.kill()
    world.phone.clear()
    pair.phone.launch()
    world.activatePhone()
    await pair.settle()
    let session = world.phoneSession
    #expect(session.outstandingUserInfoTransfers.map { text($0.userInfo) } == ["a=1"])
    #expect(session.outstandingFileTransfers.map(\.file.fileURL) == [file])
    #expect(session.outstandingUserInfoTransfers[0] === session.outstandingUserInfoTransfers[0])
    pair.watch.goOnline()
    await pair.settle()
    #expect(
      world.phone.log.filter { !$0.hasPrefix("reach") }.sorted() == [
        "activated 2", "file sent", "finished a=1",
      ])
  }

  /// Rule 10.
  @Test func theComplicationHasABudgetOfADay() async {
    await world.activate()
    let session = world.phoneSession
    pair.watch.goOffline()
    session.transferUserInfo(["old": 1])
    session.transferCurrentComplicationUserInfo(["c": 1])
    session.transferCurrentComplicationUserInfo(["c": 2])
    #expect(session.remainingComplicationUserInfoTransfers == 48)
    pair.watch.goOnline()
    await pair.settle()
    // The newest has a lane of its own; the one before it has lost its tag, and is a user info.
    let infos = world.watch.log.filter { $0.hasPrefix("userInfo") }
    #expect(infos.filter { $0 != "userInfo c=2" } == ["userInfo old=1", "userInfo c=1"])
    #expect(infos.count == 3)
    for n in 0..<60 { session.transferCurrentComplicationUserInfo(["n": n]) }
    #expect(session.remainingComplicationUserInfoTransfers == 0)
    pair.advance(seconds: 86_400)
    session.transferCurrentComplicationUserInfo(["next": 1])
    #expect(session.remainingComplicationUserInfoTransfers == 49)
    await pair.settle()
    #expect(pair.allDelivered())
  }

  /// Rule 11.
  @Test func reachabilityIsNotSymmetric() async {
    await world.activate()
    pair.phone.enter(.suspended)
    await pair.settle()
    #expect(world.watchSession.isReachable, "a message launches the phone's app")
    pair.phone.enter(.foreground)
    pair.watch.enter(.background)
    await pair.settle()
    #expect(!world.phoneSession.isReachable && !world.watchSession.isReachable)
    #expect(world.phone.log == ["reachable false"])
  }

  /// Rule 11.
  @Test func anotherWatchIsInactiveDeactivatedActivated() async {
    await world.activate()
    pair.watch.goOffline()
    world.phoneSession.transferUserInfo(["old": 1])
    await pair.settle()
    world.phone.clear()
    let ultra = pair.switchWatch(to: "ultra")
    let other = Recorder()
    ultra.run {
      WCSession.default.delegate = other
      WCSession.default.activate()
    }
    await pair.settle()
    #expect(
      world.phone.log.filter { !$0.hasPrefix("reach") } == [
        "inactive", "deactivated", "activated 2",
      ])
    world.phoneSession.transferUserInfo(["new": 1])
    await pair.settle()
    #expect(other.log.filter { $0.hasPrefix("userInfo") } == ["userInfo new=1"])
    #expect(world.watch.log.allSatisfy { !$0.hasPrefix("userInfo") })
    pair.switchWatch(to: "watch")
    pair.watch.goOnline()
    await pair.settle()
    #expect(world.watch.log.filter { $0.hasPrefix("userInfo") } == ["userInfo old=1"])
    #expect(pair.allDelivered(), "\(pair.lossReport())")
  }

  /// The watch hears that the app on its phone has come or gone, each time once.
  @Test func theCompanionAppComesAndGoes() async throws {
    await world.activate()
    for isThere in [false, true] {
      pair.phone.set(.isCompanionAppInstalled, isThere)
      #expect(world.watchSession.isCompanionAppInstalled == !isThere, "not before it is told")
      await pair.settle()
      #expect(world.watchSession.isCompanionAppInstalled == isThere)
    }
    pair.phone.set(.isCompanionAppInstalled, true)
    await pair.settle()
    #expect(
      world.watch.log.filter { $0.hasPrefix("companion") } == [
        "companion app false", "companion app true",
      ])
    #expect(world.phone.log.allSatisfy { !$0.hasPrefix("companion") })
  }

  @Test func whatTheSystemKnowsIsCheckedAndTold() async throws {
    await world.activate()
    pair.watch.set(.isWatchAppInstalled, false)
    await pair.settle()
    #expect(!world.phoneSession.isWatchAppInstalled && !world.phoneSession.isReachable)
    let thrown = #expect(throws: WCError.self) {
      try world.phoneSession.updateApplicationContext(["a": 1])
    }
    #expect(thrown?.code == .watchAppNotInstalled)
    pair.watch.set(.isWatchAppInstalled, true)
    pair.phone.set(.isLocked, true)
    await pair.settle()
    #expect(!world.watchSession.isReachable)
    #expect(world.watchSession.iOSDeviceNeedsUnlockAfterRebootForReachability)
  }

  /// Rule 11.
  @Test func contentIsPendingUntilItIsDrained() async {
    world.activatePhone()
    await pair.settle()
    for n in 0..<3 { world.phoneSession.transferUserInfo(["n": n]) }
    world.activateWatch()
    let session = world.watchSession
    var seen: [Bool] = []
    world.watch.onUserInfo = { seen.append(session.hasContentPending) }
    await pair.settle()
    #expect(seen == [true, true, true])
    #expect(!session.hasContentPending)
  }

  /// Rule 12.
  @Test func whatWakesAnAppIsKeptUntilItActivates() async {
    await world.activate()
    let (phone, watch) = (world.phone, world.watch)
    pair.phone.kill()
    pair.phone.onLaunch {
      phone.note("launched")
      WCSession.default.delegate = phone
    }
    phone.clear()
    pair.phone.kill()
    world.watchSession.sendMessage(["wake": 1], replyHandler: nil)
    await pair.settle()
    #expect(phone.log == ["launched"])
    pair.phone.run { WCSession.default.activate() }
    await pair.settle()
    #expect(phone.log == ["launched", "activated 2", "message wake=1"])
    #expect(watch.log.allSatisfy { !$0.hasPrefix("activated") })
  }

  @Test func aLaunchMakesTheAppsObjectsAnew() async {
    final class App: Sendable {
      let recorder: Recorder
      init(_ recorder: Recorder) {
        self.recorder = recorder
        WCSession.default.delegate = recorder
        WCSession.default.activate()
      }
      deinit { recorder.note("ended") }
    }
    world.activatePhone()
    let watch = world.watch
    pair.watch.onLaunch { App(watch) }
    await pair.settle()
    pair.watch.kill()
    world.phoneSession.transferUserInfo(["a": 1])
    await pair.settle()
    #expect(watch.log == ["activated 2", "ended", "activated 2", "userInfo a=1"])
    #expect(world.phone.log.last == "finished a=1" || world.phone.log.contains("finished a=1"))
  }

  @Test func valuesCanBeObserved() async {
    let session = world.phoneSession
    let told = Recorder()
    let one = session.observe(\.activationState, options: [.new]) { _, change in
      told.note("state \(change.newValue?.rawValue ?? -1)")
    }
    let two = session.observe(\.isReachable) { session, _ in
      told.note("reachable \(session.isReachable)")
    }
    await world.activate()
    #expect(told.log == ["state 2", "reachable true"])
    one.invalidate()
    withExtendedLifetime(two) {}
  }
}

private final class Plain: NSObject, WCSessionDelegate {
  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) {}
}

/// How many are inside at once.
private final class Inside: @unchecked Sendable {
  private let lock = NSLock()
  private var now = 0
  private(set) var most = 0
  private(set) var count = 0
  private(set) var wasMain = false

  func run() {
    lock.withLock {
      now += 1
      count += 1
      most = max(most, now)
      wasMain = wasMain || Thread.isMainThread
    }
    Thread.sleep(forTimeInterval: 0.0005)
    lock.withLock { now -= 1 }
  }
}
