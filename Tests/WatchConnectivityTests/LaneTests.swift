import Testing
import WatchConnectivity
import WatchlineTesting

/// A phone and a watch, each with a delegate that notes what it is told.
struct Recorded {
  /// Whether the pairs are in this process, and not a server's (`ci/test --served`).
  static let isInProcess = ProcessInfo.processInfo.environment["WATCHLINE_SERVER"] == nil

  let pair = WatchPair()
  let phone = Recorder()
  let watch = Recorder()

  /// Activates both and forgets what they were told of that.
  func activate() async {
    activatePhone()
    activateWatch()
    await pair.settle()
    phone.clear()
    watch.clear()
  }

  func activatePhone() {
    pair.phone.run {
      WCSession.default.delegate = phone
      WCSession.default.activate()
    }
  }

  func activateWatch() {
    pair.watch.run {
      WCSession.default.delegate = watch
      WCSession.default.activate()
    }
  }

  /// The watch's connection is gone, and the phone has heard of it: a server notices that in its own time.
  func loseWatch() async {
    await phoneHears(reachable: true)
    pair.watch.goOffline()
    await phoneHears(reachable: false)
  }

  private func phoneHears(reachable: Bool) async {
    let session = phoneSession
    await eventually {
      await pair.settle()
      return session.isReachable == reachable
    }
  }

  var phoneSession: WCSession { pair.phone.run { WCSession.default } }
  var watchSession: WCSession { pair.watch.run { WCSession.default } }
}

@Suite struct LaneTests {
  let world = Recorded()

  @Test func everyLaneArrives() async throws {
    await world.activate()
    world.watch.reply = ["answer": 42]
    let reply = Recorder()
    try world.pair.phone.run {
      let session = WCSession.default
      session.sendMessage(["hello": "you"], replyHandler: nil)
      session.sendMessage(["ready": "?"], replyHandler: { reply.note(text($0)) })
      try session.updateApplicationContext(["theme": "dark"])
      session.transferUserInfo(["steps": 412])
    }
    #expect(world.watch.log.isEmpty, "nothing comes before the call has returned")
    await world.pair.settle()
    #expect(
      world.watch.log == [
        "message hello=you", "question ready=?", "context theme=dark", "userInfo steps=412",
      ])
    #expect(reply.log == ["answer=42"])
    #expect(world.phone.log == ["finished steps=412"])
    #expect(world.pair.allDelivered(), "\(world.pair.lossReport())")
  }

  @Test func theWatchSendsToo() async throws {
    await world.activate()
    try world.pair.watch.run {
      try WCSession.default.updateApplicationContext(["page": 1])
      WCSession.default.transferUserInfo(["lap": 2])
      WCSession.default.sendMessage(["tap": 1], replyHandler: nil)
    }
    await world.pair.settle()
    #expect(world.phone.log.sorted() == ["context page=1", "message tap=1", "userInfo lap=2"])
    #expect(text(world.watchSession.applicationContext) == "page=1")
    #expect(text(world.phoneSession.receivedApplicationContext) == "page=1")
  }

  @Test func whatIsSentOfflineComesLater() async throws {
    await world.activate()
    world.pair.watch.goOffline()
    await world.pair.settle()
    #expect(world.watch.log == ["reachable false"] && world.phone.log == ["reachable false"])
    try world.pair.watch.run {
      for number in 1...3 { WCSession.default.transferUserInfo(["n": number]) }
      try WCSession.default.updateApplicationContext(["old": 1])
      try WCSession.default.updateApplicationContext(["new": 1])
    }
    world.pair.phone.run { _ = WCSession.default.transferUserInfo(["from": "phone"]) }
    await world.pair.settle()
    #expect(world.watchSession.outstandingUserInfoTransfers.count == 3)
    #expect(!world.pair.allDelivered())
    world.pair.watch.goOnline()
    await world.pair.settle()
    #expect(
      world.phone.log == [
        "reachable false", "context new=1", "userInfo n=1", "userInfo n=2", "userInfo n=3",
        "reachable true", "finished from=phone",
      ]
        || world.phone.log.sorted() == [
          "context new=1", "finished from=phone", "reachable false", "reachable true",
          "userInfo n=1", "userInfo n=2", "userInfo n=3",
        ])
    #expect(world.watchSession.outstandingUserInfoTransfers.isEmpty)
    #expect(world.pair.allDelivered(), "\(world.pair.lossReport())")
  }

  /// What app code uses, and Foundation on Linux lacks.
  @Test func gapsAreFilled() {
    let queues: Set = [DispatchQueue.main, DispatchQueue.main, DispatchQueue.global()]
    #expect(queues.count == 2)
    #expect(String(localized: "steps", defaultValue: "\(3) steps") == "3 steps")
    #expect(String(localized: "Hello") == "Hello")
  }

  /// Both lists are public, in modules that do not know each other.
  @Test func failuresAreWCErrorsCodes() {
    for failure in WatchPair.Failure.allCases {
      #expect(WCError.Code(rawValue: failure.rawValue).map { "\($0)" } == "\(failure)")
    }
    #expect(WatchPair.Failure.allCases.count == 19)
  }

  @Test(.enabled(if: Recorded.isInProcess, "a server is restarted by whoever started it"))
  func aRestartLosesNothing() async {
    await world.activate()
    world.pair.watch.goOffline()
    world.pair.phone.run { for n in 1...5 { WCSession.default.transferUserInfo(["n": n]) } }
    world.pair.restart()
    world.pair.watch.goOnline()
    await world.pair.settle()
    #expect(world.watch.log.filter { $0.hasPrefix("userInfo") }.count == 5)
    #expect(world.phone.log.filter { $0.hasPrefix("finished") }.count == 5)
  }

  @Test func twentyPairsAtOnce() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask {
          let world = Recorded()
          await world.activate()
          for n in 0..<50 { world.phoneSession.transferUserInfo(["pair": number, "n": n]) }
          await world.pair.settle()
          return world.watch.log == (0..<50).map { "userInfo n=\($0),pair=\(number)" }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  /// What is refused uses up no number, and those behind it, which are on their way, are sent again in their order.
  @Test(arguments: [1, 3]) func aRefusalInTheMiddleLosesNothing(refused: Int) async {
    await world.activate()
    let session = world.phoneSession
    for n in 0..<6 {
      let filling = n == refused || n == 4 ? String(repeating: "x", count: 70_000) : ""
      session.transferUserInfo(["n": n, "f": filling])
    }
    await world.pair.settle()
    let came = world.watch.log.compactMap { $0.split(separator: "n=").last.map(String.init) }
    #expect(came == (0..<6).filter { $0 != refused && $0 != 4 }.map(String.init))
    let failed = world.phone.log.filter { $0.contains("7009") }
    #expect(failed.count == 2, "\(world.phone.log.map { $0.prefix(40) })")
    #expect(session.outstandingUserInfoTransfers.isEmpty)
  }

  /// A transfer can be cancelled as soon as the call has returned.
  @Test func cancelledAtOnce() async {
    await world.activate()
    await world.loseWatch()
    let session = world.phoneSession
    let transfers = (0..<3).map { session.transferUserInfo(["n": $0]) }
    transfers[1].cancel()
    #expect(session.outstandingUserInfoTransfers == [transfers[0], transfers[2]])
    world.pair.watch.goOnline()
    await world.pair.settle()
    #expect(
      world.watch.log.filter { $0.hasPrefix("userInfo") } == ["userInfo n=0", "userInfo n=2"])
  }
}
