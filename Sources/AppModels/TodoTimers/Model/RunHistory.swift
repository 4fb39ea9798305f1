package import Merge

/// A timer that was through.
package struct TimerRun: Hashable, Sendable {
  package let id: Name
  package let timer: Name
  /// As the timer was called then.
  package let name: String
  /// Seconds.
  package let duration: Int
  /// Milliseconds since 1970.
  package let finishedAt: Int64

  package init(_ record: RecordView) {
    id = record.id
    timer = record["timer"]?.text ?? ""
    name = record.string("name") ?? ""
    duration = min(max(0, record.int("durationInSeconds") ?? 0), 359_999)
    finishedAt = record.date("finishedAt") ?? 0
  }
}

/// The runs of all devices.
package struct RunHistory: Sendable {
  /// The newest first.
  package let runs: [TimerRun]

  package init(_ records: Records) {
    runs = records.all("run").map(TimerRun.init).sorted {
      ($1.finishedAt, $1.id) < ($0.finishedAt, $0.id)
    }
  }

  /// So many are kept; a new one takes the place of the oldest.
  package static let limit = 500

  /// How many runs there were since a time, and their seconds.
  package func total(from start: Int64 = .min) -> (count: Int, seconds: Int) {
    let runs = runs.filter { $0.finishedAt >= start }
    return (runs.count, runs.reduce(0) { $0 + $1.duration })
  }

  /// Each name with its runs, the one with the most seconds first.
  package var byName: [(name: String, count: Int, seconds: Int)] {
    Dictionary(grouping: runs, by: \.name).map { name, runs in
      (name, runs.count, runs.reduce(0) { $0 + $1.duration })
    }.sorted { ($1.seconds, $0.name) < ($0.seconds, $1.name) }
  }
}
