import Testing
import WatchConnectivity
import WatchlineDevices

/// What `watchline fuzz` carries between the devices of an app.
@Suite struct CarriedTests {
  let merge = MergeLink()
  let phone: LinkDevice
  let watch: LinkDevice
  let delegates = (phone: Recorder(), watch: Recorder())

  init() async {
    phone = merge.add("phone", isPhone: true)
    watch = merge.add("watch", isPhone: false)
    for (device, delegate) in [(phone, delegates.phone), (watch, delegates.watch)] {
      device.run {
        WCSession.default.delegate = delegate
        WCSession.default.activate()
      }
    }
    await merge.settle()
    for delegate in [delegates.phone, delegates.watch] { delegate.clear() }
  }

  /// Brings to a device what the other one has sent.
  private func carry(from: LinkDevice, to: LinkDevice) async {
    for parcel in merge.takeSent(by: from.name) {
      merge.receive(
        Array("{\"body\":".utf8) + parcel.body + Array("}".utf8), on: to.name, from: from.name)
    }
    await merge.settle()
  }

  @Test func lanesAndReplies() async throws {
    delegates.watch.reply = ["answer": 42]
    let reply = Recorder()
    try phone.run {
      WCSession.default.transferUserInfo(["n": 1])
      try WCSession.default.updateApplicationContext(["theme": "dark"])
      try WCSession.default.updateApplicationContext(["theme": "dark"])
      WCSession.default.sendMessage(
        ["q": 1], replyHandler: { reply.note("answer \($0["answer"] ?? "")") })
    }
    await carry(from: phone, to: watch)
    #expect(delegates.watch.log == ["userInfo n=1", "context theme=dark", "question q=1"])
    #expect(delegates.phone.log == ["finished n=1"])
    await carry(from: watch, to: phone)
    #expect(reply.log == ["answer 42"])
  }

  @Test func aMessageThatDoesNotArriveFails() async {
    let reply = Recorder()
    phone.run {
      WCSession.default.sendMessage(
        ["q": 1], replyHandler: { _ in reply.note("reply") },
        errorHandler: { reply.note("\(($0 as? WCError)?.code.rawValue ?? 0)") })
    }
    for parcel in merge.takeSent(by: "phone") {
      merge.undelivered(Array("{\"body\":".utf8) + parcel.body + Array("}".utf8), of: "phone")
    }
    await merge.settle()
    #expect(reply.log == ["7007"])
  }

  @Test func reachabilityIsTold() async {
    merge.setReachable(true, "watch", of: "phone")
    await merge.settle()
    #expect(delegates.phone.log == ["reachable true"])
    #expect(phone.run { WCSession.default.isReachable })
  }
}
