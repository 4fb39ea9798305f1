import RelaySupport

/// A relay with two people at keyboards and a device that pushes, all of one pair.
final class Rig {
  private let world: World
  /// The device that pushes operations.
  static let replica = "00000000-0000-0000-0000-0000000000AA.1"
  static let other = "FFFFFFFF-0000-0000-0000-0000000000BB.1"
  static let timer = "A0000000-0000-0000-0000-000000000001"
  private var seqs: [String: Int] = [:]
  private var stamp = 0

  init() throws {
    world = try World()
    for (name, role) in [("phone", "phone"), ("watch", "watch")] {
      send("activate pair=p role=\(role) device=\(name)", on: name)
      send("sync.open schema=todoTimers", on: name)
    }
    for (name, replica) in [("device", Self.replica), ("other", Self.other)] {
      send("activate pair=p role=watch device=\(name)", on: name)
      send(
        "{\"type\":\"sync.open\",\"schema\":\"todoTimers\",\"replica\":\"\(replica)\"}", on: name)
    }
  }

  /// - Parameter line: who sends it, and what.
  func send(_ line: (name: String, text: String)) { send(line.text, on: line.name) }

  /// The answers are dropped; an error is for the shape to expect.
  func send(_ text: String, on name: String) {
    world.send(text, on: name)
    world.settle()
    let lines = world.client(name).takeLines()
    last = lines.last ?? ""
  }

  /// The last line that came.
  private(set) var last = ""

  func expect(_ type: String) throws {
    guard last.contains("\"type\":\"\(type)\"") else { throw Unexpected(line: last) }
  }

  struct Unexpected: Error { let line: String }

  /// Another operation of a replica, with its actions as JSON.
  func operation(
    _ actions: [String], by replica: String = Rig.replica, context: String? = nil
  ) -> String {
    let seq = seqs[replica, default: 0] + 1
    seqs[replica] = seq
    stamp += 1
    return "{\"replica\":\"\(replica)\",\"seq\":\"\(seq)\",\"wall\":\"0\","
      + "\"stamp\":\"\(978_307_200_000).1.\(stamp)\","
      + (context.map { "\"context\":{\($0)}," } ?? "")
      + "\"actions\":[\(actions.joined(separator: ","))]}"
  }

  /// The number of a replica's last operation.
  func seq(_ replica: String = Rig.replica) -> Int { seqs[replica, default: 0] }

  func push(_ operations: [String]) -> String {
    "{\"type\":\"sync.push\",\"ops\":[\(operations.joined(separator: ","))]}"
  }

  /// A timer is made, so that it can be changed.
  func makeTimer() throws {
    send(push([operation([Self.action("create", "")])]), on: "device")
    try expect("sync.accepted")
    send("sync.view kind=timer", on: "phone")
  }

  static func action(_ name: String, _ members: String, record: String = Rig.timer) -> String {
    "{\"action\":\"\(name)\",\"kind\":\"timer\",\"record\":\"\(record)\"\(members)}"
  }

  static func record(_ number: Int) -> String {
    let digits = String(number)
    return "B0000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}
