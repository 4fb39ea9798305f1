package import Merge
package import Wire

/// The timer as it survives the app's end.
extension PomodoroTimer {
  package var datum: Datum {
    var members: [Name: Datum] = [
      "state": .string(Name(state.rawValue)), "works": .int(works), "total": .int(Int(total)),
    ]
    switch run {
    case .untouched: break
    case .running(let started, let ends):
      members["started"] = .int(Int(started))
      members["ends"] = .int(Int(ends))
    case .paused(let started, let since, let remaining):
      members["started"] = .int(Int(started))
      members["since"] = .int(Int(since))
      members["remaining"] = .int(Int(remaining))
    }
    return .sorted(members.map { Datum.Member($0.key, $0.value) })
  }

  /// - Throws: 4004 where it is no timer's.
  package init(_ datum: Datum) throws(WireError) {
    func number(_ name: Name, _ range: ClosedRange<Int64>) -> Int64? {
      datum[name]?.text.flatMap { Int64($0.text) }.flatMap { range.contains($0) ? $0 : nil }
    }
    guard let state = datum["state"]?.text.flatMap({ PomodoroState(rawValue: $0.text) }),
      let works = number("works", 0...4), let total = number("total", 1...LocalTime.day)
    else {
      throw WireError(.invalidField, "the timer's state must be what the app itself had saved")
    }
    self.init()
    (self.state, self.works, self.total) = (state, Int(works), total)
    let times = -Self.latest...Self.latest
    guard let started = number("started", times) else { return }
    if let ends = number("ends", times) {
      run = .running(started: started, ends: ends)
    } else if let since = number("since", times), let remaining = number("remaining", 0...total) {
      run = .paused(started: started, since: since, remaining: remaining)
    }
  }

  /// No calendar reaches further: 275,000 years.
  private static let latest: Int64 = 8_640_000_000_000_000
}
