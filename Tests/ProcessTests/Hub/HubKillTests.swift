import Seeded
import AppModels
import Device
import Foundation
import Merge
import SyncSupport
import Testing

extension ProcessTests {
  /// kill -9 at any moment, while two devices push and a person edits: what was told is there
  /// afterwards, in the same order for everybody.
  ///
  /// `WATCHLINE_KILL_ROUNDS` and `WATCHLINE_KILL_SEED` as for the lanes' test.
  @Suite struct HubKillTests {
    @Test func survivesKill() throws {
      let rounds = Int(setting("WATCHLINE_KILL_ROUNDS") ?? 10)
      let seed = killSeed()
      print("kill -9 of the hub: \(rounds) rounds, WATCHLINE_KILL_SEED=\(seed)")
      var random = SplitMix64(seed: seed)
      let scene = try SyncScene([])
      let writers = [
        try SyncWriter(try scene.peer("phone")), try SyncWriter(try scene.peer("watch")),
      ]
      let typist = Typist()
      let history = History()
      for round in 1...rounds {
        if round > 1 { try scene.start() }
        try load(scene, writers, typist, &random)
        scene.kill()
        for writer in writers { try writer.peer.readToEnd() }
        try typist.read()
        for writer in writers { writer.peer.leave() }
        typist.leave()
        try scene.start()
        try history.check(scene, writers, typist, "seed \(seed), round \(round)")
        scene.kill()
      }
      try scene.start()
      for writer in writers { try writer.peer.connect(scene.server) }
      try scene.settle()
      try history.check(scene, writers, typist, "seed \(seed), at the end")
      let told = typist.told.count
      print("kill -9 of the hub: \(history.count) operations, \(told) of them typed and told")
      #expect(history.count > 0 && told > 0)
    }

    /// Edits for some tens of milliseconds, counted from the first that was accepted.
    private func load(
      _ scene: SyncScene, _ writers: [SyncWriter], _ typist: Typist,
      _ random: inout SplitMix64
    ) throws {
      for (index, writer) in writers.enumerated() where index == 0 || random.chance(0.8) {
        try writer.peer.connect(scene.server)
      }
      try typist.connect(scene.server)
      let time = Double(random.pick(10...250)) / 1_000
      let accepted = writers.map(\.peer.device.replica.accepted)
      var end: Moment?
      let bound = Moment.after(Moment.patience)
      while end?.isPast != true {
        if end == nil, writers.map(\.peer.device.replica.accepted) != accepted {
          end = .after(time)
        }
        guard !bound.isPast else { throw Failure("nothing was ever accepted") }
        for writer in writers {
          try writer.write(&random)
          try writer.peer.step()
          if random.chance(0.01), writer.peer.client != nil {
            try writer.peer.connect(scene.server)
          }
        }
        try typist.type(&random)
        typist.client!.wait(0.0005)
        try typist.read()
      }
    }
  }
}

/// A device that edits without end.
private final class SyncWriter {
  let peer: SyncPeer
  private var count = 0

  init(_ peer: SyncPeer) throws { self.peer = peer }

  func write(_ random: inout SplitMix64) throws {
    let device = peer.device
    // What is not handed in grows no further.
    guard device.replica.pending.count < 50 else { return }
    device.clock = Int64(Date().timeIntervalSince1970 * 1000)
    count += 1
    let timers = device.records("timer")
    guard timers.count > 2, !random.chance(0.1) else {
      try device.create("timer", "{\"name\":\"\(device.name) \(count)\",\"durationInSeconds\":1}")
      return
    }
    let timer = timers[random.pick(0...timers.count - 1)]
    switch random.pick(0...9) {
    case 0...3: try device.set("timer", timer, "{\"name\":\"\(device.name) \(count)\"}")
    case 4...5:
      let notes = device.value("timer", timer, "notes")?.text?.text ?? ""
      try device.set("timer", timer, "{\"notes\":\"\(notes.suffix(40))\(count) \"}")
    case 6: try device.move("timer", timer, to: random.chance(0.5) ? .first : .last)
    case 7...8:
      try device.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"\(device.name) \(count)\"}")
    default: if timers.count > 20 { try device.delete("timer", timer) }
    }
  }
}

/// A person who types quickly and remembers what was answered.
private final class Typist {
  private(set) var client: LineClient?
  /// Records that the hub said it had made, and where in its log.
  private(set) var told: [(id: String, at: Int)] = []
  private var count = 0

  func connect(_ server: ServerProcess) throws {
    leave()
    client = try server.device("watch", ["device": "person"])
    try client!.type("sync.open schema=todoTimers")
  }

  func leave() {
    client?.close()
    client = nil
  }

  func type(_ random: inout SplitMix64) throws {
    guard random.chance(0.3) else { return }
    count += 1
    try client!.send(
      "sync.edit kind=timer set={\"name\":\"typed \(count)\",\"durationInSeconds\":5}")
  }

  func read() throws {
    while let client, let line = try client.lineNow() {
      if line.type == "error" { throw Failure("\(line)") }
      guard line.type == "sync.edited" else { continue }
      told.append((line.string("id")!, line.integer("at")!))
    }
  }
}

/// The hub's log as it was read after each kill.
private final class History {
  private var dots: [Dot] = []

  var count: Int { dots.count }

  func check(
    _ scene: SyncScene, _ writers: [SyncWriter], _ typist: Typist, _ place: String
  ) throws {
    let observer = SyncPeer("observer")
    try observer.connect(scene.server)
    let probe = try scene.keyboard("probe", role: "watch")
    let digest = try probe.type("sync.digest")
    let at = digest.integer("at")!
    try eventually("the log is read, \(place)") {
      try observer.step()
      return observer.device.replica.position >= UInt64(at)
    }
    guard observer.device.view.digest == digest.string("viewDigest") else {
      throw Failure("the observer shows something else, \(place)")
    }
    let log = observer.device.replica.replica.log.compactMap { $0.operation?.operation.dot }
    guard log.count == at else { throw Failure("\(log.count) of \(at) operations, \(place)") }
    guard log.starts(with: dots) else { throw Failure("another order than before, \(place)") }
    dots = log
    let here = Set(log)
    for writer in writers {
      for (replica, seq) in writer.peer.device.told where seq > 0 {
        guard here.contains(Dot(replica, seq)) else {
          throw Failure("operation \(seq) of \(writer.peer.device.name) was accepted, \(place)")
        }
      }
      // Whatever a device was sent is the hub's, byte for byte.
      for written in writer.peer.device.replica.replica.log.compactMap(\.operation)
      where written.operation.dot.replica != writer.peer.device.replica.id {
        guard here.contains(written.operation.dot) else {
          throw Failure("\(written.operation.dot) was relayed and is gone, \(place)")
        }
      }
    }
    for (id, position) in typist.told {
      let target = Target("timer", Name(id))
      guard observer.device.fold.isCreated(target), position <= at else {
        throw Failure("timer \(id) was told at \(position) of \(at), \(place)")
      }
      let operation = observer.device.replica.replica.log[position - 1].operation?.operation
      guard operation?.actions.first?.target == target else {
        throw Failure("timer \(id) is not at \(position), \(place)")
      }
    }
  }
}
