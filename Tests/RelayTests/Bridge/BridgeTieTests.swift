import AppModels
import Merge
import RelaySupport
import Testing

/// A phone and a watch that both know whole records only, with clocks that are ahead of the hub's.
@Suite("Dates of two devices with whole records")
struct BridgeTieTests {
  let hub: HubWorld
  let phone: WholeRecordPeer
  let watch: WholeRecordPeer
  private let id = Identifier(high: 7, low: 7)

  init() throws {
    hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    phone = WholeRecordPeer("phone", .phone, hub.world)
    watch = WholeRecordPeer("watch", .watch, hub.world)
    for peer in [phone, watch] { peer.connect() }
    phone.say(
      try phone.model.create(
        TimerDTO(id: id, name: "Tea", durationInSeconds: 300, createdAt: 0, updatedAt: 0),
        now: phone.now))
    pass(1)
  }

  private func pass(_ seconds: Double) {
    hub.world.pass(seconds: seconds)
    for _ in 0..<4 {
      phone.settle()
      watch.settle()
    }
  }

  /// Both edit while they are away, and come back one after the other.
  ///
  /// - Returns: the timer's names, on the phone and on the watch.
  private func meet(
    ahead: (phone: Double, watch: Double), first: WholeRecordPeer, after seconds: Double
  ) throws -> [String?] {
    let peers = [first, first === phone ? watch : phone]
    for peer in peers { peer.disconnect() }
    (phone.skew, watch.skew) = (ahead.phone, ahead.watch)
    phone.say(try phone.model.update(id, now: phone.now) { $0.name = "Phone" })
    watch.say(
      try watch.model.update(id, now: watch.now) {
        $0.name = "Watch"
        $0.durationInSeconds = 77
      })
    for peer in peers {
      peer.connect()
      pass(seconds)
    }
    for peer in peers {
      #expect(peer.errors.isEmpty)
      #expect(peer.model.timers[id]?.durationInSeconds == 77, "the other's field is kept")
    }
    return [phone, watch].map { $0.model.timers[id]?.name.text }
  }

  @Test(arguments: [(0.0, 1.0), (0, 4000), (30, 1), (3600, 1), (3600, 4000)], [true, false])
  func tiesAreThePhones(_ times: (ahead: Double, after: Double), isPhoneFirst: Bool) throws {
    let names = try meet(
      ahead: (times.ahead, times.ahead), first: isPhoneFirst ? phone : watch, after: times.after)
    #expect(names == ["Phone", "Phone"])
  }

  @Test(arguments: [true, false], [true, false])
  func theLaterOfTwoDatesAheadIsLater(_ isPhoneLater: Bool, isPhoneFirst: Bool) throws {
    let ahead = isPhoneLater ? (3610.0, 3600.0) : (3600, 3610)
    let names = try meet(ahead: ahead, first: isPhoneFirst ? phone : watch, after: 1)
    let later = isPhoneLater ? "Phone" : "Watch"
    #expect(names == [later, later])
  }
}
