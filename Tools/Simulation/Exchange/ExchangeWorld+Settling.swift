import Merge

/// The end of every run: all links work, and devices exchange until nothing changes any more.
struct Settlement {
  /// What took place, as events.
  var events: [TraceEvent] = []
  /// Whether it came to rest.
  var isSettled = false
  /// Each device's state.
  var states: [Shown] = []
  /// Whether one more exchange changed nothing.
  var isStable = true
}

extension ExchangeWorld {
  /// So many rounds are enough for anything that does not answer what it is told by the same.
  static let mostRounds = 20

  func settle(_ first: Int) throws(MergeFailure) -> Settlement {
    var settlement = Settlement()
    at += 1000
    for device in devices.indices { devices[device].isConnected = true }
    if isRecorded { record(0, .note, "all links work from now on") }
    if started.sync == .messages {
      for one in places.indices {
        for other in neighbours(one) {
          try add(
            TraceEvent(
              at: at, places[one].name, .reachability, to: places[other].name, flag: true), first,
            &settlement)
        }
      }
    }
    for round in 1...Self.mostRounds {
      at += 100
      let before = isOurs ? [] : try states()
      try flush(first, &settlement)
      if started.sync == .state, schema != nil { try exchangeAll(first, &settlement) }
      if try hasSettled(round, before) {
        settlement.isSettled = true
        break
      }
    }
    for device in places.indices {
      settlement.states.append(try state(device, withKept: true))
    }
    guard settlement.isSettled, started.sync == .state, schema != nil else { return settlement }
    at += 100
    // What changes nothing is no part of the schedule.
    var more = Settlement()
    try exchangeAll(first, &more)
    for (device, state) in settlement.states.enumerated() {
      if try self.state(device, withKept: false).records != state.records {
        settlement.isStable = false
      }
    }
    return settlement
  }

  private func states() throws(MergeFailure) -> [[Shown.Record]] {
    var states: [[Shown.Record]] = []
    for device in places.indices { states.append(try shown(device).records) }
    return states
  }

  private func hasSettled(
    _ round: Int, _ before: [[Shown.Record]]
  ) throws(MergeFailure) -> Bool {
    if schema == nil { return isQuiet }
    if isOurs {
      return devices.indices.allSatisfy { devices[$0].held == devices[0].held }
    }
    guard isQuiet else { return false }
    guard started.sync == .state else { return true }
    let now = try states()
    return round > 1 && now == before
  }

  private var isQuiet: Bool {
    lines.allSatisfy { line in
      guard let first = line.parcels.first else { return true }
      if parcels[first].lane == .context { return line.last == line.parcels.count - 1 }
      return line.done == line.parcels.count
    } || settings.network == .any && started.sync == .state
  }

  /// Everything on its way arrives; where the network may lose it, it is lost.
  private func flush(_ first: Int, _ settlement: inout Settlement) throws(MergeFailure) {
    if settings.network == .any, started.sync == .state, schema != nil { return }
    for index in lines.indices {
      let line = lines[index]
      guard let one = line.parcels.first else { continue }
      let coming: [Int]
      if settings.network == .any {
        coming = line.parcels.filter { parcels[$0].deliveries == 0 }
      } else if parcels[one].lane == .context {
        coming = line.parcels[(line.last + 1)...].suffix(1).map { $0 }
      } else {
        coming = Array(line.parcels[line.done...])
      }
      for parcel in coming {
        try add(
          TraceEvent(at: at, places[parcels[parcel].to].name, .deliver, of: parcels[parcel].name),
          first, &settlement)
      }
    }
  }

  /// Everyone hands over what it holds: first to the phone, then the phone to the others.
  private func exchangeAll(_ first: Int, _ settlement: inout Settlement) throws(MergeFailure) {
    var pairs: [(from: Int, to: Int)] = []
    for from in places.indices {
      for to in neighbours(from) { pairs.append((from, to)) }
    }
    let ordered = pairs.filter { places[$0.to].isPhone } + pairs.filter { !places[$0.to].isPhone }
    for (from, to) in ordered {
      if isOurs, devices[from].held == devices[to].held { continue }
      let name = "z\(parcels.count)"
      try add(
        TraceEvent(
          at: at, places[from].name, .send, name: name, lane: Lane.context.rawValue,
          to: places[to].name), first, &settlement)
      try add(TraceEvent(at: at, places[to].name, .deliver, of: name), first, &settlement)
    }
  }

  private func add(
    _ event: TraceEvent, _ first: Int, _ settlement: inout Settlement
  ) throws(MergeFailure) {
    var event = event
    let number = first + settlement.events.count
    if event.name == nil, started.sync == .messages { event.name = "z\(number)" }
    if try perform(event, number) { settlement.events.append(event) }
  }
}
