import AppModels
package import Merge
import Seeded

/// What a schedule of exchanges is like. Each seed draws its own, so that each has its emphasis.
package struct ExchangeSettings: Equatable, Sendable {
  package enum Network: String, CaseIterable, Sendable {
    /// Lanes keep WatchConnectivity's promises, and watches talk to the phone only.
    case watchConnectivity
    /// What is sent may also be lost, come twice and overtake, between any two devices.
    case any
  }

  package var schema = "todoTimers"
  /// The schema itself, where it is somebody's own.
  package var own: Schema?
  package var devices = 2
  package var events = 12
  package var faults: Set<Fault> = []
  package var network = Network.watchConnectivity
  package var lanes: [Lane] = [.context]
  /// How many of the devices know whole records only.
  package var wholeRecords = 0
  /// How often, of a hundred times, the clock stands still between two events.
  package var sameMillisecond = 50
  /// How often, of a hundred times, something is exchanged rather than edited.
  package var exchanges = 50
  /// How often, of a hundred times, a form was opened a while before it is saved.
  package var stale = 0
  /// What people do mostly.
  var edits = EditGenerator.Settings()
  /// The width of our stamps' counter.
  package var counterBits = 16
  /// What our devices hand over goes through its bytes.
  package var isCoded = false
  /// No edits that only merges in process can do.
  package var isPortable = false
  /// What the merge is asked and answers is kept.
  package var keepsTranscript = false
  /// Our merge is compared with the oracle after each event rather than at the end.
  package var isThorough = false

  package init() {}

  /// The faults that there can be between devices that exchange what they hold.
  package static let possibleFaults: [Fault] = [
    .loss, .duplicate, .reorder, .delay, .cut, .restart, .clock,
  ]

  /// Draws what the plan leaves open. What it fixes changes nothing about the rest, so that the
  /// options of a trace, given again with its seed, draw the same trace.
  init(_ plan: Plan, lanes: [Lane]?, network: Network?) {
    var dice = SplitMix64(seed: plan.seed ^ 0x5E77_1265)
    let schemas = ["todoTimers", "todoTimers", "timeTracker", "pomodoro"]
    schema = dice.pick(schemas)
    devices = dice.percent(65) ? 2 : 3
    let size = dice.weighted([92, 7, 1])
    events = dice.within([6...10, 11...30, 31...80][size])
    let drawnNetwork = dice.percent(75) ? Network.watchConnectivity : .any
    for fault in Self.possibleFaults where dice.percent(50) && fault != .clock {
      faults.insert(fault)
    }
    if dice.percent(50), plan.faults?.contains(.clock) == true { faults.insert(.clock) }
    sameMillisecond = dice.pick([0, 50, 90])
    exchanges = dice.pick([35, 50, 65])
    edits.records = dice.within(1...4)
    stale = dice.pick([0, 0, 25])
    edits.hot = dice.pick([40, 70, 90])
    counterBits = dice.percent(25) ? 2 : 16
    isCoded = dice.percent(10)
    isThorough = dice.percent(4)
    self.lanes = dice.percent(70) ? [.context] : Lane.allCases
    edits.isNested = dice.percent(30)
    // It takes some records to stand in each other.
    if edits.isNested, size == 0 { events += 6 }

    schema = plan.schema ?? schema
    own = plan.own
    devices = plan.devices ?? devices
    events = plan.events ?? events
    self.network = network ?? drawnNetwork
    if let lanes { self.lanes = lanes }
    if let allowed = plan.faults { faults = faults.intersection(allowed) }
    if self.network == .watchConnectivity { faults.subtract([.loss, .reorder]) }
    isThorough = isThorough && events <= 30
  }
}

extension ExchangeSettings {
  /// What the records are made of; nil where only payloads travel, or where nobody knows the schema.
  var recordSchema: Schema? { own ?? ShippedSchemas.named(Name(schema)) }

  /// As options of a command line, those that a run needs again to be the same.
  package var options: [Trace.Option] {
    var options = [
      Trace.Option("devices", "\(devices)"), Trace.Option("events", "\(events)"),
      Trace.Option("schema", schema), Trace.Option("network", network.rawValue),
      Trace.Option("faults", Self.list(faults)),
      Trace.Option("lanes", lanes.map(\.rawValue).joined(separator: ",")),
    ]
    if counterBits != 16 { options.append(Trace.Option("counter-bits", "\(counterBits)")) }
    if isCoded { options.append(Trace.Option("coded", "")) }
    if isThorough { options.append(Trace.Option("thorough", "")) }
    return options
  }

  /// Faults as an option has them: in the order of their declaration, `none` where there are none.
  package static func list(_ faults: Set<Fault>) -> String {
    let names = Fault.allCases.filter(faults.contains).map(\.rawValue)
    return names.isEmpty ? "none" : names.joined(separator: ",")
  }

  /// Those of a trace.
  init(_ trace: Trace) {
    self.init()
    schema = trace.schema
    own = trace.own
    devices = trace.devices.count
    events = trace.events.count
    wholeRecords = trace.devices.count { $0.isWholeRecord }
    for option in trace.options {
      switch option.name {
      case "network": network = Network(rawValue: option.value) ?? network
      case "faults":
        faults = Set(option.value.split(separator: ",").compactMap { Fault(rawValue: String($0)) })
      case "lanes":
        lanes = option.value.split(separator: ",").compactMap { Lane(rawValue: String($0)) }
      case "counter-bits": counterBits = Int(option.value) ?? 16
      case "coded": isCoded = true
      case "thorough": isThorough = true
      default: break
      }
    }
    counterBits = max(1, min(16, counterBits))
    if lanes.isEmpty { lanes = [.context] }
  }
}
