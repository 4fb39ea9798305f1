import Merge

/// What dashboards count, over the tasks of a scope that have stopped.
///
/// With `s(t)` the start of a task and `e(t)` its end in milliseconds since 1970, and `e ≥ s`:
///
/// - `seconds(t) = ⌊(e − s) / 1000⌋`
/// - `until(t, m) = ⌊(min(max(m, s), e) − s) / 1000⌋`, what of it lies before a moment
/// - `today = Σ until(t, next midnight) − until(t, last midnight)`, so that days add up
/// - `total = Σ seconds(t)`
/// - `amount(t) = rate(t) × ⌈seconds(t) / increment⌉ × increment`, in cents with halves up
/// - `unbilled = Σ amount(t)` of those that are not billed
/// - `billed = Σ billedAmount(t)`, or `amount(t)` where none was written, of those that are
/// - `billable = unbilled + billed`
/// - `activeClients`: clients with a task whose end is within the last 30 days (`now − 30 × 24 h`
///   or later) or in the future
package struct Statistics: Hashable, Sendable {
  package var todaySeconds = 0
  package var totalSeconds = 0
  package var billable = Money.zero
  package var unbilled = Money.zero
  package var billed = Money.zero
  package var activeClients = 0
  package var tasks = 0

  /// - Parameter now: milliseconds since 1970.
  package init(_ tracked: TrackedWork, _ scope: TrackedWork.Scope, now: Int64, secondsFromUTC: Int)
  {
    let midnight = LocalTime.midnight(now, secondsFromUTC: secondsFromUTC)
    var clients: Set<Name> = []
    for task in tracked.tasks where scope.contains(task) {
      guard let interval = task.interval else { continue }
      tasks += 1
      todaySeconds += task.seconds(from: midnight, to: midnight + LocalTime.day)
      totalSeconds += task.seconds
      if task.isBilled {
        billed = billed + tracked.amount(of: task)
      } else {
        unbilled = unbilled + tracked.amount(of: task)
      }
      if interval.upperBound >= now - 30 * LocalTime.day { clients.insert(task.client) }
    }
    billable = unbilled + billed
    activeClients = clients.count
  }
}

extension TaskModel {
  /// Whole seconds of it before a moment.
  private func seconds(until moment: Int64) -> Int {
    guard let interval else { return 0 }
    let end = min(max(moment, interval.lowerBound), interval.upperBound)
    return Int((end - interval.lowerBound) / 1000)
  }

  /// Whole seconds of it between two moments; those of adjoining stretches add up.
  package func seconds(from start: Int64, to end: Int64) -> Int {
    seconds(until: end) - seconds(until: start)
  }
}

/// Times as TimeTracker shows them.
package enum TrackerText {
  /// `h:mm:ss`; `0:00:00` for what is below a second.
  package static func clock(seconds: Int) -> String {
    let seconds = max(0, seconds)
    return "\(seconds / 3600):\((seconds / 60 % 60).twoDigits):\((seconds % 60).twoDigits)"
  }

  /// `2h 05m`, `5m`, `0m`: whole minutes.
  package static func short(seconds: Int) -> String {
    let (hours, minutes) = (max(0, seconds) / 3600, max(0, seconds) / 60 % 60)
    return hours > 0 ? "\(hours)h \(minutes.twoDigits)m" : "\(minutes)m"
  }
}
