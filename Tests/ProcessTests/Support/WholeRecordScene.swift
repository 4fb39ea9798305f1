import AppModels
import Foundation
import Merge
import Testing

/// A phone and a watch that know whole records only, at a real server.
final class WholeRecordScene {
  let scratch: Scratch
  var server: ServerProcess
  let phone = WholeRecordClient(.phone)
  let watch = WholeRecordClient(.watch)

  init() throws {
    scratch = try Scratch()
    server = try ServerProcess(scratch)
    try phone.connect(server)
    try watch.connect(server)
    try settle()
  }

  /// Until nothing moves any more, for long enough to be believed.
  func settle() throws {
    var quiet = 0
    try eventually("all is sent and taken in") {
      let before = [phone.shown, watch.shown]
      let isDone = try [phone, watch].allSatisfy { try $0.step() }
      quiet = isDone && [phone.shown, watch.shown] == before ? quiet + 1 : 0
      usleep(1_000)
      return quiet > 40
    }
  }

  /// Both show the same.
  func expectEqual(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try settle()
    #expect(phone.shown == watch.shown, sourceLocation: sourceLocation)
    #expect(phone.errors.isEmpty && watch.errors.isEmpty, sourceLocation: sourceLocation)
  }

  /// The hub's records, as a person at a keyboard sees them.
  func hub(_ kind: String) throws -> [[String: Any]] {
    let person = try server.device("watch", ["device": "person"])
    defer { person.close() }
    _ = try person.type("sync.open schema=todoTimers")
    return try person.records(kind)
  }

  func offline() {
    phone.leave()
    watch.leave()
  }

  func online() throws {
    try phone.connect(server)
    try watch.connect(server)
    try settle()
  }

  /// A timer that both have.
  @discardableResult
  func make(_ name: Name = "Tea", todos: [Name] = []) throws -> Identifier {
    let id = Identifier(digestOf: "timer", name.text)
    let timer = TimerDTO(
      id: id, name: name, durationInSeconds: 300, createdAt: 0, updatedAt: 0,
      todoItems: todos.enumerated().map { index, text in
        TodoItemDTO(
          id: Self.todo(text), text: text, sortOrder: Int64(index), createdAt: 0,
          updatedAt: 0)
      })
    try phone.act { try $0.create(timer, now: phone.now) }
    try settle()
    return id
  }

  static func todo(_ text: Name) -> Identifier { Identifier(digestOf: "todo", text.text) }

  func rename(_ device: WholeRecordClient, _ id: Identifier, _ name: Name) throws {
    try device.act { try $0.update(id, now: device.now) { $0.name = name } }
  }
}
