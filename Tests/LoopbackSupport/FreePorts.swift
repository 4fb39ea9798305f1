package import Foundation
import Synchronization

/// Ports of the loopback for programs that do not choose their own, or are to be found there again.
///
/// They lie below those that the kernel gives to whoever asks for any port, or connects: a port from among those that was
/// free a moment ago may be another program's before the one for which it was drawn listens there.
package enum FreePorts {
  private static let drawn = Mutex<Set<Int>>([])

  /// Draws ports on which nobody listens, none of them twice in one process.
  /// - Returns: `count` ports from 10,000 on.
  package static func draw(_ count: Int) throws(POSIXError) -> [Int] {
    let all = 10_000..<lowestOfTheKernel
    var ports: [Int] = []
    while ports.count < count {
      let port = Int.random(in: all)
      guard drawn.withLock({ $0.insert(port).inserted }) else {
        if drawn.withLock({ $0.count == all.count }) { throw POSIXError(.EADDRINUSE) }
        continue
      }
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
