import AppModels
import Merge
import Wire

/// A device on which somebody edits, and what others did meanwhile.
struct EditingDesk {
  static let schema = ShippedSchemas.named("todoTimers")!

  let phone = DeviceReplica(id: Hub.phone, rank: 2)
  let watch = DeviceReplica(id: Hub.watch, rank: 1)
  private(set) var clock = Int64(Hub.now)

  var vector: VersionVector { phone.fold.vector }

  /// Edits on a device, as of what was shown; everything where nil.
  @discardableResult
  mutating func edit(
    on device: DeviceReplica? = nil, shown: VersionVector? = nil,
    _ body: (inout Editor, Fold) throws -> [Action]
  ) throws -> Merge.Operation {
    let device = device ?? phone
    clock += 1
    let shown = shown ?? device.fold.vector
    var editor = Editor(device.fold, Self.schema, shown: shown)
    return try device.write(try body(&editor, device.fold), shown: shown, clock: clock)
  }

  @discardableResult
  mutating func set(
    _ target: Target, _ fields: String, on device: DeviceReplica? = nil,
    shown: VersionVector? = nil
  ) throws -> Merge.Operation {
    try edit(on: device, shown: shown) { editor, fold in
      try EditingDesk.actions(target, fields, &editor, fold)
    }
  }

  static func actions(
    _ target: Target, _ fields: String, _ editor: inout Editor, _ fold: Fold
  ) throws -> [Action] {
    let plan = try withJSON(fields) {
      try schema[target.kind]!.plan(
        setting: $0, $1, present: editor.present(target), among: neighbours(fold))
    }
    return try editor.set(target, plan)
  }

  @discardableResult
  mutating func create(
    _ target: Target, _ fields: String, at position: Editor.Position = .last,
    on device: DeviceReplica? = nil, shown: VersionVector? = nil
  ) throws -> Merge.Operation {
    try edit(on: device, shown: shown) { editor, fold in
      let plan = try withJSON(fields) {
        try EditingDesk.schema[target.kind]!.plan(
          creating: $0, $1, now: 0, among: EditingDesk.neighbours(fold))
      }
      return try editor.create(target, plan, at: position)
    }
  }

  private static func neighbours(_ fold: Fold) -> Neighbours {
    Neighbours(
      isVisible: { fold.isVisible($0, schema) },
      container: { fold.container(of: $0, schema)?.record })
  }

  /// A timer, and one for each more letter.
  static func timer(_ number: Int) -> Target {
    Target("timer", Name(Identifier(high: 0, low: UInt64(0xA0 + number)).description))
  }

  static func todo(_ number: Int) -> Target {
    Target("todo", Name(Identifier(high: 0, low: UInt64(0xB0 + number)).description))
  }

  mutating func createTimer(
    _ number: Int, at position: Editor.Position = .last, on device: DeviceReplica? = nil,
    shown: VersionVector? = nil
  ) throws {
    try create(
      Self.timer(number), #"{"name":"t\#(number)","durationInSeconds":60}"#, at: position,
      on: device, shown: shown)
  }

  /// Both get everything.
  func exchange() throws {
    for (from, to) in [(phone, watch), (watch, phone)] {
      try to.receive(
        try from.replica.operations(of: from.id, after: 0).map {
          try OperationText(json: $0.bytes)
        },
        through: 0)
    }
  }

  var notes: String { phone.fold.text(of: Self.timer(0), "notes") }

  func order(_ kind: Name, in container: Target? = nil) -> [Int] {
    phone.fold.view(Self.schema)[kind].filter { $0.container == container }.map {
      Int($0.target.record.text.suffix(2), radix: 16)! & 15
    }
  }
}

/// A text as a JSON string.
func quoted(_ text: String) -> String {
  String(decoding: Datum.string(Name(text)).canonical, as: UTF8.self)
}
