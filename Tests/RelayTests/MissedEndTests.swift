import Relay
import RelaySupport
import Testing

/// `mayHaveMissedDidFinish`: true where the end of a transfer may have been told and not heard, and only
/// there (PROTOCOL.md clause 5.4).
@Suite struct MissedEndTests {
  private let world: World

  init() throws {
    world = try World(hasManualClock: false)
    activate("watch")
  }

  /// Whether the device is told that it may have missed an end.
  @discardableResult
  private func activate(_ role: String, on name: String? = nil) -> Bool {
    world.send("activate pair=p role=\(role)", on: name ?? role)
    let lines = world.client(name ?? role).takeLines()
    let answer = lines.first { $0.contains("activationDidComplete") }
    #expect(answer != nil, "\(lines)")
    return answer?.contains("\"mayHaveMissedDidFinish\":true") == true
  }

  /// A transfer of the phone's that ends well and is told.
  private func transfer(on name: String = "phone") {
    world.send("transferUserInfo payload={}", on: name)
    world.send("acknowledge", on: "watch")
  }

  private func hasHeard(_ name: String = "phone") -> Bool {
    world.client(name).takeLines().contains { $0.contains("didFinishUserInfoTransfer") }
  }

  // MARK: Nothing is missed

  @Test(arguments: ["quit", "deactivate", "end", "again"]) func cleanEnds(_ way: String) throws {
    #expect(!activate("phone"))
    transfer()
    #expect(hasHeard())
    switch way {
    case "end": world.end("phone")
    // Twice on one connection.
    case "again": break
    default: world.send(way, on: "phone")
    }
    #expect(!activate("phone"))
    #expect(!activate("phone", on: way == "deactivate" ? "phone" : "phone"))
  }

  /// Also at once, before the kernel has confirmed anything, where it is the same connection.
  @Test func sameConnection() throws {
    activate("phone")
    world.client("phone").holdsConfirmation = true
    transfer()
    world.send("deactivate", on: "phone")
    #expect(!activate("phone"))
  }

  @Test func deactivateThenAnotherConnection() throws {
    activate("phone")
    transfer()
    world.send("deactivate", on: "phone")
    #expect(!activate("phone", on: "second"))
  }

  @Test func nothingWasTold() throws {
    activate("phone")
    world.send("transferUserInfo payload={}", on: "phone")
    world.close("phone")
    world.send("acknowledge", on: "watch")
    // It was away: the end comes with a number.
    world.send("activate pair=p role=phone", on: "phone")
    let lines = world.client("phone").takeLines()
    #expect(!lines.contains { $0.contains("mayHaveMissedDidFinish") })
    #expect(lines.contains { $0.contains("didFinishUserInfoTransfer") && $0.contains("\"seq\"") })
  }

  @Test func restarted() throws {
    activate("phone")
    transfer()
    try world.restart()
    #expect(!activate("phone"))
    #expect(!activate("watch"))
  }

  @Test func evicted() throws {
    activate("phone")
    transfer()
    for name in ["phone", "watch"] { world.send("quit", on: name) }
    world.pass(seconds: 3_600)
    #expect(world.relay.pairsInMemory == 0)
    #expect(!activate("phone"))
    try world.kill()
    #expect(!activate("watch"))
  }

  // MARK: Something may be missed

  /// The connection breaks with the end on its way, or the device comes back before it is known to be
  /// gone.
  @Test(arguments: [false, true]) func broken(isTakenOver: Bool) throws {
    activate("phone")
    world.client("phone").holdsOutput = true
    transfer()
    if isTakenOver {
      world.open("phone")
    } else {
      world.close("phone")
    }
    #expect(activate("phone"))
    // It has been told now.
    world.send("quit", on: "phone")
    #expect(!activate("phone"))
  }

  @Test func endedAndNotConfirmed() throws {
    activate("phone")
    let client = world.client("phone")
    client.holdsConfirmation = true
    transfer()
    world.send("quit", on: "phone")
    #expect(client.isClosed)
    #expect(activate("phone"))
  }

  /// A caller that is told to look at a connection asks its kernel, and tells the relay. Where the kernel says what it said
  /// before, there is nothing to look at again.
  @Test func nothingNewIsNotLookedAt() {
    activate("phone")
    let client = world.client("phone")
    client.holdsConfirmation = true
    transfer()
    let (relay, connection) = (world.relay, client.connection)
    func isScheduled() -> Bool { relay.takeEffects().scheduled.contains { $0 === connection } }
    Array("quit\n".utf8).withUnsafeBytes { relay.received($0, on: connection, now: world.now) }
    let end = relay.unconfirmedEnd(connection)
    #expect(isScheduled() && end > 0 && connection.isFinished)
    relay.confirmed(connection, through: 0, now: world.now)
    #expect(!isScheduled())
    for position in [end - 1, end] {
      relay.confirmed(connection, through: position, now: world.now)
      #expect(isScheduled())
      relay.confirmed(connection, through: position, now: world.now)
      #expect(!isScheduled())
    }
  }

  /// Who does not hear that it may have missed something is told again.
  @Test func theAnswerIsLost() throws {
    activate("phone")
    world.client("phone").holdsOutput = true
    transfer()
    world.close("phone")
    for _ in 1...3 {
      world.open("phone").holdsOutput = true
      world.send("activate pair=p role=phone", on: "phone")
      world.close("phone")
    }
    #expect(activate("phone"))
    world.send("quit", on: "phone")
    #expect(!activate("phone"))
  }

  @Test func killed() throws {
    activate("phone")
    transfer()
    try world.kill()
    #expect(activate("phone"))
    // The watch has sent nothing.
    #expect(!activate("watch"))
    world.send("quit", on: "phone")
    #expect(!activate("phone"))
  }

  /// The pair leaves the memory, and the server ends, before it is told.
  @Test(arguments: ["evicted", "restarted", "both", "killed"]) func survives(_ way: String) throws {
    activate("phone")
    world.client("phone").holdsOutput = true
    transfer()
    world.close("phone")
    world.send("quit", on: "watch")
    if way != "restarted" {
      world.pass(seconds: 3_600)
      #expect(world.relay.pairsInMemory == 0)
    }
    if way == "killed" { try world.kill() }
    if way == "restarted" || way == "both" { try world.restart() }
    #expect(activate("phone"))
    world.send("quit", on: "phone")
    world.pass(seconds: 3_600)
    #expect(world.relay.pairsInMemory == 0)
    #expect(!activate("phone"))
  }

  /// It was told, and the server is killed before the answer is known to have come.
  @Test func toldAndKilled() throws {
    activate("phone")
    world.client("phone").holdsOutput = true
    transfer()
    world.close("phone")
    world.send("quit", on: "watch")
    world.pass(seconds: 3_600)
    #expect(activate("phone"))
    try world.kill()
    #expect(activate("phone"))
  }

  /// A connection that has had the session of several devices answers for each.
  @Test func severalOnOneConnection() throws {
    activate("phone")
    let client = world.client("phone")
    client.holdsOutput = true
    transfer()
    world.send("deactivate", on: "phone")
    world.send("activate pair=q role=phone", on: "phone")
    world.close("phone")
    #expect(activate("phone"))
    world.send("activate pair=q role=phone", on: "other")
    #expect(!world.client("other").takeLines().contains { $0.contains("mayHaveMissed") })
  }

  /// Nobody holds an evicted pair, also where its device's last word was never confirmed.
  @Test func deactivatedForLong() throws {
    activate("phone")
    world.client("phone").holdsConfirmation = true
    transfer()
    world.send("deactivate", on: "phone")
    world.send("quit", on: "watch")
    world.pass(seconds: 3_600)
    #expect(world.relay.pairsInMemory == 0)
    world.close("phone")
    #expect(activate("phone"))
  }
}
