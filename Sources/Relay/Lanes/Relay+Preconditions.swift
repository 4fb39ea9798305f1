import Wire

/// What a send has to be checked for, in the pair's `preconditionOrder`.
struct SendCheck {
  /// The dictionary sent; nil for raw data.
  var payload: Value?
  /// Its member's name, for key paths.
  var field: StaticString = "payload"
  /// Decoded bytes of raw data.
  var dataLength = 0
  /// The largest size accepted, 0 for no bound.
  var limit: Int
  /// Whether the counterpart has to be reachable.
  var isLive = false
  /// Whether it is a context that the counterpart has, in a pair that refuses one.
  var isRepeated = false

  /// Whether what it carries is plainly in order: no type to look at closely, and far from the limit.
  var isPlain: Bool {
    guard !isRepeated, let payload, payload.flags.isPlain else { return false }
    return limit == 0 || payload.count * Self.growth + Self.overhead < limit
  }

  // No property list is four times as large as the text that spells it, but for its header, its
  // trailer and the first object.
  static let growth = 4
  static let overhead = 64
}

/// What was found out about a device's sends, whatever they carry.
struct Clearance {
  /// `Pair.conditions` at that time.
  var conditions: UInt64 = 0
  /// Whom they go to; nil where something is in the way. Devices of a pair live as long as each other.
  @Uncounted var receiver: Device?
  /// Whether the counterpart is reachable as well.
  var isReachable = false
}

extension Relay {
  /// Checks a send and returns the device that it is for, which its pair keeps.
  @inline(__always)
  @discardableResult
  func check(
    _ send: SendCheck, _ device: Device, _ fields: Fields
  ) throws(WireError) -> Unmanaged<Device> {
    if device.clearance.conditions == device.pair.conditions,
      !send.isLive || device.clearance.isReachable, send.isPlain,
      let receiver = device.clearance.$receiver
    {
      return receiver
    }
    return try checkClosely(send, device, fields)
  }

  @inline(never)
  private func checkClosely(
    _ send: SendCheck, _ device: Device, _ fields: Fields
  ) throws(WireError) -> Unmanaged<Device> {
    renewClearance(of: device, fields)
    for precondition in device.pair.knobs.preconditionOrder {
      try check(precondition, send, device, fields)
    }
    guard let counterpart = device.pair.counterpart(of: device) else {
      throw Self.notPaired(device)
    }
    return .passUnretained(counterpart)
  }

  /// Finds out anew whom a device's sends go to, where anything has changed since.
  private func renewClearance(of device: Device, _ fields: Fields) {
    guard device.clearance.conditions != device.pair.conditions else { return }
    var clearance = Clearance(conditions: device.pair.conditions)
    let isMet = Self.conditions.allSatisfy {
      (try? check($0, SendCheck(limit: 0), device, fields)) != nil
    }
    if isMet {
      clearance.receiver = device.pair.counterpart(of: device)
      clearance.isReachable = device.pair.isReachable(from: device)
    }
    device.clearance = clearance
  }

  /// The preconditions that are the same for all sends of a device, the live ones' last apart.
  private static let conditions: [Knobs.Precondition] = [
    .supported, .delegate, .activated, .paired, .installed,
  ]

  func check(
    _ precondition: Knobs.Precondition, _ send: SendCheck, _ device: Device, _ fields: Fields
  ) throws(WireError) {
    let pair = device.pair
    switch precondition {
    case .supported:
      guard device.state.isSupported else {
        throw WireError(.sessionNotSupported, "this device has been set not to support sessions")
      }
    case .delegate:
      guard device.state.hasDelegate else {
        throw WireError(.sessionMissingDelegate, "this session has been set to have no delegate")
      }
    case .activated:
      guard device.activation == .activated else {
        throw WireError(
          .sessionInactive, "the session is inactive while the watch is switched; activate again")
      }
    case .paired:
      guard pair.isPaired else { throw Self.notPaired(device) }
    case .installed:
      try checkInstalled(device)
    case .parameter:
      guard !send.isRepeated else {
        throw WireError(
          .invalidParameter, "the context is the one last handed out (identicalContext=throw)")
      }
    case .types:
      if let payload = send.payload {
        try PropertyList.check(payload, in: fields.line, field: "\(send.field)")
      }
    case .size:
      try checkSize(send, pair, fields)
    case .reachable:
      guard !send.isLive || pair.isReachable(from: device) else {
        throw WireError(
          .notReachable,
          device.isPhone
            ? "the watch is not reachable: it must be connected with its app in the foreground"
            : "the phone is not reachable: it must be connected, and this app in the foreground")
      }
    }
  }

  static func notPaired(_ device: Device) -> WireError {
    guard device.pair.isFormed else {
      return WireError(
        .deviceNotPaired,
        device.isPhone
          ? "no watch has activated in this pair yet" : "no phone has activated in this pair yet")
    }
    return WireError(.deviceNotPaired, "the devices have been set to be unpaired")
  }

  private func checkInstalled(_ device: Device) throws(WireError) {
    if device.isPhone {
      guard device.pair.activeWatch?.state.isWatchAppInstalled == true else {
        throw WireError(
          .watchAppNotInstalled, "the app is not installed on the active watch")
      }
    } else {
      guard !device.state.isWatchOnlyApp else {
        throw WireError(.watchOnlyApp, "this watch app has been set to have no phone app")
      }
      guard device.pair.hasCompanionApp else {
        throw WireError(.companionAppNotInstalled, "the app is not installed on the phone")
      }
    }
  }

  private func checkSize(_ send: SendCheck, _ pair: Pair, _ fields: Fields) throws(WireError) {
    guard send.limit > 0 else { return }
    var size = send.dataLength
    var measure = "bytes"
    if let payload = send.payload {
      size = payload.end - payload.start
      measure = "bytes of JSON"
      if pair.knobs.sizeMeasure == .bplist {
        guard size * SendCheck.growth + SendCheck.overhead >= send.limit else { return }
        size = try PropertyList.size(of: payload, in: fields.line)
        measure = "bytes as a binary property list"
      }
    }
    guard size <= send.limit else {
      throw WireError(
        .payloadTooLarge, "\(send.field) has \(size) \(measure); the limit is \(send.limit)")
    }
  }
}
