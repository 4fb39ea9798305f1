/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014), with a stream of its own for each purpose.
struct ProxyRandom: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter stream: what it is for; streams of one seed have nothing to do with each other.
  init(seed: UInt64, stream: Int) {
    state = seed
    let first = next()
    state = first ^ UInt64(truncatingIfNeeded: stream) &* 0x9E37_79B9_7F4A_7C15
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
