import Seeded
import AppModels
package import Merge
import Oracle
import Wire

/// The project's own merge: devices that hand each other their operations.
package final class OurMerge: MergeUnderTest {
  package private(set) var schema = Schema(name: "none", kinds: [])
  package private(set) var devices: [DeviceReplica] = []
  /// The operation that the last edit became; nil where it changed nothing.
  package private(set) var written: Operation?
  package internal(set) var behaviour: UInt64 = 0
  /// How often a stamp's counter was at its end.
  private(set) var overflows = 0
  private var settings = ExchangeSettings()
  private(set) var columns: [Name: [FieldType]] = [:]
  /// The same of every schema so far.
  private var known: [[UInt8]: [Name: [FieldType]]] = [:]
  /// What each device held after each thing that happened at it.
  private var moments: [[VersionVector]] = []
  var shown: [Shown?] = []
  /// The records that each device showed last, and how they are spelled.
  var spelled: [[(view: RecordView, record: Shown.Record)]] = []
  private static let abilities = Set(Started.Ability.allCases)

  package init() {}

  package func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started {
    guard let schema = settings.recordSchema else {
      throw .unavailable("there is no schema \(settings.schema)")
    }
    if schema.digest != self.schema.digest {
      columns = known[schema.digest] ?? Self.columns(schema)
      known[schema.digest] = columns
    }
    self.schema = schema
    self.settings = settings
    var random = SplitMix64(seed: random)
    self.devices = devices.map {
      let device = Identifier(high: random.next(), low: random.next())
      let id = ReplicaID(device: device, incarnation: random.next())
      return DeviceReplica(id: id, rank: $0.isPhone ? 2 : 1)
    }
    moments = devices.map { _ in [VersionVector()] }
    shown = devices.map { _ in nil }
    spelled = devices.map { _ in [] }
    written = nil
    overflows = 0
    behaviour = 0xCBF2_9CE4_8422_2325
    let can =
      settings.isPortable ? Self.abilities.subtracting([.restore, .form]) : Self.abilities
    return Started(.state, can: can)
  }

  // MARK: What happens at a device

  package func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer {
    written = nil
    let replica = devices[device].replica
    let shown = moment.map { moments[device][$0] } ?? replica.vector
    let actions: [Action]
    do throws(WireError) {
      actions = try edit.actions(replica.fold, schema, shown: shown, now: now)
    } catch {
      return .refused(error.message)
    }
    guard !actions.isEmpty else { return .done([]) }
    do throws(WireError) {
      written = try write(actions, device, shown: shown, now: now)
    } catch {
      throw broken(
        "edit-not-taken", "A device could not take in an edit of its own.", device, error.message)
    }
    changed(device)
    return .done([])
  }

  private func write(
    _ actions: [Action], _ device: Int, shown: VersionVector, now: Int64
  ) throws(WireError) -> Operation {
    let device = devices[device]
    guard settings.counterBits < 16 else {
      return try device.write(actions, shown: shown, clock: now)
    }
    let replica = device.replica
    let time = UInt64(max(0, now))
    var operation = replica.mint(
      actions, by: device.id, rank: device.rank, shown: shown, time: time, wall: now,
      after: replica.fold.latest
    ).operation
    operation.stamp = Stamp.mint(
      time: time, rank: device.rank, replica: device.id, after: replica.fold.latest,
      counterBits: settings.counterBits)
    if let latest = replica.fold.latest, operation.stamp.ms > latest.ms,
      latest.ms >= time, latest.rank == device.rank
    {
      overflows += 1
    }
    let bytes = operation.canonical(after: replica.end(of: device.id).context)
    try replica.append(Replica.Written(operation: operation, bytes: bytes))
    return operation
  }

  package func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body {
    .log(devices[device].replica.log)
  }

  package func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer {
    guard case .log(let entries) = body else { return .done([]) }
    let replica = devices[device].replica
    let before = replica.position
    for case .operation(let written) in entries {
      guard !replica.vector.contains(written.operation.dot) else { continue }
      do throws(WireError) {
        if settings.isCoded {
          try devices[device].receive([try OperationText(json: written.bytes)], through: 0)
        } else {
          try replica.append(written)
        }
      } catch {
        throw broken(
          "not-taken-in", "A device refused what another one had handed it.", device,
          error.message)
      }
    }
    if replica.position != before { changed(device) }
    return .done([])
  }

  package func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer {
    do throws(WireError) {
      devices[device] = try DeviceReplica(saved: devices[device].saved)
    } catch {
      throw broken(
        "store-not-read", "A device could not read what it had stored.", device, error.message)
    }
    shown[device] = nil
    return .done([])
  }

  private func changed(_ device: Int) {
    moments[device].append(devices[device].replica.vector)
    shown[device] = nil
  }

  private func broken(
    _ slug: String, _ headline: String, _ device: Int, _ message: String
  ) -> MergeFailure {
    .fault(Finding(invariant: "I2", slug: slug, headline: headline, story: [message]))
  }

  package func moment(_ device: Int) -> Int { moments[device].count - 1 }

  package var transcript: [String] {
    guard settings.keepsTranscript else { return [] }
    return devices.indices.flatMap { index in
      devices[index].replica.log.compactMap { entry in
        entry.operation.map { "\(index) \(String(decoding: $0.bytes, as: UTF8.self))" }
      }
    }
  }
}
