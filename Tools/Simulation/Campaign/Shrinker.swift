import Wire

/// Makes a failing schedule smaller for as long as it fails in the same way.
///
/// Delta debugging on events (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
/// Input", IEEE TSE 2002), then devices, then what is within the events, until nothing helps.
package struct Shrinker {
  /// The smallest that failed so far, and how.
  package private(set) var trace: Trace
  package private(set) var tries = 0
  private let limit: Int
  private let fails: (Trace) -> Trace?

  /// - Parameters:
  ///   - trace: fails.
  ///   - limit: how many schedules are tried at most.
  ///   - fails: what took place of a schedule that fails as the first did; nil where it does not fail.
  package init(_ trace: Trace, limit: Int = 4000, fails: @escaping (Trace) -> Trace?) {
    self.trace = trace
    self.limit = limit
    self.fails = fails
  }

  package mutating func shrink() {
    var before: Trace
    repeat {
      before = trace
      dropEvents()
      dropDevices()
      simplifyEvents()
      lowerTimes()
    } while trace != before && tries < limit
  }

  /// Takes a candidate for the trace where it fails too.
  private mutating func attempt(_ candidate: Trace) -> Bool {
    var candidate = candidate
    if candidate.world == .exchange { candidate.tellClocks() }
    guard tries < limit, candidate != trace else { return false }
    tries += 1
    guard let played = fails(candidate) else { return false }
    trace = candidate
    // What makes no sense without what was taken out goes with it.
    if played != candidate {
      tries += 1
      if fails(played) != nil { trace = played }
    }
    return true
  }

  /// Without chunks of events, of half of them down to one, from the end.
  private mutating func dropEvents() {
    var size = max(1, trace.events.count / 2)
    while true {
      var end = trace.events.count
      var hasHelped = false
      while end > 0, tries < limit {
        let start = max(0, end - size)
        var candidate = trace
        candidate.events.removeSubrange(start..<end)
        if attempt(candidate) { hasHelped = true }
        end = min(start, trace.events.count)
      }
      if size == 1, !hasHelped { return }
      if tries >= limit { return }
      size = max(1, size / 2)
    }
  }

  private mutating func dropDevices() {
    for device in trace.devices.reversed() where trace.devices.count > 1 {
      var candidate = trace
      candidate.devices.removeAll { $0 == device }
      candidate.events.removeAll { $0.device == device.name || $0.to == device.name }
      _ = attempt(candidate)
    }
  }

  private mutating func simplifyEvents() {
    var index = 0
    while index < trace.events.count {
      let count = trace.events.count
      for simpler in trace.events[index].simpler where trace.events.count == count {
        var candidate = trace
        candidate.events[index] = simpler
        _ = attempt(candidate)
      }
      index += 1
    }
  }

  /// Everything as early as can be, and then in whole hundreds of milliseconds.
  private mutating func lowerTimes() {
    for spacing in [0, 1, 100] as [Int64] {
      var candidate = trace
      for index in candidate.events.indices { candidate.events[index].at = Int64(index) * spacing }
      guard candidate.events.last?.at ?? 0 < trace.events.last?.at ?? 0 else { break }
      if attempt(candidate) { return }
    }
    var index = -1
    while index + 1 < trace.events.count {
      index += 1
      let previous = index > 0 ? trace.events[index - 1].at : 0
      let gap = trace.events[index].at - previous
      for shorter in [0, 1, gap / 2] where shorter < gap {
        var candidate = trace
        for later in index..<candidate.events.count { candidate.events[later].at -= gap - shorter }
        if attempt(candidate) { break }
      }
    }
  }
}

extension Trace {
  /// Edits say what their device's clock shows where it is wrong: by what the clocks' own events say.
  fileprivate mutating func tellClocks() {
    var ahead: [String: Int64] = [:]
    for index in events.indices {
      let event = events[index]
      if event.verb == .clock { ahead[event.device] = event.count ?? 0 }
      let skew = ahead[event.device] ?? 0
      events[index].now = event.edit == nil || skew == 0 ? nil : start + event.at + skew
    }
  }
}

extension TraceEvent {
  /// The same event with less in it.
  fileprivate var simpler: [TraceEvent] {
    var simpler: [TraceEvent] = []
    func add(_ change: (inout TraceEvent) -> Void) {
      var event = self
      change(&event)
      if event != self { simpler.append(event) }
    }
    if now != nil { add { $0.now = nil } }
    if let count {
      if verb != .clock { add { $0.count = nil } }
      for lower in [0, 1, count / 2] where abs(lower) < abs(count) { add { $0.count = lower } }
    }
    guard let edit else { return simpler }
    if edit.since != nil { add { $0.edit?.since = nil } }
    for change in edit.change.simpler { add { $0.edit?.change = change } }
    return simpler
  }
}

extension Edit.Change {
  fileprivate var simpler: [Edit.Change] {
    switch self {
    case .create(let fields): Self.without(fields).map { .create(fields: $0) }
    case .set(let fields): Self.without(fields).map { .set(fields: $0) }
    case .move(let after?, let into?):
      [.move(after: nil, into: into), .move(after: after, into: nil)]
    case .splice(let field, let at, let remove, let insert, let result):
      [
        .splice(field: field, at: 0, remove: remove, insert: insert, result: result),
        .splice(field: field, at: at, remove: 0, insert: insert, result: result),
        .splice(field: field, at: at, remove: remove, insert: "", result: result),
        .splice(
          field: field, at: at, remove: remove, insert: String(insert.prefix(1)), result: result),
      ]
    case .move, .delete, .restore: []
    }
  }

  /// The object without one of its members, for each.
  private static func without(_ fields: [UInt8]) -> [[UInt8]] {
    guard let members = try? Members(fields), members.all.count > 1 else { return [] }
    return members.all.indices.map { left in
      var text = Array("{".utf8)
      for (index, member) in members.all.enumerated() where index != left {
        if text.count > 1 { text.append(0x2C) }
        text.append(jsonString: member.name)
        text.append(0x3A)
        text += members.bytes[member.value.start..<member.value.end]
      }
      text.append(0x7D)
      return text
    }
  }
}
