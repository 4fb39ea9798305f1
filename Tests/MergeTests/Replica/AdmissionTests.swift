import Merge
import Testing
import Wire

/// What a push must be; whatever is refused has changed nothing.
@Suite struct AdmissionTests {
  @Test func aBatchIsTakenWhole() throws {
    var hub = Hub()
    let batch = [hub.item(1, [Hub.create(), Hub.name()]), hub.item(2, [Hub.type("ab")])]
    let admission = try hub.push(batch)
    #expect(admission.operations.map(\.operation.dot.seq) == [1, 2])
    #expect(admission.repeated == 0)
    #expect(hub.replica.chain(Hub.phone).seq == 2)
    let good = hub.item(3, [Hub.name("Mate")])
    let bad = hub.item(4, [Hub.name(.bool(true))])
    #expect(hub.refusal([good, bad])?.code == .invalidField)
    #expect(hub.replica.chain(Hub.phone).seq == 2)
    try hub.push([good])
    try hub.push([])
  }

  /// What comes by one line lies in one piece of memory, in which is nothing that is not kept: whoever repeats a megabyte
  /// with each new operation, or sends blanks, has the hub keep what is new.
  @Test func nothingElseIsKept() throws {
    var hub = Hub()
    let items = [hub.item(1, [Hub.create(), Hub.name()]), hub.item(2, [Hub.type("ab")])]
    let texts = items.map { String(decoding: $0.canonical, as: UTF8.self) }
    let blanks = String(repeating: " ", count: 100_000)
    func list(_ elements: [String]) throws -> [OperationText] {
      let line = Array("{\"ops\":[\(elements.joined(separator: ",\(blanks)"))\(blanks)]}".utf8)
      return try line.withUnsafeBytes { bytes in
        var envelope = Envelope()
        try envelope.scan(bytes)
        return try OperationText.list(try #require(envelope[.ops]), bytes, deepest: 20)
      }
    }
    let read = try list(texts)
    #expect(read.map { Array($0.bytes) } == items.map(\.canonical))
    #expect(read[1].bytes.startIndex == texts[0].utf8.count)
    try hub.push(texts: [read[0]])
    try hub.push(texts: read)
    let kept = try #require(hub.replica.written(Dot(Hub.phone, 2))?.bytes)
    #expect(kept.startIndex == 0 && kept.count == texts[1].utf8.count)
  }

  @Test func sequenceNumbersAreContiguous() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()])])
    let second = hub.item(2, [Hub.name()])
    let third = hub.item(3, [Hub.name()])
    let error = hub.refusal([third])
    #expect(error?.code == .sequenceGap)
    #expect(error?.message.contains("push from 2 on") == true)
    #expect(hub.refusal([second, second])?.code == .sequenceGap)
    #expect(hub.refusal([third, second])?.code == .sequenceGap)
    try hub.push([second, third])
  }

  @Test func repeatsAreAcceptedAndForksAreNot() throws {
    var hub = Hub()
    let first = hub.item(1, [Hub.create(), Hub.name()])
    let second = hub.item(2, [Hub.name("Mate")])
    try hub.push([first, second])
    let third = hub.item(3, [Hub.name("Chai")])
    let again = try hub.push([first, second, third])
    #expect(again.repeated == 2)
    #expect(again.operations.map(\.operation.dot.seq) == [3])
    #expect(try hub.push([second]).repeated == 1)
    var other = Hub()
    _ = other.item(1, [Hub.create(), Hub.name()])
    let fork = other.item(2, [Hub.name("Other")])
    #expect(hub.refusal([first, fork, third])?.code == .replicaRetired)
    #expect(hub.refusal([other.item(3, [Hub.name("Chai")], at: 4)])?.code == .replicaRetired)
  }

  @Test func theReplicaAndTheRankAreTheSessions() throws {
    var hub = Hub()
    let item = hub.item(1, [Hub.create()])
    #expect(hub.refusal([item], from: Hub.watch)?.message.contains("has opened") == true)
    #expect(hub.refusal([item], rank: 1)?.message.contains("has rank 2") == true)
    try hub.push([item])
  }

  @Test func stampsRise() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()], at: 10)])
    let equal = hub.item(2, [Hub.name()], at: 10)
    #expect(hub.refusal([equal])?.message.contains("must be above") == true)
    let second = hub.item(2, [Hub.name()], at: 11)
    let third = hub.item(3, [Hub.name()], at: 11)
    #expect(hub.refusal([second, third])?.code == .invalidField)
    try hub.push([second])
  }

  @Test func aStampIsAboveWhatWasSeen() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()], at: 100)])
    let seen = Context(own: 0, others: VersionVector([.init(Hub.phone, 1)]))
    let early = hub.item(1, [Hub.name()], by: Hub.watch, at: 50, context: seen)
    #expect(hub.refusal([early], from: Hub.watch)?.message.contains("all that it has seen") == true)
    let blind = hub.item(1, [Hub.name()], by: Hub.watch, at: 50, context: Context(own: 0))
    try hub.push([blind], from: Hub.watch)
  }

  @Test func contextsNameWhatIsHere() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()])])
    for others in [
      VersionVector([.init(Hub.watch, 1)]),
      VersionVector([.init(ReplicaID(device: Identifier(high: 0, low: 0), incarnation: 0), 3)]),
    ] {
      let item = hub.item(2, [Hub.name()], context: Context(own: 1, others: others))
      #expect(hub.refusal([item])?.message.contains("are not here") == true)
    }
  }

  @Test func contextsAreClosed() throws {
    var hub = Hub()
    let tablet = ReplicaID(device: Identifier(high: 3, low: 3), incarnation: 1)
    try hub.push([hub.item(1, [Hub.create()])])
    let saw = Context(own: 0, others: VersionVector([.init(Hub.phone, 1)]))
    try hub.push([hub.item(1, [Hub.name()], by: Hub.watch, at: 10, context: saw)], from: Hub.watch)
    // What the watch had seen is not in it.
    let gap = Context(own: 0, others: VersionVector([.init(Hub.watch, 1)]))
    let item = hub.item(1, [Hub.name("x")], by: tablet, at: 20, context: gap)
    #expect(hub.refusal([item], from: tablet)?.message.contains("lacks operations") == true)
    // Nor may an own operation in it have seen more, here or in the batch.
    let both = VersionVector([.init(Hub.watch, 1), .init(Hub.phone, 1)])
    let first = hub.item(
      1, [Hub.name("y")], by: tablet, at: 21, context: Context(own: 0, others: both))
    let second = hub.item(2, [Hub.name("z")], by: tablet, at: 22, context: Context(own: 1))
    #expect(hub.refusal([first, second], from: tablet)?.message.contains("lacks") == true)
    try hub.push([first], from: tablet)
    #expect(hub.refusal([second], from: tablet)?.message.contains("lacks") == true)
    // An old form is a set that was held once.
    try hub.push(
      [hub.item(2, [Hub.name("z")], by: tablet, at: 22, context: Context(own: 0))], from: tablet)
  }

  @Test(
    arguments: [
      (60_000, true), (60_001, false), (-213_000_000_000, false), (-212_163_200_000, true),
      (-212_163_200_001, false),
    ] as [(Int64, Bool)])
  func stampsNearTheClock(_ ms: Int64, _ isFine: Bool) {
    var hub = Hub()
    let before = hub.state
    let batch = [hub.item(1, [Hub.create()], at: ms)]
    do throws(PushRefusal) {
      try hub.push(batch)
      #expect(isFine)
    } catch {
      #expect(!isFine)
      guard case .retime(let ahead) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(ahead == Hub.stamp(Hub.phone, ms))
      #expect(hub.state == before)
    }
  }

  @Test func retimeTellsTheFirstAndErrorsComeFirst() {
    var hub = Hub()
    let batch = [
      hub.item(1, [Hub.create()], at: 1), hub.item(2, [Hub.name()], at: 70_000),
      hub.item(3, [Hub.name()], at: 80_000),
    ]
    let before = hub.state
    do throws(PushRefusal) {
      try hub.push(batch)
      Issue.record("taken")
    } catch {
      guard case .retime(let ahead) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(ahead.ms == Hub.now + 70_000)
    }
    #expect(hub.state == before)
    #expect(hub.refusal(batch + [hub.item(5, [Hub.name()], at: 90_000)])?.code == .sequenceGap)
  }
}
