package import Wire

/// One request on its way through the relay. Nothing in it is counted: it is not kept beyond the line.
package struct Call {
  let kept: Unmanaged<Connection>
  package let fields: Fields
  package let request: Request
  /// Where the sender's correlation id is, which has been checked; nil where it gave none.
  let identifier: Value?
  /// Whether it came as words.
  var isTyped = false

  package var connection: Connection { kept.takeUnretainedValue() }

  /// The sender's correlation id as JSON text; empty where it gave none.
  package var id: String { identifier.map(fields.text) ?? "" }
  package var hasID: Bool { identifier != nil }
}

extension Relay {
  /// Carries a request out. Returns false where it has to wait and nothing has changed.
  func perform(_ call: Call) throws(WireError) -> Bool {
    switch call.request {
    case .ping: ping(call)
    case .help: try help(call)
    case .quit: quit(call)
    case .advance:
      // A manual clock is the shard's.
      if case .lobby = options.place, options.hasManualClock, try leaves(call, for: 0) {
        return false
      }
      try advance(call)
    case .authenticate: try authenticate(call)
    case .activate: return try activate(call)
    case .stats, .listPairs, .listDevices, .kick, .tail: return try performForOperator(call)
    default:
      guard let device = call.connection.$device else {
        throw WireError(
          .sessionNotActivated,
          "activate first, such as: activate pair=demo role=phone")
      }
      if isInTrouble { try refuseForStore(call.request) }
      // An erased pair still keeps it until the commit.
      return try device.use { (device) throws(WireError) in try perform(call, device) }
    }
    return true
  }

  private func perform(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    if device.pair.standsStill || device.isBridged && call.request.mayBeForHub,
      hubs?.waits(call.connection, for: device.pair) == true
    {
      return false
    }
    switch call.request {
    case .sendMessage, .sendMessageData: return try sendMessage(call, device)
    case .reply: try reply(call, device)
    case .transferUserInfo: try transferUserInfo(call, device)
    case .transferCurrentComplicationUserInfo: try transferComplication(call, device)
    case .updateApplicationContext: try updateContext(call, device)
    case .transferFile: try transferFile(call, device)
    case .fileChunk: try fileChunk(call, device)
    case .acknowledge: return try acknowledge(call, device)
    case .refuse: try refuse(call, device)
    case .cancelTransfer: try cancelTransfer(call, device)
    case .outstandingTransfers: try outstandingTransfers(call, device)
    case .deactivate: deactivate(call, device)
    case .selectWatch: try selectWatch(call, device)
    case .setAppState: try setAppState(call, device)
    case .setDeviceState: try setDeviceState(call, device)
    case .configure:
      try check(.configure, call)
      try configure(call, device)
    case .hold: try hold(call, device)
    case .release: try release(call, device)
    case .forgetPair:
      try check(.forget, call)
      return try forgetPair(call, device)
    case .getState: getState(call, device)
    case .syncOpen, .syncPush, .syncEdit, .syncRestore, .syncView, .syncConflicts, .syncDigest,
      .syncAcknowledge:
      return try requireHubs().perform(call, device)
    case .ping, .help, .quit, .advance, .authenticate, .activate, .stats, .listPairs, .listDevices,
      .kick, .tail:
      break
    }
    return true
  }

  /// Work that needs a commit is refused while the store cannot write, and what makes the store larger
  /// while there is no room; what was accepted stays.
  func refuseForStore(_ request: Request) throws(WireError) {
    if storeFailure != nil { return try refuseWhileFailing(request) }
    let makesLarger =
      switch request {
      case .transferUserInfo, .transferCurrentComplicationUserInfo, .updateApplicationContext,
        .transferFile, .fileChunk, .selectWatch, .configure, .syncPush, .syncEdit, .syncRestore:
        true
      default: false
      }
    guard makesLarger else { return }
    throw fullness("nothing was changed, acknowledge what waits and try again later")
  }

  /// The error of what is refused since there is no room.
  func fullness(_ advice: String) -> WireError {
    let (reason, isDisk) = storeFullness!
    return isDisk
      ? WireError(.overloaded, "the store takes nothing new at present (\(reason)); \(advice)")
      : WireError(limit: "storeBytes", "the store takes nothing new at present: \(reason)", advice)
  }

  private func refuseWhileFailing(_ request: Request) throws(WireError) {
    let needsCommit =
      switch request {
      case .transferUserInfo, .transferCurrentComplicationUserInfo, .updateApplicationContext,
        .transferFile, .fileChunk, .refuse, .cancelTransfer, .selectWatch, .setDeviceState,
        .configure, .forgetPair, .syncOpen, .syncPush, .syncEdit, .syncRestore, .syncAcknowledge:
        true
      // What has been seen is noted.
      case .syncView: true
      // They show what may not be on the disk yet.
      case .syncConflicts, .syncDigest: latestBatch > committed
      default: false
      }
    guard needsCommit else { return }
    throw WireError(
      .overloaded,
      "the store cannot write at present (\(storeFailure!)); nothing was changed, try again later"
    )
  }
}

extension Request {
  /// Whether its payload may be one for the hub.
  package var mayBeForHub: Bool {
    self == .transferUserInfo || self == .sendMessage || self == .updateApplicationContext
  }
}
