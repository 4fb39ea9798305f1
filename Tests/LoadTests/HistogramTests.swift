import Seeded
import Load
import Testing

@Suite struct HistogramTests {
  static let shares = [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1]

  /// Durations from 1 µs to an hour, as many in each octave, against the exact ones.
  @Test(arguments: 1...20) func isWithinOnePercentOfASort(_ seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    var histogram = Histogram()
    var exact: [Int] = []
    for _ in 0..<5_000 {
      let octave = Int.random(in: 0...31, using: &numbers)
      let value = Int.random(in: 1 << octave...2 << octave, using: &numbers)
      exact.append(value)
      histogram.record(value)
    }
    exact.sort()
    #expect(histogram.count == exact.count)
    #expect(histogram.max == exact.last)
    for share in Self.shares {
      let rank = max(1, Int((Double(exact.count) * share).rounded(.up)))
      let value = exact[rank - 1]
      let told = try #require(histogram.percentile(share))
      #expect(told >= value, "\(share) of seed \(seed)")
      #expect(Double(told - value) <= 0.01 * Double(value), "\(share) of seed \(seed)")
    }
  }

  /// Below 256 µs each microsecond has a bucket of its own, and every bucket starts where the one
  /// before it ends.
  @Test func bucketsAreExactThenGrow() {
    var histogram = Histogram()
    for value in 0..<100_000 { histogram.record(value) }
    var next = 0
    for bucket in histogram.buckets {
      #expect(bucket.range.lowerBound == next)
      #expect(bucket.range.count == bucket.count || bucket.range.contains(99_999))
      #expect(bucket.range.count * 128 <= max(128, bucket.range.lowerBound))
      next = bucket.range.upperBound + 1
    }
    #expect(next >= 100_000)
  }

  @Test func ends() {
    var histogram = Histogram()
    #expect(histogram.percentile(0.5) == nil)
    histogram.record(-5)
    #expect(histogram.percentile(1) == 0)
    histogram.record(Histogram.limit * 3)
    #expect(histogram.max == Histogram.limit * 3)
    #expect(histogram.percentile(0.5) == 0)
    #expect(histogram.count == 2)
  }

  @Test func adds() {
    var (first, second, both) = (Histogram(), Histogram(), Histogram())
    for value in [1, 40, 7_000] {
      first.record(value)
      both.record(value)
    }
    for value in [2, 900_000] {
      second.record(value)
      both.record(value)
    }
    first.add(second)
    #expect(first == both)
    first.removeAll()
    #expect(first == Histogram())
  }
}
