// Replays a trace of `watchline generate` over your devices, in a test. Copy this file; it needs
// Foundation and nothing else, on macOS and Linux, with XCTest and Swift Testing.
//
//   let trace = try TraceReplay(contentsOf: url)              // trace.ndjson
//   let devices = try trace.run { name, role in MyDevice(name, role) }
//   let problems = try trace.problems(expected: other, devices)   // expected.json
//   XCTAssertEqual(problems, [])                              // or #expect(problems.isEmpty)

import Foundation

/// A device of the app under test.
protocol ReplayedDevice {
  /// A person edits a record.
  ///
  /// - Parameters:
  ///   - now: the device's clock, in milliseconds since 1970.
  ///   - change: one of create, set, delete, move and splice, as the trace has it (TRACES.md).
  mutating func edit(now: Int64, kind: String, record: String, change: [String: Any]) throws
  /// What it hands to another device, as anything that JSON has.
  func snapshot() throws -> Any
  /// What another device handed over, or a payload of the trace's.
  mutating func receive(_ body: Any, from device: String) throws
  /// What it shows: by kind, records with their `id` and fields.
  func state() throws -> [String: [[String: Any]]]

  /// The app ends and starts again with what it has stored.
  mutating func restart() throws
}

extension ReplayedDevice {
  mutating func restart() throws {}
}

struct TraceReplay {
  /// Why a file is no trace.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  let schema: String
  /// By name, `phone` or `watch`.
  let roles: [String: String]
  /// The names of the devices that know whole records only.
  let wholeRecords: Set<String>
  private let start: Int64
  private let events: [[String: Any]]

  init(contentsOf url: URL) throws {
    let lines = try Data(contentsOf: url).split(separator: 0x0A).map { line in
      guard let object = try JSONSerialization.jsonObject(with: line) as? [String: Any] else {
        throw Fault(description: "a line is no JSON object")
      }
      return object
    }
    guard let header = lines.first, (header["trace"] as? NSNumber)?.intValue == 1 else {
      throw Fault(description: "it is no trace of version 1")
    }
    schema = header["schema"] as? String ?? "none"
    start = Self.number(header["start"]) ?? 0
    events = Array(lines.dropFirst())
    var roles: [String: String] = [:]
    var wholeRecords: Set<String> = []
    for device in header["devices"] as? [[String: String]] ?? [] {
      let name = device["device"] ?? ""
      roles[name] = device["role"]
      if device["records"] == "whole" { wholeRecords.insert(name) }
    }
    self.roles = roles
    self.wholeRecords = wholeRecords
    guard Self.number(header["events"]).map({ $0 == Int64(events.count) }) ?? true else {
      throw Fault(description: "it is cut off")
    }
  }

  private static func number(_ value: Any?) -> Int64? { (value as? NSNumber)?.int64Value }

  /// Runs the trace.
  ///
  /// - Parameters:
  ///   - after: called after each event, with its line as an object, for checks of your own.
  ///   - make: makes a device of a name and a role; `wholeRecords` says which know whole records only.
  /// - Returns: the devices by name.
  func run(
    after: ([String: Any], [String: any ReplayedDevice]) throws -> Void = { _, _ in },
    _ make: (String, String) -> any ReplayedDevice
  ) throws -> [String: any ReplayedDevice] {
    var devices: [String: any ReplayedDevice] = [:]
    for (name, role) in roles { devices[name] = make(name, role) }
    var sent: [String: (from: String, body: Data)] = [:]
    var skew: [String: Int64] = [:]
    for event in events {
      guard let name = event["device"] as? String, var device = devices[name] else { continue }
      let at = Self.number(event["at"]) ?? 0
      switch event["do"] as? String {
      case "edit":
        let verbs = ["create", "set", "delete", "restore", "move", "splice"]
        try device.edit(
          now: Self.number(event["now"]) ?? start + at + skew[name, default: 0],
          kind: event["kind"] as? String ?? "", record: event["record"] as? String ?? "",
          change: event.filter { verbs.contains($0.key) })
      case "send":
        // As it is now: what the device does later is not part of it.
        let body = try event["payload"] ?? device.snapshot()
        let data = try JSONSerialization.data(withJSONObject: [body])
        sent[event["event"] as? String ?? ""] = (name, data)
      case "deliver":
        guard let parcel = sent[event["of"] as? String ?? ""],
          let body = (try JSONSerialization.jsonObject(with: parcel.body) as? [Any])?.first
        else { throw Fault(description: "\(event["of"] ?? "nothing") was not sent") }
        try device.receive(body, from: parcel.from)
      case "clock": skew[name] = Self.number(event["count"])
      case "restart": try device.restart()
      default: break
      }
      devices[name] = device
      try after(event, devices)
    }
    return devices
  }

  /// What a merge got wrong, a line each; none where it ended as some correct merge may.
  func problems(
    expected url: URL, _ devices: [String: any ReplayedDevice]
  ) throws -> [String] {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    let expected = object as? [String: Any] ?? [:]
    var problems: [String] = []
    let states = try devices.sorted { $0.key < $1.key }.map { ($0.key, try $0.value.state()) }
    guard let first = states.first?.1 else { return [] }
    for (name, state) in states.dropFirst() where !same(state, first) {
      problems.append("\(name) shows \(state), and \(states[0].0) shows \(first)")
    }
    for wanted in expected["acceptable"] as? [[String: Any]] ?? [] {
      let kind = wanted["kind"] as? String ?? ""
      let record = wanted["record"] as? String ?? ""
      let shown = first[kind]?.first { $0["id"] as? String == record }
      switch (wanted["exists"] as? String, shown) {
      case ("must", nil): problems.append("\(kind) \(record) is missing")
      case ("must not", _?): problems.append("\(kind) \(record) should be gone")
      default: break
      }
      guard let shown else { continue }
      let fields = wanted["fields"] as? [String: [Any]] ?? [:]
      for (field, values) in fields.sorted(by: { $0.key < $1.key }) {
        let value = shown[field] ?? NSNull()
        guard !values.contains(where: { same($0, value) }) else { continue }
        problems.append("\(kind) \(record), \(field): \(value) is none of \(values)")
      }
    }
    return problems
  }

  private func same(_ one: Any, _ other: Any) -> Bool {
    (one as? NSObject ?? NSArray(object: one)) == (other as? NSObject ?? NSArray(object: other))
      || json(one) == json(other)
  }

  private func json(_ value: Any) -> Data? {
    try? JSONSerialization.data(withJSONObject: [value], options: [.sortedKeys])
  }
}
