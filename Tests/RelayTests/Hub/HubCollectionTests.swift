import Device
import Merge
@testable import Relay
import RelaySupport
import SyncSupport
import Testing

/// The hub's log is collected once every device has acknowledged it: who comes later is filled by a
/// snapshot, who was away for too long starts anew, and nobody shows anything else for it.
@Suite struct HubCollectionTests {
  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  private func makeHub(syncLog: Int = 16) throws -> HubWorld {
    var limits = Limits()
    limits.syncLog = syncLog
    return try HubWorld(limits: limits)
  }

  private func frontier(_ hub: HubWorld, _ name: String) throws -> Int {
    try #require(hub.ask("sync.open schema=todoTimers", on: name)["frontier"] as? Int)
  }

  private func edit(_ devices: [SyncDevice], _ count: Int, _ hub: HubWorld) throws {
    for number in 1...count {
      let device = devices[number % devices.count]
      let timers = device.records("timer")
      if timers.count < 4 || number % 5 == 0 {
        try device.create("timer", tea)
      } else if number % 7 == 0 {
        try device.delete("timer", timers[0])
      } else {
        let notes = device.value("timer", timers[1], "notes")!.text!.text
        try device.set("timer", timers[1], "{\"notes\":\"\(number) \(notes.suffix(20))\"}")
      }
      try hub.settle()
    }
  }

  @Test func snapshotForALateDevice() throws {
    let hub = try makeHub()
    let devices = [hub.device("phone", isPhone: true), hub.device("watch")]
    for device in devices { try hub.connect(device) }
    try edit(devices, 60, hub)
    let late = hub.device("late")
    try hub.connect(late)
    #expect(late.snapshots == 1 && late.isDrained, "\(late)")
    try edit(devices + [late], 20, hub)
    try hub.keyboard("key", role: "watch")
    #expect(try frontier(hub, "key") > 0)
    try expectEqualViews(hub, devices + [late], on: "key")
    // The same after the store was read back.
    for isKill in [false, true] {
      let state = try hub.state("key")
      try hub.restart(killing: isKill)
      try hub.keyboard("key", role: "watch")
      #expect(try hub.state("key") == state)
      for device in devices + [late] { try hub.connect(device) }
      try edit(devices + [late], 12, hub)
      try expectEqualViews(hub, devices + [late], on: "key")
    }
    #expect((devices + [late]).allSatisfy { $0.errors.isEmpty })
  }

  /// A snapshot is work for the one whom it is made for.
  @Test func snapshotsCount() throws {
    let hub = try makeHub()
    let devices = [hub.device("phone", isPhone: true), hub.device("watch")]
    for device in devices { try hub.connect(device) }
    try edit(devices, 60, hub)
    let client = hub.world.client("flood")
    hub.world.send("activate pair=p role=watch device=late", on: "flood")
    let open =
      "sync.open schema=todoTimers replica=6F0E3A52-0C55-4F6B-9E0E-4397F4944D46.1\n"
    let earlier = client.connection.lines
    let bytes = Array(String(repeating: open, count: 50).utf8)
    bytes.withUnsafeBytes {
      hub.world.relay.received($0, on: client.connection, now: hub.world.now)
    }
    #expect(hub.world.relay.hasMore && client.connection.lines - earlier < 10)
    hub.world.settle()
    #expect(client.connection.lines - earlier == 50)
  }

  /// One who has not acknowledged holds collection up, and misses nothing.
  @Test func oneThatIsAway() throws {
    let hub = try makeHub()
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    try hub.connect(phone)
    try hub.connect(watch)
    try edit([phone, watch], 8, hub)
    hub.disconnect(watch)
    try edit([phone], 60, hub)
    try hub.keyboard("key", role: "watch")
    #expect(try frontier(hub, "key") <= 8)
    try hub.connect(watch)
    #expect(watch.snapshots == 0 && watch.isDrained)
    try expectEqualViews(hub, [phone, watch], on: "key")
  }

  /// A device that a snapshot had filled is set back, and finds the log collected past its backup:
  /// what it has edited since is issued anew, and what only a snapshot still stands for stays.
  @Test func setBackBehindASnapshot() throws {
    let hub = try makeHub()
    let devices = [hub.device("phone", isPhone: true), hub.device("watch")]
    for device in devices { try hub.connect(device) }
    try edit(devices, 60, hub)
    let late = hub.device("late")
    try hub.connect(late)
    try edit(devices + [late], 12, hub)
    let accepted = late.replica.accepted
    let backup = late.saved
    let lost = try late.create("timer", #"{"name":"after the backup","durationInSeconds":1}"#)
    try edit(devices + [late], 60, hub)
    hub.disconnect(late)
    try late.restore(backup)
    #expect(late.replica.accepted == accepted && accepted > 0)
    let kept = try late.create("timer", #"{"name":"since","durationInSeconds":2}"#)
    try late.create("todo", "{\"timer\":\"\(kept)\",\"text\":\"since\"}")
    try hub.connect(late)
    try hub.settle()
    #expect(late.snapshots == 2 && late.reissued >= 2 && late.stranded.isEmpty, "\(late)")
    #expect(late.errors.isEmpty && late.isDrained)
    for device in devices + [late] {
      #expect(device.value("timer", kept, "name") == .string("since"))
      #expect(device.value("timer", lost, "name") == .string("after the backup"))
    }
    try hub.keyboard("key", role: "watch")
    try expectEqualViews(hub, devices + [late], on: "key")
  }

  /// A copy of a device's storage from before its acknowledgement is put back, with nothing of its own lost: what it
  /// wrote since stands upon what it had promised to leave alone, whether that is purged by then or not.
  @Test(arguments: [true, false]) func setBackBehindItsPromise(isPurged: Bool) throws {
    let hub = try makeHub()
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    for device in [phone, watch] { try hub.connect(device) }
    phone.holdsAcknowledges = true
    watch.holdsAcknowledges = !isPurged
    let timer = try phone.create("timer", tea)
    let todo = try phone.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"pour\"}")
    for number in 0..<20 {
      try watch.create("timer", "{\"name\":\"\(number)\",\"durationInSeconds\":1}")
    }
    try phone.delete("timer", timer)
    try hub.settle()
    let backup = phone.saved
    _ = hub.type("advance seconds=\(40 * 86_400)", on: "clock")
    for device in [phone, watch] { device.clock += 40 * 86_400_000 }
    watch.formShown = nil
    try hub.settle()
    phone.holdsAcknowledges = false
    phone.formShown = nil
    try hub.settle()
    #expect(phone.replica.promise.frontier == phone.fold.vector)
    #expect(phone.fold.base.isEmpty != isPurged)

    hub.disconnect(phone)
    try phone.restore(backup)
    phone.holdsPushes = true
    try phone.restore("todo", todo)
    try hub.connect(phone)
    watch.holdsAcknowledges = false
    watch.formShown = nil
    try hub.settle()
    phone.holdsPushes = false
    phone.push()
    try hub.settle()
    #expect(phone.errors.isEmpty && phone.isDrained && phone.stranded.isEmpty, "\(phone)")
    #expect(!phone.fold.base.isEmpty)
    try hub.keyboard("key", role: "watch")
    let late = hub.device("late")
    try hub.connect(late)
    try expectEqualViews(hub, [phone, watch, late], on: "key")
    #expect(phone.records("timer").contains(timer) != isPurged)
  }

  /// What was deleted long ago cannot be made anew until it has been collected; so that waits for no log to be long.
  @Test(arguments: [1 << 20, 0]) func oldRecordsAreCollectedOnceADay(aside: Int) throws {
    var limits = Limits()
    limits.aside = aside
    let hub = try HubWorld(limits: limits)
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    for device in [phone, watch] { try hub.connect(device) }
    let timer = try phone.create("timer", tea)
    let other = try phone.create("timer", tea)
    try phone.delete("timer", timer)
    try hub.settle()
    func pass(days: Int, _ name: String) throws {
      _ = hub.type("advance seconds=\(days * 86_400)", on: "clock")
      for device in [phone, watch] { device.clock += Int64(days) * 86_400_000 }
      for device in [phone, watch] {
        try device.set("timer", other, "{\"name\":\"\(name)\"}")
        try hub.settle()
      }
    }
    try pass(days: 29, "29")
    #expect(phone.fold.base.isEmpty)
    try phone.restore("timer", timer)
    try phone.delete("timer", timer)
    try pass(days: 31, "60")
    try pass(days: 1, "61")
    for device in [phone, watch] {
      #expect(!device.fold.isCreated(Target("timer", timer)) && !device.fold.base.isEmpty)
      #expect(device.errors.isEmpty && device.isDrained, "\(device)")
    }
  }

  /// A program that acknowledges without a horizon has promised nothing about records: elements and writes are
  /// collected, and what was deleted long ago can come back by it.
  @Test func acknowledgingWithoutAHorizon() throws {
    let hub = try makeHub()
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    watch.holdsAcknowledges = true
    for device in [phone, watch] { try hub.connect(device) }
    let timer = try phone.create("timer", tea)
    try phone.delete("timer", timer)
    try hub.settle()
    _ = hub.type("advance seconds=\(40 * 86_400)", on: "clock")
    for device in [phone, watch] { device.clock += 40 * 86_400_000 }
    for number in 0..<20 {
      try phone.create("timer", "{\"name\":\"\(number)\",\"durationInSeconds\":1}")
      try hub.settle()
    }
    #expect(phone.fold.base.isEmpty)
    hub.world.send("sync.acknowledge at=\(watch.replica.position)", on: "watch")
    try hub.settle()
    #expect(!phone.fold.base.isEmpty && phone.fold.horizon == 0 && watch.fold.horizon == 0)
    try watch.restore("timer", timer)
    try hub.settle()
    #expect(phone.records("timer").contains(timer))
  }

  /// A device restores a deleted record while it is away, and comes back when that was deleted long ago: the others have
  /// waited for what it might do.
  @Test func whatIsRestoredWhileAwayComesBack() throws {
    let hub = try makeHub()
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    for device in [phone, watch] { try hub.connect(device) }
    let timer = try phone.create("timer", tea)
    try phone.delete("timer", timer)
    for number in 0..<20 {
      try phone.create("timer", "{\"name\":\"\(number)\",\"durationInSeconds\":1}")
    }
    try hub.settle()
    func advance(days: Int) {
      _ = hub.type("advance seconds=\(days * 86_400)", on: "clock")
      for device in [phone, watch] { device.clock += Int64(days) * 86_400_000 }
    }
    advance(days: 29)
    hub.disconnect(watch)
    try watch.restore("timer", timer)
    try watch.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"pour\"}")
    advance(days: 2)
    try edit([phone], 60, hub)
    #expect(!phone.fold.base.isEmpty)
    try hub.connect(watch)
    try hub.settle()
    #expect(watch.errors.isEmpty && watch.isDrained && watch.reissued == 0, "\(watch)")
    #expect(phone.records("timer").contains(timer) && phone.records("todo").count == 1)
    try hub.keyboard("key", role: "watch")
    try expectEqualViews(hub, [phone, watch], on: "key")
  }

  /// After 90 days of silence the others go on without it; its own edits are issued anew.
  @Test func oneThatWasAwayForTooLong() throws {
    let hub = try makeHub()
    let (phone, watch) = (hub.device("phone", isPhone: true), hub.device("watch"))
    try hub.connect(phone)
    try hub.connect(watch)
    try edit([phone, watch], 12, hub)
    hub.disconnect(watch)
    let kept = try watch.create("timer", #"{"name":"typed offline","durationInSeconds":1}"#)
    let shared = phone.records("timer")[1]
    try watch.set("timer", shared, #"{"name":"renamed offline"}"#)
    _ = hub.type("advance seconds=\(91 * 86_400)", on: "clock")
    phone.clock += 91 * 86_400_000
    try edit([phone], 60, hub)
    try hub.connect(watch)
    #expect(watch.replica.id.incarnation == 2 && watch.snapshots == 1, "\(watch)")
    #expect(watch.isDrained && watch.reissued + watch.stranded.count == 2, "\(watch)")
    #expect(watch.stranded.isEmpty)
    try hub.keyboard("key", role: "watch")
    #expect(try frontier(hub, "key") > 12)
    #expect(phone.records("timer").contains(kept))
    try expectEqualViews(hub, [phone, watch], on: "key")
  }

  /// A value that is as deep as one may be is read back from a snapshot, too.
  @Test func deepValues() throws {
    let hub = try makeHub(syncLog: 4)
    let watch = hub.device("watch")
    try hub.connect(watch)
    let timer = try watch.create("timer", tea)
    var deep: Datum = .array([])
    for _ in 0..<44 { deep = .array([deep]) }
    try watch.write([
      Action(Target("timer", timer), .write(field: "future", value: deep), revives: true)
    ])
    try hub.settle()
    for number in 1...12 {
      try watch.set("timer", timer, "{\"durationInSeconds\":\(number)}")
      try hub.settle()
    }
    #expect(watch.errors.isEmpty && watch.isDrained, "\(watch)")
    try hub.keyboard("phone")
    #expect(try frontier(hub, "phone") > 0)
    let state = try hub.state("phone")
    try hub.restart()
    try hub.keyboard("phone")
    #expect(try hub.state("phone") == state)
    let late = hub.device("late")
    try hub.connect(late)
    #expect(late.isDrained && late.snapshots == 1, "\(late)")
    try expectEqualViews(hub, [late], on: "phone")
  }
}
