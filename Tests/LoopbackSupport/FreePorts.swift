package import Foundation
import Synchronization

/// Ports of the loopback for programs that do not choose their own, or are to be found there again.
///
/// They lie below those that the kernel gives to whoever asks for any port, or connects: a port from among those that was
/// free a moment ago may be another program's before the one for which it was drawn listens there.
package enum FreePorts {
  /// How many were looked at.
  private static let count = Mutex(0)

  /// Draws ports on which nobody listens, none of them twice in one process. Those of several processes begin far from one
  /// another.
  /// - Returns: `count` ports from 10,000 on.
  package static func draw(_ count: Int) throws(POSIXError) -> [Int] {
    let all = lowestOfTheKernel - 10_000
    var ports: [Int] = []
    while ports.count < count {
      let number = self.count.withLock { count in
        defer { count += 1 }
        return count
      }
      guard number < all else { throw POSIXError(.EADDRINUSE) }
      let port = 10_000 + (Int(getpid()) * 4_999 + number) % all
      guard let listener = try? LoopbackListener(port: port) else { continue }
      close(listener.descriptor)
      ports.append(port)
    }
    return ports
  }

  /// The lower end of `net.ipv4.ip_local_port_range`; Linux's own where it is not to be read or leaves no room.
  private static let lowestOfTheKernel: Int = {
    let range = try? String(
      contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let lowest = range?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
    return lowest.flatMap { $0 > 12_000 ? $0 : nil } ?? 32_768
  }()
}
