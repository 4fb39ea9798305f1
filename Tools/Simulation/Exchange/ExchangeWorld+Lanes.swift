import Merge

extension ExchangeWorld {
  func put(_ parcel: Parcel) {
    let line = line(parcel.from, parcel.to, parcel.lane)
    lines[line].parcels.append(parcels.count)
    parcelNames[parcel.name] = parcels.count
    parcels.append(parcel)
  }

  func send(_ event: TraceEvent, _ device: Int) throws(MergeFailure) -> Bool {
    guard let name = event.name, parcelNames[name] == nil, let to = event.to.flatMap(index),
      to != device, let lane = event.lane.flatMap(Lane.init)
    else { return false }
    let body: Body
    if let payload = event.payload {
      body = .json(payload)
    } else {
      guard started.sync == .state, schema != nil else { return false }
      body = try subject.snapshot(device, to: to, now: now(device))
    }
    coverage.note("send")
    put(
      Parcel(
        name: name, from: device, to: to, lane: lane, body: body, held: devices[device].held,
        sentAt: at, step: record(device, .send, "\(lane.rawValue) to \(places[to].name)"),
        isPayload: event.payload != nil))
    return true
  }

  func deliver(
    _ event: TraceEvent, _ device: Int, _ number: Int
  ) throws(MergeFailure) -> Bool {
    guard let of = event.of, let index = parcelNames[of], parcels[index].to == device,
      areConnected(parcels[index].from, device), mayArrive(index)
    else { return false }
    try arrive(index, number, event.name)
    return true
  }

  /// Whether the lane can bring something now.
  func mayArrive(_ index: Int) -> Bool {
    if settings.network == .any { return true }
    guard !parcels[index].isUndelivered else { return false }
    let lane = parcels[index].lane
    let line = lines[line(parcels[index].from, parcels[index].to, lane)]
    switch lane {
    case .context: return line.parcels.firstIndex(of: index)! >= max(0, line.last)
    case .userInfo, .message:
      if parcels[index].deliveries == 0 {
        return line.done < line.parcels.count && line.parcels[line.done] == index
      }
      // What may have been processed comes again when its receiver has started anew.
      return lane == .userInfo && line.done > 0 && line.parcels[line.done - 1] == index
        && devices[parcels[index].to].restarts > parcels[index].restarts
    }
  }

  func arrive(_ index: Int, _ number: Int, _ name: String?) throws(MergeFailure) {
    let parcel = parcels[index]
    let line = line(parcel.from, parcel.to, parcel.lane)
    note(parcel, line, index)
    parcels[index].deliveries += 1
    parcels[index].restarts = devices[parcel.to].restarts
    let place = lines[line].parcels.firstIndex(of: index)!
    lines[line].last = max(lines[line].last, place)
    lines[line].done = max(lines[line].done, place + 1)
    let step = record(
      parcel.to, .receive, "\(parcel.lane.rawValue) from \(places[parcel.from].name)",
      from: parcel.step)
    guard !parcel.isPayload else { return }
    let answer = try subject.receive(
      parcel.to, from: parcel.from, parcel.lane, parcel.body, now: now(parcel.to))
    learn(parcel.to, parcel.held.subtracting(devices[parcel.to].held), (parcel.from, at))
    devices[parcel.to].arrival = (parcel.from, at)
    devices[parcel.to].held.formUnion(parcel.held)
    devices[parcel.to].shown = nil
    if isRecorded { try recordState(parcel.to, step) }
    try took(answer, parcel.to, number, name, step)
  }

  private func note(_ parcel: Parcel, _ line: Int, _ index: Int) {
    coverage.note("deliver")
    if parcel.deliveries > 0 { coverage.note("duplicate") }
    if parcel.held == devices[parcel.to].held { coverage.note("echo") }
    if let place = lines[line].parcels.firstIndex(of: index), place < lines[line].last {
      coverage.note("reorder")
    }
    if parcel.deliveries == 0, parcel.lane == .context,
      let place = lines[line].parcels.firstIndex(of: index), place > lines[line].last + 1
    {
      coverage.note("replaced")
    }
  }

  func undelivered(
    _ event: TraceEvent, _ device: Int, _ number: Int
  ) throws(MergeFailure) -> Bool {
    guard let of = event.of, let index = parcelNames[of], parcels[index].from == device,
      parcels[index].lane == .message, parcels[index].deliveries == 0,
      !parcels[index].isUndelivered
    else { return false }
    let parcel = parcels[index]
    let line = line(parcel.from, parcel.to, parcel.lane)
    let place = lines[line].parcels.firstIndex(of: index)!
    guard place == lines[line].done || settings.network == .any else { return false }
    parcels[index].isUndelivered = true
    lines[line].done = max(lines[line].done, place + 1)
    coverage.note("undelivered")
    let step = record(
      device, .fault, "its message did not reach \(places[parcel.to].name)", from: parcel.step)
    guard started.sync == .messages, !parcel.isPayload else { return true }
    let answer = try subject.undelivered(
      device, to: parcel.to, parcel.body, now: now(device))
    devices[device].shown = nil
    try took(answer, device, number, event.name, step)
    return true
  }

  /// What could arrive now, in order of sending.
  func deliverable() -> [Int] {
    var found: [Int] = []
    for index in lines.indices where !lines[index].parcels.isEmpty {
      let line = lines[index]
      if settings.network == .any {
        found += line.parcels.suffix(6).filter {
          parcels[$0].deliveries == 0 && !parcels[$0].isUndelivered
        }
      } else if let first = line.parcels.first {
        if parcels[first].lane == .context {
          found += line.parcels[(line.last + 1)...].suffix(settings.faults.contains(.delay) ? 3 : 1)
        } else if line.done < line.parcels.count {
          found.append(line.parcels[line.done])
        }
      }
    }
    return found
  }
}
