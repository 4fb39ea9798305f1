import Foundation
import Testing
import WatchConnectivity
import WatchlineTesting

/// What a test does to a pair, and what the pair says became of everything.
@Suite struct FaultTests {
  let world = Recorded()
  var pair: WatchPair { world.pair }

  @Test func faultsAreWhatTheySay() async throws {
    await world.activate()
    let told = Recorder()
    pair.drop(next: .message)
    world.phoneSession.sendMessage(
      ["lost": 1], replyHandler: { _ in }, errorHandler: { told.note("\(($0 as! WCError).code)") })
    await pair.settle()
    pair.advance(seconds: 301)
    await pair.settle()
    #expect(world.watch.log.isEmpty && told.log == ["messageReplyTimedOut"])
    pair.drop(next: .message)
    world.phoneSession.sendMessage(["gone": 1], replyHandler: nil)
    await pair.settle()
    #expect(world.watch.log.isEmpty && !pair.allDelivered())
    #expect(pair.lossReport().contains("{\"gone\":1} was lost on its way"), "\(pair.lossReport())")
    pair.drop(next: .message)
    world.phoneSession.sendMessageData(Data([1, 2]), replyHandler: nil)
    world.phoneSession.sendMessage(["later": 1], replyHandler: nil)
    await pair.settle()
    #expect(world.watch.log == ["message later=1"])
    #expect(pair.lossReport().contains("\"AQI=\" was lost on its way"), "\(pair.lossReport())")
    world.watch.clear()
    pair.failNext(.payloadTooLarge)
    world.phoneSession.transferUserInfo(["a": 1])
    await pair.settle()
    #expect(world.phone.log == ["finished a=1 7009"])
    #expect(!pair.allDelivered() && pair.lossReport().contains("failed with 7009"))
    pair.duplicate(1)
    world.phoneSession.transferUserInfo(["b": 1])
    await pair.settle()
    #expect(world.watch.log == ["userInfo b=1", "userInfo b=1"])
    pair.phone.reportedReachability = false
    #expect(!world.phoneSession.isReachable)
  }

  /// What is refused before it is sent is no less lost.
  @Test func whatCannotBeSentIsReported() async throws {
    world.phoneSession.transferUserInfo(["early": 1])
    #expect(!pair.allDelivered() && pair.lossReport().contains(#"{"early":1} failed with 7004"#))
    let other = Recorded()
    await other.activate()
    other.phoneSession.transferUserInfo(["a": NSNull()])
    other.phoneSession.sendMessage(["a": NSNull()], replyHandler: nil)
    other.phoneSession.transferFile(URL(fileURLWithPath: "/nowhere/at all.txt"), metadata: nil)
    await other.pair.settle()
    let report = other.pair.lossReport()
    #expect(!other.pair.allDelivered(), "\(report)")
    for line in [
      "user info {…} failed with 7010", "message {…} failed with 7010",
      "file at all.txt failed with 7013",
    ] {
      #expect(report.contains(line), "\(report)")
    }
  }
}
