import Testing
import Wire

@testable import Merge

/// A replica as a store keeps it: a snapshot, and the log behind the snapshot's base. What the log has, the snapshot leaves
/// out; rows of before have all of it.
@Suite struct StoredReplicaTests {
  private let replica: Replica
  private let log: [StoredEntry]

  /// What two devices wrote, of which the first five entries are collected. Behind that are a text that is cut and goes on,
  /// writes that have not seen one another, a delete that has lost, a place, and what found no place.
  init() throws {
    var hub = Hub()
    let (timer, todo) = (Hub.timer, Hub.todo)
    func push(
      _ seq: UInt64, by replica: ReplicaID, at: Int64, seen: VersionVector, _ actions: Action...
    ) throws {
      let context = Context(own: seq - 1, others: Context(seen, of: replica).others)
      try hub.push(
        [hub.item(seq, actions, by: replica, at: at, context: context)], from: replica)
    }
    let (phone, watch) = (Hub.phone, Hub.watch)
    try push(
      1, by: phone, at: 1, seen: .init(), Hub.create(), Hub.name("Tea"), Hub.place(),
      Hub.type("abcdef"))
    try push(2, by: phone, at: 2, seen: .init(), Hub.type("gone"))
    try push(
      3, by: phone, at: 3, seen: .init(), Hub.erase(ElementRun(Hub.element(2, 0), count: 4)))
    try push(1, by: watch, at: 4, seen: hub.replica.vector, Hub.name("Milk"))
    try push(4, by: phone, at: 5, seen: hub.replica.vector, Hub.name("Water"))
    let seen = hub.replica.vector
    hub.replica.purge(Replica.Purge(frontier: seen, horizon: 0))
    hub.replica.forgetLog(through: 5)
    try push(
      5, by: phone, at: 6, seen: seen, Hub.create(todo, home: timer),
      Hub.erase(ElementRun(Hub.element(1, 2), count: 2)))
    try push(
      6, by: phone, at: 7, seen: seen, Hub.name("Cocoa"),
      Hub.type("xy", at: Anchor(Hub.element(1, 4), .right)), Hub.place())
    try push(
      7, by: phone, at: 8, seen: seen,
      Hub.erase(
        ElementRun(Hub.element(6, 0), count: 1), ElementRun(Hub.element(1, 6), count: 1)))
    try push(2, by: watch, at: 6, seen: seen, Action(timer, .delete))
    try push(3, by: watch, at: 7, seen: seen, Hub.name("Late"))
    replica = hub.replica
    log = hub.replica.log.map(StoredEntry.init)
  }

  private func read(besideLog: Bool, _ log: [StoredEntry]) throws(WireError) -> Replica {
    try ReplicaReader(
      pieces: replica.snapshot(besideLog: besideLog), position: replica.position,
      log: [(replica.base, log)], from: (replica.base, replica.baseVector)
    ).all()
  }

  @Test(arguments: [true, false]) func comesBack(besideLog: Bool) throws {
    let back = try read(besideLog: besideLog, log)
    #expect(back.snapshot() == replica.snapshot())
    #expect(back.fold.feed() == replica.fold.feed() && !back.fold.feed().isEmpty)
    #expect(back.log.map { $0.operation?.bytes } == replica.log.map { $0.operation?.bytes })
    #expect(back.position == replica.position && back.base == replica.base)
    for position in replica.base...replica.position {
      #expect(back.vector(at: position) == replica.vector(at: position))
    }
  }

  @Test func leavesOutWhatTheLogHas() {
    func size(_ pieces: [[UInt8]]) -> Int { pieces.reduce(0) { $0 + $1.count } }
    let text = replica.snapshot(besideLog: true).map { String(decoding: $0, as: UTF8.self) }
      .joined()
    #expect(!text.contains("Cocoa") && !text.contains("Late") && text.contains("Water"), "\(text)")
    #expect(size(replica.snapshot(besideLog: true)) < size(replica.snapshot()) - 500)
  }

  /// Where the log is not the one that the snapshot was written beside, nobody starts from the two.
  @Test func refusesAnotherLog() throws {
    for lacking in log.indices.dropFirst() {
      var log = log
      log.remove(at: lacking)
      #expect(throws: WireError.self) { try read(besideLog: true, log) }
    }
    #expect(throws: WireError.self) { try read(besideLog: true, []) }
  }
}
