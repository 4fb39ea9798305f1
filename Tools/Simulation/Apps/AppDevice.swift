import AppModels
import Merge
import Wire

/// The to-do app on a device, and who types into its forms.
final class AppDevice {
  /// What was on the screen when a form was opened, and what was made of it.
  enum Form {
    case notes(shown: String, typed: String)
    case timer(shown: TimerRecord, name: String?, duration: Int?)
  }

  let name: String
  var form: Form?
  /// Milliseconds since 1970.
  private var now: Int64 = 1_763_719_200_000
  private let keeper: Keeper
  private let app: TodoTimersApp

  init(_ idiom: Idiom) {
    name = idiom.rawValue
    keeper = Keeper(name, rank: idiom == .phone ? 2 : 1)
    app = TodoTimersApp(Surroundings(idiom: idiom, records: Records(keeper)))
  }

  /// The only timer.
  var timer: TimerRecord { app.library.timers[0] }

  func type(_ line: String) throws(WireError) {
    now += 1_000
    try app.perform(CommandLine(line), now: now)
  }

  /// The records of the other one come in.
  func receive(from other: AppDevice) throws(WireError) {
    var items: [OperationText] = []
    for entry in other.keeper.replica.replica.log {
      if let written = entry.operation { items.append(try OperationText(json: written.bytes)) }
    }
    try keeper.replica.receive(items, through: 0)
    now = max(now, other.now)
    app.recordsDidChange(now: now)
  }

  /// The records of a device that is never connected to a hub.
  private final class Keeper: RecordKeeper {
    let schema = ShippedSchemas.named(TodoTimersApp.schema)!
    let replica: DeviceReplica
    private var made: UInt64 = 0

    init(_ device: String, rank: UInt8) {
      let device = Identifier(digestOf: "device", device)
      replica = DeviceReplica(id: ReplicaID(device: device, incarnation: 1), rank: rank)
    }

    var fold: Fold { replica.fold }
    var vector: VersionVector { replica.fold.vector }

    func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError) {
      try replica.write(actions, shown: shown, clock: now)
    }

    func newRecord() -> Name {
      made += 1
      return Name(
        Identifier(digestOf: "record", replica.id.description, String(made)).description)
    }
  }
}
