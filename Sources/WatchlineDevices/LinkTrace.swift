/// What happened on a link, as a trace that `watchline replay` plays and `watchline studio` shows.
///
/// Faults of a test's own (drop, duplicate, reorder, failNext), facts of devices and cancels are not in it: a trace has no
/// words for them that would mean the same.
struct LinkTrace {
  /// So many things are kept, the first ones: a test that goes on for longer is no schedule to look at.
  static let limit = 100_000

  /// What can happen; the words are those of a trace.
  enum Verb: String {
    case connect, drop, flow, transfer, upload, context, message, reply, acknowledge, select,
      appState
    case stop
  }

  private struct Event {
    var at: Int64
    var device: String
    var verb: Verb
    var lane: String?
    var to: String?
    var count: Int?
    var flag: Bool?
    var payload: [UInt8]?
  }

  /// Whether anybody will ask.
  var isKept = true
  /// Milliseconds since the link was made.
  private var now: Int64 = 0
  private var events: [Event] = []
  /// Nothing has happened since everything was brought and acknowledged.
  private var isQuiet = true
  /// Devices that have done something since their lines were last brought.
  private var unsent: [String] = []

  mutating func pass(seconds: Double) { now += Int64(seconds * 1000) }

  mutating func add(
    _ device: String, _ verb: Verb, lane: String? = nil, to: String? = nil,
    count: Int? = nil, flag: Bool? = nil, payload: [UInt8]? = nil
  ) {
    guard isKept, events.count < Self.limit else { return }
    isQuiet = false
    // A call has gone over the link when it returns: before the connection goes, its lines have.
    switch verb {
    case .connect, .drop, .stop:
      for name in unsent.sorted() where name == device || verb == .stop { add(name, .flow) }
    case .flow: unsent.removeAll { $0 == device }
    default: if !unsent.contains(device) { unsent.append(device) }
    }
    events.append(
      Event(
        at: now, device: device, verb: verb, lane: lane, to: to, count: count, flag: flag,
        payload: payload))
  }

  mutating func add(_ transfer: Outbox.Transfer, of device: String) {
    switch transfer.kind {
    case .file:
      add(device, .transfer, lane: "file", count: transfer.contents.count)
      guard !transfer.contents.isEmpty else { return }
      add(device, .flow)
      add(device, .upload, count: transfer.contents.count)
    case .complication: add(device, .transfer, lane: "complication", payload: transfer.shown)
    default: add(device, .transfer, lane: "userInfo", payload: transfer.shown)
    }
  }

  /// Everything that had been sent was brought, and what was told is acknowledged.
  mutating func settled(_ devices: [LinkDevice]) {
    guard !isQuiet else { return }
    brought(devices)
    for device in devices where device.isOnline && device.hasActivated {
      add(device.name, .acknowledge)
    }
    brought(devices)
    isQuiet = true
  }

  /// Everything that had been sent was brought, and what that caused.
  mutating func brought(_ devices: [LinkDevice]) {
    let online = devices.filter(\.isOnline)
    for device in online + online { add(device.name, .flow) }
  }

  /// As NDJSON, in the form of `Protocol/schema/trace.schema.json`.
  func text(_ devices: [LinkDevice]) -> String {
    let described = devices.map {
      "{\"device\":\(quoted($0.name)),\"role\":\"\($0.isPhone ? "phone" : "watch")\"}"
    }
    var text = "{\"trace\":1,\"world\":\"server\",\"seed\":0,\"schema\":\"none\",\"options\":{}"
    text += ",\"devices\":[\(described.joined(separator: ","))],\"events\":\(events.count)}\n"
    for event in events { text += Self.line(event) }
    return text
  }

  private static func line(_ event: Event) -> String {
    var line =
      "{\"at\":\(event.at),\"device\":\(quoted(event.device)),\"do\":\"\(event.verb.rawValue)\""
    if let lane = event.lane { line += ",\"lane\":\"\(lane)\"" }
    if let to = event.to { line += ",\"to\":\(quoted(to))" }
    if let count = event.count { line += ",\"count\":\(count)" }
    if let flag = event.flag { line += ",\"flag\":\(flag)" }
    if let payload = event.payload {
      line += ",\"payload\":\(String(decoding: payload, as: UTF8.self))"
    }
    return line + "}\n"
  }
}
