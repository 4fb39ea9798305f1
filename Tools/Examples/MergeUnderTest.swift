// Puts a merge written in Swift under test. Copy this file; it needs Foundation and nothing else.
//
//   struct MyDevice: MergeDevice { … }
//
//   @main enum Main {
//     static func main() { MergeUnderTest.run(can: ["delete"]) { MyDevice(name: $0, role: $1) } }
//   }
//
//   swiftc -O -parse-as-library MergeUnderTest.swift MyDevice.swift -o my-merge
//   watchline fuzz --against command:'./my-merge'

import Foundation

/// A device of the app. Four functions; the others have a default.
protocol MergeDevice {
  /// A person edits a record.
  ///
  /// - Parameters:
  ///   - now: the device's clock, in milliseconds since 1970; use no other.
  ///   - change: what was touched, and no more.
  /// - Throws: `EditRefused` where the app refuses the edit, `EditUnsupported` where the merge knows
  ///   no such edits.
  mutating func edit(now: Int64, kind: String, record: String, change: EditChange) throws
  /// What the device hands to another one, as anything that JSON has.
  func snapshot() -> Any
  /// What another device handed over.
  mutating func receive(_ body: Any, from device: String) throws
  /// What it shows: by kind, records with their `id` and fields.
  func state() -> [String: [[String: Any]]]

  /// What lost and can be taken back, each with kind, record, field and value; put `kept` into `can`.
  func kept() -> [[String: Any]]
  /// The app ends and starts again with what was durable; put `restart` into `can`.
  mutating func restart()
}

extension MergeDevice {
  func kept() -> [[String: Any]] { [] }
  mutating func restart() {}
}

/// What a person did to a record. Numbers in fields are `NSNumber`, nothing is `NSNull`.
enum EditChange {
  case create([String: Any])
  case set([String: Any])
  case delete
  /// Behind another record of its list; to the front where nil.
  case move(after: String?)
  /// In a text, at a place in Unicode scalars, so many go and others come; `result` is the whole.
  case splice(field: String, at: Int, remove: Int, insert: String, result: String)
}

struct EditRefused: Error { let message: String }
struct EditUnsupported: Error {}

enum MergeUnderTest {
  /// Answers requests until the input ends.
  ///
  /// - Parameters:
  ///   - can: what the merge can do, of delete, move, text, restart and kept.
  ///   - make: makes a device of a name and a role, `phone` or `watch`.
  static func run(can: [String], make: (String, String) -> any MergeDevice) {
    var devices: [String: any MergeDevice] = [:]
    while let line = readLine() {
      guard let request = read(line), let id = request["id"] else { continue }
      var answer = self.answer(request, &devices, can, make)
      answer["re"] = id
      let data = try! JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys])
      FileHandle.standardOutput.write(data + [0x0A])
    }
  }

  private static func read(_ line: String) -> [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
  }

  private static func answer(
    _ request: [String: Any], _ devices: inout [String: any MergeDevice], _ can: [String],
    _ make: (String, String) -> any MergeDevice
  ) -> [String: Any] {
    let type = request["type"] as? String
    if type == "start" {
      devices = [:]
      let only = request["only"] as? String
      for entry in request["devices"] as? [[String: String]] ?? [] {
        guard let name = entry["device"], let role = entry["role"], only == nil || only == name
        else { continue }
        devices[name] = make(name, role)
      }
      return ["type": "started", "sync": "state", "can": can]
    }
    guard let name = request["device"] as? String, var device = devices[name] else { return [:] }
    defer { devices[name] = device }
    switch type {
    case "edit":
      guard let change = EditChange(request) else { return ["type": "unsupported"] }
      do {
        try device.edit(
          now: (request["now"] as? NSNumber)?.int64Value ?? 0,
          kind: request["kind"] as? String ?? "", record: request["record"] as? String ?? "",
          change: change)
      } catch let refusal as EditRefused {
        return ["type": "refused", "message": refusal.message]
      } catch {
        return ["type": "unsupported"]
      }
    case "snapshot": return ["type": "snapshot", "body": device.snapshot()]
    case "receive":
      try? device.receive(request["body"] ?? NSNull(), from: request["from"] as? String ?? "")
    case "restart": device.restart()
    case "state":
      var state: [String: Any] = ["type": "state", "records": device.state()]
      if can.contains("kept") { state["kept"] = device.kept() }
      return state
    default: break
    }
    return ["type": "done"]
  }
}

extension EditChange {
  init?(_ members: [String: Any]) {
    if let fields = members["create"] as? [String: Any] {
      self = .create(fields)
    } else if let fields = members["set"] as? [String: Any] {
      self = .set(fields)
    } else if members["delete"] != nil {
      self = .delete
    } else if let move = members["move"] as? [String: Any] {
      self = .move(after: move["after"] as? String)
    } else if let splice = members["splice"] as? [String: Any],
      let field = splice["field"] as? String, let at = splice["at"] as? Int,
      let remove = splice["remove"] as? Int, let insert = splice["insert"] as? String
    {
      self = .splice(
        field: field, at: at, remove: remove, insert: insert,
        result: splice["result"] as? String ?? "")
    } else {
      return nil
    }
  }
}
