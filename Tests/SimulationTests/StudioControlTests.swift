import AppModels
import Foundation
import Simulation
import Testing
import Wire

/// What a person can do to a device of the studio, beside using its app.
struct StudioControlTests {
  private let world: StudioWorld

  init() throws {
    world = try StudioWorld(.todoTimers, watches: 2)
    for (device, line) in [("phone", "new Tea 5:00"), ("phone", "open 1"), ("watch", "open 1")] {
      world.perform(.type(device: device, line: line), flows: true)
    }
  }

  private func list(_ name: String) throws -> [[String: Any]] {
    var json = JSONWriter()
    json.object { world.write(&$0) }
    let state = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    return state?[name] as? [[String: Any]] ?? []
  }

  /// What a device shows and has done, as JSON.
  private func device(_ name: String) throws -> String {
    let device = try list("devices").first { $0["name"] as? String == name }!
    return String(decoding: try JSONSerialization.data(withJSONObject: device), as: UTF8.self)
  }

  private func event(
    _ device: String, _ verb: TraceEvent.Verb, lane: String? = nil, to: String? = nil,
    count: Int64? = nil, payload: String? = nil
  ) {
    let event = TraceEvent(
      at: 0, device, verb, lane: lane, to: to, count: count, payload: payload.map { Array($0.utf8) }
    )
    world.perform(.event(event), flows: true)
    #expect(world.refusal == nil, "\(device) \(verb)")
  }

  private func lines(_ text: String, to name: String) -> Int {
    world.lines.count { $0.to == name && $0.text.contains(text) }
  }

  private func expectNothingWrong() throws {
    #expect(try world.judged().findings.isEmpty)
    let again = try StudioWorld(opening: Trace(ndjson: world.trace.ndjson))
    #expect(again.steps.count == world.trace.events.count)
  }

  @Test("A running timer is shared by a live message, which the trace has once")
  func liveMessages() throws {
    for name in ["phone", "watch"] {
      for line in ["back", "settings", "share on", "back", "open 1"] {
        world.perform(.type(device: name, line: line), flows: true)
        #expect(world.refusal == nil)
      }
    }
    #expect(try !device("watch").contains("PAUSE"))
    world.perform(.type(device: "phone", line: "start"), flows: true)
    #expect(try device("watch").contains("PAUSE"))
    #expect(world.trace.events.count { $0.verb == .message && $0.payload != nil } == 1)
    try expectNothingWrong()
    let again = try StudioWorld(opening: Trace(ndjson: world.trace.ndjson))
    again.seek(to: again.steps.count)
    #expect(again.trace.ndjson == world.trace.ndjson)
    world.perform(.type(device: "watch", line: "offline"), flows: true)
    world.perform(.type(device: "phone", line: "pause"), flows: true)
    #expect(try device("phone").contains("a live message was not sent"))
    #expect(try device("watch").contains("PAUSE"))
  }

  @Test("A connection is cut in the midst of a line, and nothing is lost")
  func cut() throws {
    world.perform(.type(device: "phone", line: "cut 20"), flows: true)
    #expect(try device("phone").contains(#""isConnected":true"#))
    world.perform(.type(device: "phone", line: "add Warm the cup"), flows: true)
    #expect(try device("phone").contains(#""isConnected":false"#))
    #expect(world.trace.events.contains { $0.verb == .up && $0.count == 20 })
    #expect(try !device("watch").contains("Warm the cup"))
    world.perform(.type(device: "phone", line: "online"), flows: true)
    #expect(try device("watch").contains("Warm the cup"))
    for wrong in ["cut some", "cut -1"] {
      world.perform(.type(device: "phone", line: wrong), flows: true)
      #expect(world.refusal?.contains("a number of bytes") == true)
    }
    try expectNothingWrong()
  }

  @Test("An app that is not there is sent nothing, until it is there again")
  func installed() throws {
    let told = lines("sessionWatchStateDidChange", to: "phone")
    event("watch", .setDeviceState, payload: #"{"isWatchAppInstalled":false}"#)
    #expect(lines("sessionWatchStateDidChange", to: "phone") == told + 1)
    event("phone", .transfer, lane: "userInfo")
    #expect(lines("7006", to: "phone") == 1)
    try expectNothingWrong()
    for (device, payload) in [
      ("phone", #"{"isWatchAppInstalled":true}"#), ("watch", #"{"isPaired":false}"#),
      ("watch", #"{"isWatchAppInstalled":1}"#), ("watch", "{}"),
    ] {
      world.perform(
        .event(TraceEvent(at: 0, device, .setDeviceState, payload: Array(payload.utf8))),
        flows: true)
      #expect(world.refusal != nil, "\(device): \(payload)")
    }
  }

  @Test("Beyond the budget a complication goes as ordinary user info")
  func budget() throws {
    event("phone", .configure, count: 1)
    #expect(lines(#""type":"configured""#, to: "phone") == 1)
    event("phone", .transfer, lane: "complication")
    event("phone", .transfer, lane: "complication")
    #expect(lines("isCurrentComplicationInfo", to: "watch") == 1)
    try expectNothingWrong()
  }

  @Test("What waits for another watch, or comes from one, is told apart")
  func parked() throws {
    func parked() throws -> [String?] {
      try list("queues").filter { $0["isParked"] as? Bool == true }.map { $0["for"] as? String }
    }
    world.perform(.type(device: "watch", line: "offline"), flows: true)
    event("phone", .transfer, lane: "userInfo")
    #expect(try parked() == [])
    event("phone", .select, to: "second")
    #expect(try parked() == ["watch"])
    event("watch", .connect)
    event("watch", .transfer, lane: "userInfo")
    #expect(try parked() == ["watch", "phone"])
    event("phone", .select, to: "watch")
    #expect(try parked() == [])
    try expectNothingWrong()
  }
}
