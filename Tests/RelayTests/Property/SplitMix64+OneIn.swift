import Seeded

extension SplitMix64 {
  /// True one time in `count`.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
