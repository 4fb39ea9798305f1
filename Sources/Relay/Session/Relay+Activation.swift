import Wire

extension Relay {
  /// Begins or renews a session. Returns false where the pair has to be read back first, or a commit has to show that
  /// the store is this server's.
  func activate(_ call: Call) throws(WireError) -> Bool {
    var request = try ActivationRequest(call.fields)
    let token = try admit(request, call)
    // One that has a device is refused by `find`.
    let name = PairName(app: request.app, name: request.pair)
    if call.connection.device == nil, try leaves(call, for: shard(of: name)) { return false }
    guard try ownsStore(call.connection) else { return false }
    guard try isInMemory(request, call.connection) else { return false }
    request.compare(
      with: storeName(of: pair(PairName(app: request.app, name: request.pair))))
    let known = try find(request, call)
    try check(request, known)
    if let schema = request.bridge {
      let pair = pair(PairName(app: request.app, name: request.pair))
      guard try requireHubs().findBridge(schema, pair, call.connection) else { return false }
    }

    // From here on nothing fails.
    if let token { present(token, on: call.connection) }
    let device = known ?? makeDevice(request, call.connection.token)
    let pair = device.pair
    if let previous = device.connection { takeOver(device, from: previous, by: call.connection) }
    call.connection.device = device
    call.connection.wait(for: .activation)
    call.connection.hasActivated = true
    call.connection.owed += 1
    device.connection = call.connection
    pair.evictionBatch = 0
    device.session = nextSession
    nextSession += 1
    device.isAutomatic = request.isAutomatic
    device.resumeOffsets = request.offsets
    device.activationCall = (call.id, call.connection.lines)
    audit("activated", device, call.connection)
    enter(device, incarnation: request.incarnation)
    let hadJoined = device.hasJoined
    join(device, pair)
    if let schema = request.bridge {
      let request = BridgeRequest(
        schema: schema, received: request.receivedUserInfo,
        isOfOtherStore: request.isOfOtherStore)
      hubs?.attachBridge(device, request, hadJoined: hadJoined)
    }
    for (lane, seq) in request.received { acknowledge(device, lane, through: seq) }
    if device.isBridged { hubs?.beginBridge(device) }
    counts.activations += 1
    let batch = latestBatch
    if batch > committed, device.changedBatch > committed {
      pair.lastBatch = max(pair.lastBatch, batch)
      if batch == open.number {
        open.after.activations.append((device, device.session))
      } else {
        inFlight[inFlight.count - 1].after.activations.append((device, device.session))
      }
    } else {
      completeActivation(device)
    }
    return true
  }

  /// Whether a commit that came after the line has shown that nobody else owns the store; else has the connection wait
  /// for one. What a server that has lost its store knows is old, and no device may be told it, nor refused for it.
  private func ownsStore(_ connection: Connection) throws(WireError) -> Bool {
    guard options.isShared, connection.activatingLine != connection.lines else { return true }
    if let storeFailure {
      throw WireError(
        .overloaded,
        "the store cannot write at present (\(storeFailure)), so nobody can activate; nothing was changed, try "
          + "again later")
    }
    connection.activatingLine = connection.lines
    connection.wait(for: .commit)
    open.after.arrivals.append(connection)
    return false
  }

  /// Whether the pair of a request is in memory, or is none yet; else has it read back, and the
  /// connection wait for it.
  private func isInMemory(
    _ request: ActivationRequest, _ connection: Connection
  ) throws(WireError) -> Bool {
    let failure = connection.pairFailure
    connection.pairFailure = nil
    // The pair is here, and its records were asked for and could not be read.
    if let failure, request.bridge != nil,
      numbers[PairName(app: request.app, name: request.pair)].flatMap({ pairs[$0] }) != nil
    {
      throw WireError(.overloaded, failure)
    }
    // A connection that has a device already is refused by `find`.
    guard connection.device == nil,
      let number = numbers[PairName(app: request.app, name: request.pair)], pairs[number] == nil
    else { return true }
    if let failure { throw WireError(.overloaded, failure) }
    load(number, for: connection)
    return false
  }

  /// The device that is to activate; nil where it is a new one, and may be.
  private func find(_ request: ActivationRequest, _ call: Call) throws(WireError) -> Device? {
    let known = pair(PairName(app: request.app, name: request.pair))
    if let bound = call.connection.device,
      bound.pair !== known || bound.name != request.device
    {
      throw WireError(
        .invalidField,
        "this connection is \(bound.name) of pair \(bound.pair.name); deactivate first, or use "
          + "another connection")
    }
    if let device = known?.device(named: request.device) {
      guard device.role == request.role else {
        throw WireError(
          .invalidField,
          "\(device.name) is a \(device.role.rawValue) of this pair and stays one; choose another "
            + "device name for a \(request.role.rawValue)")
      }
      return device
    }
    if let storeFailure {
      throw WireError(
        .overloaded,
        "the store cannot write at present (\(storeFailure)), so no new device can activate; "
          + "nothing was changed, try again later")
    }
    if storeFullness != nil {
      throw fullness("no new device can activate, try again later")
    }
    if known == nil { try checkRoomForPair(call.connection.token) }
    if request.role == .phone, let phone = known?.phone {
      throw WireError(
        .invalidField,
        "this pair has a phone already, named \(phone.name); a pair has one phone")
    }
    if let known, request.role == .watch,
      known.devices.count - (known.phone == nil ? 0 : 1) >= limits.watches
    {
      throw WireError(
        limit: "watches", "this pair has \(limits.watches) watches, as many as it may",
        "go on with one of them, or with another pair")
    }
    return nil
  }

  private func makeDevice(_ request: ActivationRequest, _ token: Token?) -> Device {
    let name = PairName(app: request.app, name: request.pair)
    let pair = pair(name) ?? makePair(name, token)
    let device = Device(
      pair: pair, index: UInt16(pair.devices.count), name: request.device, role: request.role)
    pair.add(device)
    changed(device)
    return device
  }

  /// Numbers of pairs have 32 bits, and those of pairs that are let go are given again; of erased ones they are not.
  private var mostPairs: Int { min(limits.pairs, Int(UInt32.max) - 1) }

  private func checkRoomForPair(_ token: Token?) throws(WireError) {
    try checkQuota(ofPairs: token)
    guard nextPair < UInt32.max else {
      throw WireError(
        .overloaded, "this store has given all its numbers of pairs away; start with another --data"
      )
    }
    guard numbers.count >= mostPairs, blankPairs.isEmpty else { return }
    throw WireError(
      limit: "pairs",
      "this server keeps \(mostPairs) pairs, and has as many, so no new pair can begin",
      "those that there are go on. Start it with a higher --limits pairs=N, or with another --data"
    )
  }

  /// The number of a new pair: that of the oldest blank one, which is let go, where there is no more room.
  private func pairNumber() -> UInt32 {
    guard numbers.count >= mostPairs, let old = blankPairs.takeOldest()?.value else {
      nextPair += 1
      return nextPair - 1
    }
    log("event=pairLetGo app=\(old.name.app.quoted) pair=\(old.name.name.quoted)")
    numbers[old.name] = nil
    makers.remove(old.maker)
    makerBytes.remove(old.maker, old.held)
    // Its other rows are written over by the new pair's.
    open.removedRows.append(QueueRow.key(old.number))
    return old.number
  }

  private func makePair(_ name: PairName, _ token: Token?) -> Pair {
    let pair = Pair(
      number: pairNumber(), app: name.app, name: name.name, generation: erasures)
    numbers[name] = pair.number
    pairs[pair.number] = pair
    pair.maker = token?.id
    pair.used = servedMinutes
    makers.add(pair.maker)
    // The store has none of a new pair.
    pair.records = .none
    changed(pair)
    return pair
  }

  func pair(_ name: PairName) -> Pair? { numbers[name].flatMap { pairs[$0] } }

  private func check(_ request: ActivationRequest, _ device: Device?) throws(WireError) {
    for (lane, seq) in request.received {
      let highest = device.map { max($0[lane].highestHandedOut, $0[lane].acknowledged) } ?? 0
      guard seq <= highest else {
        throw WireError(
          .invalidField,
          "received.\(lane) is \(seq), but the last delivery in that lane was \(highest); if these "
            + "numbers are another store's, name it in store")
      }
    }
    guard let device else { return }
    if !device.incarnations.contains(where: { $0.name == request.incarnation }) {
      guard device.incarnations.count < limits.incarnations else {
        throw WireError(
          limit: "incarnations",
          "\(device.name) has \(limits.incarnations) incarnations, as many as it may",
          "go on as one of them")
      }
      if storeFullness != nil {
        throw fullness("no new incarnation can activate, try again later")
      }
    }
    if storeFailure != nil, device.changedBatch > committed {
      throw WireError(
        .overloaded,
        "the store cannot write at present (\(storeFailure!)), and commits of this device are "
          + "under way; try again later")
    }
  }

  /// Finds or makes the incarnation; numbers of `n` are its own.
  private func enter(_ device: Device, incarnation name: String) {
    if let index = device.incarnations.firstIndex(where: { $0.name == name }) {
      device.incarnation = UInt16(index)
    } else {
      device.incarnation = UInt16(device.incarnations.count)
      device.incarnations.append(Incarnation(name: name))
      changed(device, incarnation: Int(device.incarnation))
    }
  }

  /// Makes the pair out of devices that have both activated.
  private func join(_ device: Device, _ pair: Pair) {
    if !device.hasJoined {
      device.hasJoined = true
      changed(device)
    }
    if !device.isPhone, pair.activeWatch == nil {
      pair.activeWatch = device
      changed(pair)
    }
  }

  /// The commits that the activation waited for are there.
  func completeActivation(_ device: Device) {
    guard let connection = device.connection else { return }
    device.activation = .activated
    device.appState = .foreground
    device.toldReachable = device.pair.isReachable(from: device)
    connection.endWait()
    unblock(connection)
    connection.owed -= 1
    describeActivation(device, connection)
    device.toldCompanionApp = device.pair.hasCompanionApp
    device.owesPendingChange = device.hasContentPending
    repeatContexts(device)
    // Its own activation has told a phone how its watch is.
    if device.isPhone { device.pair.toldWatchState = WatchState(device.pair) }
    tellNews(device.pair)
    pump(device)
    if let counterpart = device.pair.counterpart(of: device) { pump(counterpart) }
  }

  private func describeActivation(_ device: Device, _ connection: Connection) {
    let isMissed = takeMissedEnds(device, on: connection)
    // Whoever does not hear this has to be told again.
    defer { if isMissed { connection.toldPosition = connection.position } }
    answer(connection) { output in
      Self.begin(
        &output, "activationDidComplete", re: device.activationCall.id, of: .activate)
      output.append(",\"device\":")
      output.append(jsonString: device.name)
      output.append(",\"role\":", quoted: device.role.rawValue)
      output.append(",\"session\":\"s")
      output.append(decimal: epoch)
      output.append(".")
      output.append(decimal: device.session)
      output.append("\",\"store\":", quoted: storeName(of: device.pair))
      if isMissed { output.append(",\"mayHaveMissedDidFinish\":true") }
      describeSession(device, &output)
      output.append(",\"protocol\":1,\"limits\":{\"line\":")
      output.append(decimal: limits.line)
      let sizes = device.pair.knobs.limits
      for (name, size) in [
        (",\"message\":", sizes.message), (",\"userInfo\":", sizes.userInfo),
        (",\"context\":", sizes.context), (",\"file\":", sizes.file),
      ] as [(StaticString, Int)] {
        output.append(name)
        output.append(decimal: size)
      }
      output.append("}}")
    }
  }

  /// WCSession's properties and the state of the device's queues, as members.
  func describeSession(_ device: Device, _ output: inout [UInt8]) {
    let pair = device.pair
    let counterpart = pair.counterpart(of: device)
    output.append(",\"activationState\":")
    output.append(decimal: device.activation.rawValue)
    output.append(",\"isReachable\":")
    output.append(bool: pair.isReachable(from: device))
    output.append(",\"isPaired\":")
    output.append(bool: pair.isPaired)
    if device.isPhone {
      output.append(",\"isWatchAppInstalled\":")
      output.append(bool: pair.isPaired && pair.activeWatch?.state.isWatchAppInstalled == true)
      output.append(",\"isComplicationEnabled\":")
      output.append(bool: pair.isPaired && pair.activeWatch?.state.isComplicationEnabled == true)
      output.append(",\"remainingComplicationUserInfoTransfers\":")
      output.append(decimal: pair.activeWatch.map { remainingComplications($0) } ?? 0)
      if let watch = pair.activeWatch {
        output.append(",\"activeWatch\":")
        output.append(jsonString: watch.name)
      }
    } else {
      output.append(",\"isActiveWatch\":")
      output.append(bool: !pair.isParked(device))
      output.append(",\"isCompanionAppInstalled\":")
      output.append(bool: pair.hasCompanionApp)
      output.append(",\"iOSDeviceNeedsUnlockAfterRebootForReachability\":")
      output.append(bool: pair.phone?.state.isLocked == true)
    }
    output.append(",\"hasContentPending\":")
    output.append(bool: device.hasContentPending)
    output.append(",\"applicationContext\":")
    let sent = counterpart?.contexts[device.index]?.current
    output.append(contentsOf: sent ?? Array("{}".utf8))
    output.append(",\"receivedApplicationContext\":")
    let received = counterpart.flatMap { device.contexts[$0.index]?.handedOut }
    output.append(contentsOf: received ?? Array("{}".utf8))
    output.append(",\"n\":")
    output.append(decimal: device.lastNumber)
    output.append(",\"outstanding\":")
    output.append(decimal: device.outstanding)
    output.append(",\"pending\":{")
    for (index, lane) in LaneName.delivered.enumerated() {
      output.append(index == 0 ? "\"" : ",\"")
      output.append(lane.name)
      output.append("\":")
      output.append(decimal: device[lane].count)
    }
    output.append("}")
  }
}
