import LaneModel
import Testing
import Wire

/// A right session of a phone and a watch raises nothing, and each thing that a wrong server would do is
/// noticed.
@Suite struct LaneClientTests {
  private let checker = DeliveryChecker()
  private let phone: LaneClient
  private let watch: LaneClient

  init() throws {
    checker.isTroubleFree = true
    phone = LaneClient("phone", isPhone: true, checker, store: nil)
    watch = LaneClient("watch", isPhone: false, checker, store: nil)
    try come(phone, #""n":0,"activeWatch":"watch""#)
    try come(watch, #""n":0"#)
  }

  private var found: [String] { checker.violations.map(\.slug) }

  private func come(_ device: LaneClient, _ more: String, tellsReceived: Bool = true) throws {
    device.activate(pair: "demo", tellsReceived: tellsReceived)
    try hear(device, #"{"type":"activationDidComplete","store":"s",\#(more)}"#)
  }

  private func hear(_ device: LaneClient, _ line: String) throws {
    device.received(try Members(line.utf8))
  }

  private func accept(_ ids: Int...) throws {
    for id in ids {
      try hear(phone, #"{"type":"accepted","re":"op\#(id)","transfer":"phone:0.\#(id + 1)"}"#)
    }
  }

  private func finish(_ id: Int, _ more: String = "") throws {
    try hear(
      phone,
      #"{"type":"didFinishUserInfoTransfer","transfer":"phone:0.\#(id + 1)","re":"op\#(id)"\#(more)}"#
    )
  }

  private func delivery(_ id: Int, seq: Int, _ more: String = "") -> String {
    let payload = String(decoding: LaneClient.payload(id), as: UTF8.self)
    return
      #"{"type":"didReceiveUserInfo","from":"phone","payload":\#(payload),"seq":\#(seq)\#(more)}"#
  }

  private func deliver(_ id: Int, seq: Int, _ more: String = "") throws {
    try hear(watch, delivery(id, seq: seq, more))
  }

  private func context(_ value: String, seq: Int) throws {
    try hear(
      watch,
      #"{"type":"didReceiveApplicationContext","from":"phone","payload":{"v":"\#(value)"},"seq":\#(seq)}"#
    )
  }

  /// Two transfers on their way.
  private func send() throws {
    phone.begin(.userInfo)
    phone.begin(.userInfo)
    try accept(0, 1)
  }

  @Test func whatIsRightRaisesNothing() throws {
    try send()
    phone.begin(.complication)
    try accept(2)
    try deliver(0, seq: 1)
    try deliver(1, seq: 2)
    try deliver(2, seq: 1, #","isCurrentComplicationInfo":true"#)
    watch.acknowledge("userInfo", back: 0)
    watch.acknowledge("complication", back: 0)
    for id in 0...2 { try finish(id) }
    phone.setContext("context1")
    phone.setContext("context2")
    try context("context2", seq: 7)
    try come(phone, #""n":3,"activeWatch":"watch""#)
    checker.check()
    #expect(found == [])
  }

  @Test func lost() throws {
    try send()
    try deliver(0, seq: 1)
    watch.acknowledge("userInfo", back: 0)
    try finish(0)
    checker.check()
    #expect(found == ["lost-transfer"])
  }

  @Test func neverFinished() throws {
    try send()
    try deliver(0, seq: 1)
    try deliver(1, seq: 2)
    checker.check()
    #expect(found == ["never-finished", "never-finished"])
  }

  @Test func twice() throws {
    try send()
    try deliver(0, seq: 1)
    try deliver(0, seq: 2)
    #expect(found == ["renumbered", "delivered-twice"])
  }

  @Test func againWithoutSayingSo() throws {
    try send()
    try deliver(0, seq: 1)
    watch.lost(isKnown: true)
    try come(watch, #""n":0"#, tellsReceived: false)
    try deliver(0, seq: 1, #","redelivered":true"#)
    #expect(found == [])
    watch.lost(isKnown: true)
    try come(watch, #""n":0"#, tellsReceived: false)
    try deliver(0, seq: 1)
    #expect(found == ["silent-redelivery"])
  }

  /// What was written to a connection that was lost counts too.
  @Test func againWithoutSayingSoUnread() throws {
    try send()
    watch.missed(try Members(delivery(0, seq: 1).utf8))
    watch.lost(isKnown: true)
    try come(watch, #""n":0"#)
    try deliver(0, seq: 1)
    #expect(found == ["silent-redelivery"])
  }

  @Test func afterItsAcknowledgement() throws {
    try send()
    try deliver(0, seq: 1)
    watch.acknowledge("userInfo", back: 0)
    try finish(0)
    watch.lost(isKnown: true)
    try come(watch, #""n":0"#, tellsReceived: false)
    try deliver(0, seq: 1, #","redelivered":true"#)
    #expect(found == ["acknowledged-again"])
  }

  @Test func afterItsReceiverSaidSo() throws {
    try send()
    try deliver(0, seq: 1)
    watch.lost(isKnown: true)
    try come(watch, #""n":0"#)
    try deliver(0, seq: 1, #","redelivered":true"#)
    #expect(found == ["processed-delivered"])
  }

  @Test func atRest() throws {
    try send()
    checker.isAtRest = true
    try deliver(0, seq: 1)
    #expect(found == ["acknowledged-again"])
  }

  @Test func inAnotherOrder() throws {
    try send()
    try deliver(1, seq: 1)
    try deliver(0, seq: 2)
    #expect(found == ["reordered"])
  }

  @Test func numbersThatFall() throws {
    try send()
    try deliver(0, seq: 5)
    try deliver(1, seq: 2)
    #expect(found == ["number-late", "numbers-fall"])
  }

  @Test func aNumberTwice() throws {
    try send()
    try deliver(0, seq: 1)
    try deliver(1, seq: 1, #","redelivered":true"#)
    #expect(found == ["number-reused", "numbers-fall"])
  }

  @Test func inAnotherLane() throws {
    try send()
    try deliver(0, seq: 1, #","isCurrentComplicationInfo":true"#)
    #expect(found == ["wrong-lane"])
  }

  @Test func complicationsInAnotherOrder() throws {
    phone.begin(.complication)
    phone.begin(.complication)
    try accept(0, 1)
    try deliver(1, seq: 1, #","isCurrentComplicationInfo":true"#)
    try deliver(0, seq: 2, #","isCurrentComplicationInfo":true"#)
    #expect(found == ["reordered"])
  }

  @Test func whatNobodySent() throws {
    try deliver(3, seq: 1)
    #expect(found == ["delivery-invented"])
    try context("context9", seq: 1)
    #expect(found == ["delivery-invented", "context-invented"])
  }

  @Test func alikeAndNotTheSame() throws {
    let payload = #"{"a":1}"#
    for id in 0...1 {
      phone.begin(.userInfo, content: Array(payload.utf8))
      try accept(id)
      try hear(
        watch,
        #"{"type":"didReceiveUserInfo","from":"phone","payload":\#(payload),"seq":\#(id + 1)}"#)
    }
    #expect(found == [] && checker.transfers.allSatisfy { $0.deliveries == 1 })
    try hear(
      watch, #"{"type":"didReceiveUserInfo","from":"phone","payload":\#(payload),"seq":3}"#)
    #expect(found == ["delivery-invented"])
  }

  @Test func ends() throws {
    try send()
    try finish(0)
    #expect(found == ["finished-undelivered"])
    try deliver(1, seq: 1)
    try finish(1)
    #expect(found == ["finished-undelivered", "finished-unacknowledged"])
    try finish(1, #","error":{"code":7014}"#)
    #expect(found.suffix(2) == ["two-outcomes", "failed-for-nothing"])
  }

  @Test func aNumberIsForgotten() throws {
    try send()
    try come(phone, #""n":2"#)
    #expect(found == [])
    try come(phone, #""n":1"#)
    #expect(found == ["number-forgotten"])
  }

  @Test func aNumberIsInvented() throws {
    try send()
    try come(phone, #""n":3"#)
    #expect(found == ["number-forgotten"])
  }

  @Test func anotherStore() throws {
    phone.activate(pair: "demo", tellsReceived: true)
    try hear(phone, #"{"type":"activationDidComplete","store":"t","n":0}"#)
    #expect(found == ["other-store"])
  }

  @Test func cancelledAndDelivered() throws {
    try send()
    phone.cancel("phone:0.1")
    try hear(phone, #"{"type":"accepted","re":"cancel0"}"#)
    try deliver(0, seq: 1)
    #expect(found == ["cancelled-delivered"])
  }

  /// Handed out on a connection that was lost.
  @Test func handedOutAndCancelled() throws {
    try send()
    phone.cancel("phone:0.1")
    watch.missed(try Members(delivery(0, seq: 1).utf8))
    try hear(phone, #"{"type":"accepted","re":"cancel0"}"#)
    #expect(found == ["cancelled-delivered"])
  }

  @Test func cancellingIsRefused() throws {
    try send()
    phone.cancel("phone:0.1")
    try hear(phone, #"{"type":"error","re":"cancel0","code":4006,"definite":true}"#)
    #expect(found == ["cancel-answer"])
    try deliver(1, seq: 1)
    phone.cancel("phone:0.2")
    try hear(phone, #"{"type":"error","re":"cancel1","code":4009,"definite":true}"#)
    #expect(found == ["cancel-answer"])
  }

  @Test func requestsAreRefused() throws {
    phone.begin(.userInfo)
    try hear(phone, #"{"type":"error","re":"op0","code":4004,"definite":true}"#)
    #expect(found == ["refused"])
    try hear(phone, #"{"type":"error","code":4004,"definite":true}"#)
    #expect(found.last == "unasked-error")
    try hear(phone, #"{"type":"error","re":"activate","code":4010,"definite":true}"#)
    #expect(found.contains("activation-refused"))
  }

  @Test func refusedAndDelivered() throws {
    checker.isTroubleFree = false
    phone.begin(.userInfo, isNumbered: false)
    try hear(phone, #"{"type":"error","re":"op0","code":4008,"definite":true}"#)
    #expect(found == [])
    try deliver(0, seq: 1)
    #expect(found == ["refused-delivered"])
  }

  @Test func anOlderContext() throws {
    phone.setContext("context1")
    phone.setContext("context2")
    try context("context2", seq: 1)
    try context("context1", seq: 2)
    #expect(found == ["older-context"])
  }

  /// A file whose digest was announced wrongly fails, and another one does not.
  @Test func aWrongDigest() throws {
    let failed = #","error":{"code":7014}"#
    phone.begin(.file, hasWrongDigest: true)
    try accept(0)
    try finish(0, failed)
    checker.check()
    #expect(found == [])
    phone.begin(.file)
    try accept(1)
    try finish(1, failed)
    #expect(found == ["failed-for-nothing"])
  }

  @Test func filesInAnotherOrder() throws {
    for id in 0...1 {
      phone.begin(.file)
      try accept(id)
    }
    for (seq, id) in [1, 0].enumerated() {
      let metadata = String(decoding: LaneClient.payload(id), as: UTF8.self)
      let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      try hear(
        watch,
        #"{"type":"didReceiveFile","from":"phone","transfer":"phone:0.\#(id + 1)","name":"op\#(id)","#
          + #""size":0,"sha256":"\#(hash)","metadata":\#(metadata)}"#)
      try hear(
        watch,
        #"{"type":"fileChunk","transfer":"phone:0.\#(id + 1)","offset":0,"data":"","last":true,"#
          + #""seq":\#(seq + 1)}"#)
    }
    #expect(found == ["files-reordered"])
  }
}
