import AppModels
import Merge

/// Devices, the lanes between them and what is on its way; and for the judge, who has seen what.
final class ExchangeWorld {
  let subject: any MergeUnderTest
  /// The subject, where it is our own merge.
  let ours: OurMerge?
  let started: Started
  let settings: ExchangeSettings
  let schema: Schema?
  let places: [Trace.Device]
  private let hasPhone: Bool
  let start: Int64
  let isRecorded: Bool
  var at: Int64 = 0
  var devices: [Device]
  var parcels: [Parcel] = []
  var parcelNames: [String: Int] = [:]
  var lines: [Line]
  var writes: [Write] = []
  var edits: [PromisedEdit] = []
  var coverage = Coverage()
  var recording: Recording
  /// Kinds of edits that the merge does not know.
  var unsupported: Set<String> = []
  /// What was found while it ran.
  var findings: [Finding] = []
  private var marks: [String: Mark] = [:]

  struct Device {
    /// What its clock is ahead of the true time, in milliseconds.
    var skew: Int64 = 0
    var isConnected = true
    /// The writes that have reached it.
    var held = BitSet()
    var shown: Shown?
    /// Things that happened at it: their places in the trace, and what it showed then.
    var marks: [(event: Int, mark: Mark)] = []
    /// How often it was restarted.
    var restarts = 0
    /// How it came to know of what others wrote.
    var lessons: [Lesson] = []
    /// From whom something came last, and when.
    var arrival: (from: Int, at: Int64)?
  }

  /// Something that came from another device, and what the receiver had not known of before.
  struct Lesson {
    /// Milliseconds since the trace's start.
    var origin: (from: Int, at: Int64)
    var writes: BitSet
  }

  /// What a device showed at one time.
  struct Mark {
    var device: Int
    var moment: Int
    var seen: BitSet
    var shown: Shown
  }

  /// Something that was sent.
  struct Parcel {
    var name: String
    var from: Int
    var to: Int
    var lane: Lane
    var body: Body
    var held: BitSet
    var sentAt: Int64
    var step: Int
    var isPayload = false
    var deliveries = 0
    /// How often its receiver had been restarted when it was delivered last.
    var restarts = 0
    var isUndelivered = false
  }

  /// One lane of one direction: what was sent on it, in order, and what of that was delivered.
  struct Line {
    var parcels: [Int] = []
    /// Of context: the place in `parcels` of the last one that was delivered.
    var last = -1
    /// Of the others: how many of the first are done with.
    var done = 0
  }

  init(
    _ subject: any MergeUnderTest, _ trace: Trace, _ settings: ExchangeSettings, isRecorded: Bool
  ) throws(MergeFailure) {
    self.subject = subject
    ours = subject as? OurMerge
    self.settings = settings
    self.isRecorded = isRecorded
    schema = trace.recordSchema
    places = trace.devices
    hasPhone = places.contains { $0.isPhone }
    start = trace.start
    devices = trace.devices.map { _ in Device() }
    lines = Array(repeating: Line(), count: places.count * places.count * Lane.allCases.count)
    recording = Recording(places: places.map(\.name), start: trace.start)
    started = try subject.start(trace.devices, settings, random: trace.seed)
  }

  var isOurs: Bool { ours != nil }

  // MARK: Topology

  /// Those with whom a device talks: watches with the phone, unless the network is any.
  func neighbours(_ device: Int) -> [Int] {
    places.indices.filter { areNeighbours(device, $0) }
  }

  func areNeighbours(_ one: Int, _ other: Int) -> Bool {
    guard one != other else { return false }
    return settings.network == .any || !hasPhone || places[one].isPhone || places[other].isPhone
  }

  /// Whether anything passes between two devices.
  func areConnected(_ one: Int, _ other: Int) -> Bool {
    devices[one].isConnected && devices[other].isConnected
  }

  func index(_ name: String) -> Int? { places.firstIndex { $0.name == name } }

  func line(_ from: Int, _ to: Int, _ lane: Lane) -> Int {
    let number = lane == .context ? 0 : lane == .userInfo ? 1 : 2
    return (from * places.count + to) * Lane.allCases.count + number
  }

  // MARK: Clocks and forms

  func now(_ device: Int) -> Int64 { start + at + devices[device].skew }

  /// Lets a later event name this one.
  func name(_ event: Int, of device: Int, as name: String) {
    guard let known = devices[device].marks.last(where: { $0.event <= event })?.mark else { return }
    marks[name] = known
  }

  func mark(_ name: String) -> Mark? { marks[name] }

  func noteMark(_ device: Int, event: Int, name: String?) throws(MergeFailure) {
    let shown = try shown(device)
    let mark = Mark(
      device: device, moment: subject.moment(device), seen: devices[device].held, shown: shown)
    devices[device].marks.append((event, mark))
    if let name { marks[name] = mark }
  }

  // MARK: What devices show

  /// What a device shows. It is asked again only after something has happened to it.
  func shown(_ device: Int) throws(MergeFailure) -> Shown {
    if let shown = devices[device].shown { return shown }
    let shown = try state(device, withKept: false)
    devices[device].shown = shown
    if started.sync == .messages { noteDisplayed(shown, device) }
    return shown
  }

  /// Asks a device what it shows. How a program orders what has no order means nothing.
  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    var shown = try subject.state(device, withKept: withKept)
    if !isOurs, let schema { shown.records = shown.inOrder(schema) }
    return shown
  }

  /// A device comes to know of writes.
  func learn(_ device: Int, _ writes: BitSet, _ origin: (from: Int, at: Int64)) {
    guard !writes.isEmpty else { return }
    devices[device].lessons.append(Lesson(origin: origin, writes: writes))
  }

  /// Where merges send what they want to, a device has seen what it displayed, and what that had
  /// itself replaced.
  private func noteDisplayed(_ shown: Shown, _ device: Int) {
    let before = devices[device].held
    defer {
      if let origin = devices[device].arrival {
        learn(device, devices[device].held.subtracting(before), origin)
      }
    }
    for (index, write) in writes.enumerated() where !devices[device].held.contains(index) {
      guard let record = shown[write.target] else { continue }
      switch write.kind {
      case .create: devices[device].held.insert(index)
      case .field(let name), .text(let name):
        // A value that another write has too says nothing.
        guard record[name] == write.value,
          !writes.contains(where: {
            $0.edit != write.edit && $0.target == write.target && $0.field == name
              && $0.value == write.value
          })
        else { continue }
        devices[device].held.insert(index)
        for (other, earlier) in writes.enumerated()
        where write.seen.contains(other) && earlier.target == write.target
          && earlier.field == name
        {
          devices[device].held.insert(other)
        }
      case .delete, .restore, .move: break
      }
    }
  }
}
