import Wire

/// Sessions' ends, and what the counterpart hears of it.
extension Relay {
  /// Another connection takes a device's session over; the old one is closed.
  func takeOver(_ device: Device, from previous: Connection, by connection: Connection) {
    if previous !== connection {
      audit("tookOver", device, connection)
      hold(nil, previous)
      tellDeactivated(previous, "replaced")
      endSession(device)
      previous.end(.replaced)
      previous.input = []
      scheduleOutput(previous)
    } else {
      endSession(device)
    }
  }

  private func tellDeactivated(_ connection: Connection, _ reason: StaticString) {
    answer(connection) { Self.deactivated(&$0, reason) }
  }

  /// The same, after the answers that wait for a commit.
  func tellDeactivatedLast(_ connection: Connection, _ reason: StaticString) {
    guard connection.owed > 0, latestBatch > committed else {
      return tellDeactivated(connection, reason)
    }
    connection.owed += 1
    after(latestBatch) { after in
      after.answers.add(connection, re: "", request: nil, line: 0, isOwed: true) {
        Self.deactivated(&$0, reason)
      }
    }
  }

  private static func deactivated(_ output: inout [UInt8], _ reason: StaticString) {
    output.append("{\"type\":\"sessionDidDeactivate\",\"reason\":\"")
    output.append(reason)
    output.append("\"}")
  }

  /// Takes a device off its connection: what was handed out and not acknowledged waits again.
  func endSession(_ device: Device) {
    guard let connection = device.connection else { return }
    endReplies(of: device)
    if connection.isActivating {
      connection.endWait()
      connection.owed -= 1
      unblock(connection)
    }
    sessionEnded(device, on: connection)
    connection.device = nil
    connection.acknowledging = nil
    connection.yetToSend = 0
    connection.endMarks = nil
    device.connection = nil
    device.activation = .notActivated
    device.appState = .foreground
    device.isSaturated = false
    device.fetched = [:]
    device.owesPendingChange = false
    hubs?.leave(device)
    rewind(device)
    for name in LaneName.allCases {
      device[name].isHeld = false
      device[name].allowance = 0
    }
    letWaitersGo(device)
    stopWaiting(connection)
    // A session that was still being switched is attached anew by the next activation.
    if device.isPhone { device.pair.isSwitching = false }
    scheduleOutput(connection)
    reachabilityChanged(device.pair)
    guard !device.pair.isConnected else { return }
    noteLastUse(device.pair)
    becameIdle(device.pair)
  }

  /// Has what was handed out and not acknowledged wait again.
  private func rewind(_ device: Device) {
    device.unconfirmed = Deque()
    for name in LaneName.allCases { device[name].cursor = 0 }
    for file in device.pair.files.values where file.receiver == device.index {
      file.isAnnounced = false
    }
  }

  func deactivate(_ call: Call, _ device: Device) {
    endSession(device)
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "sessionDidDeactivate", re: call.id, of: .deactivate)
      output.append(",\"reason\":\"deactivated\"}")
    }
  }

  // MARK: What the counterpart hears

  /// Tells a pair's devices what has changed for them, once the open batch is committed.
  func tellNewsAfterCommit(_ pair: Pair) {
    guard !open.after.news.contains(where: { $0 === pair }) else { return }
    open.after.news.append(pair)
  }

  func tellNews(_ pair: Pair) {
    watchStateChanged(pair)
    companionAppChanged(pair)
    reachabilityChanged(pair)
  }

  /// Tells each device of a pair whose `isReachable` is another than it was told.
  func reachabilityChanged(_ pair: Pair) {
    guard !isStopping else { return }
    for device in pair.devices {
      guard device.activation == .activated, let connection = device.connection else { continue }
      let isReachable = pair.isReachable(from: device)
      guard isReachable != device.toldReachable else { continue }
      device.toldReachable = isReachable
      answer(connection) { output in
        output.append("{\"type\":\"sessionReachabilityDidChange\",\"isReachable\":")
        output.append(bool: isReachable)
        output.append("}")
      }
      if !isReachable, pair.knobs.errorHandlerTwice { warnOfReplies(to: device) }
    }
  }

  /// Tells the phone where what it can know of its watch has changed.
  func watchStateChanged(_ pair: Pair) {
    let state = WatchState(pair)
    guard state != pair.toldWatchState else { return }
    pair.toldWatchState = state
    guard let phone = pair.phone, phone.activation == .activated, let connection = phone.connection,
      !connection.isActivating
    else { return }
    answer(connection) { output in
      output.append("{\"type\":\"sessionWatchStateDidChange\",\"isPaired\":")
      output.append(bool: state.isPaired)
      output.append(",\"isWatchAppInstalled\":")
      output.append(bool: state.isWatchAppInstalled)
      output.append(",\"isComplicationEnabled\":")
      output.append(bool: state.isComplicationEnabled)
      output.append("}")
    }
  }

  /// Tells each watch to which the app on its phone came or went.
  func companionAppChanged(_ pair: Pair) {
    for watch in pair.devices where !watch.isPhone && watch.toldCompanionApp != pair.hasCompanionApp
    {
      guard watch.activation == .activated, let connection = watch.connection,
        !connection.isActivating
      else { continue }
      watch.toldCompanionApp = pair.hasCompanionApp
      answer(connection) { output in
        output.append(
          "{\"type\":\"sessionCompanionAppInstalledDidChange\",\"isCompanionAppInstalled\":")
        output.append(bool: pair.hasCompanionApp)
        output.append("}")
      }
    }
  }

  // MARK: App states

  func setAppState(_ call: Call, _ device: Device) throws(WireError) {
    let text = try call.fields.string(.state)
    guard let state = AppState(rawValue: text) else {
      throw WireError(
        .invalidField, "state is foreground, background, suspended or terminated, not \(text)")
    }
    acceptNow(call)
    device.appState = state
    if state == .terminated {
      endReplies(of: device)
      rewind(device)
    }
    if state.isRunning { device.owesPendingChange = device.hasContentPending }
    reachabilityChanged(device.pair)
    pump(device)
  }

  /// Has the app of a device run in the background, and tells it so.
  func launch(_ device: Device, _ reason: StaticString) {
    device.appState = .background
    tellAppState(device, reason)
    if device.pair.knobs.bgTaskBudget > 0 {
      deadlines.add(
        .backgroundTask(
          pair: device.pair.number, device: device.index, session: device.session, woken: now),
        at: now + device.pair.knobs.bgTaskBudget)
    }
  }

  private func tellAppState(_ device: Device, _ reason: StaticString) {
    guard let connection = device.connection else { return }
    answer(connection) { output in
      output.append("{\"type\":\"appStateDidChange\",\"state\":", quoted: device.appState.rawValue)
      output.append(",\"reason\":\"")
      output.append(reason)
      output.append("\"}")
    }
  }

  /// Wakes an app for what has come since it ran, where the pair's knobs say that the system would.
  func wake(_ device: Device) -> Bool {
    let hasComplication = device[.complication].hasNews(committed)
    let hasContent = LaneName.content.contains { device[$0].hasNews(committed) }
    let isWoken =
      device.isPhone
      ? device.pair.knobs.wakePhoneOnBackgroundTransfer
      : device.pair.knobs.wakeWatchOnBackgroundTransfer || hasComplication
    guard hasContent, isWoken else { return false }
    device.owesPendingChange = true
    launch(device, "transfer")
    return true
  }

  /// A woken app has used its time up with content undrained: the system ends it.
  func backgroundTaskEnded(_ device: Device, _ session: UInt64, _ woken: Int64) {
    guard device.session == session, device.appState == .background, device.hasContentPending,
      device.activation != .notActivated
    else { return }
    device.appState = .terminated
    tellAppState(device, "backgroundTaskBudget")
    endReplies(of: device)
    rewind(device)
    reachabilityChanged(device.pair)
    settleEnd(device)
  }

  /// Tells a device that found content pending when none is left: acknowledged, cancelled or withdrawn.
  package func settlePending(_ device: Device) {
    guard device.owesPendingChange, !device.hasContentPending else { return }
    device.owesPendingChange = false
    tellAfterCommit(device) { output in
      output.append("{\"type\":\"hasContentPendingDidChange\",\"hasContentPending\":false}")
    }
  }
}

/// What a phone was last told of its watch.
struct WatchState: Equatable {
  var isPaired = false
  var isWatchAppInstalled = false
  var isComplicationEnabled = false
}

extension WatchState {
  /// What it would be told now.
  init(_ pair: Pair) {
    isPaired = pair.isPaired
    isWatchAppInstalled = isPaired && pair.activeWatch?.state.isWatchAppInstalled == true
    isComplicationEnabled = isPaired && pair.activeWatch?.state.isComplicationEnabled == true
  }
}
