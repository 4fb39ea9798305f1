import AppModels
import Foundation
import Simulation
import Testing
import Wire

/// The world that the studio shows.
struct StudioWorldTests {
  private func state(_ world: StudioWorld) -> String {
    var json = JSONWriter()
    json.object { world.write(&$0) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private func world(_ lines: [(String, String)], app: ShippedApp = .todoTimers) throws
    -> StudioWorld
  {
    let world = try StudioWorld(app, watches: 1)
    for (device, line) in lines {
      world.perform(.type(device: device, line: line), flows: true)
      #expect(world.refusal == nil, "\(device): \(line)")
    }
    return world
  }

  private let story = [
    ("phone", "new Tea 5:00"), ("phone", "open 1"), ("phone", "add Warm the cup"),
    ("watch", "open 1"),
    ("phone", "notes"), ("phone", "write Two spoons"), ("phone", "save"), ("phone", "offline"),
    ("watch", "offline"), ("watch", "toggle 1"), ("phone", "edit"), ("phone", "name Green tea"),
    ("phone", "save"), ("phone", "kill"), ("watch", "online"), ("phone", "online"),
  ]

  @Test("What was done is a trace, which amounts to the same")
  func trace() throws {
    let world = try world(story)
    #expect(try world.judged().findings.isEmpty)
    let again = try StudioWorld(opening: Trace(ndjson: world.trace.ndjson))
    again.seek(to: again.steps.count)
    for text in [
      "Green tea", "Warm the cup", "Two spoons",
      #""isCompleted","values":{"phone":true,"watch":true}"#,
    ] {
      #expect(state(world).contains(text))
      #expect(state(again).contains(text))
    }
  }

  @Test("Back and forward again is where it was")
  func seeking() throws {
    let world = try world(story)
    let states = (0...world.steps.count).map { step -> String in
      world.seek(to: step)
      return state(world)
    }
    for step in [3, 9, 0, world.steps.count, 1] {
      world.seek(to: step)
      #expect(state(world) == states[step])
    }
    world.seek(to: 4)
    world.perform(.type(device: "phone", line: "add Sugar"), flows: true)
    #expect(world.position == world.steps.count)
    #expect(world.position == 5)
  }

  @Test("A form keeps what it was opened on")
  func forms() throws {
    let world = try world([
      ("phone", "new Tea 5:00"), ("phone", "open 1"), ("phone", "add Warm the cup"),
      ("watch", "open 1"), ("phone", "todo 1"), ("watch", "toggle 1"),
      ("phone", "text Heat the cup"),
      ("phone", "save"),
    ])
    #expect(state(world).contains(#""isCompleted","values":{"phone":true,"watch":true}"#))
    #expect(world.trace.events.contains { $0.edit?.since != nil })
    #expect(try world.judged().findings.isEmpty)
  }

  @Test("A text has its authors, and what lost says why")
  func authors() throws {
    let world = try world([
      ("phone", "new Tea 5:00"), ("phone", "open 1"), ("phone", "notes"),
      ("phone", "write Two spoons"), ("phone", "save"), ("phone", "offline"), ("phone", "edit"),
      ("phone", "name Green tea"), ("phone", "save"),
    ])
    world.perform(.wait(1500), flows: true)
    // On the watch texts are read-only: what it changes goes past its app.
    for (field, value) in [("name", "\"Black tea\""), ("notes", "\"Two level spoons\"")] {
      let record = try #require(world.trace.events.lazy.compactMap(\.edit).first).record
      let edit = try #require(
        StudioWorld.edit(
          try Members(
            Array(
              #"{"kind":"timer","record":"\#(record)","field":"\#(field)","value":\#(quoted(value))}"#
                .utf8))))
      var event = TraceEvent(at: 0, "watch", .edit)
      event.edit = edit
      world.perform(.event(event), flows: true)
    }
    #expect(state(world).contains(#""name","values":{"phone":"Green tea","watch":"Black tea"}"#))
    world.perform(.type(device: "phone", line: "online"), flows: true)
    let authors =
      #"[{"by":"phone","text":"Two "},{"by":"watch","text":"level "},{"by":"phone","text":"spoons"}]"#
    #expect(state(world).contains(#""authors":{"phone":\#(authors),"watch":\#(authors)}"#))
    #expect(state(world).contains(#""lostTo":"watch","why":"written 1500 ms later""#))
    #expect(try world.judged().findings.isEmpty)
  }

  private func quoted(_ json: String) -> String {
    "\"" + json.replacing("\"", with: "\\\"") + "\""
  }

  @Test("Each of the apps runs, and its edits are a trace", arguments: ShippedApp.allCases)
  func apps(_ app: ShippedApp) throws {
    let lines: [ShippedApp: [(String, String)]] = [
      .todoTimers: [("phone", "new Tea 5:00")],
      .timeTracker: [("phone", "new")],
      .pomodoro: [("phone", "start")],
    ]
    let world = try world(lines[app]!, app: app)
    world.perform(.wait(1_500_000), flows: true)
    #expect(try world.judged().findings.isEmpty)
    let again = try Trace(ndjson: world.trace.ndjson)
    #expect(again.schema == app.rawValue)
  }

  @Test("Whatever can be tapped does something", arguments: ShippedApp.allCases, [0, 1])
  func taps(_ app: ShippedApp, _ device: Int) throws {
    let beginnings: [ShippedApp: [String]] = [
      .todoTimers: ["new Tea 5:00", "open 1", "add Warm the cup", "back"],
      .timeTracker: ["grant yearly", "new Plan", "add Acme", "save"], .pomodoro: [],
    ]
    var ways = [beginnings[app]!]
    var seen: Set<String> = []
    var count = 0
    while let way = ways.popLast() {
      let world = try StudioWorld(app, watches: 1)
      for (number, line) in way.enumerated() {
        let name = device == 0 || number < beginnings[app]!.count ? "phone" : "watch"
        world.perform(.type(device: name, line: line), flows: true)
        if !beginnings[app]!.contains(line) { #expect(world.refusal == nil, "\(way)") }
      }
      count += 1
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(state(world).utf8)) as? [String: Any])
      let devices = try #require(json["devices"] as? [[String: Any]])
      let screen = try #require(devices[device]["screen"] as? [String: Any])
      for corner in screen["alert"] == nil ? ["leading", "trailing"] : [] {
        let part = try #require(screen[corner] as? [String: Any])
        let text = try #require(part["text"] as? String)
        if text.isEmpty || text.hasPrefix("(") { continue }
        #expect(part["command"] is String, "\(text) of \(screen["title"] ?? "") does nothing")
      }
      guard way.count < beginnings[app]!.count + 3 else { continue }
      for line in Self.commands(screen)
      where seen.insert("\(screen["title"] ?? "") \(line)").inserted {
        ways.append(way + [line])
      }
    }
    #expect(count > (device == 0 ? 10 : 5))
  }

  /// What is typed where something on a screen is tapped.
  private static func commands(_ part: Any) -> [String] {
    if let list = part as? [Any] { return list.flatMap(commands) }
    guard let object = part as? [String: Any] else { return [] }
    return [object["command"]].compactMap { $0 as? String } + object.values.flatMap(commands)
  }

  @Test("Time that passes by itself is one step")
  func time() throws {
    let world = try world([("phone", "new Tea 0:05"), ("phone", "open 1"), ("phone", "start")])
    let steps = world.steps.count
    for _ in 0..<40 { world.pass(250) }
    #expect(world.steps.count == steps + 1)
    #expect(state(world).contains("Timer Complete!"))
    world.seek(to: steps)
    world.seek(to: steps + 1)
    #expect(state(world).contains("Timer Complete!"))
    // What the app writes when time passes goes to the other device, too.
    for line in ["dismiss", "back", "history"] {
      world.perform(.type(device: "phone", line: line), flows: true)
    }
    world.perform(.type(device: "watch", line: "history"), flows: true)
    #expect(state(world).components(separatedBy: "LATEST").count == 3)
    #expect(try world.judged().findings.isEmpty)
  }

  @Test("A server that is killed with a transfer on its disk loses nothing")
  func killed() throws {
    let world = try StudioWorld(.todoTimers, watches: 1)
    for (device, verb) in [
      ("phone", TraceEvent.Verb.transfer), ("phone", .up), ("server", .commit), ("server", .kill),
    ] {
      var event = TraceEvent(at: 0, device, verb)
      if verb == .transfer { event.lane = "userInfo" }
      world.perform(.event(event), flows: false)
    }
    #expect(state(world).contains(#""isConnected":false"#))
    world.perform(.wait(1000), flows: true)
    world.perform(.event(TraceEvent(at: 0, "watch", .acknowledge)), flows: true)
    #expect(state(world).contains(#""state":"finished","deliveries":1"#))
    #expect(try world.judged().findings.isEmpty)
  }

  @Test("What makes no sense is said, and changes nothing")
  func refusals() throws {
    let world = try StudioWorld(.todoTimers, watches: 1)
    let before = world.trace.events.count
    for intent in [
      StudioWorld.Intent.type(device: "nobody", line: "new Tea 5:00"),
      .type(device: "phone", line: "nothing of the kind"),
      .event(TraceEvent(at: 0, "nobody", .drop)),
      .event(TraceEvent(at: 0, "server", .recover)),
    ] {
      world.perform(intent, flows: true)
      #expect(world.refusal != nil, "\(intent)")
    }
    #expect(world.trace.events.count == before)
    #expect(throws: HarnessFailure.self) {
      try StudioWorld(
        opening: Trace(world: .exchange, seed: 0, schema: "todoTimers", devices: []))
    }
  }

  /// Of several servers the one that serves is killed where none is named.
  @Test("A trace of several servers is shown, and goes on")
  func severalServers() throws {
    let drawn = try ServerHarness(.cluster).run(Plan(seed: 3))
    let world = try StudioWorld(opening: drawn.trace)
    world.seek(to: world.steps.count)
    #expect(world.position == drawn.trace.events.count)
    world.perform(.event(TraceEvent(at: 0, "phone", .connect)), flows: true)
    #expect(world.refusal == nil)
    world.perform(.event(TraceEvent(at: 0, "server", .kill)), flows: true)
    #expect(world.refusal == nil)
    world.perform(.event(TraceEvent(at: 0, "server", .fail)), flows: true)
    #expect(world.refusal != nil)
    #expect(try world.judged().findings.isEmpty)
  }

  @Test("Old lines are dropped, and counted")
  func lines() throws {
    let world = try StudioWorld(.todoTimers, watches: 1)
    for _ in 0..<9_000 {
      var event = TraceEvent(at: 0, "phone", .transfer)
      event.lane = "userInfo"
      world.perform(.event(event), flows: true)
    }
    #expect(world.lines.count <= StudioWorld.lineLimit * 5 / 4)
    #expect(world.droppedLines > 0)
  }
}
