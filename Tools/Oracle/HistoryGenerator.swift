package import Merge
package import Seeded

/// Devices that edit and exchange what they hold.
///
/// Contexts are honest: each is the vector of a state that its device was in. Stamps are minted
/// above everything that the device holds, and what arrives anywhere is causally closed.
package struct HistoryGenerator {
  struct Device {
    var replica: ReplicaID
    var rank: UInt8
    /// What its clock is wrong by, in milliseconds.
    var skew: UInt64
    var held = VersionVector()
    /// The states that it was in, the present one last.
    var states = [VersionVector()]

    mutating func shows(_ held: VersionVector) {
      self.held = held
      states.append(held)
    }
  }

  /// An operation being written.
  struct Draft {
    var operation: Operation
    /// What its writer was shown when the edit began.
    let seen: Oracle

    /// The same with what the operation has inserted so far.
    var state: Oracle {
      operation.actions.contains { $0.elements > 0 || $0.body == .create }
        ? Oracle(seen.operations + [operation]) : seen
    }
  }

  let schema: Schema
  let options: HistoryOptions
  var random: SplitMix64
  var devices: [Device] = []
  var hub = VersionVector()
  var time: UInt64 = 1_790_000_000_000
  var operations: [Operation] = []

  /// A random history.
  package static func history(
    _ schema: Schema, _ options: HistoryOptions, using random: inout SplitMix64
  ) -> History {
    var generator = HistoryGenerator(schema: schema, options: options, random: random)
    generator.addDevices()
    while generator.operations.count < options.operations { generator.step() }
    random = generator.random
    return History(generator.operations)
  }

  private mutating func addDevices() {
    for index in 0..<options.devices {
      // Now and then one device twice, as after a reinstall.
      let again = index > 0 && random.percent(10)
      let device =
        again ? devices[0].replica.device : Identifier(high: random.next(), low: random.next())
      let replica = ReplicaID(device: device, incarnation: random.next())
      devices.append(
        Device(
          replica: replica, rank: index == 0 ? 2 : 1,
          skew: random.pick([0, 0, 0, 1, 1000])))
    }
  }

  private mutating func step() {
    if !random.percent(options.sameMillisecond) { time += random.pick([1, 1, 2, 1000]) }
    let index = random.below(devices.count)
    if random.percent(options.deliveries) {
      deliver(index)
    } else {
      write(index)
    }
  }

  // MARK: Delivery

  private mutating func deliver(_ index: Int) {
    if options.hasHub {
      if random.percent(50) {
        hub = received(from: devices[index].held, by: hub)
      } else {
        devices[index].shows(received(from: hub, by: devices[index].held))
      }
    } else {
      let other = random.pick(Array(devices.indices))
      devices[index].shows(received(from: devices[other].held, by: devices[index].held))
    }
  }

  /// What is held after some of what is missing has come, in the order in which it was written.
  private mutating func received(
    from source: VersionVector, by receiver: VersionVector
  ) -> VersionVector {
    let missing = operations.map(\.dot).filter { source.contains($0) && !receiver.contains($0) }
    let count =
      random.percent(60) ? missing.count : random.within(0...missing.count)
    var held = receiver
    for dot in missing.prefix(count) { held.insert(dot) }
    return held
  }

  // MARK: Writing

  private mutating func write(_ index: Int) {
    if random.percent(options.reinstalls) {
      devices[index].replica.incarnation = random.next()
      devices[index].states = [devices[index].held]
    }
    let device = devices[index]
    let shown = random.percent(options.stale) ? random.pick(device.states.suffix(6)) : device.held
    let latest = operations.filter { device.held.contains($0.dot) }.map(\.stamp).max()
    let dot = Dot(device.replica, device.held[device.replica] + 1)
    let stamp = Stamp.mint(
      time: time + device.skew, rank: device.rank, replica: device.replica, after: latest,
      counterBits: options.counterBits)
    var draft = Draft(
      operation: Operation(
        dot: dot, stamp: stamp, context: Context(shown, of: device.replica),
        wall: Int64(time + device.skew), actions: []),
      seen: Oracle(operations.filter { shown.contains($0.dot) }))
    for _ in 0..<random.pick([1, 1, 1, 1, 2, 3]) { edit(&draft) }
    guard !draft.operation.actions.isEmpty else { return }
    operations.append(draft.operation)
    var held = device.held
    held.insert(dot)
    devices[index].shows(held)
  }
}
