/// What devices that hand each other what they hold do at a server, event by event.
///
/// Every device connects first. Who sends takes all to the server, and who is delivered something
/// reads all from it; a `payload` goes into the lane of the server that has its name. A watch that
/// knows whole records only is sent what the hub has for it while it is the selected one, so it is
/// selected for what passes between it and the phone.
struct ServerTranslation {
  private let devices: [Trace.Device]
  private let phone: String?
  /// The watch that the phone's session is attached to.
  private var selected: String?
  private var isOffline: Set<String> = []
  /// Who sent what is on its way, by its name.
  private var senders: [String: String] = [:]
  private var contexts: Int64 = 0
  /// How many events of each sort have no counterpart.
  private(set) var skipped: [String: Int] = [:]

  init(_ devices: [Trace.Device]) {
    self.devices = devices
    phone = devices.first(where: \.isPhone)?.name
    selected = devices.first { !$0.isPhone }?.name
  }

  /// What comes before all else.
  var beginning: [TraceEvent] {
    devices.flatMap {
      [TraceEvent(at: 0, $0.name, .connect), TraceEvent(at: 0, $0.name, .flow)]
    }
  }

  mutating func events(for event: TraceEvent) -> [TraceEvent] {
    /// Names are unique in a trace.
    func add(_ verb: TraceEvent.Verb, isNamed: Bool = true) -> TraceEvent {
      TraceEvent(at: event.at, event.device, verb, name: isNamed ? event.name : nil)
    }
    switch event.verb {
    case .edit, .clock: return [event]
    case .connect:
      isOffline.remove(event.device)
      return [event]
    case .restart: return [event, add(.connect, isNamed: false)]
    case .disconnect:
      isOffline.insert(event.device)
      return [add(.drop)]
    case .deliver:
      return select(event, with: event.of.flatMap { senders[$0] }) + [add(.flow)]
    case .send where event.payload == nil:
      if let name = event.name { senders[name] = event.device }
      return select(event, with: event.to) + [add(.flow)]
    case .send:
      var sent = add(.transfer)
      if event.lane == "context" {
        contexts += 1
        sent.verb = .context
        sent.count = contexts
      } else if event.lane == "message" {
        sent.verb = .message
      } else {
        sent.lane = "userInfo"
      }
      return [sent, add(.flow, isNamed: false)]
    default:
      skipped[event.verb.rawValue, default: 0] += 1
      return []
    }
  }

  /// The phone selects the watch of the two, where that one knows whole records only and another one
  /// is selected. Its session ends with that, so it connects again.
  private mutating func select(_ event: TraceEvent, with other: String?) -> [TraceEvent] {
    guard let phone, let other, event.device == phone || other == phone else { return [] }
    let watch = event.device == phone ? other : event.device
    guard watch != selected, devices.contains(where: { $0.name == watch && $0.isWholeRecord }),
      !isOffline.contains(phone), !isOffline.contains(watch)
    else { return [] }
    selected = watch
    return [
      TraceEvent(at: event.at, phone, .flow),
      TraceEvent(at: event.at, phone, .select, to: watch),
      TraceEvent(at: event.at, phone, .flow), TraceEvent(at: event.at, phone, .connect),
      TraceEvent(at: event.at, phone, .flow),
    ]
  }
}
