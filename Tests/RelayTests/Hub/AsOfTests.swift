import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// What an edit is taken to have seen (`asOf`), and how records are named.
@Suite struct AsOfTests {
  private func makeHub() throws -> HubWorld {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    try hub.keyboard("watch")
    return hub
  }

  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  private func timer(_ hub: HubWorld) throws -> (id: String, at: Int) {
    let answer = try hub.ask("sync.edit kind=timer set=\(tea)", on: "phone")
    return (answer.id, answer.at)
  }

  private func rename(
    _ hub: HubWorld, _ id: String, _ name: String, on keyboard: String, _ asOf: String = ""
  ) throws -> Answer {
    try hub.ask(
      "sync.edit kind=timer record=\"\(id)\" set={\"name\":\"\(name)\"} \(asOf)", on: keyboard)
  }

  /// All four forms mean the same.
  @Test(arguments: ["at", "short", "vector", "lastSeen"]) func forms(_ form: String) throws {
    let hub = try makeHub()
    let (id, at) = try timer(hub)
    let view = try hub.ask("sync.view kind=timer", on: "watch")
    _ = hub.type("advance seconds=1", on: "clock")
    let digest = Answer(try hub.state("watch"))
    let vector = (digest["vector"] as! [String: String]).map { "\"\($0)\":\($1)" }.joined()
    #expect(try rename(hub, id, "Coffee", on: "phone").outcomes.isEmpty)
    let asOf =
      switch form {
      case "at": "asOf=\(at)"
      case "short": "asOf=\(view["vector"]!)"
      case "vector": "asOf={\(vector)}"
      default: "asOf=lastSeen"
      }
    let answer = try rename(hub, id, "Milk", on: "watch", asOf)
    // The same millisecond: the phone wins.
    #expect(answer.outcomes.count == 1, "\(answer)")
    #expect(answer.outcomes.first?["result"] as? String == "lost")
    #expect(answer.record?["name"] as? String == "Coffee")
    let feed = try hub.ask("sync.conflicts", on: "watch").entries
    #expect(feed.count == 1 && feed[0]["lost"] as? String == "Milk")
    #expect(feed[0]["by"] as? String == "watch" && feed[0]["to"] as? String == "phone")
    // From now on both have seen both.
    #expect(try rename(hub, id, "Water", on: "watch").outcomes.isEmpty)
  }

  @Test func beyondAndMalformed() throws {
    let hub = try makeHub()
    let (id, at) = try timer(hub)
    let state = try hub.state("watch")
    for asOf in [
      "\(at + 1)", "-1", "1.5", "1e2", "18446744073709551616", "true", "[]", "{\"x\":1}",
      "{\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1\":1}", "phone:2", "phone:x", "phone", "tablet:1",
      "phone:1,", "later", "\"\"",
    ] where asOf != "\"\"" {
      let answer = try rename(hub, id, "x", on: "watch", "asOf=\(asOf)")
      #expect(answer.code == 4004, "\(asOf): \(answer)")
      #expect(answer.message.contains("\(at)"), "\(answer)")
    }
    #expect(try hub.state("watch") == state)
  }

  /// One who opens for the first time is taken to see what is there.
  @Test func firstEdit() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    let (id, _) = try timer(hub)
    _ = try rename(hub, id, "Coffee", on: "phone")
    try hub.keyboard("watch")
    #expect(try rename(hub, id, "Milk", on: "watch").outcomes.isEmpty)
    #expect(try hub.records("timer", on: "phone")[0]["name"] as? String == "Milk")
    #expect(try hub.ask("sync.conflicts", on: "phone").entries.isEmpty)
  }

  /// What was last shown outlives the connection, the server and its death.
  @Test(arguments: ["disconnect", "restart", "kill", "evict"]) func lastSeen(
    _ end: String
  ) throws {
    let hub = try makeHub()
    let (id, at) = try timer(hub)
    _ = try hub.ask("sync.view kind=timer", on: "watch")
    hub.world.close("watch")
    _ = try rename(hub, id, "Coffee", on: "phone")
    switch end {
    case "restart": try hub.restart()
    case "kill": try hub.restart(killing: true)
    case "evict":
      hub.world.close("phone")
      _ = hub.type("advance seconds=31", on: "clock")
      #expect(hub.world.relay.pairsInMemory == 0)
    default: break
    }
    try hub.keyboard("watch")
    let answer = try rename(hub, id, "Milk", on: "watch")
    #expect(answer.outcomes.count == 1, "as of \(at): \(answer)")
    #expect(answer.at == at + 2)
  }

  /// Positions that every device has read are collected, and are no `asOf` any more.
  @Test func belowTheFrontier() throws {
    var limits = Limits()
    limits.syncLog = 8
    let hub = try HubWorld(limits: limits)
    try hub.keyboard("phone")
    let (id, at) = try timer(hub)
    for number in 1...12 { _ = try rename(hub, id, "\(number)", on: "phone") }
    let answer = try rename(hub, id, "x", on: "phone", "asOf=\(at)")
    #expect(answer.code == 4004 && answer.message.contains("from 8 to 14"), "\(answer)")
    let opened = try hub.ask("sync.open schema=todoTimers", on: "phone")
    let frontier = try #require(opened["frontier"] as? Int)
    #expect(frontier >= 8)
    #expect(try rename(hub, id, "y", on: "phone", "asOf=\(frontier - 1)").code == 4004)
    #expect(try rename(hub, id, "z", on: "phone", "asOf=\(frontier)").code == nil)
  }

  // MARK: Names of records

  @Test func prefixes() throws {
    let hub = try makeHub()
    for (id, name) in [
      ("12345678-0000-4000-8000-000000000001", "a"), ("1234ABCD-0000-4000-8000-000000000002", "b"),
      ("ABCD0000-0000-4000-8000-000000000003", "c"),
    ] {
      let fields = "{\"name\":\"\(name)\",\"durationInSeconds\":1}"
      let line = "sync.edit kind=timer record=\"\(id)\" set=\(fields)"
      #expect(try hub.ask(line, on: "phone").id == id)
    }
    func named(_ record: String) throws -> Answer {
      try hub.ask("sync.view kind=timer record=\(record)", on: "phone")
    }
    for (record, name) in [
      ("ABCD", "c"), ("abcd0", "c"), ("12345", "a"), ("\"12345\"", "a"), ("\"1234a\"", "b"),
      ("\"12345678-0000-4000-8000-000000000001\"", "a"),
    ] {
      #expect(try named(record).records.map { $0["name"] as? String } == [name], "\(record)")
    }
    let ambiguous = try named("1234")
    #expect(ambiguous.code == 4004 && ambiguous.message.contains("1234ABCD-0000"))
    #expect(ambiguous.message.contains("12345678-0000") && ambiguous.message.contains("more"))
    #expect(try named("ABC").message.contains("4 characters"))
    #expect(try named("\"\"").message.contains("4 characters"))
    #expect(try named("FFFF").message.contains("there is no timer FFFF"))
    #expect(try named("[1]").code == 4004)
    #expect(try named("true").code == 4004)
    #expect(try named("1e99").code == 4004)
    #expect(try hub.ask("sync.view record=ABCD", on: "phone").code == 4003)
    #expect(try hub.ask("sync.view kind=timr", on: "phone").message.contains("timer"))
    // A deleted record still has its name.
    #expect(try hub.ask("sync.edit kind=timer record=ABCD delete=true", on: "phone").id != "")
    #expect(try named("ABCD").records.isEmpty)
    let late = try hub.ask("sync.edit kind=timer record=ABCD set={\"name\":\"d\"}", on: "phone")
    #expect(late.code == 4004 && late.message.contains("sync.restore"))
    let restored = try hub.ask("sync.restore kind=timer record=ABCD", on: "phone")
    #expect(restored.record?["name"] as? String == "c")
  }

  @Test func fixedRecords() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone", schema: "timeTracker")
    try hub.keyboard("watch", schema: "timeTracker")
    let first = try hub.ask("sync.edit kind=settings set={\"autoPauseMinutes\":20}", on: "phone")
    #expect(first.id == "settings" && first.record?["defaultHourlyRate"] as? Double == 100)
    _ = hub.type("advance seconds=1", on: "clock")
    let other = try hub.ask(
      "sync.edit kind=settings set={\"autoPauseEnabled\":true} asOf=0", on: "watch")
    #expect(other.record?["autoPauseMinutes"] as? Int == 20, "\(other)")
    #expect(other.record?["autoPauseEnabled"] as? Bool == true)
    #expect(try hub.records("settings", on: "phone").count == 1)
    let foreign = try hub.ask(
      "sync.edit kind=settings record=other set={\"autoPauseMinutes\":1}", on: "phone")
    #expect(foreign.code == 4004)
  }

  /// Devices' names may hold what the short form of a vector is made of.
  @Test func awkwardNames() throws {
    let hub = try makeHub()
    for name in ["a,b:1", "phone~2", "x:9"] {
      _ = hub.type("activate pair=p role=watch device=\"\(name)\"", on: name)
      _ = try hub.ask("sync.open schema=todoTimers", on: name)
      _ = try hub.ask("sync.edit kind=timer set=\(tea)", on: name)
    }
    let (id, _) = try timer(hub)
    let view = try hub.ask("sync.view kind=timer", on: "watch")
    let short = view["vector"] as! String
    let answer = try rename(hub, id, "x", on: "watch", "asOf=\"\(short)\"")
    #expect(answer.code == nil, "\(short): \(answer)")
    #expect(answer.outcomes.isEmpty)
  }
}
