/// Counts durations in buckets that are never wider than 1/128 of what they hold.
///
/// It is the log-linear layout of HdrHistogram (Tene, "How NOT to Measure Latency"): below 128 µs a
/// bucket a microsecond, above that 128 buckets for each power of two. So a figure read from it is
/// off by less than 0.8 %, and the memory (27 KiB) does not depend on how much was counted.
///
///     0 … 127   1 µs each │ 128 … 255   1 µs each │ 256 … 511   2 µs each │ 512 … 1023   4 µs …
package struct Histogram: Equatable, Sendable {
  /// 7 bits: 128 buckets an octave.
  private static let bits = 7
  /// Durations from here on, 2³³ µs or 2 h 23 min, share the last bucket; `max` is exact still.
  package static let limit = 1 << 33
  private static let bucketCount = index(of: limit - 1) + 1

  private var counts = [Int](repeating: 0, count: bucketCount)
  package private(set) var count = 0
  /// The longest, in microseconds; 0 where there is none.
  package private(set) var max = 0

  package init() {}

  /// One that was saved.
  ///
  /// - Parameters:
  ///   - buckets: of each the end, in microseconds, and what is in it; none of them negative.
  ///   - max: in microseconds.
  init(_ buckets: [(end: Int, count: Int)], max: Int) {
    for bucket in buckets {
      counts[Self.index(of: Swift.min(bucket.end, Self.limit - 1))] += bucket.count
      count += bucket.count
    }
    self.max = max
  }

  /// Counts a duration in microseconds; a negative one counts as 0.
  @inline(__always)
  package mutating func record(_ microseconds: Int) {
    let value = Swift.max(0, microseconds)
    counts[Self.index(of: Swift.min(value, Self.limit - 1))] &+= 1
    count &+= 1
    if value > max { max = value }
  }

  package mutating func add(_ other: Histogram) {
    guard other.count > 0 else { return }
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    max = Swift.max(max, other.max)
  }

  package mutating func removeAll() {
    guard count > 0 else { return }
    for index in counts.indices { counts[index] = 0 }
    count = 0
    max = 0
  }

  /// The duration that `share` of all do not exceed, in microseconds: the upper end of its bucket,
  /// so never less than the exact one; nil where nothing was counted.
  ///
  /// - Parameter share: above 0, up to 1.
  package func percentile(_ share: Double) -> Int? {
    precondition(share > 0 && share <= 1, "Histogram.percentile of \(share)")
    guard count > 0 else { return nil }
    let rank = Swift.max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for index in counts.indices {
      seen += counts[index]
      if seen >= rank { return Swift.min(Self.range(of: index).upperBound, max) }
    }
    return max
  }

  /// The buckets in which there is something: what they hold, in microseconds, and how many.
  package var buckets: [(range: ClosedRange<Int>, count: Int)] {
    counts.indices.filter { counts[$0] > 0 }.map { (Self.range(of: $0), counts[$0]) }
  }

  @inline(__always)
  private static func index(of value: Int) -> Int {
    let octave = Swift.max(0, Int.bitWidth - value.leadingZeroBitCount - 1 - bits)
    return octave << bits + value >> octave
  }

  private static func range(of index: Int) -> ClosedRange<Int> {
    let octave = Swift.max(0, index >> bits - 1)
    let first = (index - octave << bits) << octave
    return first...(first + 1 << octave - 1)
  }
}
