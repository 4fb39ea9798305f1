import Merge
import Seeded

/// Draws a schedule while the world runs it.
struct ExchangeGenerator {
  let world: ExchangeWorld
  let settings: ExchangeSettings
  private(set) var trace: Trace
  private var dice: SplitMix64
  private var edits: EditGenerator
  private var sends = 0
  /// Is shown the schedule before each of its events.
  var witness: (@Sendable (Trace) -> Void)?

  init(_ world: ExchangeWorld, _ trace: Trace, _ templates: [EditTemplate]) {
    self.world = world
    self.trace = trace
    settings = world.settings
    dice = SplitMix64(seed: trace.seed)
    edits = EditGenerator(templates, settings.edits, can: world.started.can)
  }

  mutating func run() throws(MergeFailure) {
    if dice.percent(85), world.schema != nil { try begin() }
    let end = trace.events.count + settings.events
    var idle = 0
    while trace.events.count < end, idle < 20 {
      let before = trace.events.count
      try step()
      idle = trace.events.count > before ? 0 : idle + 1
    }
  }

  /// Something that everyone has seen.
  private mutating func begin() throws(MergeFailure) {
    guard let edit = edits.create(Shown(), &dice) else { return }
    try add(.edit, 0, edit: edit)
    if dice.percent(50), let edit = edits.create(try world.shown(0), &dice) {
      try add(.edit, 0, edit: edit)
    }
    guard world.started.sync == .state else { return try deliverAll() }
    for other in world.neighbours(0) { try exchange(from: 0, to: other) }
  }

  private mutating func deliverAll() throws(MergeFailure) {
    for _ in 0..<4 {
      for parcel in world.deliverable() { try deliver(parcel) }
    }
  }

  @discardableResult
  private mutating func add(
    _ verb: TraceEvent.Verb, _ device: Int, name: String? = nil, edit: Edit? = nil,
    lane: Lane? = nil, of: String? = nil, to: Int? = nil, count: Int64? = nil, flag: Bool? = nil,
    payload: [UInt8]? = nil
  ) throws(MergeFailure) -> Bool {
    let skew = world.devices[device].skew
    let number = trace.events.count
    let event = TraceEvent(
      at: world.at, world.places[device].name, verb,
      name: name ?? (world.started.sync == .messages ? "e\(number)" : nil), edit: edit,
      lane: lane?.rawValue, of: of, to: to.map { world.places[$0].name }, count: count, flag: flag,
      payload: payload,
      now: skew != 0 && edit != nil ? world.now(device) : nil)
    if let witness {
      var draft = trace
      draft.events.append(event)
      witness(draft)
    }
    // It is in the trace before it takes place, in case that the subject does not survive it.
    trace.events.append(event)
    guard try world.perform(event, number) else {
      trace.events.removeLast()
      return false
    }
    return true
  }

  // MARK: Steps

  private mutating func step() throws(MergeFailure) {
    if !dice.percent(settings.sameMillisecond) {
      world.at += Int64(dice.pick([1, 1, 2, 5, 100, 1000, 20_000]))
    }
    let device = dice.below(world.places.count)
    let faults = settings.faults
    if faults.contains(.restart), dice.percent(5) {
      try add(.restart, device)
    } else if faults.contains(.clock), dice.percent(6) {
      let skews: [Int64] = [-86_400_000, -3_600_000, -1000, 0, 1, 1000, 60_000, 86_400_000]
      try add(.clock, device, count: dice.pick(skews))
    } else if faults.contains(.cut), dice.percent(world.devices[device].isConnected ? 10 : 30) {
      try toggle(device)
    } else if world.schema == nil || dice.percent(settings.exchanges) {
      try exchange()
    } else {
      try edit(device)
    }
  }

  private mutating func toggle(_ device: Int) throws(MergeFailure) {
    let isConnected = !world.devices[device].isConnected
    try add(isConnected ? .connect : .disconnect, device)
    if !isConnected { world.coverage.note("cut") }
    guard world.started.sync == .messages else { return }
    for other in world.neighbours(device) where world.devices[other].isConnected {
      try add(.reachability, device, to: other, flag: isConnected)
      try add(.reachability, other, to: device, flag: isConnected)
    }
  }

  private mutating func edit(_ device: Int) throws(MergeFailure) {
    let isStale = world.started.can.contains(.form) && dice.percent(settings.stale)
    let shown = try world.shown(device)
    let marks = world.devices[device].marks.dropLast().suffix(4)
    let form = isStale && !marks.isEmpty ? dice.pick(Array(marks)) : nil
    for _ in 0..<12 {
      guard let drawn = edits.edit(shown, isStale: isStale, &dice) else { return }
      var edit = world.subject.fit(device, drawn)
      guard world.subject.can(device, edit), try world.isPossible(edit, device, form: form?.mark)
      else { continue }
      if let form {
        let number = form.event
        let name = trace.events[number].name ?? "f\(number)"
        trace.events[number].name = name
        world.name(number, of: device, as: name)
        edit.since = name
      }
      try add(.edit, device, edit: edit)
      if case .move(_, let into?) = edit.change, dice.percent(40) {
        try deleteElsewhere(edit.kind, into, device)
      }
      return
    }
  }

  /// What a record was put into is deleted where nobody has heard of that.
  private mutating func deleteElsewhere(
    _ kind: Name, _ container: Name, _ device: Int
  ) throws(MergeFailure) {
    let rule = edits.templates.first { $0.kind.name == kind }?.kind.container
    let other = (device + 1 + dice.below(world.places.count - 1)) % world.places.count
    guard let rule, try world.shown(other).has(Target(rule.kind, container)) else { return }
    let delete = Edit(rule.kind, container, .delete)
    if try world.isPossible(delete, other, form: nil) { try add(.edit, other, edit: delete) }
  }

  // MARK: Exchanges

  private mutating func exchange() throws(MergeFailure) {
    if settings.wholeRecords > 0 { return try exchangeBothWays() }
    let coming = world.deliverable().filter(isOpen)
    let isAny = settings.network == .any
    let again = world.parcels.indices.suffix(8).filter {
      world.parcels[$0].deliveries > 0 && world.mayArrive($0) && isOpen($0)
    }
    if settings.faults.contains(.duplicate), !again.isEmpty, dice.percent(15) {
      return try deliver(dice.pick(Array(again)))
    }
    if !coming.isEmpty, dice.percent(world.started.sync == .messages ? 90 : 60) {
      let isReordered = isAny && settings.faults.contains(.reorder)
      let parcel = isReordered ? dice.pick(coming) : coming[dice.below(min(3, coming.count))]
      if isAny, settings.faults.contains(.loss), dice.percent(20) {
        world.parcels[parcel].isUndelivered = true
        return world.coverage.note("loss")
      }
      return try deliver(parcel)
    }
    let closed = world.parcels.indices.filter {
      world.parcels[$0].lane == .message && world.parcels[$0].deliveries == 0
        && !world.parcels[$0].isUndelivered && !isOpen($0)
    }
    if let parcel = closed.first {
      try add(
        .undelivered, world.parcels[parcel].from, of: world.parcels[parcel].name,
        to: world.parcels[parcel].to)
      return
    }
    guard world.started.sync == .state else { return }
    let from = dice.below(world.places.count)
    let others = world.neighbours(from)
    guard !others.isEmpty else { return }
    let to = dice.pick(others)
    if dice.percent(settings.faults.contains(.delay) ? 35 : 70), isOpen(from, to) {
      try exchange(from: from, to: to)
    } else {
      try send(from, to)
    }
  }

  /// The phone and a watch hand each other all that they hold, and nothing comes in between.
  private mutating func exchangeBothWays() throws(MergeFailure) {
    let watch = 1 + dice.below(world.places.count - 1)
    guard isOpen(0, watch) else { return }
    let isWatchFirst = dice.percent(50)
    try exchange(from: isWatchFirst ? watch : 0, to: isWatchFirst ? 0 : watch)
    try exchange(from: isWatchFirst ? 0 : watch, to: isWatchFirst ? watch : 0)
  }

  private mutating func exchange(from: Int, to: Int) throws(MergeFailure) {
    try send(from, to)
    guard let parcel = world.parcels.indices.last, world.mayArrive(parcel) else { return }
    if !dice.percent(settings.sameMillisecond) { world.at += Int64(dice.pick([1, 40, 300])) }
    try deliver(parcel)
  }

  private mutating func send(_ from: Int, _ to: Int) throws(MergeFailure) {
    sends += 1
    var payload: [UInt8]?
    if world.schema == nil {
      payload = Array("{\"number\":\(sends),\"from\":\"\(world.places[from].name)\"}".utf8)
    }
    try add(
      .send, from, name: "s\(sends)", lane: dice.pick(settings.lanes), to: to, payload: payload)
  }

  private mutating func deliver(_ parcel: Int) throws(MergeFailure) {
    try add(.deliver, world.parcels[parcel].to, of: world.parcels[parcel].name)
  }

  private func isOpen(_ parcel: Int) -> Bool {
    isOpen(world.parcels[parcel].from, world.parcels[parcel].to)
  }

  private func isOpen(_ one: Int, _ other: Int) -> Bool { world.areConnected(one, other) }
}
