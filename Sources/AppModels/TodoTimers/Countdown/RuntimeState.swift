package import Merge
package import Wire

/// What a device remembers of a countdown. It is no record and goes nowhere else.
///
/// Times are milliseconds since 1970, durations seconds.
package struct RuntimeState: Hashable, Sendable {
  package var isRunning: Bool
  package var isPaused: Bool
  /// Another device has begun it.
  package var isMirrored: Bool
  /// At `lastUpdateTimestamp`.
  package var remainingSeconds: Int
  package var totalSeconds: Int
  package var startTimestamp: Int64?
  package var pauseTimestamp: Int64?
  package var lastUpdateTimestamp: Int64

  package init(
    isRunning: Bool = false, isPaused: Bool = false, isMirrored: Bool = false,
    remainingSeconds: Int = 0, totalSeconds: Int = 0, startTimestamp: Int64? = nil,
    pauseTimestamp: Int64? = nil,
    lastUpdateTimestamp: Int64
  ) {
    self.isRunning = isRunning
    self.isPaused = isPaused
    self.isMirrored = isMirrored
    self.remainingSeconds = remainingSeconds
    self.totalSeconds = totalSeconds
    self.startTimestamp = startTimestamp
    self.pauseTimestamp = pauseTimestamp
    self.lastUpdateTimestamp = lastUpdateTimestamp
  }

  /// Seconds left, whole ones that have passed taken off.
  package func calculatedRemaining(_ now: Int64) -> Int {
    guard isRunning else { return remainingSeconds }
    return Int(max(0, Int64(remainingSeconds) - max(0, now - lastUpdateTimestamp) / 1000))
  }

  /// When it notices that it is through, while it runs.
  package var completesAt: Int64 { lastUpdateTimestamp + Int64(remainingSeconds + 1) * 1000 }

  package func shouldHaveCompleted(_ now: Int64) -> Bool {
    isRunning && calculatedRemaining(now) == 0
  }

  /// - Throws: 4004 with the first rule that is broken.
  package func validate() throws(WireError) {
    func check(_ holds: Bool, _ message: String) throws(WireError) {
      guard holds else { throw WireError(.invalidField, message) }
    }
    try check(remainingSeconds >= 0, "Invalid duration: Remaining seconds cannot be negative")
    try check(
      !(isRunning && isPaused), "Invalid state: Timer cannot be both running and paused")
    try check(
      !isRunning || startTimestamp != nil,
      "Invalid state: Running timer must have start timestamp")
    try check(
      !isPaused || pauseTimestamp != nil, "Invalid state: Paused timer must have pause timestamp")
  }
}

// MARK: Spelling

extension RuntimeState {
  package var datum: Datum {
    var members = [
      Datum.Member("isRunning", .bool(isRunning)),
      Datum.Member("isPaused", .bool(isPaused)),
      Datum.Member("remainingSeconds", .int(remainingSeconds)),
      Datum.Member("totalSeconds", .int(totalSeconds)),
      Datum.Member("lastUpdateTimestamp", .int(Int(lastUpdateTimestamp))),
    ]
    if isMirrored { members.append(Datum.Member("isMirrored", .bool(true))) }
    if let startTimestamp {
      members.append(Datum.Member("startTimestamp", .int(Int(startTimestamp))))
    }
    if let pauseTimestamp {
      members.append(Datum.Member("pauseTimestamp", .int(Int(pauseTimestamp))))
    }
    return .sorted(members)
  }

  /// - Throws: 4004 with what is wrong.
  package init(_ datum: Datum) throws(WireError) {
    func number(_ name: Name, in range: ClosedRange<Int>) throws(WireError) -> Int? {
      guard let member = datum[name] else { return nil }
      guard let number = member.text.flatMap({ Int($0.text) }), range.contains(number) else {
        throw WireError(
          .invalidField,
          "\(name) of a countdown must be an integer from \(range.lowerBound) to "
            + "\(range.upperBound)")
      }
      return number
    }
    func time(_ name: Name) throws(WireError) -> Int64? {
      try number(name, in: 0...(1 << 53)).map(Int64.init)
    }
    let seconds = -1_000_000...1_000_000
    guard let remaining = try number("remainingSeconds", in: seconds),
      let updated = try time("lastUpdateTimestamp")
    else {
      throw WireError(
        .missingField, "a countdown must have remainingSeconds and lastUpdateTimestamp")
    }
    self.init(
      isRunning: datum["isRunning"] == .bool(true), isPaused: datum["isPaused"] == .bool(true),
      isMirrored: datum["isMirrored"] == .bool(true), remainingSeconds: remaining,
      totalSeconds: max(0, try number("totalSeconds", in: seconds) ?? remaining),
      startTimestamp: try time("startTimestamp"), pauseTimestamp: try time("pauseTimestamp"),
      lastUpdateTimestamp: updated)
    try validate()
  }
}
