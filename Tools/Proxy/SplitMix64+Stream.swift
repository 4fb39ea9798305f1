import Seeded

extension SplitMix64 {
  /// - Parameter stream: what it is for; streams of one seed have nothing to do with each other.
  init(seed: UInt64, stream: Int) {
    var first = SplitMix64(seed: seed)
    self.init(seed: first.next() ^ UInt64(truncatingIfNeeded: stream) &* 0x9E37_79B9_7F4A_7C15)
    _ = next()
  }
}
