/// When batches were filled: enough of them to say how old something is, to a sixty-fourth of its age and a second.
struct BatchTimes {
  /// Of batches that began at least a second apart, rising; the older, the fewer.
  private var times: [(batch: UInt64, time: Int64)] = []

  /// Room for half of it has to be made each time that it is full; what is kept of 30 days are some 800.
  private static let most = 2_048
  private static let second: Int64 = 1_000_000
  private static let precision: Int64 = 64

  /// The run begins: batches of before are as old as that, at least.
  init(last batch: UInt64, now: Int64) { times = [(batch, now)] }

  /// Something goes into a batch.
  mutating func note(_ batch: UInt64, now: Int64) {
    let last = times[times.count - 1]
    guard batch > last.batch, now >= last.time + Self.second else { return }
    times.append((batch, now))
    if times.count > Self.most { thin(now) }
  }

  private mutating func thin(_ now: Int64) {
    var kept = [times[0]]
    for (place, entry) in times.enumerated().dropFirst() {
      let next = place + 1 < times.count ? times[place + 1].time : .max
      let apart = max(Self.second, (now - entry.time) / Self.precision)
      if next == .max || next - kept[kept.count - 1].time > apart { kept.append(entry) }
    }
    times = kept
  }

  var count: Int { times.count }

  /// How long ago a batch was filled, at most; of one of an earlier run how long this one lasts.
  func age(of batch: UInt64, now: Int64) -> Int64 {
    var (low, high) = (0, times.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if times[middle].batch <= batch { low = middle } else { high = middle }
    }
    return max(0, now - times[low].time)
  }
}
