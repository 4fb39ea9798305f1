import Glibc

/// What the process may have, and what names it makes.
extension Server {
  /// Lets the process have as many descriptors as it may. Returns how many.
  static func raiseDescriptors() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// For the store, the loop, the standard streams, and room to refuse further connections.
  static let reservedDescriptors = 64

  /// With fewer than 16 connections it would be of no use.
  static let fewestDescriptors = reservedDescriptors + 16

  static func randomName() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next() | 1 << 63, radix: 16)
      + String(generator.next() | 1 << 63, radix: 16)
  }
}
